#include "cuda/stream/event.h"

#include "base/progress.h"
#include "cuda/core/state.h"
#include "cuda/launch/launch.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/stream.h"

enum { EVENT_FLAGS = 7, DISABLE_TIMING = 2, EXTERNAL = 1 };

CUDART_API enum cuda_error cudaEventCreateWithFlags(cuda_event *event, unsigned flags) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!event || flags & ~(unsigned)EVENT_FLAGS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *event = cuda_handle_new(cuda_state(), CUDA_EVENT, sizeof **event);
        (*event)->flags = flags;
    }
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaEventCreate(cuda_event *event) {
    return cudaEventCreateWithFlags(event, 0);
}

struct cuda_event *cuda_event_find(struct cuda_state *state, cuda_event event) {
    return event ? cuda_handle_find(state, CUDA_EVENT, event) : NULL;
}

static struct cuda_event *find(cuda_event event) {
    return cuda_event_find(cuda_state(), event);
}

void cuda_event_record(struct cuda_event *event) {
    if (!event->handle.is_live) // it went, and a graph still records it
        return;
    cuda_links_free(&event->links);
    event->capture = 0;
    event->is_recorded = true;
    event->time = progress_now();
}

CUDART_API enum cuda_error cudaEventDestroy(cuda_event event) {
    enum cuda_error error = cuda_enter();
    struct cuda_event *known = error == cudaSuccess ? find(event) : NULL;
    if (known) {
        cuda_links_free(&known->links);
        cuda_handle_kill(cuda_state(), &known->handle);
    } else if (error == cudaSuccess) {
        error = cudaErrorInvalidResourceHandle;
    }
    return cuda_leave(error);
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

CUDART_API enum cuda_error cudaEventRecordWithFlags(cuda_event event, cuda_stream stream,
                                                    unsigned flags) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(&is_lost);
    struct cuda_event *known = error == cudaSuccess ? find(event) : NULL;
    if (error == cudaSuccess && (!known || !cuda_stream_is_good(cuda_state(), stream) ||
                                 cuda_stream_device(cuda_state(), stream) != known->handle.device))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && flags > EXTERNAL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = record(cuda_state(), stream, known, flags);
    return cuda_leave(error);
}
CUDART_PER_THREAD(cudaEventRecordWithFlags, _ptsz)

CUDART_API enum cuda_error cudaEventRecord(cuda_event event, cuda_stream stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}
CUDART_PER_THREAD(cudaEventRecord, _ptsz)

// Waits and asks alike: what was before the event is done.
static enum cuda_error look_at(cuda_event event) {
    struct cuda_state *state = cuda_state();
    enum cuda_error error = cuda_enter();
    const struct cuda_event *known = error == cudaSuccess ? find(event) : NULL;
    if (error == cudaSuccess)
        error = known ? cuda_capture_asks(state, known) : cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cuda_capture_unsafe(state);
    if (error == cudaSuccess)
        error = cuda_visit(state, known->handle.device);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaEventSynchronize(cuda_event event) {
    return look_at(event);
}

CUDART_API enum cuda_error cudaEventQuery(cuda_event event) {
    return look_at(event);
}

CUDART_API enum cuda_error cudaEventElapsedTime(float *milliseconds, cuda_event start,
                                                cuda_event end) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && !milliseconds)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        const struct cuda_event *from = find(start), *to = find(end);
        if (from && to && (from->capture || to->capture))
            error = cudaErrorCapturedEvent;
        else if (!from || !to || !from->is_recorded || !to->is_recorded ||
                 from->handle.device != to->handle.device ||
                 (from->flags | to->flags) & DISABLE_TIMING)
            error = cudaErrorInvalidResourceHandle;
        else
            *milliseconds = (float)((to->time - from->time) * 1e3);
    }
    return cuda_leave(error);
}

// The name that programs built with 12.8 and 12.9 call.
CUDART_API enum cuda_error cudaEventElapsedTime_v2(float *milliseconds, cuda_event start,
                                                   cuda_event end) {
    return cudaEventElapsedTime(milliseconds, start, end);
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

CUDART_API enum cuda_error cudaStreamWaitEvent(cuda_stream stream, cuda_event event,
                                               unsigned flags) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(&is_lost);
    struct cuda_event *known = error == cudaSuccess ? find(event) : NULL;
    if (error == cudaSuccess && (!known || !cuda_stream_is_good(cuda_state(), stream)))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && flags > EXTERNAL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = wait(cuda_state(), stream, known, flags);
    return cuda_leave(error);
}
CUDART_PER_THREAD(cudaStreamWaitEvent, _ptsz)
