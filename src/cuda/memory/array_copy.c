// Copies to, from and between arrays, in one and two dimensions.
#include "cuda/memory/array.h"
#include "cuda/memory/calls.h"

struct cuda_side cuda_memory_side(const void *memory, size_t pitch) {
    return (struct cuda_side){.memory = (void *)(uintptr_t)memory, .pitch = pitch};
}

struct cuda_side cuda_array_side(const void *array, size_t x, size_t y) {
    return (struct cuda_side){.array = array, .position = {x, y, 0}, .is_array = true};
}

static enum cuda_error place_side(struct cuda_state *state, const struct cuda_side *side,
                                  struct cuda_extent extent, struct cuda_place *place) {
    *place = (struct cuda_place){side->memory, side->pitch, extent.height};
    if (!side->is_array)
        return cudaSuccess;
    const struct cuda_array *array = cuda_array_find(state, side->array);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    return cuda_array_place(array, side->position, extent, place) ? cudaSuccess
                                                                  : cudaErrorInvalidValue;
}

// An array is on the device, whatever the direction calls the other side.
static bool direction_fits(const struct cuda_side *target, const struct cuda_side *source,
                           enum cuda_memcpy_kind kind) {
    bool to_device = kind == CUDA_HOST_TO_DEVICE || kind == CUDA_DEVICE_TO_DEVICE;
    bool from_device = kind == CUDA_DEVICE_TO_HOST || kind == CUDA_DEVICE_TO_DEVICE;
    return kind == CUDA_DEFAULT ||
           ((!target->is_array || to_device) && (!source->is_array || from_device));
}

enum cuda_error cuda_copy_sides(struct cuda_state *state, struct cuda_side target,
                                struct cuda_side source, size_t width, size_t height,
                                enum cuda_memcpy_kind kind, cuda_stream stream, bool is_queued) {
    bool is_lost = false;
    enum cuda_error error = is_queued ? cuda_enter_queued(state, &is_lost) : cuda_enter(state);
    struct cuda_copy copy = {
        .extent = {width, height, 1}, .kind = kind, .stream = stream, .is_queued = is_queued};
    if (error == cudaSuccess && !direction_fits(&target, &source, kind))
        error = cudaErrorInvalidMemcpyDirection;
    if (error == cudaSuccess)
        error = place_side(state, &target, copy.extent, &copy.target);
    if (error == cudaSuccess)
        error = place_side(state, &source, copy.extent, &copy.source);
    return error == cudaSuccess ? cuda_copy_locked(state, &copy, is_lost) : error;
}

// ---- A run of bytes, over as many rows as it takes --------------------------------------------

static size_t row_bytes(struct cuda_state *state, const void *handle) {
    const struct cuda_array *array = cuda_array_find(state, handle);
    size_t bytes = array ? array->image.level[0].row_bytes : 0;
    return bytes;
}

// Moves a side on by some bytes.
static void advance(struct cuda_side *side, size_t bytes, size_t row) {
    if (!side->is_array) {
        side->memory = (char *)side->memory + bytes;
        return;
    }
    side->position.y += (side->position.x + bytes) / row;
    side->position.x = (side->position.x + bytes) % row;
}

enum cuda_error cuda_copy_run_of_sides(struct cuda_state *state, struct cuda_side target,
                                       struct cuda_side source, size_t bytes,
                                       enum cuda_memcpy_kind kind, cuda_stream stream,
                                       bool is_queued) {
    size_t target_row = target.is_array ? row_bytes(state, target.array) : SIZE_MAX;
    size_t source_row = source.is_array ? row_bytes(state, source.array) : SIZE_MAX;
    if (!target_row || !source_row)
        return cudaErrorInvalidResourceHandle;
    enum cuda_error error = cudaSuccess;
    while (bytes && error == cudaSuccess) {
        size_t part = bytes, left;
        if (target.position.x >= target_row || source.position.x >= source_row)
            return cudaErrorInvalidValue;
        left = target_row - target.position.x;
        part = part < left ? part : left;
        left = source_row - source.position.x;
        part = part < left ? part : left;
        target.pitch = source.pitch = part;
        error = cuda_copy_sides(state, target, source, part, 1, kind, stream, is_queued);
        advance(&target, part, target_row);
        advance(&source, part, source_row);
        bytes -= part;
    }
    return error;
}
