#include "cuda/memory/fill.h"
#include "cuda/memory/calls.h"

#include "cuda/checks/check.h"
#include "cuda/graph/memory.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/operation.h"
#include "cuda/stream/stream.h"

enum cuda_error cuda_fill_check(const struct cuda_state *state, const struct cuda_fill *fill,
                                bool may_wait) {
    size_t rows = (fill->depth - 1) * fill->slice_rows + fill->height, row, bytes;
    if (fill->element != 1 && fill->element != 2 && fill->element != 4)
        return cudaErrorInvalidValue;
    if ((uintptr_t)fill->at % fill->element || (rows > 1 && fill->pitch % fill->element))
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(fill->width, fill->element, &row) ||
        (rows > 1 && fill->pitch < row) || __builtin_mul_overflow(rows - 1, fill->pitch, &bytes) ||
        __builtin_add_overflow(bytes, row, &bytes))
        return cudaErrorInvalidValue;
    return cuda_range_is_usable(state, fill->at, bytes, false, may_wait) ? cudaSuccess
                                                                         : cudaErrorInvalidValue;
}

void cuda_fill_run(struct sim *sim, const struct cuda_fill *fill) {
    for (size_t z = 0; z < fill->depth; z++)
        for (size_t y = 0; y < fill->height; y++) {
            char *row = fill->at + (z * fill->slice_rows + y) * fill->pitch;
            sim_define(sim, row, fill->width * fill->element);
            sim_set(sim, row, fill->width * fill->element, fill->value, fill->element);
        }
}

enum cuda_error cuda_fill(struct cuda_state *state, const struct cuda_fill *fill) {
    bool is_lost, is_empty = !fill->width || !fill->height || !fill->depth;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    if (error == cudaSuccess && !cuda_stream_is_good(state, fill->stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && !is_empty)
        cuda_check_used(state, fill->at, true);
    if (error == cudaSuccess && !is_empty)
        error = cuda_fill_check(state, fill, cuda_capture_of(state, fill->stream));
    // What is only allocated when a graph runs cannot be asked yet.
    if (error == cudaSuccess && !is_empty && cuda_allocation(state, fill->at) &&
        !cuda_is_reachable(state, fill->at, cuda_stream_device(state, fill->stream)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !is_empty) {
        struct cuda_operation operation = {.kind = CUDA_NODE_MEMSET, .u.fill = *fill};
        error = cuda_enqueue(state, fill->stream, &operation, is_lost);
    }
    return error;
}
