// Copies and fills.
#include "cudadrv/memcpy.h"

#include "cuda/memory/array.h"
#include "cuda/memory/copy.h"
#include "cuda/memory/fill.h"

enum cuda_error cudaMemcpy(void *target, const void *source, size_t bytes,
                           enum cuda_memcpy_kind kind);
enum cuda_error cudaMemcpyAsync(void *target, const void *source, size_t bytes,
                                enum cuda_memcpy_kind kind, cuda_stream stream);

CUDART_API cu_result cuMemcpy(cu_pointer target, cu_pointer source, size_t bytes) {
    return CUDADRV_RUN(cudaMemcpy(cudadrv_host(target), cudadrv_host(source), bytes, CUDA_DEFAULT));
}
CUDART_PER_THREAD(cuMemcpy, _ptds)

CUDART_API cu_result cuMemcpyAsync(cu_pointer target, cu_pointer source, size_t bytes,
                                   cuda_stream stream) {
    return CUDADRV_RUN(
        cudaMemcpyAsync(cudadrv_host(target), cudadrv_host(source), bytes, CUDA_DEFAULT, stream));
}
CUDART_PER_THREAD(cuMemcpyAsync, _ptsz)

CUDART_API cu_result cuMemcpyHtoD_v2(cu_pointer target, const void *source, size_t bytes) {
    return CUDADRV_RUN(cudaMemcpy(cudadrv_host(target), source, bytes, CUDA_HOST_TO_DEVICE));
}
CUDART_PER_THREAD(cuMemcpyHtoD_v2, _ptds)

CUDART_API cu_result cuMemcpyHtoDAsync_v2(cu_pointer target, const void *source, size_t bytes,
                                          cuda_stream stream) {
    return CUDADRV_RUN(
        cudaMemcpyAsync(cudadrv_host(target), source, bytes, CUDA_HOST_TO_DEVICE, stream));
}
CUDART_PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz)

CUDART_API cu_result cuMemcpyDtoH_v2(void *target, cu_pointer source, size_t bytes) {
    return CUDADRV_RUN(cudaMemcpy(target, cudadrv_host(source), bytes, CUDA_DEVICE_TO_HOST));
}
CUDART_PER_THREAD(cuMemcpyDtoH_v2, _ptds)

CUDART_API cu_result cuMemcpyDtoHAsync_v2(void *target, cu_pointer source, size_t bytes,
                                          cuda_stream stream) {
    return CUDADRV_RUN(
        cudaMemcpyAsync(target, cudadrv_host(source), bytes, CUDA_DEVICE_TO_HOST, stream));
}
CUDART_PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz)

CUDART_API cu_result cuMemcpyDtoD_v2(cu_pointer target, cu_pointer source, size_t bytes) {
    return CUDADRV_RUN(
        cudaMemcpy(cudadrv_host(target), cudadrv_host(source), bytes, CUDA_DEVICE_TO_DEVICE));
}
CUDART_PER_THREAD(cuMemcpyDtoD_v2, _ptds)

CUDART_API cu_result cuMemcpyDtoDAsync_v2(cu_pointer target, cu_pointer source, size_t bytes,
                                          cuda_stream stream) {
    return CUDADRV_RUN(cudaMemcpyAsync(cudadrv_host(target), cudadrv_host(source), bytes,
                                       CUDA_DEVICE_TO_DEVICE, stream));
}
CUDART_PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz)

// Addresses are unified, so that contexts mean nothing: NULL is fine, but none that was destroyed.
static enum cuda_error check_contexts(const void *target, const void *source) {
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    bool are_good = (!target || cuda_handle_find(state, CUDA_CONTEXT, target)) &&
                    (!source || cuda_handle_find(state, CUDA_CONTEXT, source));
    pthread_mutex_unlock(&state->lock);
    return are_good ? cudaSuccess : (enum cuda_error)CUDADRV_INVALID_CONTEXT;
}

CUDART_API cu_result cuMemcpyPeer(cu_pointer target, void *target_context, cu_pointer source,
                                  void *source_context, size_t bytes) {
    cu_result error = CUDADRV_RUN(check_contexts(target_context, source_context));
    return error == cudaSuccess ? cuMemcpyDtoD_v2(target, source, bytes) : error;
}
CUDART_PER_THREAD(cuMemcpyPeer, _ptds)

CUDART_API cu_result cuMemcpyPeerAsync(cu_pointer target, void *target_context, cu_pointer source,
                                       void *source_context, size_t bytes, cuda_stream stream) {
    cu_result error = CUDADRV_RUN(check_contexts(target_context, source_context));
    return error == cudaSuccess ? cuMemcpyDtoDAsync_v2(target, source, bytes, stream) : error;
}
CUDART_PER_THREAD(cuMemcpyPeerAsync, _ptsz)

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
static bool place_in_array(const struct cudadrv_side *side, const struct cudadrv_copy *copy,
                           struct cuda_place *place) {
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    const struct cuda_array *array = cuda_array_find(state, side->array);
    bool is_good =
        array &&
        cuda_array_place(array, (struct cuda_position){side->x, side->y, side->z},
                         (struct cuda_extent){copy->width, copy->height, copy->depth}, place);
    pthread_mutex_unlock(&state->lock);
    return is_good;
}

// False: there is no such place.
static bool place_of(const struct cudadrv_side *side, const struct cudadrv_copy *copy,
                     struct cuda_place *place) {
    if (side->level)
        return false;
    if (side->type == CUDADRV_MEMORY_ARRAY)
        return place_in_array(side, copy, place);
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

static enum cuda_error copy_3d(const struct cudadrv_copy *p, cuda_stream stream, bool is_queued) {
    struct cuda_copy copy = {.kind = CUDA_DEFAULT, .stream = stream, .is_queued = is_queued};
    if (!p)
        return cudaErrorInvalidValue;
    if (!p->width || !p->height || !p->depth)
        return cudaSuccess;
    if (!place_of(&p->source, p, &copy.source) || !place_of(&p->target, p, &copy.target))
        return cudaErrorInvalidValue;
    copy.extent = (struct cuda_extent){p->width, p->height, p->depth};
    return cuda_copy(&copy);
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

static enum cuda_error copy_2d(const struct copy_2d *p, cuda_stream stream, bool is_queued) {
    if (!p)
        return cudaErrorInvalidValue;
    struct cudadrv_copy copy = {deepen(&p->source), deepen(&p->target), p->width, p->height, 1};
    return copy_3d(&copy, stream, is_queued);
}

CUDART_API cu_result cuMemcpy2D_v2(const struct copy_2d *copy) {
    return CUDADRV_RUN(copy_2d(copy, NULL, false));
}
CUDART_PER_THREAD(cuMemcpy2D_v2, _ptds)

CUDART_API cu_result cuMemcpy2DUnaligned_v2(const struct copy_2d *copy) {
    return CUDADRV_RUN(copy_2d(copy, NULL, false));
}
CUDART_PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds)

CUDART_API cu_result cuMemcpy2DAsync_v2(const struct copy_2d *copy, cuda_stream stream) {
    return CUDADRV_RUN(copy_2d(copy, stream, true));
}
CUDART_PER_THREAD(cuMemcpy2DAsync_v2, _ptsz)

CUDART_API cu_result cuMemcpy3D_v2(const struct cudadrv_copy *copy) {
    return CUDADRV_RUN(copy_3d(copy, NULL, false));
}
CUDART_PER_THREAD(cuMemcpy3D_v2, _ptds)

CUDART_API cu_result cuMemcpy3DAsync_v2(const struct cudadrv_copy *copy, cuda_stream stream) {
    return CUDADRV_RUN(copy_3d(copy, stream, true));
}
CUDART_PER_THREAD(cuMemcpy3DAsync_v2, _ptsz)

static enum cuda_error copy_3d_peer(const struct cudadrv_copy *p, cuda_stream stream,
                                    bool is_queued) {
    if (!p)
        return cudaErrorInvalidValue;
    enum cuda_error error = check_contexts(p->target.context, p->source.context);
    return error == cudaSuccess ? copy_3d(p, stream, is_queued) : error;
}

CUDART_API cu_result cuMemcpy3DPeer(const struct cudadrv_copy *copy) {
    return CUDADRV_RUN(copy_3d_peer(copy, NULL, false));
}
CUDART_PER_THREAD(cuMemcpy3DPeer, _ptds)

CUDART_API cu_result cuMemcpy3DPeerAsync(const struct cudadrv_copy *copy, cuda_stream stream) {
    return CUDADRV_RUN(copy_3d_peer(copy, stream, true));
}
CUDART_PER_THREAD(cuMemcpy3DPeerAsync, _ptsz)

// ---- Fills ------------------------------------------------------------------------------------

static enum cuda_error fill(cu_pointer target, size_t pitch, size_t count, size_t height,
                            unsigned value, unsigned element, cuda_stream stream) {
    return cuda_fill(&(struct cuda_fill){
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
    CUDART_API cu_result name_async(cu_pointer target, type value, size_t count,                   \
                                    cuda_stream stream) {                                          \
        return CUDADRV_RUN(fill(target, 0, count, 1, value, sizeof(type), stream));                \
    }                                                                                              \
    CUDART_PER_THREAD(name_async, _ptsz)                                                           \
    CUDART_API cu_result name_sync(cu_pointer target, type value, size_t count) {                  \
        return name_async(target, value, count, NULL);                                             \
    }                                                                                              \
    CUDART_PER_THREAD(name_sync, _ptds)

FILL(cuMemsetD8_v2, cuMemsetD8Async, uint8_t)
FILL(cuMemsetD16_v2, cuMemsetD16Async, uint16_t)
FILL(cuMemsetD32_v2, cuMemsetD32Async, uint32_t)

#define FILL_2D(name_sync, name_async, type)                                                       \
    CUDART_API cu_result name_async(cu_pointer target, size_t pitch, type value, size_t width,     \
                                    size_t height, cuda_stream stream) {                           \
        return CUDADRV_RUN(fill(target, pitch, width, height, value, sizeof(type), stream));       \
    }                                                                                              \
    CUDART_PER_THREAD(name_async, _ptsz)                                                           \
    CUDART_API cu_result name_sync(cu_pointer target, size_t pitch, type value, size_t width,      \
                                   size_t height) {                                                \
        return name_async(target, pitch, value, width, height, NULL);                              \
    }                                                                                              \
    CUDART_PER_THREAD(name_sync, _ptds)

FILL_2D(cuMemsetD2D8_v2, cuMemsetD2D8Async, uint8_t)
FILL_2D(cuMemsetD2D16_v2, cuMemsetD2D16Async, uint16_t)
FILL_2D(cuMemsetD2D32_v2, cuMemsetD2D32Async, uint32_t)
