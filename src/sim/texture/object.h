// Inside the simulator: texture objects, and what fetching from them is made of.
#ifndef BANKRUN_SIM_TEXTURE_OBJECT_H
#define BANKRUN_SIM_TEXTURE_OBJECT_H

#include "sim/texture/texture.h"

enum sim_object_kind { SIM_OBJECT_TEXTURE, SIM_OBJECT_SURFACE };

struct sim_object {
    enum sim_object_kind kind;
    bool is_live;
    struct sim_image image;
    struct sim_sampler sampler;
};

struct sim_objects;

struct sim_objects *sim_objects_create(unsigned device);
void sim_objects_destroy(struct sim_objects *objects); // NULL is allowed
// NULL: the number was never given out. What was destroyed is still found, with is_live false.
const struct sim_object *sim_object_find(const struct sim_objects *objects, uint64_t number);
struct sim_objects *sim_objects_of(const struct sim *sim); // implemented where struct sim is

// ---- Fetching ------------------------------------------------------------------------------

// What one lane asks of a texture.
struct sim_fetch {
    bool is_integer; // coordinates are texels in `texel`, else `at`
    bool is_gather;
    bool has_gradient;
    unsigned component; // of a gather
    float at[3];
    int32_t texel[3];
    uint32_t layer;
    float level; // level of detail, before bias and clamps
    float dx[3], dy[3];
    int32_t offset[3]; // in texels
    enum sim_image_shape shape;
};

// The four channels as registers take them: integers, or the bits of floats. `texels` is the host
// address of the image.
void sim_texture_fetch(const struct sim_object *texture, const struct sim_fetch *fetch,
                       uint32_t out[SIM_TEXTURE_CHANNELS]);

// As it works: without normalised coordinates nothing repeats.
enum sim_address_mode sim_address_mode_of(const struct sim_sampler *sampler, unsigned axis);

// A place in an image. `x` and `y` may lie outside: the address mode says what is read there.
struct sim_texel_place {
    const struct sim_image_level *level;
    int64_t x, y, z;
    uint32_t slice; // layer or face, for shapes that have them
};

// Channels of a texel before any filter: what the format holds, widened to 32 bits.
void sim_texel_read(const struct sim_object *texture, const struct sim_texel_place *place,
                    uint32_t raw[SIM_TEXTURE_CHANNELS]);
// Raw channels as a fetch without a filter returns them.
void sim_texel_convert(const struct sim_object *texture, const uint32_t raw[SIM_TEXTURE_CHANNELS],
                       uint32_t out[SIM_TEXTURE_CHANNELS]);
bool sim_texture_gives_floats(const struct sim_object *texture);
bool sim_texel_is_colour(const struct sim_object *texture, unsigned channel); // sRGB
float sim_texel_colour(uint32_t raw);
float sim_texel_most(const struct sim_object *texture); // what normalised integers divide by

// A weighted sum of texels. Weights are in 1/256 and add up to 256.
enum { SIM_FILTER_TEXELS = 16 };
struct sim_filter {
    unsigned count;
    uint32_t raw[SIM_FILTER_TEXELS][SIM_TEXTURE_CHANNELS];
    uint32_t weight[SIM_FILTER_TEXELS];
    unsigned square[SIM_FILTER_TEXELS]; // how many texels are summed together from here on
};
void sim_filter_sum(const struct sim_object *texture, const struct sim_filter *filter,
                    uint32_t out[SIM_TEXTURE_CHANNELS]);

// Level of detail in 1/256, by gradients in texels of the first level.
int32_t sim_gradient_level(const float dx[3], const float dy[3], unsigned axes);

// The face that a direction points to, and where on it: 0 to 1.
unsigned sim_cube_face(const float direction[3], float at[2]);
// How the place on that face moves when the direction does.
void sim_cube_gradient(unsigned face, const float direction[3], const float along[3], float out[3]);
// Moves a texel that lies one step outside of a face to the face that it belongs to. False: behind
// a corner, where there is none.
bool sim_cube_neighbour(uint32_t size, unsigned *face, int64_t at[2]);

#endif
