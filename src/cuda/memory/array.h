// CUDA arrays: images in the device's memory behind handles. Lock held, device made.
#ifndef BANKRUN_CUDA_MEMORY_ARRAY_H
#define BANKRUN_CUDA_MEMORY_ARRAY_H

#include "cuda/core/state.h"
#include "cuda/memory/copy.h"
#include "sim/texture/texture.h"

enum cuda_channel_kind {
    CUDA_CHANNEL_SIGNED,
    CUDA_CHANNEL_UNSIGNED,
    CUDA_CHANNEL_FLOAT,
};

enum {
    CUDA_ARRAY_LAYERED = 0x01,
    CUDA_ARRAY_SURFACE = 0x02,
    CUDA_ARRAY_CUBE = 0x04,
    CUDA_ARRAY_GATHER = 0x08,
};

// An array, or a mipmapped array: kinds CUDA_ARRAY and CUDA_MIPMAP.
struct cuda_array {
    struct cuda_handle handle;
    struct cuda_channel channel;
    struct cuda_extent extent; // as it was asked for: heights and depths of 0 stay
    unsigned flags;
    bool is_level;                               // of a mipmapped array, which owns the memory
    struct cuda_array *levels[SIM_IMAGE_LEVELS]; // of a mipmapped array
    struct sim_image image;
};

// NULL: no such array. The device need not be made.
struct cuda_array *cuda_array_find(struct cuda_state *state, const void *handle);
struct cuda_array *cuda_mipmap_find(struct cuda_state *state, const void *handle);

// The texels that a description stands for. False: there are none such.
bool cuda_channel_read(const struct cuda_channel *channel, struct sim_image *image);
unsigned cuda_texel_bytes(const struct sim_image *image);

// The place of a texel of an array, for copies. `x` in bytes. False: extent (bytes of a row, rows,
// slices) does not lie in the array from there on.
bool cuda_array_place(const struct cuda_array *array, struct cuda_position position,
                      struct cuda_extent extent, struct cuda_place *place);

#endif
