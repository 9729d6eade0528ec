// Memory: allocation, arrays, copies, fills, pools.
#include "cuda/memory/calls.h"
#include "cudart/call.h"

// ---- Arrays -----------------------------------------------------------------------------------

CUDART_CALL(cudaMalloc3DArray(struct cuda_array **array, const struct cuda_channel *channel,
                              struct cuda_extent extent, unsigned flags),
            cuda_malloc_3d_array(state, array, channel, extent, flags))
CUDART_CALL(cudaMallocArray(struct cuda_array **array, const struct cuda_channel *channel,
                            size_t width, size_t height, unsigned flags),
            cuda_malloc_3d_array(state, array, channel, (struct cuda_extent){width, height, 0},
                                 flags))
CUDART_CALL(cudaMallocMipmappedArray(struct cuda_array **mipmap, const struct cuda_channel *channel,
                                     struct cuda_extent extent, unsigned levels, unsigned flags),
            cuda_malloc_mipmapped_array(state, mipmap, channel, extent, levels, flags))
CUDART_CALL(cudaFreeArray(void *array), cuda_free_array(state, array))
CUDART_CALL(cudaFreeMipmappedArray(void *mipmap), cuda_free_mipmapped_array(state, mipmap))

// ---- Questions ----------------------------------------------------------------------------

CUDART_CALL(cudaGetMipmappedArrayLevel(struct cuda_array **level, const void *mipmap,
                                       unsigned number),
            cuda_get_mipmapped_array_level(state, level, mipmap, number))
CUDART_CALL(cudaArrayGetInfo(struct cuda_channel *channel, struct cuda_extent *extent,
                             unsigned *flags, const void *array),
            cuda_array_get_info(state, channel, extent, flags, array))
CUDART_CALL(cudaGetChannelDesc(struct cuda_channel *channel, const void *array),
            cuda_get_channel_desc(state, channel, array))

// Only arrays that are mapped to memory later have such requirements, and there are none here.
CUDART_TELL(cudaArrayGetMemoryRequirements(void *out, const void *array, int device),
            ((void)out, (void)array, (void)device, cudaErrorInvalidValue))
CUDART_TELL(cudaMipmappedArrayGetMemoryRequirements(void *out, const void *mipmap, int device),
            ((void)out, (void)mipmap, (void)device, cudaErrorInvalidValue))
CUDART_TELL(cudaArrayGetSparseProperties(void *out, const void *array),
            ((void)out, (void)array, cudaErrorInvalidValue))
CUDART_TELL(cudaMipmappedArrayGetSparseProperties(void *out, const void *mipmap),
            ((void)out, (void)mipmap, cudaErrorInvalidValue))

// ---- Copies to, from and between arrays -------------------------------------------------------

CUDART_CALL(cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *source, size_t pitch,
                                size_t width, size_t height, enum cuda_memcpy_kind kind),
            cuda_copy_sides(state, cuda_array_side(array, x, y), cuda_memory_side(source, pitch),
                            width, height, kind, NULL, false))
CUDA_PER_THREAD(cudaMemcpy2DToArray, _ptds)
CUDART_CALL(cudaMemcpy2DToArrayAsync(void *array, size_t x, size_t y, const void *source,
                                     size_t pitch, size_t width, size_t height,
                                     enum cuda_memcpy_kind kind, cuda_stream stream),
            cuda_copy_sides(state, cuda_array_side(array, x, y), cuda_memory_side(source, pitch),
                            width, height, kind, stream, true))
CUDA_PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz)
CUDART_CALL(cudaMemcpy2DFromArray(void *target, size_t pitch, const void *array, size_t x, size_t y,
                                  size_t width, size_t height, enum cuda_memcpy_kind kind),
            cuda_copy_sides(state, cuda_memory_side(target, pitch), cuda_array_side(array, x, y),
                            width, height, kind, NULL, false))
CUDA_PER_THREAD(cudaMemcpy2DFromArray, _ptds)
CUDART_CALL(cudaMemcpy2DFromArrayAsync(void *target, size_t pitch, const void *array, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cuda_memcpy_kind kind, cuda_stream stream),
            cuda_copy_sides(state, cuda_memory_side(target, pitch), cuda_array_side(array, x, y),
                            width, height, kind, stream, true))
CUDA_PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz)
CUDART_CALL(cudaMemcpy2DArrayToArray(void *target, size_t target_x, size_t target_y,
                                     const void *source, size_t source_x, size_t source_y,
                                     size_t width, size_t height, enum cuda_memcpy_kind kind),
            cuda_copy_sides(state, cuda_array_side(target, target_x, target_y),
                            cuda_array_side(source, source_x, source_y), width, height, kind, NULL,
                            false))
CUDA_PER_THREAD(cudaMemcpy2DArrayToArray, _ptds)

// A run of bytes, over as many rows as it takes.

CUDART_CALL(cudaMemcpyToArray(void *array, size_t x, size_t y, const void *source, size_t bytes,
                              enum cuda_memcpy_kind kind),
            cuda_copy_run_of_sides(state, cuda_array_side(array, x, y), cuda_memory_side(source, 0),
                                   bytes, kind, NULL, false))
CUDA_PER_THREAD(cudaMemcpyToArray, _ptds)
CUDART_CALL(cudaMemcpyToArrayAsync(void *array, size_t x, size_t y, const void *source,
                                   size_t bytes, enum cuda_memcpy_kind kind, cuda_stream stream),
            cuda_copy_run_of_sides(state, cuda_array_side(array, x, y), cuda_memory_side(source, 0),
                                   bytes, kind, stream, true))
CUDA_PER_THREAD(cudaMemcpyToArrayAsync, _ptsz)
CUDART_CALL(cudaMemcpyFromArray(void *target, const void *array, size_t x, size_t y, size_t bytes,
                                enum cuda_memcpy_kind kind),
            cuda_copy_run_of_sides(state, cuda_memory_side(target, 0), cuda_array_side(array, x, y),
                                   bytes, kind, NULL, false))
CUDA_PER_THREAD(cudaMemcpyFromArray, _ptds)
CUDART_CALL(cudaMemcpyFromArrayAsync(void *target, const void *array, size_t x, size_t y,
                                     size_t bytes, enum cuda_memcpy_kind kind, cuda_stream stream),
            cuda_copy_run_of_sides(state, cuda_memory_side(target, 0), cuda_array_side(array, x, y),
                                   bytes, kind, stream, true))
CUDA_PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz)
CUDART_CALL(cudaMemcpyArrayToArray(void *target, size_t target_x, size_t target_y,
                                   const void *source, size_t source_x, size_t source_y,
                                   size_t bytes, enum cuda_memcpy_kind kind),
            cuda_copy_run_of_sides(state, cuda_array_side(target, target_x, target_y),
                                   cuda_array_side(source, source_x, source_y), bytes, kind, NULL,
                                   false))
CUDA_PER_THREAD(cudaMemcpyArrayToArray, _ptds)
CUDART_CALL(cudaMallocHost(void **pointer, size_t bytes),
            cuda_host_allocate(state, pointer, bytes, 0))
CUDART_CALL(cudaHostAlloc(void **pointer, size_t bytes, unsigned flags),
            cuda_host_allocate(state, pointer, bytes, flags))
CUDART_CALL(cudaFreeHost(void *pointer), cuda_free_host(state, pointer))
CUDART_CALL(cudaHostRegister(void *pointer, size_t bytes, unsigned flags),
            cuda_host_register(state, pointer, bytes, flags))
CUDART_CALL(cudaHostUnregister(void *pointer), cuda_host_unregister(state, pointer))
CUDART_CALL(cudaHostGetDevicePointer(void **device, void *host, unsigned flags),
            cuda_host_get_device_pointer(state, device, host, flags))
CUDART_CALL(cudaHostGetFlags(unsigned *flags, void *host), cuda_host_get_flags(state, flags, host))
CUDART_CALL(cudaMallocManaged(void **pointer, size_t bytes, unsigned flags),
            cuda_malloc_managed(state, pointer, bytes, flags))
CUDART_CALL(cudaStreamAttachMemAsync(cuda_stream stream, void *pointer, size_t bytes,
                                     unsigned flags),
            cuda_stream_attach_mem_async(state, stream, pointer, bytes, flags))
CUDA_PER_THREAD(cudaStreamAttachMemAsync, _ptsz)
CUDART_CALL(cudaMemcpy(void *target, const void *source, size_t bytes, enum cuda_memcpy_kind kind),
            cuda_memcpy(state, target, source, bytes, kind, NULL, false))
CUDA_PER_THREAD(cudaMemcpy, _ptds)
CUDART_CALL(cudaMemcpyAsync(void *target, const void *source, size_t bytes,
                            enum cuda_memcpy_kind kind, cuda_stream stream),
            cuda_memcpy(state, target, source, bytes, kind, stream, true))
CUDA_PER_THREAD(cudaMemcpyAsync, _ptsz)
CUDART_CALL(cudaMemcpy2D(void *target, size_t target_pitch, const void *source, size_t source_pitch,
                         size_t width, size_t height, enum cuda_memcpy_kind kind),
            cuda_memcpy_2d(state, target, target_pitch, source, source_pitch, width, height, kind,
                           NULL, false))
CUDA_PER_THREAD(cudaMemcpy2D, _ptds)
CUDART_CALL(cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source,
                              size_t source_pitch, size_t width, size_t height,
                              enum cuda_memcpy_kind kind, cuda_stream stream),
            cuda_memcpy_2d(state, target, target_pitch, source, source_pitch, width, height, kind,
                           stream, true))
CUDA_PER_THREAD(cudaMemcpy2DAsync, _ptsz)

CUDART_CALL(cudaMemcpyPeer(void *target, int target_device, const void *source, int source_device,
                           size_t bytes),
            cuda_copy_peer(state, target, target_device, source, source_device, bytes, NULL, false))
CUDART_CALL(cudaMemcpyPeerAsync(void *target, int target_device, const void *source,
                                int source_device, size_t bytes, cuda_stream stream),
            cuda_copy_peer(state, target, target_device, source, source_device, bytes, stream,
                           true))

// ---- Three dimensions ---------------------------------------------------------------------

CUDART_CALL(cudaMemcpy3D(const struct cuda_memcpy_3d *parameters),
            cuda_copy_3d(state, parameters, NULL, false))
CUDA_PER_THREAD(cudaMemcpy3D, _ptds)
CUDART_CALL(cudaMemcpy3DAsync(const struct cuda_memcpy_3d *parameters, cuda_stream stream),
            cuda_copy_3d(state, parameters, stream, true))
CUDA_PER_THREAD(cudaMemcpy3DAsync, _ptsz)
CUDART_CALL(cudaMemcpy3DPeer(const struct cuda_memcpy_3d_peer *parameters),
            cuda_copy_3d_peer(state, parameters, NULL, false))
CUDA_PER_THREAD(cudaMemcpy3DPeer, _ptds)
CUDART_CALL(cudaMemcpy3DPeerAsync(const struct cuda_memcpy_3d_peer *parameters, cuda_stream stream),
            cuda_copy_3d_peer(state, parameters, stream, true))
CUDA_PER_THREAD(cudaMemcpy3DPeerAsync, _ptsz)
CUDART_CALL(cudaMalloc(void **pointer, size_t bytes), cuda_malloc(state, pointer, bytes))
CUDART_CALL(cudaFree(void *pointer), cuda_free(state, pointer))
CUDART_CALL(cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height),
            cuda_malloc_pitch(state, pointer, pitch, width, height))
CUDART_CALL(cudaMalloc3D(struct cuda_pitched *pitched, struct cuda_extent extent),
            cuda_malloc_3d(state, pitched, extent))
CUDART_CALL(cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes),
            cuda_mem_get_info(state, free_bytes, total_bytes))

// ---- Filling ------------------------------------------------------------------------------

CUDART_CALL(cudaMemsetAsync(void *pointer, int value, size_t bytes, cuda_stream stream),
            cuda_fill_bytes(state, pointer, bytes, value, bytes, 1, 1, 1, stream))
CUDA_PER_THREAD(cudaMemsetAsync, _ptsz)
CUDART_CALL(cudaMemset(void *pointer, int value, size_t bytes),
            cuda_fill_bytes(state, pointer, bytes, value, bytes, 1, 1, 1, NULL))
CUDA_PER_THREAD(cudaMemset, _ptds)
CUDART_CALL(cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cuda_stream stream),
            cuda_fill_bytes(state, pointer, pitch, value, width, height, 1, height, stream))
CUDA_PER_THREAD(cudaMemset2DAsync, _ptsz)
CUDART_CALL(cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height),
            cuda_fill_bytes(state, pointer, pitch, value, width, height, 1, height, NULL))
CUDA_PER_THREAD(cudaMemset2D, _ptds)
CUDART_CALL(cudaMemset3DAsync(struct cuda_pitched pitched, int value, struct cuda_extent extent,
                              cuda_stream stream),
            cuda_fill_bytes(state, pitched.pointer, pitched.pitch, value, extent.width,
                            extent.height, extent.depth, pitched.height, stream))
CUDA_PER_THREAD(cudaMemset3DAsync, _ptsz)
CUDART_CALL(cudaMemset3D(struct cuda_pitched pitched, int value, struct cuda_extent extent),
            cuda_fill_bytes(state, pitched.pointer, pitched.pitch, value, extent.width,
                            extent.height, extent.depth, pitched.height, NULL))
CUDA_PER_THREAD(cudaMemset3D, _ptds)

// ---- A structure that is only filled in ---------------------------------------------------------

CUDA_API struct cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (struct cuda_channel){{x, y, z, w}, kind};
}

CUDART_CALL(cudaMallocAsync(void **pointer, size_t bytes, cuda_stream stream),
            cuda_pool_allocate(state, pointer, bytes, NULL, false, stream))
CUDA_PER_THREAD(cudaMallocAsync, _ptsz)
CUDART_CALL(cudaMallocFromPoolAsync(void **pointer, size_t bytes, cuda_pool pool,
                                    cuda_stream stream),
            cuda_pool_allocate(state, pointer, bytes, pool, true, stream))
CUDA_PER_THREAD(cudaMallocFromPoolAsync, _ptsz)
CUDART_CALL(cudaFreeAsync(void *pointer, cuda_stream stream),
            cuda_free_async(state, pointer, stream))
CUDA_PER_THREAD(cudaFreeAsync, _ptsz)
CUDART_CALL(cudaDeviceGetDefaultMemPool(cuda_pool *pool, int device),
            cuda_device_get_default_mem_pool(state, pool, device))
CUDART_CALL(cudaDeviceGetMemPool(cuda_pool *pool, int device),
            cuda_device_get_mem_pool(state, pool, device))
CUDART_CALL(cudaDeviceSetMemPool(int device, cuda_pool pool),
            cuda_device_set_mem_pool(state, device, pool))
CUDART_CALL(cudaMemPoolCreate(cuda_pool *pool, const struct cuda_pool_properties *properties),
            cuda_mem_pool_create(state, pool, properties))
CUDART_CALL(cudaMemPoolDestroy(cuda_pool pool), cuda_mem_pool_destroy(state, pool))
CUDART_CALL(cudaMemPoolGetAttribute(cuda_pool pool, int attribute, void *value),
            cuda_mem_pool_get_attribute(state, pool, attribute, value))
CUDART_CALL(cudaMemPoolSetAttribute(cuda_pool pool, int attribute, void *value),
            cuda_mem_pool_set_attribute(state, pool, attribute, value))
CUDART_CALL(cudaMemPoolTrimTo(cuda_pool pool, size_t bytes),
            ((void)bytes, cuda_pool_look_at(state, pool)))
CUDART_CALL(cudaMemPoolSetAccess(cuda_pool pool, const struct cuda_access *access, size_t count),
            cuda_mem_pool_set_access(state, pool, access, count))
CUDART_CALL(cudaMemPoolGetAccess(int *flags, cuda_pool pool, const struct cuda_location *location),
            cuda_mem_pool_get_access(state, flags, pool, location))

// ---- Memory of other processes ------------------------------------------------------------------

CUDART_CALL(cudaIpcGetMemHandle(struct cuda_ipc_handle *handle, void *pointer),
            cuda_ipc_get_mem_handle(state, handle, pointer))
CUDART_CALL(cudaIpcOpenMemHandle(void **pointer, struct cuda_ipc_handle handle, unsigned flags),
            cuda_ipc_open_mem_handle(state, pointer, &handle, flags))
CUDART_CALL(cudaIpcCloseMemHandle(void *pointer), cuda_ipc_close_mem_handle(state, pointer))
