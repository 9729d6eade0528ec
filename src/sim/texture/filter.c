// Weighted sums of texels as an H200 makes them: weights of 8 bits, numbers cut to a common
// exponent, one rounding at the end, ties away from zero. Integers are widened to 16 bits first.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "ir/number/half.h"
#include "sim/texture/object.h"

// A binary floating-point format of 1 + `fraction` significant bits.
struct format {
    int fraction, least_exponent, most_exponent;
    int kept; // bits behind the largest texel's first one that take part in a sum
    bool flushes;
};
static const struct format single = {23, -126, 127, 27, true};
static const struct format half = {10, -14, 15, 14, false};
static const struct format colour = {10, -14, 15, 7, false};

struct number {
    enum { ZERO, FINITE, INFINITE, NOT_A_NUMBER } class;
    bool is_negative;
    int exponent;         // of the first bit
    uint32_t significand; // with that bit, 24 bits
};

static struct number number_of(uint32_t bits, bool flushes) {
    struct number n = {.is_negative = bits >> 31, .significand = bits & 0x7fffff};
    int exponent = (int)(bits >> 23 & 0xff);
    if (exponent == 255) {
        n.class = n.significand ? NOT_A_NUMBER : INFINITE;
        return n;
    }
    if (exponent == 0 && (flushes || n.significand == 0))
        return n; // ZERO
    n.class = FINITE;
    n.exponent = exponent - 127;
    n.significand |= 0x800000;
    return n;
}

// sum * 2^scale, rounded to the format, ties away from zero; as the bits of a float.
static uint32_t round_sum(int64_t sum, int scale, const struct format *format) {
    if (sum == 0)
        return 0;
    uint32_t sign = sum < 0 ? 0x80000000u : 0;
    uint64_t rest = sum < 0 ? (uint64_t)-sum : (uint64_t)sum;
    int first = 63 - __builtin_clzll(rest), exponent = first + scale;
    if (exponent < format->least_exponent && format->flushes)
        return sign;
    int unit = (exponent > format->least_exponent ? exponent : format->least_exponent) -
               format->fraction; // exponent of the last bit
    int shift = unit - scale;
    if (shift > 0) {
        rest = shift > 62 ? 0 : (rest + (1ull << (shift - 1))) >> shift;
        scale = unit;
    }
    double value = ldexp((double)rest, scale); // exact: few bits are left
    bool is_too_large = value >= (format->fraction == 10 ? 0x1p16 : 0x1p128);
    return sign | (is_too_large ? 0x7f800000u : num_bits_of_f32((float)value));
}

// What is special decides alone. 0: nothing is.
static uint32_t special_sum(const struct number *n, unsigned count) {
    bool seen[2] = {false, false};
    for (unsigned i = 0; i < count; i++) {
        if (n[i].class == NOT_A_NUMBER)
            return 0x7fffffff;
        if (n[i].class == INFINITE)
            seen[n[i].is_negative] = true;
    }
    return seen[0] && seen[1] ? 0x7fffffff : seen[1] ? 0xff800000 : seen[0] ? 0x7f800000 : 0;
}

static int most_exponent(const struct number *n, const uint32_t *weights, unsigned count) {
    int most = INT_MIN;
    for (unsigned i = 0; i < count; i++)
        if (n[i].class == FINITE && weights[i] && n[i].exponent > most)
            most = n[i].exponent;
    return most;
}

// The sum of some texels in units of 2^(most - kept - 8).
static int64_t part_sum(const struct number *n, const uint32_t *weights, unsigned count, int most,
                        int kept) {
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        if (n[i].class != FINITE || !weights[i])
            continue;
        int shift = most - n[i].exponent - (kept - 23); // to the right
        uint64_t part = shift <= 0   ? (uint64_t)n[i].significand << -shift
                        : shift > 31 ? 0
                                     : n[i].significand >> shift;
        int64_t product = (int64_t)(part * weights[i]);
        sum += n[i].is_negative ? -product : product;
    }
    return sum;
}

// Downward.
static int64_t shifted(int64_t value, int right) {
    return right > 62 ? (value < 0 ? -1 : 0) : value >> right;
}

static uint32_t sum_numbers(const struct number *n, const struct sim_filter *filter,
                            const struct format *format) {
    uint32_t special = special_sum(n, filter->count);
    if (special)
        return special;
    int most = INT_MIN;
    int64_t sum = 0; // in units of 2^(most - kept - 8)
    for (unsigned i = 0; i < filter->count; i += filter->square[i]) {
        int here = most_exponent(n + i, filter->weight + i, filter->square[i]);
        if (here == INT_MIN)
            continue;
        int64_t part = part_sum(n + i, filter->weight + i, filter->square[i], here, format->kept);
        if (here > most) {
            sum = most == INT_MIN ? 0 : shifted(sum, here - most);
            most = here;
        }
        sum += shifted(part, most - here);
    }
    return most == INT_MIN ? 0 : round_sum(sum, most - format->kept - 8, format);
}

// The sum of integers becomes one of 16 bits.
static uint32_t sum_normalized(const struct sim_object *texture, const uint32_t *raw,
                               const uint32_t *weights, unsigned count) {
    bool is_signed = texture->image.kind == SIM_CHANNEL_SIGNED;
    int64_t sum = 0; // in 1/256
    for (unsigned i = 0; i < count; i++)
        sum += (is_signed ? (int32_t)raw[i] : (int64_t)raw[i]) * (int64_t)weights[i];
    if (texture->image.channel_bytes == 2)
        sum = (sum + 128) >> 8;
    else if (!is_signed)
        sum = (sum * 257 + 128) >> 8;
    else // times 32767/127, of which three bits behind the point are kept
        sum = (sum * 8 + (sum >> 4) + (sum >> 12) + 4) >> 3;
    return num_bits_of_f32((float)sum / (is_signed ? 32767.0f : 65535.0f));
}

// The exponent of a colour is that of the largest in its group of eight.
static struct number colour_number(uint32_t raw) {
    uint32_t next = (raw | 7) + 1,
             bits = num_bits_of_f32(sim_texel_colour(next > 255 ? 255 : next));
    struct number n = {.class = raw ? FINITE : ZERO, .exponent = (int)(bits >> 23) - 127};
    n.significand = (uint32_t)(sim_texel_colour(raw) * (float)(1u << (23 - n.exponent - 7))) << 7;
    return n;
}

void sim_filter_sum(const struct sim_object *texture, const struct sim_filter *filter,
                    uint32_t out[SIM_TEXTURE_CHANNELS]) {
    const struct sim_image *image = &texture->image;
    memset(out, 0, SIM_TEXTURE_CHANNELS * sizeof *out);
    for (unsigned c = 0; c < image->channels; c++) {
        struct number n[SIM_FILTER_TEXELS];
        uint32_t raw[SIM_FILTER_TEXELS];
        const struct format *format = NULL;
        for (unsigned i = 0; i < filter->count; i++) {
            raw[i] = filter->raw[i][c];
            if (sim_texel_is_colour(texture, c)) {
                format = &colour;
                n[i] = colour_number(raw[i]);
            } else if (image->kind == SIM_CHANNEL_FLOAT) {
                bool is_half = image->channel_bytes == 2;
                format = is_half ? &half : &single;
                n[i] =
                    number_of(is_half ? num_bits_of_f32(num_f32_of_f16((uint16_t)raw[i])) : raw[i],
                              format->flushes);
            }
        }
        out[c] = format ? sum_numbers(n, filter, format)
                        : sum_normalized(texture, raw, filter->weight, filter->count);
    }
}
