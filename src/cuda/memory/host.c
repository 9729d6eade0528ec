// Host memory that the device may use: pinned, registered.
#include "cuda/core/state.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/capture.h"

enum { ALLOC_FLAGS = 7, REGISTER_FLAGS = 15, MAPPED = 2 };

static enum cuda_error allocate(void **pointer, size_t bytes, unsigned flags) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess && flags & ~(unsigned)ALLOC_FLAGS)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_allocate(cuda_state(), pointer, bytes, SIM_HOST);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaMallocHost(void **pointer, size_t bytes) {
    return allocate(pointer, bytes, 0);
}

CUDART_API enum cuda_error cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    return allocate(pointer, bytes, flags);
}

CUDART_API enum cuda_error cudaFreeHost(void *pointer) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess)
        error = cuda_release(cuda_state(), pointer, true);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess && (!pointer || !bytes || flags & ~(unsigned)REGISTER_FLAGS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !sim_register_host(cuda_state()->current->sim, pointer, bytes))
        error = cudaErrorHostMemoryAlreadyRegistered;
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaHostUnregister(void *pointer) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess && !pointer)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !sim_unregister_host(cuda_state()->current->sim, pointer))
        error = cudaErrorHostMemoryNotRegistered;
    return cuda_leave(error);
}

static bool is_host_memory(const void *pointer) {
    const struct sim_allocation *allocation = cuda_allocation(cuda_state(), pointer);
    return allocation && allocation->kind == SIM_HOST;
}

// The device uses the host's addresses.
CUDART_API enum cuda_error cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!device || flags || !is_host_memory(host)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *device = host;
    return cuda_leave(error);
}

// Everything is mapped, whatever was asked for: so says a device with unified addresses.
CUDART_API enum cuda_error cudaHostGetFlags(unsigned *flags, void *host) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!flags || !is_host_memory(host)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *flags = MAPPED;
    return cuda_leave(error);
}
