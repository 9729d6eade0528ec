// Where a fetch reads: coordinates to texels, levels and weights.
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/texture/object.h"

// Fixed point: 1/256 of a texel, or of a level.
enum { ONE = 256, HALF = 128 };

struct sampling {
    const struct sim_object *texture;
    const struct sim_fetch *fetch;
    float at[3]; // on the face of a cube
    uint32_t slice;
    struct sim_filter *filter;
};

static bool is_volume(const struct sim_object *texture) {
    return texture->image.shape == SIM_IMAGE_3D;
}

static bool is_cube(enum sim_image_shape shape) {
    return shape == SIM_IMAGE_CUBE || shape == SIM_IMAGE_CUBE_LAYERED;
}

// ---- Coordinates --------------------------------------------------------------------------

// A coordinate in texels. A normalised one is cut to 21 or 22 bits behind the point first.
static double in_texels(const struct sim_sampler *sampler, unsigned axis, float at, uint32_t size) {
    double x = isnan(at) || fabsf(at) < FLT_MIN ? 0 : (double)at; // denormals are zeros
    if (sampler->is_normalized) {
        enum sim_address_mode mode = sampler->address[axis];
        double period = mode == SIM_ADDRESS_WRAP ? 1 : mode == SIM_ADDRESS_MIRROR ? 2 : 0;
        if (period > 0)
            x = isinf(x) ? 0 : x - period * floor(x / period);
        x = x < -0x1p20 ? -0x1p20 : x > 0x1p20 ? 0x1p20 : x;
        double unit = size > 8192 ? 0x1p-22 : 0x1p-21;
        return floor(x / unit) * unit * size;
    }
    return x < -0x1p40 ? -0x1p40 : x > 0x1p40 ? 0x1p40 : x;
}

// The texel below, in 1/256.
static int64_t fixed_point(const struct sim_sampler *sampler, unsigned axis, float at,
                           uint32_t size, int32_t offset, bool is_open) {
    int64_t fixed = (int64_t)floor(in_texels(sampler, axis, at, size) * ONE - HALF + 0.5);
    fixed += (int64_t)offset * ONE;
    int64_t last = ((int64_t)size - 1) * ONE;
    if (sim_address_mode_of(sampler, axis) == SIM_ADDRESS_CLAMP && !is_open)
        fixed = fixed < 0 ? 0 : fixed > last ? last : fixed;
    return fixed;
}

// ---- One level ----------------------------------------------------------------------------

// Filters reach over the edges of a seamless cube.
static bool is_seamless(const struct sampling *s) {
    const struct sim_sampler *sampler = &s->texture->sampler;
    return sampler->is_seamless && sampler->is_linear && is_cube(s->fetch->shape);
}

// False: there is no such texel.
static bool add_texel(struct sampling *s, const struct sim_image_level *level, const int64_t at[3],
                      uint32_t weight) {
    struct sim_filter *filter = s->filter;
    struct sim_texel_place place = {level, at[0], at[1], at[2], s->slice};
    if (is_seamless(s)) {
        unsigned face = s->slice % 6;
        int64_t inside[2] = {at[0], at[1]};
        if (!sim_cube_neighbour(level->width, &face, inside))
            return false;
        place.x = inside[0], place.y = inside[1];
        place.slice = s->slice - s->slice % 6 + face;
    }
    sim_texel_read(s->texture, &place, filter->raw[filter->count]);
    filter->weight[filter->count++] = weight;
    return true;
}

static void point_texel(const struct sampling *s, const struct sim_image_level *level,
                        int64_t at[3]) {
    const uint32_t size[3] = {level->width, level->height, level->depth};
    const struct sim_sampler *sampler = &s->texture->sampler;
    for (unsigned axis = 0; axis < 3; axis++) {
        at[axis] = s->fetch->offset[axis];
        at[axis] += s->fetch->is_integer
                        ? s->fetch->texel[axis]
                        : (int64_t)floor(in_texels(sampler, axis, s->at[axis], size[axis]));
    }
}

// The four texels of a slice around a point share `total`.
static void add_square(struct sampling *s, const struct sim_image_level *level,
                       const int64_t fixed[2], int64_t z, uint32_t total) {
    if (!total)
        return;
    uint32_t a = fixed[0] & (ONE - 1), b = fixed[1] & (ONE - 1);
    uint32_t right = (total * a + HALF) >> 8, left = total - right;
    uint32_t right_low = (right * b + HALF) >> 8;
    uint32_t left_high = (left * (ONE - b) + HALF) >> 8;
    uint32_t weight[2][2] = {{left_high, right - right_low}, {left - left_high, right_low}};
    unsigned first = s->filter->count;
    uint32_t lost = 0;
    for (int j = 0; j < (b ? 2 : 1); j++)
        for (int i = 0; i < (a ? 2 : 1); i++) {
            const int64_t at[3] = {(fixed[0] >> 8) + i, (fixed[1] >> 8) + j, z};
            if (!add_texel(s, level, at, weight[j][i]))
                lost = weight[j][i];
        }
    s->filter->square[first] = s->filter->count - first;
    for (unsigned left = 3; lost; left--) { // in the corner of a cube: to the other three
        s->filter->weight[first + left - 1] += lost / left;
        lost -= lost / left;
    }
}

// All texels of a level that a linear filter takes, with weights that add up to `total`.
static void add_level(struct sampling *s, const struct sim_image_level *level, uint32_t total) {
    const struct sim_sampler *sampler = &s->texture->sampler;
    int64_t fixed[3], at[3];
    if (!sampler->is_linear) {
        point_texel(s, level, at);
        s->filter->square[s->filter->count] = 1;
        add_texel(s, level, at, total);
        return;
    }
    const uint32_t size[3] = {level->width, level->height, level->depth};
    for (unsigned axis = 0; axis < 3; axis++)
        fixed[axis] = axis == 1 && s->fetch->shape == SIM_IMAGE_1D_LAYERED
                          ? 0
                          : fixed_point(sampler, axis, s->at[axis], size[axis],
                                        s->fetch->offset[axis], is_seamless(s));
    if (!is_volume(s->texture)) {
        add_square(s, level, fixed, 0, total);
        return;
    }
    uint32_t c = fixed[2] & (ONE - 1), near = (total * (ONE - c) + HALF) >> 8;
    add_square(s, level, fixed, fixed[2] >> 8, near);
    if (c)
        add_square(s, level, fixed, (fixed[2] >> 8) + 1, total - near);
}

// ---- Levels -------------------------------------------------------------------------------

static int32_t fixed_level(float level) {
    double fixed = (double)level * ONE;
    return isnan(fixed) ? 0 : fixed < -1e6 ? -1000000 : fixed > 1e6 ? 1000000 : (int32_t)fixed;
}

static int32_t level_of(const struct sampling *s) {
    const struct sim_object *texture = s->texture;
    const struct sim_sampler *sampler = &texture->sampler;
    const struct sim_image_level *first = &texture->image.level[0];
    int32_t level;
    if (s->fetch->has_gradient) {
        const float size[3] = {(float)first->width, (float)first->height, (float)first->depth};
        float dx[3], dy[3];
        memcpy(dx, s->fetch->dx, sizeof dx);
        memcpy(dy, s->fetch->dy, sizeof dy);
        if (is_cube(s->fetch->shape)) {
            sim_cube_gradient(s->slice % 6, s->fetch->at, s->fetch->dx, dx);
            sim_cube_gradient(s->slice % 6, s->fetch->at, s->fetch->dy, dy);
        }
        for (int i = 0; i < 3; i++) {
            dx[i] *= sampler->is_normalized ? size[i] : 1;
            dy[i] *= sampler->is_normalized ? size[i] : 1;
        }
        level = sim_gradient_level(dx, dy, is_volume(texture) ? 3 : 2);
    } else {
        level = fixed_level(s->fetch->level);
    }
    level += fixed_level(sampler->bias);
    int32_t least = fixed_level(sampler->least_level), most = fixed_level(sampler->most_level);
    int32_t last = ((int32_t)texture->image.level_count - 1) * ONE;
    most = most > last ? last : most;
    level = level > most ? most : level;
    return level < least ? least : level;
}

static void sample(struct sampling *s, uint32_t out[SIM_TEXTURE_CHANNELS]) {
    const struct sim_object *texture = s->texture;
    const struct sim_image_level *levels = texture->image.level;
    int32_t last = (int32_t)texture->image.level_count - 1, level = last ? level_of(s) : 0;
    level = level < 0 ? 0 : level > last * ONE ? last * ONE : level;
    bool is_mixed = texture->sampler.is_mip_linear && level % ONE != 0;
    if (!texture->sampler.is_mip_linear)
        level = (level + HALF) / ONE * ONE;
    const struct sim_image_level *first = &levels[level / ONE];
    if (!texture->sampler.is_linear && !is_mixed) {
        int64_t at[3];
        point_texel(s, first, at);
        add_texel(s, first, at, ONE);
        sim_texel_convert(texture, s->filter->raw[0], out);
        return;
    }
    uint32_t part = is_mixed ? (uint32_t)level % ONE : 0;
    add_level(s, first, ONE - part);
    if (part)
        add_level(s, first + 1, part);
    sim_filter_sum(texture, s->filter, out);
}

// One channel of the four texels that a linear filter would take.
static void gather(struct sampling *s, uint32_t out[SIM_TEXTURE_CHANNELS]) {
    const struct sim_image_level *level = &s->texture->image.level[0];
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    int64_t fixed[2];
    for (unsigned axis = 0; axis < 2; axis++)
        fixed[axis] =
            fixed_point(&s->texture->sampler, axis, s->at[axis],
                        axis ? level->height : level->width, s->fetch->offset[axis], true);
    for (int i = 0; i < 4; i++) {
        struct sim_texel_place place = {level, (fixed[0] >> 8) + order[i][0],
                                        (fixed[1] >> 8) + order[i][1], 0, s->slice};
        uint32_t raw[SIM_TEXTURE_CHANNELS], values[SIM_TEXTURE_CHANNELS];
        sim_texel_read(s->texture, &place, raw);
        sim_texel_convert(s->texture, raw, values);
        out[i] = values[s->fetch->component];
    }
}

static uint32_t layer_of(const struct sampling *s, uint32_t layers) {
    return s->fetch->layer < layers ? s->fetch->layer : layers - 1;
}

// Integer coordinates pass the address modes by: outside there are zeros, and nothing but zeros
// in arrays of one dimension.
static bool is_nowhere(const struct sim_object *texture, const struct sim_fetch *fetch) {
    const struct sim_image_level *level = &texture->image.level[0];
    bool has_layers = fetch->shape == SIM_IMAGE_1D_LAYERED || fetch->shape == SIM_IMAGE_2D_LAYERED;
    const uint32_t size[3] = {level->width, level->height, level->depth};
    for (int axis = 0; axis < (is_volume(texture) ? 3 : 2); axis++)
        if ((uint32_t)(fetch->texel[axis] + fetch->offset[axis]) >= size[axis])
            return true;
    return (fetch->shape == SIM_IMAGE_1D && texture->image.shape != SIM_IMAGE_LINEAR) ||
           fetch->shape == SIM_IMAGE_1D_LAYERED || (has_layers && fetch->layer >= level->depth);
}

void sim_texture_fetch(const struct sim_object *texture, const struct sim_fetch *fetch,
                       uint32_t out[SIM_TEXTURE_CHANNELS]) {
    struct sim_filter filter = {.count = 0};
    struct sampling s = {texture, fetch, {0, 0, 0}, 0, &filter};
    memcpy(s.at, fetch->at, sizeof s.at);
    if (fetch->is_integer && is_nowhere(texture, fetch)) {
        memset(out, 0, SIM_TEXTURE_CHANNELS * sizeof *out);
        return;
    }
    uint32_t slices = texture->image.level[0].depth;
    switch (fetch->shape) {
    case SIM_IMAGE_1D_LAYERED:
    case SIM_IMAGE_2D_LAYERED:
        s.slice = layer_of(&s, slices);
        break;
    case SIM_IMAGE_CUBE:
    case SIM_IMAGE_CUBE_LAYERED:
        s.slice = sim_cube_face(fetch->at, s.at);
        s.at[2] = 0;
        if (fetch->shape == SIM_IMAGE_CUBE_LAYERED)
            s.slice += 6 * layer_of(&s, slices / 6);
        break;
    default:
        break;
    }
    if (fetch->is_gather)
        gather(&s, out);
    else
        sample(&s, out);
}
