// Streams, events and what the host waits for.
#include "cuda/checks/checker.h"

#include "cuda/stream/event.h"
#include "cuda/stream/stream.h"

enum { NON_BLOCKING = 1 };

static uint32_t number_of(struct cuda_state *state, cuda_stream stream) {
    struct cuda_stream *known = cuda_stream_find(state, stream);
    const bool is_legacy = !stream || stream == CUDA_STREAM_LEGACY;
    if (!known->check_number)
        known->check_number =
            1 + check_order_add_stream(state->checker->order,
                                       is_legacy                     ? CHECK_STREAM_LEGACY
                                       : known->flags & NON_BLOCKING ? CHECK_STREAM_NON_BLOCKING
                                                                     : CHECK_STREAM_BLOCKING,
                                       known->handle.device->number);
    return known->check_number - 1;
}

// Blocking streams alone are not parallel to the default stream.
void cuda_check_stream_made(struct cuda_state *state, struct cuda_stream *stream) {
    if (!state->checker)
        return;
    number_of(state, stream);
    if (stream->flags & NON_BLOCKING)
        number_of(state, CUDA_STREAM_LEGACY);
}

uint32_t cuda_check_enter(struct cuda_state *state, cuda_stream stream,
                          struct check_clock *before) {
    const uint32_t number = number_of(state, stream);
    check_order_enter(state->checker->order, number, before);
    return number;
}

// ---- The host waits ---------------------------------------------------------------------------

void cuda_check_waits(struct cuda_state *state, cuda_stream stream) {
    if (!state->checker)
        return;
    check_order_host_waits(state->checker->order, number_of(state, stream));
    cuda_check_stop_watching(state);
    cuda_check_go_on_watching(state);
}

void cuda_check_waits_for_event(struct cuda_state *state, const struct cuda_event *event) {
    if (!state->checker)
        return;
    check_order_host_knows(state->checker->order, &event->clock);
    cuda_check_stop_watching(state);
    cuda_check_go_on_watching(state);
}

void cuda_check_waits_for_device(struct cuda_state *state, const struct cuda_device *device) {
    if (!state->checker)
        return;
    check_order_host_waits_for_device(state->checker->order, device->number);
    cuda_check_stop_watching(state);
    cuda_check_go_on_watching(state);
}

void cuda_check_waits_for_all(struct cuda_state *state) {
    for (unsigned d = 0; state->checker && d < state->device_count; d++)
        cuda_check_waits_for_device(state, &state->devices[d]);
}

// ---- Ends -------------------------------------------------------------------------------------

void cuda_check_stream_gone(struct cuda_state *state, struct cuda_stream *stream) {
    if (state->checker && stream->check_number)
        check_order_remove_stream(state->checker->order, stream->check_number - 1);
    stream->check_number = 0;
}

void cuda_check_event_gone(struct cuda_state *state, struct cuda_event *event) {
    (void)state;
    check_clock_free(&event->clock);
}
