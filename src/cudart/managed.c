// Managed memory: the host and the device share all memory, so there is nothing to move.
#include "cudart/managed.h"

#include <stdint.h>

#include "cudart/capture.h"
#include "cudart/memory.h"
#include "cudart/pointer.h"
#include "cudart/state.h"
#include "cudart/stream.h"

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };
enum { FIRST_ADVICE = 1, LAST_ADVICE = 6 };
enum { UNREGISTERED_DEVICE = -2 }; // what the runtime says for memory that is no device's

CUDART_API enum cuda_error cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
    enum cuda_error error = cudart_enter_unsafe();
    if (error == cudaSuccess && flags != ATTACH_GLOBAL && flags != ATTACH_HOST)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cudart_allocate(cudart_state(), pointer, bytes, SIM_MANAGED);
    return cudart_leave(error);
}

static bool is_managed(const void *pointer, size_t bytes) {
    const struct sim_allocation *allocation = cudart_allocation(cudart_state(), pointer);
    return allocation && (allocation->kind == SIM_MANAGED || allocation->kind == SIM_VARIABLE) &&
           cudart_range_is_good(cudart_state(), pointer, bytes, false);
}

// What moves managed memory cannot be a part of a graph.
static enum cuda_error no_capture(struct cudart_state *state, cuda_stream stream) {
    struct cudart_capture *capture;
    enum cuda_error error = cudart_capture_use(state, stream, &capture);
    if (!capture)
        return error;
    cudart_capture_spoil(state, stream);
    return cudaErrorStreamCaptureUnsupported;
}

enum cuda_error cudart_prefetch(const void *pointer, size_t bytes, int device, cuda_stream stream) {
    bool is_lost;
    enum cuda_error error = cudart_enter_queued(&is_lost);
    if (error == cudaSuccess && device >= 0 && !cudart_is_device(cudart_state(), device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && !cudart_stream_is_good(cudart_state(), stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && (!bytes || !is_managed(pointer, bytes)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = no_capture(cudart_state(), stream);
    return cudart_leave(error);
}

enum cuda_error cudart_advise(const void *pointer, size_t bytes, int advice, int device) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && device >= 0 && !cudart_is_device(cudart_state(), device))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess &&
        (advice < FIRST_ADVICE || advice > LAST_ADVICE || !bytes || !is_managed(pointer, bytes)))
        error = cudaErrorInvalidValue;
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaStreamAttachMemAsync(cuda_stream stream, void *pointer, size_t bytes,
                                                    unsigned flags) {
    (void)bytes;
    bool is_lost;
    enum cuda_error error = cudart_enter_queued(&is_lost);
    if (error == cudaSuccess && !cudart_stream_is_good(cudart_state(), stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess &&
        ((flags != ATTACH_GLOBAL && flags != ATTACH_HOST && flags != ATTACH_SINGLE) ||
         !is_managed(pointer, 0)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = no_capture(cudart_state(), stream);
    return cudart_leave(error);
}
CUDART_PER_THREAD(cudaStreamAttachMemAsync, _ptsz)

enum cuda_error cudart_pointer_attributes(struct cuda_pointer_attributes *out,
                                          const void *pointer) {
    void *address = (void *)(uintptr_t)pointer;
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return cudart_leave(error);
    const struct sim_allocation *allocation = cudart_allocation(cudart_state(), pointer);
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
    return cudart_leave(cudaSuccess);
}
