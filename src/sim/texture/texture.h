// Textures and surfaces: images in the simulator's memory, and objects that kernels read and write
// them by. The arithmetic of filters is that of an H200, measured (truth/README.md).
#ifndef BANKRUN_SIM_TEXTURE_TEXTURE_H
#define BANKRUN_SIM_TEXTURE_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

enum sim_image_shape {
    SIM_IMAGE_1D,
    SIM_IMAGE_2D,
    SIM_IMAGE_3D,
    SIM_IMAGE_1D_LAYERED,
    SIM_IMAGE_2D_LAYERED,
    SIM_IMAGE_CUBE,
    SIM_IMAGE_CUBE_LAYERED,
    SIM_IMAGE_LINEAR, // a plain row of texels in memory, without filters
};

enum sim_channel_kind {
    SIM_CHANNEL_UNSIGNED,
    SIM_CHANNEL_SIGNED,
    SIM_CHANNEL_FLOAT, // of 16 or 32 bits
};

// The number of an object holds that of its device, from this bit on.
enum { SIM_OBJECT_DEVICE_SHIFT = 32 };

enum { SIM_IMAGE_LEVELS = 18, SIM_TEXTURE_CHANNELS = 4 };

struct sim_image_level {
    uint64_t offset; // of its first texel, from the image's address
    uint32_t width, height, depth;
    uint64_t row_bytes, slice_bytes;
};

// Texels lie in rows and slices, in the order that programs copy them in. `depth` of a level counts
// slices: those of a volume, or layers, or faces (6 for each cube).
struct sim_image {
    enum sim_image_shape shape;
    enum sim_channel_kind kind;
    unsigned channels, channel_bytes;
    uint64_t address, bytes; // all levels lie in here; one allocation of the device
    unsigned level_count;
    struct sim_image_level level[SIM_IMAGE_LEVELS];
};

enum sim_address_mode {
    SIM_ADDRESS_WRAP,
    SIM_ADDRESS_CLAMP,
    SIM_ADDRESS_MIRROR,
    SIM_ADDRESS_BORDER
};

struct sim_sampler {
    enum sim_address_mode address[3];
    bool is_linear, is_mip_linear;
    bool is_normalized;           // coordinates run from 0 to 1
    bool reads_normalized_floats; // of images of 8- and 16-bit integers
    bool is_srgb;
    bool is_seamless; // cubes
    unsigned anisotropy;
    float border[SIM_TEXTURE_CHANNELS];
    float bias, least_level, most_level;
};

// Objects are numbers that kernels hold; 0 is none. They are copied in, and live until they are
// destroyed or the simulator is. No launch may run meanwhile.
uint64_t sim_texture_create(struct sim *sim, const struct sim_image *image,
                            const struct sim_sampler *sampler);
uint64_t sim_surface_create(struct sim *sim, const struct sim_image *image);
bool sim_texture_destroy(struct sim *sim, uint64_t object); // false: no such texture
bool sim_surface_destroy(struct sim *sim, uint64_t object);

#endif
