// Memory: allocation, pinned and managed memory, pools, what a pointer is.
#include <string.h>

#include "cuda/memory/managed.h"
#include "cuda/memory/pointer.h"
#include "cudadrv/context.h"

enum cuda_error cudaMalloc(void **pointer, size_t bytes);
enum cuda_error cudaFree(void *pointer);
enum cuda_error cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
enum cuda_error cudaMallocHost(void **pointer, size_t bytes);
enum cuda_error cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
enum cuda_error cudaFreeHost(void *pointer);
enum cuda_error cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
enum cuda_error cudaHostUnregister(void *pointer);
enum cuda_error cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
enum cuda_error cudaHostGetFlags(unsigned *flags, void *host);
enum cuda_error cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
enum cuda_error cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
enum cuda_error cudaMallocAsync(void **pointer, size_t bytes, cuda_stream stream);
enum cuda_error cudaFreeAsync(void *pointer, cuda_stream stream);
enum cuda_error cudaMallocFromPoolAsync(void **pointer, size_t bytes, cuda_pool pool,
                                        cuda_stream stream);
enum cuda_error cudaMemPoolCreate(cuda_pool *pool, const void *properties);
enum cuda_error cudaMemPoolDestroy(cuda_pool pool);
enum cuda_error cudaMemPoolGetAttribute(cuda_pool pool, int attribute, void *value);
enum cuda_error cudaMemPoolSetAttribute(cuda_pool pool, int attribute, void *value);
enum cuda_error cudaMemPoolTrimTo(cuda_pool pool, size_t bytes);
enum cuda_error cudaMemPoolSetAccess(cuda_pool pool, const struct cuda_access *access,
                                     size_t count);
enum cuda_error cudaMemPoolGetAccess(int *flags, cuda_pool pool,
                                     const struct cuda_location *location);

static enum cuda_error allocate(cu_pointer *pointer, size_t bytes) {
    return bytes ? cudaMalloc((void **)pointer, bytes) : cudaErrorInvalidValue;
}

CUDART_API cu_result cuMemAlloc_v2(cu_pointer *pointer, size_t bytes) {
    return CUDADRV_RUN(allocate(pointer, bytes));
}

CUDART_API cu_result cuMemFree_v2(cu_pointer pointer) {
    return CUDADRV_RUN(cudaFree(cudadrv_host(pointer)));
}

CUDART_API cu_result cuMemAllocPitch_v2(cu_pointer *pointer, size_t *pitch, size_t width,
                                        size_t height, unsigned element) {
    if (element != 4 && element != 8 && element != 16)
        return cudaErrorInvalidValue;
    return CUDADRV_RUN(cudaMallocPitch((void **)pointer, pitch, width, height));
}

CUDART_API cu_result cuMemAllocManaged(cu_pointer *pointer, size_t bytes, unsigned flags) {
    if (!bytes)
        return cudaErrorInvalidValue;
    return CUDADRV_RUN(cudaMallocManaged((void **)pointer, bytes, flags));
}

CUDART_API cu_result cuMemAllocHost_v2(void **pointer, size_t bytes) {
    return CUDADRV_RUN(cudaMallocHost(pointer, bytes));
}

CUDART_API cu_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    return CUDADRV_RUN(cudaHostAlloc(pointer, bytes, flags));
}

CUDART_API cu_result cuMemFreeHost(void *pointer) {
    return CUDADRV_RUN(cudaFreeHost(pointer));
}

CUDART_API cu_result cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
    return CUDADRV_RUN(cudaHostRegister(pointer, bytes, flags));
}
CUDADRV_OLD_NAME(cuMemHostRegister, cuMemHostRegister_v2)

CUDART_API cu_result cuMemHostUnregister(void *pointer) {
    return CUDADRV_RUN(cudaHostUnregister(pointer));
}

CUDART_API cu_result cuMemHostGetDevicePointer_v2(cu_pointer *device, void *host, unsigned flags) {
    return CUDADRV_RUN(cudaHostGetDevicePointer((void **)device, host, flags));
}

CUDART_API cu_result cuMemHostGetFlags(unsigned *flags, void *host) {
    return CUDADRV_RUN(cudaHostGetFlags(flags, host));
}

CUDART_API cu_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
    return CUDADRV_RUN(cudaMemGetInfo(free_bytes, total_bytes));
}

// ---- Managed memory ---------------------------------------------------------------------------

enum { LOCATION_DEVICE = 1, CPU = -1 };

CUDART_API cu_result cuMemPrefetchAsync(cu_pointer pointer, size_t bytes, cu_device device,
                                        cuda_stream stream) {
    return CUDADRV_RUN(cuda_prefetch(cudadrv_host(pointer), bytes, device, stream));
}
CUDART_PER_THREAD(cuMemPrefetchAsync, _ptsz)

CUDART_API cu_result cuMemPrefetchAsync_v2(cu_pointer pointer, size_t bytes,
                                           struct cuda_location location, unsigned flags,
                                           cuda_stream stream) {
    if (flags)
        return cudaErrorInvalidValue;
    int device = location.type == LOCATION_DEVICE ? location.id : CPU;
    return CUDADRV_RUN(cuda_prefetch(cudadrv_host(pointer), bytes, device, stream));
}
CUDART_PER_THREAD(cuMemPrefetchAsync_v2, _ptsz)

CUDART_API cu_result cuMemAdvise(cu_pointer pointer, size_t bytes, int advice, cu_device device) {
    return CUDADRV_RUN(cuda_advise(cudadrv_host(pointer), bytes, advice, device));
}

CUDART_API cu_result cuMemAdvise_v2(cu_pointer pointer, size_t bytes, int advice,
                                    struct cuda_location location) {
    int device = location.type == LOCATION_DEVICE ? location.id : CPU;
    return CUDADRV_RUN(cuda_advise(cudadrv_host(pointer), bytes, advice, device));
}

// ---- Pools ------------------------------------------------------------------------------------

CUDART_API cu_result cuMemAllocAsync(cu_pointer *pointer, size_t bytes, cuda_stream stream) {
    return CUDADRV_RUN(cudaMallocAsync((void **)pointer, bytes, stream));
}
CUDART_PER_THREAD(cuMemAllocAsync, _ptsz)

CUDART_API cu_result cuMemAllocFromPoolAsync(cu_pointer *pointer, size_t bytes, cuda_pool pool,
                                             cuda_stream stream) {
    return CUDADRV_RUN(cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream));
}
CUDART_PER_THREAD(cuMemAllocFromPoolAsync, _ptsz)

CUDART_API cu_result cuMemFreeAsync(cu_pointer pointer, cuda_stream stream) {
    return CUDADRV_RUN(cudaFreeAsync(cudadrv_host(pointer), stream));
}
CUDART_PER_THREAD(cuMemFreeAsync, _ptsz)

CUDART_API cu_result cuMemPoolCreate(cuda_pool *pool, const void *properties) {
    return CUDADRV_ASK(cudaMemPoolCreate(pool, properties));
}

CUDART_API cu_result cuMemPoolDestroy(cuda_pool pool) {
    return CUDADRV_ASK(cudaMemPoolDestroy(pool));
}

CUDART_API cu_result cuMemPoolGetAttribute(cuda_pool pool, int attribute, void *value) {
    return CUDADRV_ASK(cudaMemPoolGetAttribute(pool, attribute, value));
}

CUDART_API cu_result cuMemPoolSetAttribute(cuda_pool pool, int attribute, void *value) {
    return CUDADRV_ASK(cudaMemPoolSetAttribute(pool, attribute, value));
}

CUDART_API cu_result cuMemPoolTrimTo(cuda_pool pool, size_t bytes) {
    return CUDADRV_ASK(cudaMemPoolTrimTo(pool, bytes));
}

CUDART_API cu_result cuMemPoolSetAccess(cuda_pool pool, const struct cuda_access *access,
                                        size_t count) {
    return CUDADRV_ASK(cudaMemPoolSetAccess(pool, access, count));
}

CUDART_API cu_result cuMemPoolGetAccess(int *flags, cuda_pool pool,
                                        const struct cuda_location *location) {
    return CUDADRV_ASK(cudaMemPoolGetAccess(flags, pool, location));
}

// ---- What a pointer is ------------------------------------------------------------------------

// Enters; *allocation is a copy. CUDA_ERROR_NOT_FOUND and _INVALID_VALUE are told apart by callers.
static enum cuda_error look_up(cu_pointer pointer, struct sim_allocation *allocation) {
    enum cuda_error error = cuda_enter();
    const struct sim_allocation *found =
        error == cudaSuccess ? cuda_allocation(cuda_state(), cudadrv_host(pointer)) : NULL;
    if (found)
        *allocation = *found;
    else if (error == cudaSuccess)
        error = cudaErrorInvalidValue;
    return cuda_leave(error);
}

CUDART_API cu_result cuMemGetAddressRange_v2(cu_pointer *base, size_t *bytes, cu_pointer pointer) {
    struct sim_allocation allocation;
    cu_result error = CUDADRV_RUN(look_up(pointer, &allocation));
    if (error == cudaErrorInvalidValue)
        return (cu_result)CUDADRV_NOT_FOUND;
    if (error == cudaSuccess && base)
        *base = allocation.address;
    if (error == cudaSuccess && bytes)
        *bytes = allocation.bytes;
    return error;
}

enum pointer_attribute {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE,
    POINTER_DEVICE,
    POINTER_HOST,
    POINTER_SYNC_COPIES = 6,
    POINTER_BUFFER_ID,
    POINTER_IS_MANAGED,
    POINTER_DEVICE_ORDINAL,
    POINTER_IS_IPC_CAPABLE,
    POINTER_RANGE_START,
    POINTER_RANGE_BYTES,
    POINTER_IS_MAPPED,
    POINTER_HANDLE_TYPES,
    POINTER_IS_RDMA_CAPABLE,
    POINTER_ACCESS_FLAGS,
};

static enum cuda_error tell(void *out, int attribute, cu_pointer pointer,
                            const struct sim_allocation *allocation, cu_context context) {
    enum { MEMORY_HOST = 1, MEMORY_DEVICE, READ_WRITE = 3 };
    bool is_host = allocation->kind == SIM_HOST, is_managed = allocation->kind == SIM_MANAGED;
    switch (attribute) {
    case POINTER_CONTEXT:
        *(cu_context *)out = context;
        return cudaSuccess;
    case POINTER_MEMORY_TYPE:
        *(unsigned *)out = is_host ? MEMORY_HOST : MEMORY_DEVICE;
        return cudaSuccess;
    case POINTER_DEVICE:
        *(cu_pointer *)out = pointer;
        return cudaSuccess;
    case POINTER_HOST:
        if (!is_host && !is_managed)
            return cudaErrorInvalidValue;
        *(void **)out = cudadrv_host(pointer);
        return cudaSuccess;
    case POINTER_SYNC_COPIES:
        *(unsigned *)out = 1;
        return cudaSuccess;
    case POINTER_BUFFER_ID:
        *(unsigned long long *)out = allocation->address;
        return cudaSuccess;
    case POINTER_IS_MANAGED:
        *(unsigned *)out = is_managed;
        return cudaSuccess;
    case POINTER_DEVICE_ORDINAL:
        *(int *)out = (int)allocation->device;
        return cudaSuccess;
    case POINTER_IS_IPC_CAPABLE:
    case POINTER_IS_RDMA_CAPABLE:
        *(unsigned *)out = 0;
        return cudaSuccess;
    case POINTER_HANDLE_TYPES:
        *(unsigned long long *)out = 0;
        return cudaSuccess;
    case POINTER_RANGE_START:
        *(cu_pointer *)out = allocation->address;
        return cudaSuccess;
    case POINTER_RANGE_BYTES:
        *(size_t *)out = allocation->bytes;
        return cudaSuccess;
    case POINTER_IS_MAPPED:
        *(unsigned *)out = 1;
        return cudaSuccess;
    case POINTER_ACCESS_FLAGS:
        *(unsigned long long *)out = READ_WRITE;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

static cu_result attribute_of(void *out, int attribute, cu_pointer pointer) {
    struct sim_allocation allocation;
    if (!out)
        return cudaErrorInvalidValue;
    cu_result error = CUDADRV_RUN(look_up(pointer, &allocation));
    if (error != cudaSuccess)
        return error;
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    error = tell(out, attribute, pointer, &allocation, cudadrv_current(state));
    pthread_mutex_unlock(&state->lock);
    return error;
}

CUDART_API cu_result cuPointerGetAttribute(void *out, int attribute, cu_pointer pointer) {
    return attribute_of(out, attribute, pointer);
}

// What does not hold for the pointer is 0 here, and no error.
CUDART_API cu_result cuPointerGetAttributes(unsigned count, const int *attributes, void **out,
                                            cu_pointer pointer) {
    static const unsigned bytes[] = {
        [POINTER_CONTEXT] = 8,      [POINTER_MEMORY_TYPE] = 4,     [POINTER_DEVICE] = 8,
        [POINTER_HOST] = 8,         [POINTER_SYNC_COPIES] = 4,     [POINTER_BUFFER_ID] = 8,
        [POINTER_IS_MANAGED] = 4,   [POINTER_DEVICE_ORDINAL] = 4,  [POINTER_IS_IPC_CAPABLE] = 4,
        [POINTER_RANGE_START] = 8,  [POINTER_RANGE_BYTES] = 8,     [POINTER_IS_MAPPED] = 4,
        [POINTER_HANDLE_TYPES] = 8, [POINTER_IS_RDMA_CAPABLE] = 4, [POINTER_ACCESS_FLAGS] = 8,
    };
    if (!attributes || !out)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (attributes[i] < POINTER_CONTEXT || attributes[i] > POINTER_ACCESS_FLAGS ||
            !bytes[attributes[i]])
            return cudaErrorInvalidValue;
        cu_result error = attribute_of(out[i], attributes[i], pointer);
        if (error == cudaErrorInvalidValue && out[i])
            memset(out[i], 0, bytes[attributes[i]]);
        else if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

// A hint: every copy is synchronous.
CUDART_API cu_result cuPointerSetAttribute(const void *value, int attribute, cu_pointer pointer) {
    struct sim_allocation allocation;
    if (!value || attribute != POINTER_SYNC_COPIES)
        return cudaErrorInvalidValue;
    return CUDADRV_RUN(look_up(pointer, &allocation));
}
