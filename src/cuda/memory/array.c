// Arrays and mipmapped arrays: allocation, and what they say of themselves.
#include "cuda/memory/array.h"
#include "cuda/memory/calls.h"

#include "cuda/checks/check.h"
#include "cuda/stream/capture.h"

#include <string.h>

struct cuda_array *cuda_array_find(struct cuda_state *state, const void *handle) {
    return handle ? cuda_handle_find(state, CUDA_ARRAY, handle) : NULL;
}

struct cuda_array *cuda_mipmap_find(struct cuda_state *state, const void *handle) {
    return handle ? cuda_handle_find(state, CUDA_MIPMAP, handle) : NULL;
}

// ---- Formats ------------------------------------------------------------------------------

unsigned cuda_texel_bytes(const struct sim_image *image) {
    return image->channels * image->channel_bytes;
}

bool cuda_channel_read(const struct cuda_channel *channel, struct sim_image *image) {
    const int *bits = channel->bits;
    unsigned count = 0;
    while (count < 4 && bits[count])
        count++;
    for (unsigned i = 1; i < 4; i++)
        if (bits[i] != (i < count ? bits[0] : 0))
            return false;
    if ((count != 1 && count != 2 && count != 4) ||
        (bits[0] != 8 && bits[0] != 16 && bits[0] != 32))
        return false;
    image->channels = count;
    image->channel_bytes = (unsigned)bits[0] / 8;
    switch (channel->kind) {
    case CUDA_CHANNEL_SIGNED:
        image->kind = SIM_CHANNEL_SIGNED;
        return true;
    case CUDA_CHANNEL_UNSIGNED:
        image->kind = SIM_CHANNEL_UNSIGNED;
        return true;
    case CUDA_CHANNEL_FLOAT:
        image->kind = SIM_CHANNEL_FLOAT;
        return bits[0] != 8;
    default:
        return false;
    }
}

// ---- Shapes -------------------------------------------------------------------------------

static bool is_within(struct cuda_extent extent, size_t width, size_t height, size_t depth) {
    return extent.width <= width && extent.height <= height && extent.depth <= depth;
}

// Limits of every device from 5.0 on; a volume may be deeper than what they say.
static bool find_shape(struct cuda_extent extent, unsigned flags, enum sim_image_shape *shape) {
    const size_t side = 32768;
    bool is_layered = flags & CUDA_ARRAY_LAYERED, is_gathered = flags & CUDA_ARRAY_GATHER;
    if (!extent.width || flags & ~15u)
        return false;
    if (flags & CUDA_ARRAY_CUBE) {
        *shape = is_layered ? SIM_IMAGE_CUBE_LAYERED : SIM_IMAGE_CUBE;
        return extent.width == extent.height && extent.depth && extent.depth % 6 == 0 &&
               is_within(extent, side, side, is_layered ? 2046 : 6) && !is_gathered;
    }
    if (is_layered) {
        *shape = extent.height ? SIM_IMAGE_2D_LAYERED : SIM_IMAGE_1D_LAYERED;
        return extent.depth && is_within(extent, side, side, 2048) &&
               (extent.height || !is_gathered);
    }
    if (extent.depth) {
        *shape = SIM_IMAGE_3D;
        return extent.height && is_within(extent, 16384, 16384, side) && !is_gathered;
    }
    *shape = extent.height ? SIM_IMAGE_2D : SIM_IMAGE_1D;
    return is_gathered ? extent.height && is_within(extent, side, side, 0)
                       : is_within(extent, 131072, 65536, 0);
}

static uint32_t at_level(size_t size, unsigned level) {
    size_t rest = size >> level;
    return rest ? (uint32_t)rest : 1;
}

static bool lay_out(struct sim_image *image, struct cuda_extent extent, unsigned levels) {
    const uint64_t texel = cuda_texel_bytes(image);
    bool is_volume = image->shape == SIM_IMAGE_3D;
    image->level_count = levels;
    for (unsigned l = 0; l < levels; l++) {
        struct sim_image_level *level = &image->level[l];
        level->offset = image->bytes;
        level->width = at_level(extent.width, l);
        level->height = at_level(extent.height, l);
        level->depth = is_volume ? at_level(extent.depth, l) : at_level(extent.depth, 0);
        level->row_bytes = level->width * texel;
        level->slice_bytes = level->row_bytes * level->height;
        uint64_t bytes;
        if (__builtin_mul_overflow(level->slice_bytes, (uint64_t)level->depth, &bytes) ||
            bytes > 1ull << 50)
            return false;
        image->bytes += (bytes + 15) / 16 * 16; // levels start where wide accesses may
    }
    return true;
}

static unsigned most_levels(struct cuda_extent extent, enum sim_image_shape shape) {
    size_t most = extent.width > extent.height ? extent.width : extent.height;
    if (shape == SIM_IMAGE_3D && extent.depth > most)
        most = extent.depth;
    return 64 - (unsigned)__builtin_clzll(most);
}

// ---- Allocation ---------------------------------------------------------------------------

static enum cuda_error allocate(struct cuda_state *state, enum cuda_handle_kind kind,
                                const struct cuda_channel *channel, struct cuda_extent extent,
                                unsigned levels, unsigned flags, struct cuda_array **out) {
    struct sim_image image = {.level_count = 0};
    if (!channel || !out)
        return cudaErrorInvalidValue;
    if (!extent.width && !extent.height && !extent.depth)
        return cudaErrorInvalidValue;
    if (!cuda_channel_read(channel, &image))
        return cudaErrorInvalidChannelDescriptor;
    if (!find_shape(extent, flags, &image.shape))
        return cudaErrorInvalidValue;
    unsigned most = most_levels(extent, image.shape);
    levels = levels < 1 ? 1 : levels > most ? most : levels;
    if (!lay_out(&image, extent, levels))
        return cudaErrorMemoryAllocation;
    void *memory = sim_alloc(state->current->sim, image.bytes, SIM_DEVICE);
    if (!memory)
        return cudaErrorMemoryAllocation;
    cuda_check_allocated(state, memory, image.bytes);
    // What textures read, and surfaces write, is not tracked.
    sim_define(state->current->sim, memory, image.bytes);
    image.address = (uint64_t)(uintptr_t)memory;
    struct cuda_array *array = cuda_handle_new(state, kind, sizeof *array);
    array->channel = *channel;
    array->extent = extent;
    array->flags = flags;
    array->image = image;
    *out = array;
    return cudaSuccess;
}

static struct cuda_extent extent_of_level(const struct cuda_array *mipmap, unsigned l) {
    const struct sim_image_level *level = &mipmap->image.level[l];
    return (struct cuda_extent){level->width, mipmap->extent.height ? level->height : 0,
                                mipmap->extent.depth ? level->depth : 0};
}

static void make_levels(struct cuda_state *state, struct cuda_array *mipmap) {
    for (unsigned l = 0; l < mipmap->image.level_count; l++) {
        struct cuda_array *level = cuda_handle_new(state, CUDA_ARRAY, sizeof *level);
        level->channel = mipmap->channel;
        level->extent = extent_of_level(mipmap, l);
        level->flags = mipmap->flags;
        level->is_level = true;
        level->image = mipmap->image;
        level->image.level[0] = mipmap->image.level[l];
        level->image.level_count = 1;
        mipmap->levels[l] = level;
    }
}

static enum cuda_error release(struct cuda_state *state, struct cuda_array *array) {
    if (!array || array->is_level)
        return cudaErrorContextIsDestroyed; // as the real one says of an array that is gone
    void *memory = (void *)(uintptr_t)array->image.address;
    cuda_check_freed(state, memory, true);
    sim_free(state->current->sim, memory);
    for (unsigned l = 0; l < array->image.level_count; l++)
        if (array->levels[l])
            cuda_handle_kill(state, &array->levels[l]->handle);
    cuda_handle_kill(state, &array->handle);
    return cudaSuccess;
}

enum cuda_error cuda_malloc_3d_array(struct cuda_state *state, struct cuda_array **array,
                                     const struct cuda_channel *channel, struct cuda_extent extent,
                                     unsigned flags) {
    enum cuda_error error = cuda_enter_unsafe(state);
    return error == cudaSuccess ? allocate(state, CUDA_ARRAY, channel, extent, 1, flags, array)
                                : error;
}

enum cuda_error cuda_malloc_mipmapped_array(struct cuda_state *state, struct cuda_array **mipmap,
                                            const struct cuda_channel *channel,
                                            struct cuda_extent extent, unsigned levels,
                                            unsigned flags) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess)
        error = allocate(state, CUDA_MIPMAP, channel, extent, levels, flags, mipmap);
    if (error == cudaSuccess)
        make_levels(state, *mipmap);
    return error;
}

enum cuda_error cuda_free_array(struct cuda_state *state, void *array) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess && array)
        error = release(state, cuda_array_find(state, array));
    return error;
}

enum cuda_error cuda_free_mipmapped_array(struct cuda_state *state, void *mipmap) {
    enum cuda_error error = cuda_enter_unsafe(state);
    if (error == cudaSuccess && mipmap)
        error = release(state, cuda_mipmap_find(state, mipmap));
    return error;
}

// ---- Questions ----------------------------------------------------------------------------

enum cuda_error cuda_get_mipmapped_array_level(struct cuda_state *state, struct cuda_array **level,
                                               const void *mipmap, unsigned number) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_array *found = error == cudaSuccess ? cuda_mipmap_find(state, mipmap) : NULL;
    if (error == cudaSuccess && !level)
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && !found)
        error = cudaErrorInvalidResourceHandle;
    else if (error == cudaSuccess && number >= found->image.level_count)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *level = found->levels[number];
    return error;
}

enum cuda_error cuda_array_get_info(struct cuda_state *state, struct cuda_channel *channel,
                                    struct cuda_extent *extent, unsigned *flags,
                                    const void *array) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_array *found = error == cudaSuccess ? cuda_array_find(state, array) : NULL;
    if (error == cudaSuccess && !found)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && channel)
        *channel = found->channel;
    if (error == cudaSuccess && extent)
        *extent = found->extent;
    if (error == cudaSuccess && flags)
        *flags = found->flags;
    return error;
}

enum cuda_error cuda_get_channel_desc(struct cuda_state *state, struct cuda_channel *channel,
                                      const void *array) {
    if (!channel)
        return cudaErrorInvalidValue;
    return cuda_array_get_info(state, channel, NULL, NULL, array);
}

bool cuda_array_place(const struct cuda_array *array, struct cuda_position position,
                      struct cuda_extent extent, struct cuda_place *place) {
    const struct sim_image_level *level = &array->image.level[0];
    if (position.x > level->row_bytes || extent.width > level->row_bytes - position.x ||
        position.y > level->height || extent.height > level->height - position.y ||
        position.z > level->depth || extent.depth > level->depth - position.z)
        return false;
    char *first = (char *)(uintptr_t)array->image.address + level->offset;
    *place = (struct cuda_place){first + position.z * level->slice_bytes +
                                     position.y * level->row_bytes + position.x,
                                 level->row_bytes, level->height};
    return true;
}
