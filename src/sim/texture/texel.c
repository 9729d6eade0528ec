// Texels: where address modes send a place, what is read there, and how a fetch without a filter
// returns it.
#include <string.h>

#include "ir/number/half.h"
#include "sim/texture/object.h"

// sRGB to linear, in 1/65536, as an H200 converts: 8 bits of precision.
static const uint32_t srgb[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,   220,   240,
    264,   288,   312,   340,   368,   396,   428,   460,   492,   524,   560,   600,   636,
    676,   720,   760,   804,   852,   896,   944,   1000,  1048,  1104,  1160,  1216,  1272,
    1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,  1936,  2016,  2096,  2176,
    2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,  3360,
    3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,
    4992,  5120,  5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,
    6848,  7008,  7168,  7328,  7488,  7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,
    9088,  9280,  9472,  9664,  9856,  10048, 10240, 10432, 10624, 10816, 11008, 11264, 11456,
    11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888, 14144, 14400,
    14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664,
    18048, 18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504,
    21760, 22144, 22400, 22784, 23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600,
    25984, 26368, 26752, 27008, 27392, 27776, 28032, 28416, 28800, 29184, 29568, 29952, 30336,
    30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048, 34560, 35072, 35328,
    35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848,
    47360, 47872, 48384, 48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504,
    54016, 54528, 55040, 55552, 56064, 56576, 57088, 57600, 58112, 58624, 59392, 59904, 60416,
    60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536};

// The last channel of two or four is none of the colours.
bool sim_texel_is_colour(const struct sim_object *texture, unsigned channel) {
    return texture->sampler.is_srgb && texture->sampler.reads_normalized_floats &&
           (channel == 0 || channel + 1 < texture->image.channels);
}

float sim_texel_colour(uint32_t raw) {
    return (float)srgb[raw & 0xff] / 65536.0f;
}

bool sim_texture_gives_floats(const struct sim_object *texture) {
    return texture->image.kind == SIM_CHANNEL_FLOAT || texture->sampler.reads_normalized_floats;
}

float sim_texel_most(const struct sim_object *texture) {
    unsigned bits = 8 * texture->image.channel_bytes;
    bool is_signed = texture->image.kind == SIM_CHANNEL_SIGNED;
    return (float)((1u << (bits - is_signed)) - 1);
}

// ---- Outside ------------------------------------------------------------------------------

// Without normalised coordinates nothing repeats.
enum sim_address_mode sim_address_mode_of(const struct sim_sampler *sampler, unsigned axis) {
    enum sim_address_mode mode = sampler->address[axis];
    bool repeats = mode == SIM_ADDRESS_WRAP || mode == SIM_ADDRESS_MIRROR;
    return repeats && !sampler->is_normalized ? SIM_ADDRESS_CLAMP : mode;
}

// False: the border.
static bool place_axis(enum sim_address_mode mode, int64_t size, int64_t *at) {
    if (*at >= 0 && *at < size)
        return true;
    int64_t turned;
    switch (mode) {
    case SIM_ADDRESS_WRAP:
        *at %= size;
        *at += *at < 0 ? size : 0;
        return true;
    case SIM_ADDRESS_MIRROR:
        turned = *at % (2 * size);
        turned += turned < 0 ? 2 * size : 0;
        *at = turned < size ? turned : 2 * size - 1 - turned;
        return true;
    case SIM_ADDRESS_BORDER:
        return false;
    default:
        *at = *at < 0 ? 0 : size - 1;
        return true;
    }
}

static uint32_t nearest_colour(float value) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < 256; i++) {
        float low = sim_texel_colour(i - 1), high = sim_texel_colour(i);
        if (value >= (low + high) / 2)
            best = i;
    }
    return best;
}

// The border's colour is a float; it is kept in the format of the texels.
static uint32_t border_raw(const struct sim_object *texture, unsigned channel) {
    const struct sim_image *image = &texture->image;
    float value = texture->sampler.border[channel];
    uint32_t bits = num_bits_of_f32(value);
    if (image->kind == SIM_CHANNEL_FLOAT && image->channel_bytes == 2)
        return num_f16_of_f32(num_f32_of_bits(bits & ~0x1fffu)); // toward zero
    if (sim_texel_is_colour(texture, channel))
        return nearest_colour(value);
    if (texture->sampler.reads_normalized_floats) {
        float least = image->kind == SIM_CHANNEL_SIGNED ? -1 : 0;
        value = value > 1 ? 1 : value >= least ? value : least;
        float scaled = value * sim_texel_most(texture);
        return (uint32_t)(int32_t)(scaled + (scaled < 0 ? -0.5f : 0.5f));
    }
    if (image->channel_bytes == 4)
        return bits;
    unsigned shift = 32 - 8 * image->channel_bytes;
    return image->kind == SIM_CHANNEL_SIGNED ? (uint32_t)((int32_t)(bits << shift) >> shift)
                                             : bits << shift >> shift;
}

// ---- Reading ------------------------------------------------------------------------------

static uint32_t channel_raw(const struct sim_image *image, const uint8_t *from) {
    uint16_t two;
    uint32_t four;
    bool is_signed = image->kind == SIM_CHANNEL_SIGNED;
    switch (image->channel_bytes) {
    case 1:
        return is_signed ? (uint32_t)(int8_t)*from : *from;
    case 2:
        memcpy(&two, from, sizeof two);
        return is_signed ? (uint32_t)(int16_t)two : two;
    default:
        memcpy(&four, from, sizeof four);
        return four;
    }
}

void sim_texel_read(const struct sim_object *texture, const struct sim_texel_place *place,
                    uint32_t raw[SIM_TEXTURE_CHANNELS]) {
    const struct sim_image *image = &texture->image;
    const struct sim_image_level *level = place->level;
    const struct sim_sampler *sampler = &texture->sampler;
    int64_t x = place->x, y = place->y, z = place->z;
    bool is_volume = image->shape == SIM_IMAGE_3D;
    bool is_inside = place_axis(sim_address_mode_of(sampler, 0), level->width, &x);
    is_inside &= place_axis(sim_address_mode_of(sampler, 1), level->height, &y);
    if (is_volume)
        is_inside &= place_axis(sim_address_mode_of(sampler, 2), level->depth, &z);
    else
        z = place->slice;
    memset(raw, 0, SIM_TEXTURE_CHANNELS * sizeof *raw);
    const uint8_t *from = (const uint8_t *)(uintptr_t)image->address + level->offset +
                          (uint64_t)z * level->slice_bytes + (uint64_t)y * level->row_bytes +
                          (uint64_t)x * image->channels * image->channel_bytes;
    for (unsigned c = 0; c < image->channels; c++)
        raw[c] = is_inside ? channel_raw(image, from + c * image->channel_bytes)
                           : border_raw(texture, c);
}

// ---- Returning ----------------------------------------------------------------------------

static uint32_t normalized(const struct sim_object *texture, uint32_t raw) {
    float most = sim_texel_most(texture);
    if (texture->image.kind != SIM_CHANNEL_SIGNED)
        return num_bits_of_f32((float)raw / most);
    float value = (float)(int32_t)raw / most;
    return num_bits_of_f32(value < -1 ? -1 : value);
}

void sim_texel_convert(const struct sim_object *texture, const uint32_t raw[SIM_TEXTURE_CHANNELS],
                       uint32_t out[SIM_TEXTURE_CHANNELS]) {
    const struct sim_image *image = &texture->image;
    for (unsigned c = 0; c < SIM_TEXTURE_CHANNELS; c++) {
        out[c] = raw[c];
        if (c >= image->channels)
            continue;
        if (image->kind == SIM_CHANNEL_FLOAT && image->channel_bytes == 2)
            out[c] = num_bits_of_f32(num_f32_of_f16((uint16_t)raw[c]));
        else if (sim_texel_is_colour(texture, c))
            out[c] = num_bits_of_f32(sim_texel_colour(raw[c]));
        else if (texture->sampler.reads_normalized_floats)
            out[c] = normalized(texture, raw[c]);
    }
}
