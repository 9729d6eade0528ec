// Device memory: cudaMalloc and its relatives, cudaFree, cudaMemset.
#include "cuda/memory/memory.h"

#include "cuda/core/state.h"
#include "cuda/graph/memory.h"
#include "cuda/memory/fill.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/capture.h"

enum { PITCH_ALIGN = 512 };

const struct sim_allocation *cuda_allocation(const struct cuda_state *state, const void *pointer) {
    return sim_find(state->current->sim, (uint64_t)(uintptr_t)pointer, false);
}

bool cuda_range_is_good(const struct cuda_state *state, const void *pointer, size_t bytes,
                        bool takes_pageable) {
    const struct sim_allocation *allocation = cuda_allocation(state, pointer);
    if (!allocation)
        return takes_pageable && pointer;
    uint64_t offset = (uint64_t)(uintptr_t)pointer - allocation->address;
    return bytes <= allocation->bytes - offset;
}

bool cuda_is_reachable(const struct cuda_state *state, const void *pointer,
                       const struct cuda_device *device) {
    const struct sim_allocation *allocation = cuda_allocation(state, pointer);
    return allocation && allocation->writers >> device->number & 1;
}

enum cuda_error cuda_allocate(struct cuda_state *state, void **pointer, size_t bytes,
                              enum sim_allocation_kind kind) {
    if (!pointer)
        return cudaErrorInvalidValue;
    void *memory = bytes ? sim_alloc(state->current->sim, bytes, kind) : NULL;
    if (bytes && !memory)
        return cudaErrorMemoryAllocation;
    *pointer = memory; // nothing asked for, nothing given: NULL
    return cudaSuccess;
}

enum cuda_error cuda_release(struct cuda_state *state, void *pointer, bool is_host) {
    if (!pointer || (!is_host && cuda_region_free(state, pointer)))
        return cudaSuccess;
    const struct sim_allocation *allocation = cuda_allocation(state, pointer);
    if (!allocation)
        return cudaErrorInvalidValue;
    bool is_right_kind = is_host
                             ? allocation->kind == SIM_HOST
                             : allocation->kind == SIM_DEVICE || allocation->kind == SIM_MANAGED;
    struct cuda_pool *pool = cuda_pool_of(allocation);
    int64_t bytes = (int64_t)allocation->bytes;
    if (!is_right_kind || !sim_free(state->current->sim, pointer))
        return cudaErrorInvalidValue;
    if (pool)
        cuda_pool_count(pool, -bytes);
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaMalloc(void **pointer, size_t bytes) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess)
        error = cuda_allocate(cuda_state(), pointer, bytes, SIM_DEVICE);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaFree(void *pointer) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess)
        error = cuda_release(cuda_state(), pointer, false);
    return cuda_leave(error);
}

// Rows start at multiples of the pitch. Nothing asked for: pitch 0 and NULL.
static enum cuda_error allocate_rows(struct cuda_state *state, void **pointer, size_t *pitch,
                                     size_t width, size_t height, size_t depth) {
    size_t rows, bytes, row = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    if (!width || !height || !depth)
        row = 0;
    if (row < width && row)
        return cudaErrorMemoryAllocation;
    if (__builtin_mul_overflow(height, depth, &rows) || __builtin_mul_overflow(rows, row, &bytes))
        return cudaErrorMemoryAllocation;
    enum cuda_error error = cuda_allocate(state, pointer, bytes, SIM_DEVICE);
    if (error == cudaSuccess)
        *pitch = row;
    return error;
}

CUDART_API enum cuda_error cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                                           size_t height) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess && !pitch)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = allocate_rows(cuda_state(), pointer, pitch, width, height, 1);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaMalloc3D(struct cuda_pitched *pitched, struct cuda_extent extent) {
    enum cuda_error error = cuda_enter_unsafe();
    if (error == cudaSuccess && !pitched)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = allocate_rows(cuda_state(), &pitched->pointer, &pitched->pitch, extent.width,
                              extent.height, extent.depth);
    if (error == cudaSuccess) {
        pitched->width = extent.width;
        pitched->height = extent.height;
    }
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!free_bytes || !total_bytes))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        uint64_t left, total;
        sim_memory_info(cuda_state()->current->sim, &left, &total);
        *free_bytes = left;
        *total_bytes = total;
    }
    return cuda_leave(error);
}

// ---- Filling ------------------------------------------------------------------------------

static enum cuda_error fill(void *at, size_t pitch, int value, size_t width, size_t height,
                            size_t depth, size_t slice_rows, cuda_stream stream) {
    return cuda_fill(&(struct cuda_fill){
        .at = at,
        .pitch = pitch,
        .width = width,
        .height = height,
        .depth = depth,
        .slice_rows = slice_rows,
        .value = (unsigned)value & 0xff,
        .element = 1,
        .stream = stream,
    });
}

CUDART_API enum cuda_error cudaMemsetAsync(void *pointer, int value, size_t bytes,
                                           cuda_stream stream) {
    return fill(pointer, bytes, value, bytes, 1, 1, 1, stream);
}
CUDART_PER_THREAD(cudaMemsetAsync, _ptsz)

CUDART_API enum cuda_error cudaMemset(void *pointer, int value, size_t bytes) {
    return cudaMemsetAsync(pointer, value, bytes, NULL);
}
CUDART_PER_THREAD(cudaMemset, _ptds)

CUDART_API enum cuda_error cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width,
                                             size_t height, cuda_stream stream) {
    return fill(pointer, pitch, value, width, height, 1, height, stream);
}
CUDART_PER_THREAD(cudaMemset2DAsync, _ptsz)

CUDART_API enum cuda_error cudaMemset2D(void *pointer, size_t pitch, int value, size_t width,
                                        size_t height) {
    return cudaMemset2DAsync(pointer, pitch, value, width, height, NULL);
}
CUDART_PER_THREAD(cudaMemset2D, _ptds)

CUDART_API enum cuda_error cudaMemset3DAsync(struct cuda_pitched pitched, int value,
                                             struct cuda_extent extent, cuda_stream stream) {
    return fill(pitched.pointer, pitched.pitch, value, extent.width, extent.height, extent.depth,
                pitched.height, stream);
}
CUDART_PER_THREAD(cudaMemset3DAsync, _ptsz)

CUDART_API enum cuda_error cudaMemset3D(struct cuda_pitched pitched, int value,
                                        struct cuda_extent extent) {
    return cudaMemset3DAsync(pitched, value, extent, NULL);
}
CUDART_PER_THREAD(cudaMemset3D, _ptds)

// ---- A structure that is only filled in ---------------------------------------------------------

CUDART_API struct cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (struct cuda_channel){{x, y, z, w}, kind};
}
