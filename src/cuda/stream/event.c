#include "cuda/stream/event.h"
#include "cuda/stream/calls.h"

#include "base/progress.h"
#include "cuda/checks/check.h"
#include "cuda/core/ipc.h"
#include "cuda/core/state.h"
#include "cuda/launch/launch.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/stream.h"

enum { EXTERNAL = 1 };

static bool are_flags(unsigned flags) {
    return !(flags & ~(unsigned)CUDA_EVENT_FLAGS) &&
           (!(flags & CUDA_EVENT_INTERPROCESS) || flags & CUDA_EVENT_DISABLE_TIMING);
}

enum cuda_error cuda_event_create_with_flags(struct cuda_state *state, cuda_event *event,
                                             unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!event || !are_flags(flags)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *event = cuda_handle_new(state, CUDA_EVENT, sizeof **event);
        (*event)->flags = flags;
    }
    return error;
}

struct cuda_event *cuda_event_find(struct cuda_state *state, cuda_event event) {
    return event ? cuda_handle_find(state, CUDA_EVENT, event) : NULL;
}

static struct cuda_event *find(struct cuda_state *state, cuda_event event) {
    return cuda_event_find(state, event);
}

void cuda_event_record(struct cuda_event *event) {
    if (!event->handle.is_live) // it went, and a graph still records it
        return;
    cuda_links_free(&event->links);
    event->capture = 0;
    event->is_recorded = true;
    event->time = progress_now();
}

enum cuda_error cuda_event_destroy(struct cuda_state *state, cuda_event event) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_event *known = error == cudaSuccess ? find(state, event) : NULL;
    if (known) {
        cuda_links_free(&known->links);
        cuda_check_event_gone(state, known);
        cuda_ipc_withdraw(state, CUDA_IPC_EVENT, (uint64_t)(uintptr_t)known);
        cuda_handle_kill(state, &known->handle);
    } else if (error == cudaSuccess) {
        error = cudaErrorInvalidResourceHandle;
    }
    return error;
}

// In a capture an event is a place in it, or a node of its own where the program says so.
static enum cuda_error record(struct cuda_state *state, cuda_stream stream,
                              struct cuda_event *event, unsigned flags) {
    struct cuda_capture *capture;
    enum cuda_error error = cuda_capture_use(state, stream, &capture);
    if (error != cudaSuccess)
        return error;
    if (capture && flags != EXTERNAL) {
        cuda_capture_record(state, stream, event);
        return cudaSuccess;
    }
    struct cuda_operation operation = {.kind = CUDA_NODE_RECORD_EVENT, .u.event = event};
    return cuda_enqueue(state, stream, &operation, false);
}

enum cuda_error cuda_event_record_with_flags(struct cuda_state *state, cuda_event event,
                                             cuda_stream stream, unsigned flags) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    struct cuda_event *known = error == cudaSuccess ? find(state, event) : NULL;
    if (error == cudaSuccess && (!known || !cuda_stream_is_good(state, stream) ||
                                 cuda_stream_device(state, stream) != known->handle.device))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && flags > EXTERNAL)
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? record(state, stream, known, flags) : error;
}

// What another process recorded it behind cannot be seen, nor what that came after.
static void note_others(struct cuda_state *state, const struct cuda_event *event) {
    if (event->flags & CUDA_EVENT_INTERPROCESS)
        cuda_check_waits_for_all(state);
}

// Waits and asks alike: what was before the event is done.
enum cuda_error cuda_event_look_at(struct cuda_state *state, cuda_event event) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_event *known = error == cudaSuccess ? find(state, event) : NULL;
    if (error == cudaSuccess)
        error = known ? cuda_capture_asks(state, known) : cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cuda_capture_unsafe(state);
    if (error == cudaSuccess) {
        cuda_check_waits_for_event(state, known);
        note_others(state, known);
    }
    return error == cudaSuccess ? cuda_visit(state, known->handle.device) : error;
}

enum cuda_error cuda_event_elapsed(struct cuda_state *state, float *milliseconds, cuda_event start,
                                   cuda_event end) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !milliseconds)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        const struct cuda_event *from = find(state, start), *to = find(state, end);
        if (from && to && (from->capture || to->capture))
            error = cudaErrorCapturedEvent;
        else if (!from || !to || !from->is_recorded || !to->is_recorded ||
                 from->handle.device != to->handle.device ||
                 (from->flags | to->flags) & CUDA_EVENT_DISABLE_TIMING)
            error = cudaErrorInvalidResourceHandle;
        else {
            cuda_check_waits_for_event(state, from);
            cuda_check_waits_for_event(state, to);
            *milliseconds = (float)((to->time - from->time) * 1e3);
        }
    }
    return error;
}

static enum cuda_error wait(struct cuda_state *state, cuda_stream stream, struct cuda_event *event,
                            unsigned flags) {
    bool is_captured;
    struct cuda_operation operation = {.kind = CUDA_NODE_WAIT_EVENT, .u.event = event};
    if (flags == EXTERNAL)
        return cuda_enqueue(state, stream, &operation, false);
    enum cuda_error error = cuda_capture_wait(state, stream, event, &is_captured);
    return error == cudaSuccess && !is_captured ? cuda_enqueue(state, stream, &operation, false)
                                                : error;
}

enum cuda_error cuda_stream_wait_event(struct cuda_state *state, cuda_stream stream,
                                       cuda_event event, unsigned flags) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    struct cuda_event *known = error == cudaSuccess ? find(state, event) : NULL;
    if (error == cudaSuccess && (!known || !cuda_stream_is_good(state, stream)))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && flags > EXTERNAL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        note_others(state, known);
    return error == cudaSuccess ? wait(state, stream, known, flags) : error;
}
