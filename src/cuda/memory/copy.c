#include "cuda/memory/copy.h"
#include "cuda/memory/calls.h"

#include <string.h>

#include "cuda/checks/check.h"
#include "cuda/graph/memory.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/operation.h"
#include "cuda/stream/stream.h"

// Bytes from the first to past the last that a place is touched at. False: no such place can be.
static bool span(const struct cuda_place *place, const struct cuda_extent *extent, size_t *bytes) {
    size_t rows;
    return !__builtin_mul_overflow(extent->depth - 1, place->slice_rows, &rows) &&
           !__builtin_add_overflow(rows, extent->height - 1, &rows) &&
           !__builtin_mul_overflow(rows, place->pitch, bytes) &&
           !__builtin_add_overflow(*bytes, extent->width, bytes);
}

// The side that the direction calls the device's must be memory that the device knows; the other
// may be anything: addresses are unified.
enum cuda_error cuda_copy_check(const struct cuda_state *state, const struct cuda_copy *copy,
                                bool may_wait) {
    if ((unsigned)copy->kind > CUDA_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    if (!copy->target.at || !copy->source.at)
        return cudaErrorInvalidValue;
    if (copy->target.pitch < copy->extent.width || copy->source.pitch < copy->extent.width)
        return cudaErrorInvalidPitchValue;
    bool to_device = copy->kind == CUDA_HOST_TO_DEVICE || copy->kind == CUDA_DEVICE_TO_DEVICE;
    bool from_device = copy->kind == CUDA_DEVICE_TO_HOST || copy->kind == CUDA_DEVICE_TO_DEVICE;
    size_t target, source;
    if (!span(&copy->target, &copy->extent, &target) ||
        !span(&copy->source, &copy->extent, &source) ||
        !cuda_range_is_usable(state, copy->target.at, target, !to_device, may_wait) ||
        !cuda_range_is_usable(state, copy->source.at, source, !from_device, may_wait))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static char *row_of(const struct cuda_place *place, size_t y, size_t z) {
    return place->at + (z * place->slice_rows + y) * place->pitch;
}

void cuda_copy_run(struct sim *sim, const struct cuda_copy *copy) {
    for (size_t z = 0; z < copy->extent.depth; z++)
        for (size_t y = 0; y < copy->extent.height; y++) {
            char *to = row_of(&copy->target, y, z), *from = row_of(&copy->source, y, z);
            sim_define_copy(sim, to, from, copy->extent.width);
            sim_copy(sim, to, from, copy->extent.width);
        }
}

// What a program is told of a copy that it did not describe.
static struct cuda_memcpy_3d describe(const struct cuda_copy *copy) {
    const struct cuda_place *source = &copy->source, *target = &copy->target;
    return (struct cuda_memcpy_3d){
        .source = {source->at, source->pitch, copy->extent.width, source->slice_rows},
        .target = {target->at, target->pitch, copy->extent.width, target->slice_rows},
        .extent = copy->extent,
        .kind = copy->kind,
    };
}

enum cuda_error cuda_copy_locked(struct cuda_state *state, const struct cuda_copy *copy,
                                 bool is_lost) {
    const struct cuda_extent *extent = &copy->extent;
    if (!extent->width || !extent->height || !extent->depth)
        return cudaSuccess;
    cuda_check_used(state, copy->source.at, false);
    cuda_check_used(state, copy->target.at, true);
    enum cuda_error error = cuda_copy_check(state, copy, cuda_capture_of(state, copy->stream));
    if (error == cudaSuccess && !cuda_stream_is_good(state, copy->stream))
        error = cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess)
        return error;
    struct cuda_operation operation = {.kind = CUDA_NODE_MEMCPY};
    operation.u.copy.copy = *copy;
    operation.u.copy.asked = copy->asked ? *copy->asked : describe(copy);
    operation.u.copy.copy.asked = NULL;
    return cuda_enqueue(state, copy->stream, &operation, is_lost);
}

enum cuda_error cuda_copy(struct cuda_state *state, const struct cuda_copy *copy) {
    bool is_lost = false;
    enum cuda_error error =
        copy->is_queued ? cuda_enter_queued(state, &is_lost) : cuda_enter(state);
    return error == cudaSuccess ? cuda_copy_locked(state, copy, is_lost) : error;
}
