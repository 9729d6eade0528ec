// Copies to, from and between arrays, in one and two dimensions.
#include "cuda/memory/array.h"
#include "cuda/memory/calls.h"

// One side of a copy: memory, or an array from a place on.
struct side {
    const void *array; // NULL when it is memory
    struct cuda_position position;
    void *memory;
    size_t pitch;
    bool is_array;
};

static struct side memory_side(const void *memory, size_t pitch) {
    return (struct side){.memory = (void *)(uintptr_t)memory, .pitch = pitch};
}

static struct side array_side(const void *array, size_t x, size_t y) {
    return (struct side){.array = array, .position = {x, y, 0}, .is_array = true};
}

static enum cuda_error place_side(struct cuda_state *state, const struct side *side,
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
static bool direction_fits(const struct side *target, const struct side *source,
                           enum cuda_memcpy_kind kind) {
    bool to_device = kind == CUDA_HOST_TO_DEVICE || kind == CUDA_DEVICE_TO_DEVICE;
    bool from_device = kind == CUDA_DEVICE_TO_HOST || kind == CUDA_DEVICE_TO_DEVICE;
    return kind == CUDA_DEFAULT ||
           ((!target->is_array || to_device) && (!source->is_array || from_device));
}

static enum cuda_error copy_rows(struct cuda_state *state, struct side target, struct side source,
                                 size_t width, size_t height, enum cuda_memcpy_kind kind,
                                 cuda_stream stream, bool is_queued) {
    bool is_lost = false;
    enum cuda_error error = is_queued ? cuda_enter_queued(state, &is_lost) : cuda_enter(state);
    struct cuda_copy copy = {.extent = {width, height, 1}, .kind = kind, .stream = stream};
    if (error == cudaSuccess && !direction_fits(&target, &source, kind))
        error = cudaErrorInvalidMemcpyDirection;
    if (error == cudaSuccess)
        error = place_side(state, &target, copy.extent, &copy.target);
    if (error == cudaSuccess)
        error = place_side(state, &source, copy.extent, &copy.source);
    return error == cudaSuccess ? cuda_copy_locked(state, &copy, is_lost) : error;
}

enum cuda_error cuda_memcpy_2d_to_array(struct cuda_state *state, void *array, size_t x, size_t y,
                                        const void *source, size_t pitch, size_t width,
                                        size_t height, enum cuda_memcpy_kind kind) {
    return copy_rows(state, array_side(array, x, y), memory_side(source, pitch), width, height,
                     kind, NULL, false);
}

enum cuda_error cuda_memcpy_2d_to_array_async(struct cuda_state *state, void *array, size_t x,
                                              size_t y, const void *source, size_t pitch,
                                              size_t width, size_t height,
                                              enum cuda_memcpy_kind kind, cuda_stream stream) {
    return copy_rows(state, array_side(array, x, y), memory_side(source, pitch), width, height,
                     kind, stream, true);
}

enum cuda_error cuda_memcpy_2d_from_array(struct cuda_state *state, void *target, size_t pitch,
                                          const void *array, size_t x, size_t y, size_t width,
                                          size_t height, enum cuda_memcpy_kind kind) {
    return copy_rows(state, memory_side(target, pitch), array_side(array, x, y), width, height,
                     kind, NULL, false);
}

enum cuda_error cuda_memcpy_2d_from_array_async(struct cuda_state *state, void *target,
                                                size_t pitch, const void *array, size_t x, size_t y,
                                                size_t width, size_t height,
                                                enum cuda_memcpy_kind kind, cuda_stream stream) {
    return copy_rows(state, memory_side(target, pitch), array_side(array, x, y), width, height,
                     kind, stream, true);
}

enum cuda_error cuda_memcpy_2d_array_to_array(struct cuda_state *state, void *target,
                                              size_t target_x, size_t target_y, const void *source,
                                              size_t source_x, size_t source_y, size_t width,
                                              size_t height, enum cuda_memcpy_kind kind) {
    return copy_rows(state, array_side(target, target_x, target_y),
                     array_side(source, source_x, source_y), width, height, kind, NULL, false);
}

// ---- A run of bytes, over as many rows as it takes
// -----------------------------------------------

static size_t row_bytes(struct cuda_state *state, const void *handle) {
    const struct cuda_array *array = cuda_array_find(state, handle);
    size_t bytes = array ? array->image.level[0].row_bytes : 0;
    return bytes;
}

// Moves a side on by some bytes.
static void advance(struct side *side, size_t bytes, size_t row) {
    if (!side->is_array) {
        side->memory = (char *)side->memory + bytes;
        return;
    }
    side->position.y += (side->position.x + bytes) / row;
    side->position.x = (side->position.x + bytes) % row;
}

static enum cuda_error copy_run(struct cuda_state *state, struct side target, struct side source,
                                size_t bytes, enum cuda_memcpy_kind kind, cuda_stream stream,
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
        error = copy_rows(state, target, source, part, 1, kind, stream, is_queued);
        advance(&target, part, target_row);
        advance(&source, part, source_row);
        bytes -= part;
    }
    return error;
}

enum cuda_error cuda_memcpy_to_array(struct cuda_state *state, void *array, size_t x, size_t y,
                                     const void *source, size_t bytes, enum cuda_memcpy_kind kind) {
    return copy_run(state, array_side(array, x, y), memory_side(source, 0), bytes, kind, NULL,
                    false);
}

enum cuda_error cuda_memcpy_to_array_async(struct cuda_state *state, void *array, size_t x,
                                           size_t y, const void *source, size_t bytes,
                                           enum cuda_memcpy_kind kind, cuda_stream stream) {
    return copy_run(state, array_side(array, x, y), memory_side(source, 0), bytes, kind, stream,
                    true);
}

enum cuda_error cuda_memcpy_from_array(struct cuda_state *state, void *target, const void *array,
                                       size_t x, size_t y, size_t bytes,
                                       enum cuda_memcpy_kind kind) {
    return copy_run(state, memory_side(target, 0), array_side(array, x, y), bytes, kind, NULL,
                    false);
}

enum cuda_error cuda_memcpy_from_array_async(struct cuda_state *state, void *target,
                                             const void *array, size_t x, size_t y, size_t bytes,
                                             enum cuda_memcpy_kind kind, cuda_stream stream) {
    return copy_run(state, memory_side(target, 0), array_side(array, x, y), bytes, kind, stream,
                    true);
}

enum cuda_error cuda_memcpy_array_to_array(struct cuda_state *state, void *target, size_t target_x,
                                           size_t target_y, const void *source, size_t source_x,
                                           size_t source_y, size_t bytes,
                                           enum cuda_memcpy_kind kind) {
    return copy_run(state, array_side(target, target_x, target_y),
                    array_side(source, source_x, source_y), bytes, kind, NULL, false);
}
