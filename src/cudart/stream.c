#include "cudart/stream.h"

#include "cudart/capture.h"
#include "cudart/graph_state.h"

enum { NON_BLOCKING = 1 };
enum { LOWEST_PRIORITY = 0, HIGHEST_PRIORITY = -5 }; // of a 9.0 device
enum { DEFAULT_STREAM_ID = 1, PER_THREAD_STREAM_ID = 2 };

static bool is_default(cuda_stream stream) {
    return !stream || stream == CUDA_STREAM_LEGACY || stream == CUDA_STREAM_PER_THREAD;
}

bool cudart_stream_is_good(const struct cudart_state *state, cuda_stream stream) {
    return is_default(stream) ||
           cudart_handle_find((struct cudart_state *)state, CUDART_STREAM, stream);
}

struct cudart_device *cudart_stream_device(const struct cudart_state *state, cuda_stream stream) {
    return is_default(stream) ? state->current : stream->handle.device;
}

static void set_defaults(struct cudart_stream *stream) {
    enum { SYNC_POLICY_AUTO = 1 };
    stream->synchronization_policy = SYNC_POLICY_AUTO;
    stream->domain_map[1] = 1; // the remote domain
}

// The stream that each thread has of its own.
static struct cudart_stream *own_stream(struct cudart_state *state) {
    static _Thread_local struct cudart_stream *own;
    if (!own || !own->handle.is_live || own->id != PER_THREAD_STREAM_ID ||
        own->handle.device != state->current) {
        own = cudart_handle_new(state, CUDART_STREAM, sizeof *own);
        own->id = PER_THREAD_STREAM_ID;
        set_defaults(own);
    }
    return own;
}

struct cudart_stream *cudart_stream_find(struct cudart_state *state, cuda_stream stream) {
    if (!is_default(stream))
        return cudart_handle_find(state, CUDART_STREAM, stream);
    if (stream == CUDA_STREAM_PER_THREAD)
        return own_stream(state);
    if (!state->current->default_stream || !state->current->default_stream->handle.is_live) {
        state->current->default_stream =
            cudart_handle_new(state, CUDART_STREAM, sizeof *state->current->default_stream);
        state->current->default_stream->id = DEFAULT_STREAM_ID;
        set_defaults(state->current->default_stream);
    }
    return state->current->default_stream;
}

static enum cuda_error create(cuda_stream *stream, unsigned flags, int priority) {
    struct cudart_state *state = cudart_state();
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && (!stream || flags > NON_BLOCKING))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        struct cudart_stream *made = cudart_handle_new(state, CUDART_STREAM, sizeof *made);
        made->flags = flags;
        made->priority = priority > LOWEST_PRIORITY    ? LOWEST_PRIORITY
                         : priority < HIGHEST_PRIORITY ? HIGHEST_PRIORITY
                                                       : priority;
        made->id = PER_THREAD_STREAM_ID + ++state->streams_made;
        set_defaults(made);
        *stream = made;
    }
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaStreamCreate(cuda_stream *stream) {
    return create(stream, 0, LOWEST_PRIORITY);
}

CUDART_API enum cuda_error cudaStreamCreateWithFlags(cuda_stream *stream, unsigned flags) {
    return create(stream, flags, LOWEST_PRIORITY);
}

CUDART_API enum cuda_error cudaStreamCreateWithPriority(cuda_stream *stream, unsigned flags,
                                                        int priority) {
    return create(stream, flags, priority);
}

CUDART_API enum cuda_error cudaStreamDestroy(cuda_stream stream) {
    struct cudart_state *state = cudart_state();
    enum cuda_error error = cudart_enter();
    struct cudart_stream *known = NULL;
    if (error == cudaSuccess) {
        known = is_default(stream) ? NULL : cudart_handle_find(state, CUDART_STREAM, stream);
        error = known ? cudaSuccess : cudaErrorInvalidResourceHandle;
    }
    if (known) {
        cudart_capture_drop(state, known);
        cudart_handle_kill(state, &known->handle);
    }
    return cudart_leave_graphs(error);
}

// Waits and asks alike: everything is done. A stream that is captured has nothing to tell.
static enum cuda_error look_at(cuda_stream stream) {
    struct cudart_state *state = cudart_state();
    struct cudart_capture *capture = NULL;
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !cudart_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cudart_capture_use(state, stream, &capture);
    if (error == cudaSuccess && capture) {
        cudart_capture_spoil(state, stream);
        error = cudaErrorStreamCaptureUnsupported;
    }
    if (error == cudaSuccess)
        error = cudart_capture_unsafe(state);
    if (error == cudaSuccess)
        error = cudart_visit(state, cudart_stream_device(state, stream));
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaStreamSynchronize(cuda_stream stream) {
    return look_at(stream);
}
CUDART_PER_THREAD(cudaStreamSynchronize, _ptsz)

CUDART_API enum cuda_error cudaStreamQuery(cuda_stream stream) {
    return look_at(stream);
}
CUDART_PER_THREAD(cudaStreamQuery, _ptsz)

// ---- Properties ---------------------------------------------------------------------------

// Enters; *known is the stream.
static enum cuda_error enter_with(cuda_stream stream, const void *out,
                                  const struct cudart_stream **known) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *known = cudart_stream_find(cudart_state(), stream);
        error = *known ? cudaSuccess : cudaErrorInvalidResourceHandle;
    }
    return error;
}

CUDART_API enum cuda_error cudaStreamGetFlags(cuda_stream stream, unsigned *flags) {
    const struct cudart_stream *known;
    enum cuda_error error = enter_with(stream, flags, &known);
    if (error == cudaSuccess)
        *flags = known->flags;
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaStreamGetFlags, _ptsz)

CUDART_API enum cuda_error cudaStreamGetPriority(cuda_stream stream, int *priority) {
    const struct cudart_stream *known;
    enum cuda_error error = enter_with(stream, priority, &known);
    if (error == cudaSuccess)
        *priority = known->priority;
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaStreamGetPriority, _ptsz)

CUDART_API enum cuda_error cudaStreamGetId(cuda_stream stream, unsigned long long *id) {
    const struct cudart_stream *known;
    enum cuda_error error = enter_with(stream, id, &known);
    if (error == cudaSuccess)
        *id = known->id;
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaStreamGetId, _ptsz)

CUDART_API enum cuda_error cudaStreamGetDevice(cuda_stream stream, int *device) {
    const struct cudart_stream *known;
    enum cuda_error error = enter_with(stream, device, &known);
    if (error == cudaSuccess)
        *device = (int)known->handle.device->number;
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaStreamGetDevice, _ptsz)

CUDART_API enum cuda_error cudaDeviceGetStreamPriorityRange(int *lowest, int *highest) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && lowest)
        *lowest = LOWEST_PRIORITY;
    if (error == cudaSuccess && highest)
        *highest = HIGHEST_PRIORITY;
    return cudart_leave(error);
}

// ---- Host functions in a stream ---------------------------------------------------------------

// What is before it is done, so it runs at once. No capture takes it.
CUDART_API enum cuda_error cudaStreamAddCallback(cuda_stream stream, cuda_stream_callback callback,
                                                 void *data, unsigned flags) {
    if (!callback || flags)
        return cudart_record(cudaErrorInvalidValue);
    enum cuda_error error = look_at(stream);
    if (error < cudaErrorStreamCaptureUnsupported || error > cudaErrorStreamCaptureImplicit)
        callback(stream, error, data); // told of a broken device too
    return error;
}
CUDART_PER_THREAD(cudaStreamAddCallback, _ptsz)

CUDART_API enum cuda_error cudaLaunchHostFunc(cuda_stream stream, cuda_host_function function,
                                              void *data) {
    struct cudart_state *state = cudart_state();
    if (!function)
        return cudart_record(cudaErrorInvalidValue);
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !cudart_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess) {
        struct cudart_operation operation = {.kind = CUDA_NODE_HOST, .u.host = {function, data}};
        error = cudart_enqueue(state, stream, &operation, false);
    }
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaLaunchHostFunc, _ptsz)
