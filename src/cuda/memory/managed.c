// Managed memory: the host and the device share all memory, so there is nothing to move.
#include "cuda/memory/calls.h"

#include <stdint.h>

#include "cuda/core/state.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/stream.h"

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };
enum { FIRST_ADVICE = 1, LAST_ADVICE = 6 };
enum { UNREGISTERED_DEVICE = -2 }; // what the runtime says for memory that is no device's

enum cuda_error cuda_malloc_managed(struct cuda_state *state, void **pointer, size_t bytes,
                                    unsigned flags) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess && flags != ATTACH_GLOBAL && flags != ATTACH_HOST)
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? cuda_allocate(state, pointer, bytes, SIM_MANAGED) : error;
}

static bool is_managed(struct cuda_state *state, const void *pointer, size_t bytes) {
    const struct sim_allocation *allocation = cuda_allocation(state, pointer);
    return allocation && (allocation->kind == SIM_MANAGED || allocation->kind == SIM_VARIABLE) &&
           cuda_range_is_good(state, pointer, bytes, false);
}

// What moves managed memory cannot be a part of a graph.
static enum cuda_error no_capture(struct cuda_state *state, cuda_stream stream) {
    struct cuda_capture *capture;
    enum cuda_error error = cuda_capture_use(state, stream, &capture);
    if (!capture)
        return error;
    cuda_capture_spoil(state, stream);
    return cudaErrorStreamCaptureUnsupported;
}

enum cuda_error cuda_prefetch(struct cuda_state *state, const void *pointer, size_t bytes,
                              int device, cuda_stream stream) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    if (error == cudaSuccess && device >= 0 && !cuda_is_device(state, device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && (!bytes || !is_managed(state, pointer, bytes)))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? no_capture(state, stream) : error;
}

enum cuda_error cuda_advise(struct cuda_state *state, const void *pointer, size_t bytes, int advice,
                            int device) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && device >= 0 && !cuda_is_device(state, device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && (advice < FIRST_ADVICE || advice > LAST_ADVICE || !bytes ||
                                 !is_managed(state, pointer, bytes)))
        error = cudaErrorInvalidValue;
    return error;
}

enum cuda_error cuda_stream_attach_mem_async(struct cuda_state *state, cuda_stream stream,
                                             void *pointer, size_t bytes, unsigned flags) {
    (void)bytes;
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess &&
        ((flags != ATTACH_GLOBAL && flags != ATTACH_HOST && flags != ATTACH_SINGLE) ||
         !is_managed(state, pointer, 0)))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? no_capture(state, stream) : error;
}

enum cuda_error cuda_pointer_attributes(struct cuda_state *state,
                                        struct cuda_pointer_attributes *out, const void *pointer) {
    void *address = (void *)(uintptr_t)pointer;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    const struct sim_allocation *allocation = cuda_allocation(state, pointer);
    if (!allocation)
        *out = (struct cuda_pointer_attributes){CUDA_MEMORY_UNREGISTERED, UNREGISTERED_DEVICE, NULL,
                                                address};
    else
        *out = (struct cuda_pointer_attributes){
            .type = allocation->kind == SIM_HOST      ? CUDA_MEMORY_HOST
                    : allocation->kind == SIM_MANAGED ? CUDA_MEMORY_MANAGED
                                                      : CUDA_MEMORY_DEVICE,
            .device = (int)allocation->device,
            .device_pointer = address,
            .host_pointer =
                allocation->kind == SIM_HOST || allocation->kind == SIM_MANAGED ? address : NULL,
        };
    return cudaSuccess;
}
