#include "ir/number/narrow.h"

#include <math.h>
#include <stddef.h>

#include "ir/number/half.h"

const struct num_narrow *num_narrow_format(enum ptx_type packed) {
    static const struct num_narrow e4m3 = {3, 4, 7, 0x7e, 0x7f, true},
                                   e5m2 = {2, 5, 15, 0x7b, 0x7f, true},
                                   e2m1 = {1, 2, 1, 0x07, 0x07, false},
                                   e2m3 = {3, 2, 1, 0x1f, 0x1f, false},
                                   e3m2 = {2, 3, 3, 0x1f, 0x1f, false};
    switch (packed) {
    case PTX_E4M3X2:
        return &e4m3;
    case PTX_E5M2X2:
        return &e5m2;
    case PTX_E2M1X2:
        return &e2m1;
    case PTX_E2M3X2:
        return &e2m3;
    case PTX_E3M2X2:
        return &e3m2;
    default:
        return NULL;
    }
}

uint32_t num_narrow_of_f32(const struct num_narrow *format, float x, bool relu) {
    const uint32_t bits = num_bits_of_f32(x);
    const uint32_t sign = (bits >> 31) << (format->fraction + format->exponent);
    if (x != x)
        return format->nan;
    if (relu && bits >> 31)
        return 0;
    const float magnitude = num_f32_of_bits(bits & 0x7fffffff);
    if (magnitude > 0x1p16f)
        return sign | format->largest;
    // The exponent field less one, of the significand with its first bit: 0 for subnormals too.
    const int exponent = (int)(bits >> 23 & 0xff) - 127 + format->bias - 1;
    const int field = exponent > 0 ? exponent : 0;
    // In units of the last bit kept. The product is exact, so this rounds once.
    const double units = ldexp((double)magnitude, format->fraction + format->bias - 1 - field);
    const uint32_t code = ((uint32_t)field << format->fraction) + (uint32_t)rint(units);
    return sign | (code > format->largest ? format->largest : code);
}

uint32_t num_code_random(unsigned fraction, int bias, float magnitude, uint32_t random,
                         unsigned random_bits) {
    const int exponent = (int)(num_bits_of_f32(magnitude) >> 23) - 127 + bias - 1;
    const int field = exponent > 0 ? exponent : 0;
    const double units = ldexp((double)magnitude, (int)fraction + bias - 1 - field);
    const double below = floor(units);
    const uint32_t lost = (uint32_t)ldexp(units - below, (int)random_bits);
    const uint32_t carry = (lost + random) >> random_bits;
    return ((uint32_t)field << fraction) + (uint32_t)below + carry;
}

uint32_t num_narrow_random(const struct num_narrow *format, float x, uint32_t random,
                           unsigned random_bits, bool relu) {
    const uint32_t bits = num_bits_of_f32(x);
    const uint32_t sign = (bits >> 31) << (format->fraction + format->exponent);
    const float magnitude = num_f32_of_bits(bits & 0x7fffffff);
    if (x != x)
        return format->nan;
    if (relu && sign)
        return 0;
    if (magnitude > 0x1p16f)
        return sign | format->largest;
    const uint32_t code =
        num_code_random(format->fraction, format->bias, magnitude, random, random_bits);
    return sign | (code > format->largest ? format->largest : code);
}

uint32_t num_f16_of_narrow(const struct num_narrow *format, uint32_t bits, bool relu) {
    const unsigned width = (unsigned)(format->fraction + format->exponent);
    const uint32_t rest = bits & ((1u << width) - 1);
    const bool is_negative = bits >> width & 1;
    const uint32_t exponent = rest >> format->fraction;
    const uint32_t fraction = rest & ((1u << format->fraction) - 1);
    if (format->has_nan && rest > format->largest) {
        const bool is_infinite = format->fraction == 2 && fraction == 0; // e5m2 alone has some
        if (!is_infinite)
            return 0x7fff;
        return relu && is_negative ? 0 : 0x7c00 | (uint32_t)is_negative << 15;
    }
    if (relu && is_negative)
        return 0;
    const uint32_t significand = fraction | (exponent ? 1u << format->fraction : 0);
    const int last = (exponent ? (int)exponent : 1) - format->bias - format->fraction;
    const float value = ldexpf((float)significand, last);
    return num_f16_of_f32(value) | (uint32_t)is_negative << 15;
}

uint32_t num_scale_of_f32(float x, bool up, bool satfinite) {
    const uint32_t rest = num_bits_of_f32(x) & 0x7fffffff;
    const uint32_t exponent = rest >> 23, fraction = rest & 0x7fffff;
    if (rest > 0x7f800000)
        return 0xff;
    // The least scale, 2^-127, is a subnormal float.
    const bool is_more = exponent ? fraction != 0 : fraction > 0x400000;
    const uint32_t scale = exponent + (up && exponent < 0xff && is_more);
    return satfinite && scale == 0xff ? 0xfe : scale;
}

uint32_t num_bf16_of_scale(uint32_t scale) {
    return scale == 0xff ? 0x7fff : scale ? scale << 7 : 0x40;
}
