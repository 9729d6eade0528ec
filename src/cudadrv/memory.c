// Memory: allocation, pinned and managed memory, pools, what a pointer is.
#include <string.h>

#include "cuda/memory/calls.h"
#include "cuda/memory/pointer.h"
#include "cudadrv/cudadrv.h"

static enum cuda_error allocate(struct cuda_state *state, cu_pointer *pointer, size_t bytes) {
    return bytes ? cuda_malloc(state, (void **)pointer, bytes) : cudaErrorInvalidValue;
}

CUDADRV_CALL(cuMemAlloc_v2(cu_pointer *pointer, size_t bytes), allocate(state, pointer, bytes))
CUDADRV_CALL(cuMemFree_v2(cu_pointer pointer), cuda_free(state, cudadrv_host(pointer)))

CUDADRV_CALL(cuMemAllocPitch_v2(cu_pointer *pointer, size_t *pitch, size_t width, size_t height,
                                unsigned element),
             element != 4 && element != 8 && element != 16
                 ? cudaErrorInvalidValue
                 : cuda_malloc_pitch(state, (void **)pointer, pitch, width, height))

CUDADRV_CALL(cuMemAllocManaged(cu_pointer *pointer, size_t bytes, unsigned flags),
             bytes ? cuda_malloc_managed(state, (void **)pointer, bytes, flags)
                   : cudaErrorInvalidValue)

CUDADRV_CALL(cuMemAllocHost_v2(void **pointer, size_t bytes),
             cuda_host_allocate(state, pointer, bytes, 0))
CUDADRV_CALL(cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags),
             cuda_host_allocate(state, pointer, bytes, flags))
CUDADRV_CALL(cuMemFreeHost(void *pointer), cuda_free_host(state, pointer))
CUDADRV_CALL(cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags),
             cuda_host_register(state, pointer, bytes, flags))
CUDADRV_OLD_NAME(cuMemHostRegister, cuMemHostRegister_v2)
CUDADRV_CALL(cuMemHostUnregister(void *pointer), cuda_host_unregister(state, pointer))
CUDADRV_CALL(cuMemHostGetDevicePointer_v2(cu_pointer *device, void *host, unsigned flags),
             cuda_host_get_device_pointer(state, (void **)device, host, flags))
CUDADRV_CALL(cuMemHostGetFlags(unsigned *flags, void *host),
             cuda_host_get_flags(state, flags, host))
CUDADRV_CALL(cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes),
             cuda_mem_get_info(state, free_bytes, total_bytes))

// ---- Managed memory ---------------------------------------------------------------------------

static int device_of(struct cuda_location location) {
    enum { LOCATION_DEVICE = 1, CPU = -1 };
    return location.type == LOCATION_DEVICE ? location.id : CPU;
}

CUDADRV_CALL(cuMemPrefetchAsync(cu_pointer pointer, size_t bytes, cu_device device,
                                cuda_stream stream),
             cuda_prefetch(state, cudadrv_host(pointer), bytes, device, stream))
CUDA_PER_THREAD(cuMemPrefetchAsync, _ptsz)

CUDADRV_CALL(cuMemPrefetchAsync_v2(cu_pointer pointer, size_t bytes, struct cuda_location location,
                                   unsigned flags, cuda_stream stream),
             flags
                 ? cudaErrorInvalidValue
                 : cuda_prefetch(state, cudadrv_host(pointer), bytes, device_of(location), stream))
CUDA_PER_THREAD(cuMemPrefetchAsync_v2, _ptsz)

CUDADRV_CALL(cuMemAdvise(cu_pointer pointer, size_t bytes, int advice, cu_device device),
             cuda_advise(state, cudadrv_host(pointer), bytes, advice, device))

CUDADRV_CALL(cuMemAdvise_v2(cu_pointer pointer, size_t bytes, int advice,
                            struct cuda_location location),
             cuda_advise(state, cudadrv_host(pointer), bytes, advice, device_of(location)))

// ---- Pools ------------------------------------------------------------------------------------

CUDADRV_CALL(cuMemAllocAsync(cu_pointer *pointer, size_t bytes, cuda_stream stream),
             cuda_pool_allocate(state, (void **)pointer, bytes, NULL, false, stream))
CUDA_PER_THREAD(cuMemAllocAsync, _ptsz)
CUDADRV_CALL(cuMemAllocFromPoolAsync(cu_pointer *pointer, size_t bytes, cuda_pool pool,
                                     cuda_stream stream),
             cuda_pool_allocate(state, (void **)pointer, bytes, pool, true, stream))
CUDA_PER_THREAD(cuMemAllocFromPoolAsync, _ptsz)
CUDADRV_CALL(cuMemFreeAsync(cu_pointer pointer, cuda_stream stream),
             cuda_free_async(state, cudadrv_host(pointer), stream))
CUDA_PER_THREAD(cuMemFreeAsync, _ptsz)
CUDADRV_DEVICE_CALL(cuMemPoolCreate(cuda_pool *pool, const void *properties),
                    cuda_mem_pool_create(state, pool, properties))
CUDADRV_DEVICE_CALL(cuMemPoolDestroy(cuda_pool pool), cuda_mem_pool_destroy(state, pool))
CUDADRV_DEVICE_CALL(cuMemPoolGetAttribute(cuda_pool pool, int attribute, void *value),
                    cuda_mem_pool_get_attribute(state, pool, attribute, value))
CUDADRV_DEVICE_CALL(cuMemPoolSetAttribute(cuda_pool pool, int attribute, void *value),
                    cuda_mem_pool_set_attribute(state, pool, attribute, value))
CUDADRV_DEVICE_CALL(cuMemPoolTrimTo(cuda_pool pool, size_t bytes),
                    ((void)bytes, cuda_pool_look_at(state, pool)))
CUDADRV_DEVICE_CALL(cuMemPoolSetAccess(cuda_pool pool, const struct cuda_access *access,
                                       size_t count),
                    cuda_mem_pool_set_access(state, pool, access, count))
CUDADRV_DEVICE_CALL(cuMemPoolGetAccess(int *flags, cuda_pool pool,
                                       const struct cuda_location *location),
                    cuda_mem_pool_get_access(state, flags, pool, location))

// ---- Memory of other processes ------------------------------------------------------------------

CUDADRV_CALL(cuIpcGetMemHandle(struct cuda_ipc_handle *handle, cu_pointer pointer),
             cuda_ipc_get_mem_handle(state, handle, cudadrv_host(pointer)))
CUDADRV_CALL(cuIpcOpenMemHandle_v2(cu_pointer *pointer, struct cuda_ipc_handle handle,
                                   unsigned flags),
             cuda_ipc_open_mem_handle(state, (void **)pointer, &handle, flags))
CUDADRV_OLD_NAME(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2)
CUDADRV_CALL(cuIpcCloseMemHandle(cu_pointer pointer),
             cuda_ipc_close_mem_handle(state, cudadrv_host(pointer)))

// ---- What a pointer is ------------------------------------------------------------------------

// Enters; *allocation is a copy. CUDA_ERROR_NOT_FOUND and _INVALID_VALUE are told apart by callers.
static enum cuda_error look_up(struct cuda_state *state, cu_pointer pointer,
                               struct sim_allocation *allocation) {
    enum cuda_error error = cuda_enter(state);
    const struct sim_allocation *found =
        error == cudaSuccess ? cuda_allocation(state, cudadrv_host(pointer)) : NULL;
    if (found)
        *allocation = *found;
    else if (error == cudaSuccess)
        error = cudaErrorInvalidValue;
    return error;
}

static enum cuda_error range_of(struct cuda_state *state, cu_pointer *base, size_t *bytes,
                                cu_pointer pointer) {
    struct sim_allocation allocation;
    enum cuda_error error = look_up(state, pointer, &allocation);
    if (error == cudaErrorInvalidValue)
        return (enum cuda_error)CUDADRV_NOT_FOUND;
    if (error == cudaSuccess && base)
        *base = allocation.address;
    if (error == cudaSuccess && bytes)
        *bytes = allocation.bytes;
    return error;
}

CUDADRV_CALL(cuMemGetAddressRange_v2(cu_pointer *base, size_t *bytes, cu_pointer pointer),
             range_of(state, base, bytes, pointer))

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

static enum cuda_error tell(struct cuda_state *state, void *out, int attribute, cu_pointer pointer,
                            const struct sim_allocation *allocation) {
    enum { MEMORY_HOST = 1, MEMORY_DEVICE, READ_WRITE = 3 };
    bool is_host = allocation->kind == SIM_HOST, is_managed = allocation->kind == SIM_MANAGED;
    switch (attribute) {
    case POINTER_CONTEXT:
        *(cu_context *)out = cuda_context_current(state);
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
        *(unsigned *)out = cuda_ipc_is_capable(state, allocation);
        return cudaSuccess;
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

static enum cuda_error attribute_of(struct cuda_state *state, void *out, int attribute,
                                    cu_pointer pointer) {
    struct sim_allocation allocation;
    if (!out)
        return cudaErrorInvalidValue;
    enum cuda_error error = look_up(state, pointer, &allocation);
    return error == cudaSuccess ? tell(state, out, attribute, pointer, &allocation) : error;
}

CUDADRV_CALL(cuPointerGetAttribute(void *out, int attribute, cu_pointer pointer),
             attribute_of(state, out, attribute, pointer))

// What does not hold for the pointer is 0 here, and no error.
static enum cuda_error attributes_of(struct cuda_state *state, unsigned count,
                                     const int *attributes, void **out, cu_pointer pointer) {
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
        enum cuda_error error = attribute_of(state, out[i], attributes[i], pointer);
        if (error == cudaErrorInvalidValue && out[i])
            memset(out[i], 0, bytes[attributes[i]]);
        else if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

CUDADRV_CALL(cuPointerGetAttributes(unsigned count, const int *attributes, void **out,
                                    cu_pointer pointer),
             attributes_of(state, count, attributes, out, pointer))

// A hint: every copy is synchronous.
static enum cuda_error set_attribute(struct cuda_state *state, const void *value, int attribute,
                                     cu_pointer pointer) {
    struct sim_allocation allocation;
    if (!value || attribute != POINTER_SYNC_COPIES)
        return cudaErrorInvalidValue;
    return look_up(state, pointer, &allocation);
}

CUDADRV_CALL(cuPointerSetAttribute(const void *value, int attribute, cu_pointer pointer),
             set_attribute(state, value, attribute, pointer))
