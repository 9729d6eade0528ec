// CUDA arrays: images in the device's memory behind handles. Lock held, device made.
#ifndef BANKRUN_CUDART_ARRAY_H
#define BANKRUN_CUDART_ARRAY_H

#include "cudart/copy.h"
#include "cudart/state.h"
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

// An array, or a mipmapped array: kinds CUDART_ARRAY and CUDART_MIPMAP.
struct cudart_array {
    struct cudart_handle handle;
    struct cuda_channel channel;
    struct cuda_extent extent; // as it was asked for: heights and depths of 0 stay
    unsigned flags;
    bool is_level;                                 // of a mipmapped array, which owns the memory
    struct cudart_array *levels[SIM_IMAGE_LEVELS]; // of a mipmapped array
    struct sim_image image;
};

// NULL: no such array. The device need not be made.
struct cudart_array *cudart_array_find(struct cudart_state *state, const void *handle);
struct cudart_array *cudart_mipmap_find(struct cudart_state *state, const void *handle);

// The texels that a description stands for. False: there are none such.
bool cudart_channel_read(const struct cuda_channel *channel, struct sim_image *image);
unsigned cudart_texel_bytes(const struct sim_image *image);

// The place of a texel of an array, for copies. `x` in bytes. False: extent (bytes of a row, rows,
// slices) does not lie in the array from there on.
bool cudart_array_place(const struct cudart_array *array, struct cuda_position position,
                        struct cuda_extent extent, struct cudart_place *place);

#endif
