// Half precision numbers (f16 and bf16) as bits: conversions to and from float, and sums with one
// rounding to nearest even. A result that is not a number is the canonical 0x7fff.
#ifndef BANKRUN_SIM_NUM_HALF_H
#define BANKRUN_SIM_NUM_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t num_bits_of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float num_f32_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Exact.
static inline float num_f32_of_f16(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00)
        return num_f32_of_bits(sign | 0x7f800000u | (rest & 0x3ff) << 13);
    // Scaling by 2^112 moves the exponent's bias, and makes subnormals normal.
    const float x = num_f32_of_bits(rest << 13) * 0x1p112f;
    return num_f32_of_bits(num_bits_of_f32(x) | sign);
}

static inline float num_f32_of_bf16(uint16_t h) {
    return num_f32_of_bits((uint32_t)h << 16);
}

// To nearest even; overflow gives infinity.
static inline uint16_t num_f16_of_f32(float x) {
    const uint32_t bits = num_bits_of_f32(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000u)
        return 0x7fff;
    if (rest >= 0x477ff000u) // 65520 and above
        return (uint16_t)(sign | 0x7c00);
    if (rest >= 0x38800000u) { // normal: drop 13 bits of the fraction
        const uint32_t rounded = rest + 0xfff + (rest >> 13 & 1);
        return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
    }
    // Subnormal: adding 2^-1 leaves the multiple of 2^-24 in the fraction, rounded.
    const float sum = num_f32_of_bits(rest) + 0.5f;
    return (uint16_t)(sign | (num_bits_of_f32(sum) - 0x3f000000u));
}

static inline uint16_t num_bf16_of_f32(float x) {
    const uint32_t bits = num_bits_of_f32(x);
    if ((bits & 0x7fffffff) > 0x7f800000u)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// The float sum of two halves is rounded to 24 bits, which is enough (2 * 11 + 2) for a second
// rounding to 11 bits to give what one rounding gives.
static inline uint16_t num_add_f16(uint16_t a, uint16_t b) {
    return num_f16_of_f32(num_f32_of_f16(a) + num_f32_of_f16(b));
}

static inline uint16_t num_add_bf16(uint16_t a, uint16_t b) {
    return num_bf16_of_f32(num_f32_of_bf16(a) + num_f32_of_bf16(b));
}

#endif
