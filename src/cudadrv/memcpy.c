// Copies and fills.
#include "cudadrv/memcpy.h"

#include "cuda/memory/calls.h"
#include "cuda/memory/fill.h"

CUDADRV_CALL(cuMemcpy(cu_pointer target, cu_pointer source, size_t bytes),
             cuda_memcpy(state, cudadrv_host(target), cudadrv_host(source), bytes, CUDA_DEFAULT,
                         NULL, false))
CUDA_PER_THREAD(cuMemcpy, _ptds)
CUDADRV_CALL(cuMemcpyAsync(cu_pointer target, cu_pointer source, size_t bytes, cuda_stream stream),
             cuda_memcpy(state, cudadrv_host(target), cudadrv_host(source), bytes, CUDA_DEFAULT,
                         stream, true))
CUDA_PER_THREAD(cuMemcpyAsync, _ptsz)
CUDADRV_CALL(cuMemcpyHtoD_v2(cu_pointer target, const void *source, size_t bytes),
             cuda_memcpy(state, cudadrv_host(target), source, bytes, CUDA_HOST_TO_DEVICE, NULL,
                         false))
CUDA_PER_THREAD(cuMemcpyHtoD_v2, _ptds)
CUDADRV_CALL(cuMemcpyHtoDAsync_v2(cu_pointer target, const void *source, size_t bytes,
                                  cuda_stream stream),
             cuda_memcpy(state, cudadrv_host(target), source, bytes, CUDA_HOST_TO_DEVICE, stream,
                         true))
CUDA_PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz)
CUDADRV_CALL(cuMemcpyDtoH_v2(void *target, cu_pointer source, size_t bytes),
             cuda_memcpy(state, target, cudadrv_host(source), bytes, CUDA_DEVICE_TO_HOST, NULL,
                         false))
CUDA_PER_THREAD(cuMemcpyDtoH_v2, _ptds)
CUDADRV_CALL(cuMemcpyDtoHAsync_v2(void *target, cu_pointer source, size_t bytes,
                                  cuda_stream stream),
             cuda_memcpy(state, target, cudadrv_host(source), bytes, CUDA_DEVICE_TO_HOST, stream,
                         true))
CUDA_PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz)
CUDADRV_CALL(cuMemcpyDtoD_v2(cu_pointer target, cu_pointer source, size_t bytes),
             cuda_memcpy(state, cudadrv_host(target), cudadrv_host(source), bytes,
                         CUDA_DEVICE_TO_DEVICE, NULL, false))
CUDA_PER_THREAD(cuMemcpyDtoD_v2, _ptds)
CUDADRV_CALL(cuMemcpyDtoDAsync_v2(cu_pointer target, cu_pointer source, size_t bytes,
                                  cuda_stream stream),
             cuda_memcpy(state, cudadrv_host(target), cudadrv_host(source), bytes,
                         CUDA_DEVICE_TO_DEVICE, stream, true))
CUDA_PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz)

// Addresses are unified, so that contexts mean nothing: NULL is fine, but none that was destroyed.
static enum cuda_error check_contexts(struct cuda_state *state, const void *target,
                                      const void *source) {
    bool are_good = (!target || cuda_handle_find(state, CUDA_CONTEXT, target)) &&
                    (!source || cuda_handle_find(state, CUDA_CONTEXT, source));
    return are_good ? cudaSuccess : (enum cuda_error)CUDADRV_INVALID_CONTEXT;
}

static enum cuda_error copy_peer(struct cuda_state *state, cu_pointer target,
                                 const void *target_context, cu_pointer source,
                                 const void *source_context, size_t bytes, cuda_stream stream,
                                 bool is_queued) {
    enum cuda_error error = check_contexts(state, target_context, source_context);
    return error == cudaSuccess ? cuda_memcpy(state, cudadrv_host(target), cudadrv_host(source),
                                              bytes, CUDA_DEVICE_TO_DEVICE, stream, is_queued)
                                : error;
}

CUDADRV_CALL(cuMemcpyPeer(cu_pointer target, void *target_context, cu_pointer source,
                          void *source_context, size_t bytes),
             copy_peer(state, target, target_context, source, source_context, bytes, NULL, false))
CUDA_PER_THREAD(cuMemcpyPeer, _ptds)

CUDADRV_CALL(cuMemcpyPeerAsync(cu_pointer target, void *target_context, cu_pointer source,
                               void *source_context, size_t bytes, cuda_stream stream),
             copy_peer(state, target, target_context, source, source_context, bytes, stream, true))
CUDA_PER_THREAD(cuMemcpyPeerAsync, _ptsz)

// ---- Two and three dimensions -----------------------------------------------------------------

struct side_2d {
    size_t x, y;
    int type;
    void *host;
    cu_pointer device;
    void *array;
    size_t pitch;
};

struct copy_2d { // CUDA_MEMCPY2D
    struct side_2d source, target;
    size_t width, height;
};

// Places and widths of arrays count bytes, too. False: there is no such place.
static bool place_in_array(struct cuda_state *state, const struct cudadrv_side *side,
                           const struct cudadrv_copy *copy, struct cuda_place *place) {
    const struct cuda_array *array = cuda_array_find(state, side->array);
    bool is_good =
        array &&
        cuda_array_place(array, (struct cuda_position){side->x, side->y, side->z},
                         (struct cuda_extent){copy->width, copy->height, copy->depth}, place);
    return is_good;
}

// False: there is no such place.
static bool place_of(struct cuda_state *state, const struct cudadrv_side *side,
                     const struct cudadrv_copy *copy, struct cuda_place *place) {
    if (side->level)
        return false;
    if (side->type == CUDADRV_MEMORY_ARRAY)
        return place_in_array(state, side, copy, place);
    if (side->type != CUDADRV_MEMORY_HOST && side->type != CUDADRV_MEMORY_DEVICE &&
        side->type != CUDADRV_MEMORY_UNIFIED)
        return false;
    size_t pitch = side->pitch ? side->pitch : side->x + copy->width;
    size_t rows = side->height ? side->height : side->y + copy->height;
    // Integers: a program may pass NULL for a copy of nothing.
    uintptr_t base =
        side->type == CUDADRV_MEMORY_HOST ? (uintptr_t)side->host : (uintptr_t)side->device;
    *place = (struct cuda_place){(char *)(base + side->x + (side->z * rows + side->y) * pitch),
                                 pitch, rows};
    return true;
}

static enum cuda_error copy_3d(struct cuda_state *state, const struct cudadrv_copy *p,
                               cuda_stream stream, bool is_queued) {
    struct cuda_copy copy = {.kind = CUDA_DEFAULT, .stream = stream, .is_queued = is_queued};
    if (!p)
        return cudaErrorInvalidValue;
    if (!p->width || !p->height || !p->depth)
        return cudaSuccess;
    if (!place_of(state, &p->source, p, &copy.source) ||
        !place_of(state, &p->target, p, &copy.target))
        return cudaErrorInvalidValue;
    copy.extent = (struct cuda_extent){p->width, p->height, p->depth};
    return cuda_copy(state, &copy);
}

static struct cudadrv_side deepen(const struct side_2d *side) {
    return (struct cudadrv_side){.x = side->x,
                                 .y = side->y,
                                 .type = side->type,
                                 .host = side->host,
                                 .device = side->device,
                                 .array = side->array,
                                 .pitch = side->pitch};
}

static enum cuda_error copy_2d(struct cuda_state *state, const struct copy_2d *p,
                               cuda_stream stream, bool is_queued) {
    if (!p)
        return cudaErrorInvalidValue;
    struct cudadrv_copy copy = {deepen(&p->source), deepen(&p->target), p->width, p->height, 1};
    return copy_3d(state, &copy, stream, is_queued);
}

CUDADRV_CALL(cuMemcpy2D_v2(const struct copy_2d *copy), copy_2d(state, copy, NULL, false))
CUDA_PER_THREAD(cuMemcpy2D_v2, _ptds)
CUDADRV_CALL(cuMemcpy2DUnaligned_v2(const struct copy_2d *copy), copy_2d(state, copy, NULL, false))
CUDA_PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds)
CUDADRV_CALL(cuMemcpy2DAsync_v2(const struct copy_2d *copy, cuda_stream stream),
             copy_2d(state, copy, stream, true))
CUDA_PER_THREAD(cuMemcpy2DAsync_v2, _ptsz)
CUDADRV_CALL(cuMemcpy3D_v2(const struct cudadrv_copy *copy), copy_3d(state, copy, NULL, false))
CUDA_PER_THREAD(cuMemcpy3D_v2, _ptds)
CUDADRV_CALL(cuMemcpy3DAsync_v2(const struct cudadrv_copy *copy, cuda_stream stream),
             copy_3d(state, copy, stream, true))
CUDA_PER_THREAD(cuMemcpy3DAsync_v2, _ptsz)

static enum cuda_error copy_3d_peer(struct cuda_state *state, const struct cudadrv_copy *p,
                                    cuda_stream stream, bool is_queued) {
    if (!p)
        return cudaErrorInvalidValue;
    enum cuda_error error = check_contexts(state, p->target.context, p->source.context);
    return error == cudaSuccess ? copy_3d(state, p, stream, is_queued) : error;
}

CUDADRV_CALL(cuMemcpy3DPeer(const struct cudadrv_copy *copy),
             copy_3d_peer(state, copy, NULL, false))
CUDA_PER_THREAD(cuMemcpy3DPeer, _ptds)
CUDADRV_CALL(cuMemcpy3DPeerAsync(const struct cudadrv_copy *copy, cuda_stream stream),
             copy_3d_peer(state, copy, stream, true))
CUDA_PER_THREAD(cuMemcpy3DPeerAsync, _ptsz)

// ---- Fills ------------------------------------------------------------------------------------

static enum cuda_error fill(struct cuda_state *state, cu_pointer target, size_t pitch, size_t count,
                            size_t height, unsigned value, unsigned element, cuda_stream stream) {
    return cuda_fill(state, &(struct cuda_fill){
                                .at = cudadrv_host(target),
                                .pitch = pitch,
                                .width = count,
                                .height = height,
                                .depth = 1,
                                .slice_rows = height,
                                .value = value,
                                .element = element,
                                .stream = stream,
                            });
}

#define FILL(name_sync, name_async, type)                                                          \
    CUDADRV_CALL(name_async(cu_pointer target, type value, size_t count, cuda_stream stream),      \
                 fill(state, target, 0, count, 1, value, sizeof(type), stream))                    \
    CUDA_PER_THREAD(name_async, _ptsz)                                                             \
    CUDADRV_CALL(name_sync(cu_pointer target, type value, size_t count),                           \
                 fill(state, target, 0, count, 1, value, sizeof(type), NULL))                      \
    CUDA_PER_THREAD(name_sync, _ptds)

FILL(cuMemsetD8_v2, cuMemsetD8Async, uint8_t)
FILL(cuMemsetD16_v2, cuMemsetD16Async, uint16_t)
FILL(cuMemsetD32_v2, cuMemsetD32Async, uint32_t)

#define FILL_2D(name_sync, name_async, type)                                                       \
    CUDADRV_CALL(name_async(cu_pointer target, size_t pitch, type value, size_t width,             \
                            size_t height, cuda_stream stream),                                    \
                 fill(state, target, pitch, width, height, value, sizeof(type), stream))           \
    CUDA_PER_THREAD(name_async, _ptsz)                                                             \
    CUDADRV_CALL(                                                                                  \
        name_sync(cu_pointer target, size_t pitch, type value, size_t width, size_t height),       \
        fill(state, target, pitch, width, height, value, sizeof(type), NULL))                      \
    CUDA_PER_THREAD(name_sync, _ptds)

FILL_2D(cuMemsetD2D8_v2, cuMemsetD2D8Async, uint8_t)
FILL_2D(cuMemsetD2D16_v2, cuMemsetD2D16Async, uint16_t)
FILL_2D(cuMemsetD2D32_v2, cuMemsetD2D32Async, uint32_t)
