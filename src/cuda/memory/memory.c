// Device memory: cudaMalloc and its relatives, cudaFree, cudaMemset.
#include "cuda/memory/memory.h"
#include "cuda/memory/calls.h"

#include "cuda/checks/check.h"
#include "cuda/core/ipc.h"
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

void cuda_was_written(struct cuda_state *state, const void *pointer, size_t bytes) {
    sim_define(state->current->sim, pointer, bytes);
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
    cuda_check_allocated(state, memory, bytes);
    return cudaSuccess;
}

enum cuda_error cuda_release(struct cuda_state *state, void *pointer, bool is_host) {
    if (!pointer || (!is_host && cuda_region_free(state, pointer)))
        return cudaSuccess;
    const struct sim_allocation *allocation = cuda_allocation(state, pointer);
    if (!allocation) {
        cuda_check_not_freed(state, pointer);
        return cudaErrorInvalidValue;
    }
    bool is_right_kind = is_host
                             ? allocation->kind == SIM_HOST
                             : allocation->kind == SIM_DEVICE || allocation->kind == SIM_MANAGED;
    struct cuda_pool *pool = cuda_pool_of(state, allocation);
    int64_t bytes = (int64_t)allocation->bytes;
    if (!is_right_kind || allocation->address != (uint64_t)(uintptr_t)pointer ||
        cuda_ipc_is_opened(state, allocation->address)) {
        cuda_check_not_freed(state, pointer);
        return cudaErrorInvalidValue;
    }
    cuda_check_freed(state, pointer, !pool);
    cuda_ipc_withdraw(state, CUDA_IPC_MEMORY, allocation->address);
    if (!sim_free(state->current->sim, pointer))
        return cudaErrorInvalidValue;
    if (pool)
        cuda_pool_count(pool, -bytes);
    return cudaSuccess;
}

enum cuda_error cuda_malloc(struct cuda_state *state, void **pointer, size_t bytes) {
    enum cuda_error error = cuda_enter_unsafe(state);
    return error == cudaSuccess ? cuda_allocate(state, pointer, bytes, SIM_DEVICE) : error;
}

enum cuda_error cuda_free(struct cuda_state *state, void *pointer) {
    enum cuda_error error = cuda_enter_unsafe(state);
    return error == cudaSuccess ? cuda_release(state, pointer, false) : error;
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

enum cuda_error cuda_malloc_pitch(struct cuda_state *state, void **pointer, size_t *pitch,
                                  size_t width, size_t height) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess && !pitch)
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? allocate_rows(state, pointer, pitch, width, height, 1) : error;
}

enum cuda_error cuda_malloc_3d(struct cuda_state *state, struct cuda_pitched *pitched,
                               struct cuda_extent extent) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess && !pitched)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = allocate_rows(state, &pitched->pointer, &pitched->pitch, extent.width,
                              extent.height, extent.depth);
    if (error == cudaSuccess) {
        pitched->width = extent.width;
        pitched->height = extent.height;
    }
    return error;
}

enum cuda_error cuda_mem_get_info(struct cuda_state *state, size_t *free_bytes,
                                  size_t *total_bytes) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!free_bytes || !total_bytes))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        uint64_t left, total;
        sim_memory_info(state->current->sim, &left, &total);
        *free_bytes = left;
        *total_bytes = total;
    }
    return error;
}

// A child of fork() has its own devices, on which nothing is allocated.
void cuda_peek_memory(struct cuda_state *state, const struct cuda_device *device,
                      uint64_t *free_bytes, uint64_t *total_bytes) {
    *free_bytes = *total_bytes = SIM_DEVICE_BYTES;
    if (state->is_forked)
        return;
    pthread_mutex_lock(&state->sim_lock);
    if (device->sim)
        sim_memory_info(device->sim, free_bytes, total_bytes);
    pthread_mutex_unlock(&state->sim_lock);
}

// ---- Filling ------------------------------------------------------------------------------

enum cuda_error cuda_fill_bytes(struct cuda_state *state, void *at, size_t pitch, int value,
                                size_t width, size_t height, size_t depth, size_t slice_rows,
                                cuda_stream stream) {
    return cuda_fill(state, &(struct cuda_fill){
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
