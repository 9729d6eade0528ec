// cudaMemcpy and its relatives in one, two and three dimensions.
#include "cuda/memory/memcpy.h"
#include "cuda/memory/calls.h"

#include <stdint.h>

#include "cuda/memory/array.h"

enum cuda_error cuda_memcpy(struct cuda_state *state, void *target, const void *source,
                            size_t bytes, enum cuda_memcpy_kind kind, cuda_stream stream,
                            bool is_queued) {
    return cuda_memcpy_2d(state, target, bytes, source, bytes, bytes, 1, kind, stream, is_queued);
}

enum cuda_error cuda_memcpy_2d(struct cuda_state *state, void *target, size_t target_pitch,
                               const void *source, size_t source_pitch, size_t width, size_t height,
                               enum cuda_memcpy_kind kind, cuda_stream stream, bool is_queued) {
    const struct cuda_copy copy = {
        .target = {target, target_pitch, height},
        .source = {(char *)(uintptr_t)source, source_pitch, height},
        .extent = {width, height, 1},
        .kind = kind,
        .stream = stream,
        .is_queued = is_queued,
    };
    return cuda_copy(state, &copy);
}

// ---- Between devices: addresses are unified, so that they tell where it is ----------------------

enum cuda_error cuda_copy_peer(struct cuda_state *state, void *target, int target_device,
                               const void *source, int source_device, size_t bytes,
                               cuda_stream stream, bool is_queued) {
    if (!cuda_is_device(state, target_device) || !cuda_is_device(state, source_device))
        return cudaErrorInvalidDevice;
    return cuda_memcpy(state, target, source, bytes, CUDA_DEVICE_TO_DEVICE, stream, is_queued);
}

// ---- Three dimensions ---------------------------------------------------------------------

static struct cuda_place place_of(const struct cuda_pitched *pitched,
                                  const struct cuda_position *position) {
    // Integers: a program may pass NULL for a copy of nothing.
    uintptr_t at = (uintptr_t)pitched->pointer + position->x +
                   (position->z * pitched->height + position->y) * pitched->pitch;
    return (struct cuda_place){(char *)at, pitched->pitch, pitched->height};
}

// Where an array takes part, extents and its positions count texels.
static enum cuda_error place_array(const struct cuda_array *array,
                                   const struct cuda_position *position, struct cuda_extent extent,
                                   struct cuda_place *place) {
    struct cuda_position at = *position;
    at.x *= cuda_texel_bytes(&array->image);
    return cuda_array_place(array, at, extent, place) ? cudaSuccess : cudaErrorInvalidValue;
}

static enum cuda_error place_3d(struct cuda_state *state, const struct cuda_memcpy_3d *p,
                                struct cuda_copy *copy) {
    const struct cuda_array *source = cuda_array_find(state, p->source_array);
    const struct cuda_array *target = cuda_array_find(state, p->target_array);
    bool to_device = p->kind == CUDA_HOST_TO_DEVICE || p->kind == CUDA_DEVICE_TO_DEVICE;
    bool from_device = p->kind == CUDA_DEVICE_TO_HOST || p->kind == CUDA_DEVICE_TO_DEVICE;
    if ((p->source_array && !source) || (p->target_array && !target))
        return cudaErrorInvalidResourceHandle;
    if ((source && p->source.pointer) || (target && p->target.pointer) ||
        (!source && !p->source.pointer) || (!target && !p->target.pointer))
        return cudaErrorInvalidValue;
    if (p->kind != CUDA_DEFAULT && ((source && !from_device) || (target && !to_device)))
        return cudaErrorInvalidValue;
    if (source && target && cuda_texel_bytes(&source->image) != cuda_texel_bytes(&target->image))
        return cudaErrorInvalidValue;
    if (source || target)
        copy->extent.width *= cuda_texel_bytes(source ? &source->image : &target->image);
    copy->target = place_of(&p->target, &p->target_position);
    copy->source = place_of(&p->source, &p->source_position);
    enum cuda_error error = cudaSuccess;
    if (source)
        error = place_array(source, &p->source_position, copy->extent, &copy->source);
    if (target && error == cudaSuccess)
        error = place_array(target, &p->target_position, copy->extent, &copy->target);
    if (copy->source.pitch < copy->extent.width || copy->target.pitch < copy->extent.width)
        return error == cudaSuccess && !source && !target ? cudaErrorInvalidPitchValue
                                                          : cudaErrorInvalidValue;
    return error;
}

enum cuda_error cuda_copy_of_3d(struct cuda_state *state, const struct cuda_memcpy_3d *p,
                                struct cuda_copy *copy) {
    *copy = (struct cuda_copy){.extent = p->extent, .kind = p->kind};
    return place_3d(state, p, copy);
}

enum cuda_error cuda_copy_3d(struct cuda_state *state, const struct cuda_memcpy_3d *p,
                             cuda_stream stream, bool is_queued) {
    if (!p)
        return cudaErrorInvalidValue;
    bool is_lost = false, is_empty = !p->extent.width || !p->extent.height || !p->extent.depth;
    enum cuda_error error = is_queued ? cuda_enter_queued(state, &is_lost) : cuda_enter(state);
    if (error == cudaSuccess && !is_empty) {
        struct cuda_copy copy;
        error = cuda_copy_of_3d(state, p, &copy);
        copy.stream = stream;
        copy.is_queued = is_queued;
        copy.asked = p;
        if (error == cudaSuccess)
            error = cuda_copy_locked(state, &copy, is_lost);
    }
    return error;
}

enum cuda_error cuda_copy_3d_peer(struct cuda_state *state, const struct cuda_memcpy_3d_peer *p,
                                  cuda_stream stream, bool is_queued) {
    if (!p)
        return cudaErrorInvalidValue;
    if (!cuda_is_device(state, p->source_device) || !cuda_is_device(state, p->target_device))
        return cudaErrorInvalidDevice;
    struct cuda_memcpy_3d local = {
        p->source_array,    p->source_position, p->source, p->target_array,
        p->target_position, p->target,          p->extent, CUDA_DEVICE_TO_DEVICE,
    };
    return cuda_copy_3d(state, &local, stream, is_queued);
}
