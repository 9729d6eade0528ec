// Managed memory: the host and the device share all memory, so there is nothing to move.
#include "cuda/memory/managed.h"

#include <stdint.h>

#include "cuda/core/state.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/stream.h"

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };
enum { FIRST_ADVICE = 1, LAST_ADVICE = 6 };
enum { UNREGISTERED_DEVICE = -2 }; // what the runtime says for memory that is no device's

CUDART_API enum cuda_error cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess && flags != ATTACH_GLOBAL && flags != ATTACH_HOST)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_allocate(cuda_state(), pointer, bytes, SIM_MANAGED);
    return cuda_leave(error);
}

static bool is_managed(const void *pointer, size_t bytes) {
    const struct sim_allocation *allocation = cuda_allocation(cuda_state(), pointer);
    return allocation && (allocation->kind == SIM_MANAGED || allocation->kind == SIM_VARIABLE) &&
           cuda_range_is_good(cuda_state(), pointer, bytes, false);
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

enum cuda_error cuda_prefetch(const void *pointer, size_t bytes, int device, cuda_stream stream) {
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(&is_lost);
    if (error == cudaSuccess && device >= 0 && !cuda_is_device(cuda_state(), device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && !cuda_stream_is_good(cuda_state(), stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && (!bytes || !is_managed(pointer, bytes)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = no_capture(cuda_state(), stream);
    return cuda_leave(error);
}

enum cuda_error cuda_advise(const void *pointer, size_t bytes, int advice, int device) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && device >= 0 && !cuda_is_device(cuda_state(), device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess &&
        (advice < FIRST_ADVICE || advice > LAST_ADVICE || !bytes || !is_managed(pointer, bytes)))
        error = cudaErrorInvalidValue;
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaStreamAttachMemAsync(cuda_stream stream, void *pointer, size_t bytes,
                                                    unsigned flags) {
    (void)bytes;
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(&is_lost);
    if (error == cudaSuccess && !cuda_stream_is_good(cuda_state(), stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess &&
        ((flags != ATTACH_GLOBAL && flags != ATTACH_HOST && flags != ATTACH_SINGLE) ||
         !is_managed(pointer, 0)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = no_capture(cuda_state(), stream);
    return cuda_leave(error);
}
CUDART_PER_THREAD(cudaStreamAttachMemAsync, _ptsz)

enum cuda_error cuda_pointer_attributes(struct cuda_pointer_attributes *out, const void *pointer) {
    void *address = (void *)(uintptr_t)pointer;
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return cuda_leave(error);
    const struct sim_allocation *allocation = cuda_allocation(cuda_state(), pointer);
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
    return cuda_leave(cudaSuccess);
}
