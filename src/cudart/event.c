#include "cudart/event.h"

#include "base/progress.h"
#include "cudart/capture.h"
#include "cudart/launch.h"
#include "cudart/state.h"
#include "cudart/stream.h"

enum { EVENT_FLAGS = 7, DISABLE_TIMING = 2, EXTERNAL = 1 };

CUDART_API enum cuda_error cudaEventCreateWithFlags(cuda_event *event, unsigned flags) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && (!event || flags & ~(unsigned)EVENT_FLAGS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *event = cudart_handle_new(cudart_state(), CUDART_EVENT, sizeof **event);
        (*event)->flags = flags;
    }
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaEventCreate(cuda_event *event) {
    return cudaEventCreateWithFlags(event, 0);
}

struct cudart_event *cudart_event_find(struct cudart_state *state, cuda_event event) {
    return event ? cudart_handle_find(state, CUDART_EVENT, event) : NULL;
}

static struct cudart_event *find(cuda_event event) {
    return cudart_event_find(cudart_state(), event);
}

void cudart_event_record(struct cudart_event *event) {
    if (!event->handle.is_live) // it went, and a graph still records it
        return;
    cudart_links_free(&event->links);
    event->capture = 0;
    event->is_recorded = true;
    event->time = progress_now();
}

CUDART_API enum cuda_error cudaEventDestroy(cuda_event event) {
    enum cuda_error error = cudart_enter();
    struct cudart_event *known = error == cudaSuccess ? find(event) : NULL;
    if (known) {
        cudart_links_free(&known->links);
        cudart_handle_kill(cudart_state(), &known->handle);
    } else if (error == cudaSuccess) {
        error = cudaErrorInvalidResourceHandle;
    }
    return cudart_leave(error);
}

// In a capture an event is a place in it, or a node of its own where the program says so.
static enum cuda_error record(struct cudart_state *state, cuda_stream stream,
                              struct cudart_event *event, unsigned flags) {
    struct cudart_capture *capture;
    enum cuda_error error = cudart_capture_use(state, stream, &capture);
    if (error != cudaSuccess)
        return error;
    if (capture && flags != EXTERNAL) {
        cudart_capture_record(state, stream, event);
        return cudaSuccess;
    }
    struct cudart_operation operation = {.kind = CUDA_NODE_RECORD_EVENT, .u.event = event};
    return cudart_enqueue(state, stream, &operation, false);
}

CUDART_API enum cuda_error cudaEventRecordWithFlags(cuda_event event, cuda_stream stream,
                                                    unsigned flags) {
    bool is_lost;
    enum cuda_error error = cudart_enter_queued(&is_lost);
    struct cudart_event *known = error == cudaSuccess ? find(event) : NULL;
    if (error == cudaSuccess &&
        (!known || !cudart_stream_is_good(cudart_state(), stream) ||
         cudart_stream_device(cudart_state(), stream) != known->handle.device))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && flags > EXTERNAL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = record(cudart_state(), stream, known, flags);
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaEventRecordWithFlags, _ptsz)

CUDART_API enum cuda_error cudaEventRecord(cuda_event event, cuda_stream stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}
CUDART_PER_THREAD(cudaEventRecord, _ptsz)

// Waits and asks alike: what was before the event is done.
static enum cuda_error look_at(cuda_event event) {
    struct cudart_state *state = cudart_state();
    enum cuda_error error = cudart_enter();
    const struct cudart_event *known = error == cudaSuccess ? find(event) : NULL;
    if (error == cudaSuccess)
        error = known ? cudart_capture_asks(state, known) : cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cudart_capture_unsafe(state);
    if (error == cudaSuccess)
        error = cudart_visit(state, known->handle.device);
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaEventSynchronize(cuda_event event) {
    return look_at(event);
}

CUDART_API enum cuda_error cudaEventQuery(cuda_event event) {
    return look_at(event);
}

CUDART_API enum cuda_error cudaEventElapsedTime(float *milliseconds, cuda_event start,
                                                cuda_event end) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !milliseconds)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        const struct cudart_event *from = find(start), *to = find(end);
        if (from && to && (from->capture || to->capture))
            error = cudaErrorCapturedEvent;
        else if (!from || !to || !from->is_recorded || !to->is_recorded ||
                 from->handle.device != to->handle.device ||
                 (from->flags | to->flags) & DISABLE_TIMING)
            error = cudaErrorInvalidResourceHandle;
        else
            *milliseconds = (float)((to->time - from->time) * 1e3);
    }
    return cudart_leave(error);
}

// The name that programs built with 12.8 and 12.9 call.
CUDART_API enum cuda_error cudaEventElapsedTime_v2(float *milliseconds, cuda_event start,
                                                   cuda_event end) {
    return cudaEventElapsedTime(milliseconds, start, end);
}

static enum cuda_error wait(struct cudart_state *state, cuda_stream stream,
                            struct cudart_event *event, unsigned flags) {
    bool is_captured;
    struct cudart_operation operation = {.kind = CUDA_NODE_WAIT_EVENT, .u.event = event};
    if (flags == EXTERNAL)
        return cudart_enqueue(state, stream, &operation, false);
    enum cuda_error error = cudart_capture_wait(state, stream, event, &is_captured);
    return error == cudaSuccess && !is_captured ? cudart_enqueue(state, stream, &operation, false)
                                                : error;
}

CUDART_API enum cuda_error cudaStreamWaitEvent(cuda_stream stream, cuda_event event,
                                               unsigned flags) {
    bool is_lost;
    enum cuda_error error = cudart_enter_queued(&is_lost);
    struct cudart_event *known = error == cudaSuccess ? find(event) : NULL;
    if (error == cudaSuccess && (!known || !cudart_stream_is_good(cudart_state(), stream)))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && flags > EXTERNAL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = wait(cudart_state(), stream, known, flags);
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaStreamWaitEvent, _ptsz)
