#include "cuda/stream/stream.h"
#include "cuda/stream/calls.h"

#include "cuda/checks/check.h"
#include "cuda/graph/state.h"
#include "cuda/stream/capture.h"

enum { NON_BLOCKING = 1 };
enum { LOWEST_PRIORITY = 0, HIGHEST_PRIORITY = -5 }; // of a 9.0 device
enum { DEFAULT_STREAM_ID = 1, PER_THREAD_STREAM_ID = 2 };

static bool is_default(cuda_stream stream) {
    return !stream || stream == CUDA_STREAM_LEGACY || stream == CUDA_STREAM_PER_THREAD;
}

bool cuda_stream_is_good(const struct cuda_state *state, cuda_stream stream) {
    return is_default(stream) || cuda_handle_find((struct cuda_state *)state, CUDA_STREAM, stream);
}

struct cuda_device *cuda_stream_device(const struct cuda_state *state, cuda_stream stream) {
    return is_default(stream) ? state->current : stream->handle.device;
}

unsigned long long cuda_stream_number(const struct cuda_stream *stream) {
    return stream->id - PER_THREAD_STREAM_ID;
}

static void set_defaults(struct cuda_stream *stream) {
    enum { SYNC_POLICY_AUTO = 1 };
    stream->synchronization_policy = SYNC_POLICY_AUTO;
    stream->domain_map[1] = 1; // the remote domain
}

// The stream that each thread has of its own.
static struct cuda_stream *own_stream(struct cuda_state *state) {
    static _Thread_local struct cuda_stream *own;
    if (!own || !own->handle.is_live || own->id != PER_THREAD_STREAM_ID ||
        own->handle.device != state->current) {
        own = cuda_handle_new(state, CUDA_STREAM, sizeof *own);
        own->id = PER_THREAD_STREAM_ID;
        set_defaults(own);
    }
    return own;
}

struct cuda_stream *cuda_stream_find(struct cuda_state *state, cuda_stream stream) {
    if (!is_default(stream))
        return cuda_handle_find(state, CUDA_STREAM, stream);
    if (stream == CUDA_STREAM_PER_THREAD)
        return own_stream(state);
    if (!state->current->default_stream || !state->current->default_stream->handle.is_live) {
        state->current->default_stream =
            cuda_handle_new(state, CUDA_STREAM, sizeof *state->current->default_stream);
        state->current->default_stream->id = DEFAULT_STREAM_ID;
        set_defaults(state->current->default_stream);
    }
    return state->current->default_stream;
}

enum cuda_error cuda_stream_create(struct cuda_state *state, cuda_stream *stream, unsigned flags,
                                   int priority) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!stream || flags > NON_BLOCKING))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        struct cuda_stream *made = cuda_handle_new(state, CUDA_STREAM, sizeof *made);
        made->flags = flags;
        made->priority = priority > LOWEST_PRIORITY    ? LOWEST_PRIORITY
                         : priority < HIGHEST_PRIORITY ? HIGHEST_PRIORITY
                                                       : priority;
        made->id = PER_THREAD_STREAM_ID + ++state->streams_made;
        set_defaults(made);
        cuda_check_stream_made(state, made);
        *stream = made;
    }
    return error;
}

enum cuda_error cuda_stream_destroy(struct cuda_state *state, cuda_stream stream) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_stream *known = NULL;
    if (error == cudaSuccess) {
        known = is_default(stream) ? NULL : cuda_handle_find(state, CUDA_STREAM, stream);
        error = known ? cudaSuccess : cudaErrorInvalidResourceHandle;
    }
    if (known) {
        cuda_capture_drop(state, known);
        cuda_check_stream_gone(state, known);
        cuda_handle_kill(state, &known->handle);
    }
    return error;
}

// Waits and asks alike: everything is done. A stream that is captured has nothing to tell.
enum cuda_error cuda_stream_look_at(struct cuda_state *state, cuda_stream stream) {
    struct cuda_capture *capture = NULL;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cuda_capture_use(state, stream, &capture);
    if (error == cudaSuccess && capture) {
        cuda_capture_spoil(state, stream);
        error = cudaErrorStreamCaptureUnsupported;
    }
    if (error == cudaSuccess)
        error = cuda_capture_unsafe(state);
    if (error == cudaSuccess)
        cuda_check_waits(state, stream);
    return error == cudaSuccess ? cuda_visit(state, cuda_stream_device(state, stream)) : error;
}

// ---- Properties ---------------------------------------------------------------------------

// Enters; *known is the stream.
static enum cuda_error enter_with(struct cuda_state *state, cuda_stream stream, const void *out,
                                  const struct cuda_stream **known) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *known = cuda_stream_find(state, stream);
        error = *known ? cudaSuccess : cudaErrorInvalidResourceHandle;
    }
    return error;
}

enum cuda_error cuda_stream_get_flags(struct cuda_state *state, cuda_stream stream,
                                      unsigned *flags) {
    const struct cuda_stream *known;
    enum cuda_error error = enter_with(state, stream, flags, &known);
    if (error == cudaSuccess)
        *flags = known->flags;
    return error;
}

enum cuda_error cuda_stream_get_priority(struct cuda_state *state, cuda_stream stream,
                                         int *priority) {
    const struct cuda_stream *known;
    enum cuda_error error = enter_with(state, stream, priority, &known);
    if (error == cudaSuccess)
        *priority = known->priority;
    return error;
}

enum cuda_error cuda_stream_get_id(struct cuda_state *state, cuda_stream stream,
                                   unsigned long long *id) {
    const struct cuda_stream *known;
    enum cuda_error error = enter_with(state, stream, id, &known);
    if (error == cudaSuccess)
        *id = known->id;
    return error;
}

enum cuda_error cuda_stream_get_device(struct cuda_state *state, cuda_stream stream, int *device) {
    const struct cuda_stream *known;
    enum cuda_error error = enter_with(state, stream, device, &known);
    if (error == cudaSuccess)
        *device = (int)known->handle.device->number;
    return error;
}

enum cuda_error cuda_device_get_stream_priority_range(struct cuda_state *state, int *lowest,
                                                      int *highest) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && lowest)
        *lowest = LOWEST_PRIORITY;
    if (error == cudaSuccess && highest)
        *highest = HIGHEST_PRIORITY;
    return error;
}

// ---- Host functions in a stream ---------------------------------------------------------------

struct callback {
    cuda_stream_callback function;
    cuda_stream stream;
    enum cuda_error status;
    void *data;
};

static void call_back(void *data) {
    const struct callback *callback = data;
    callback->function(callback->stream, callback->status, callback->data);
}

// What is before it is done, so it runs at once. No capture takes it.
enum cuda_error cuda_stream_add_callback(struct cuda_state *state, cuda_stream stream,
                                         cuda_stream_callback function, void *data,
                                         unsigned flags) {
    if (!function || flags)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_stream_look_at(state, stream);
    struct callback callback = {function, stream, error, data};
    if (error < cudaErrorStreamCaptureUnsupported || error > cudaErrorStreamCaptureImplicit)
        cuda_call_host(state, call_back, &callback); // told of a broken device too
    return error;
}

enum cuda_error cuda_launch_host_func(struct cuda_state *state, cuda_stream stream,
                                      cuda_host_function function, void *data) {
    if (!function)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess) {
        struct cuda_operation operation = {.kind = CUDA_NODE_HOST, .u.host = {function, data}};
        error = cuda_enqueue(state, stream, &operation, false);
    }
    return error;
}
