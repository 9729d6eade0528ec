// Half precision numbers (f16 and bf16) as bits: conversions to and from float, and sums with one
// rounding to nearest even. A result that is not a number is the canonical 0x7fff.
#ifndef BANKRUN_IR_NUMBER_HALF_H
#define BANKRUN_IR_NUMBER_HALF_H

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

// These are written without branches, so that loops over lanes become vector code.

// Exact; a NaN keeps its payload.
static inline float num_f32_of_f16(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    const uint32_t shifted = rest << 13;
    // A subnormal is the fraction of 2^-14, less 2^-14.
    const float small = num_f32_of_bits(0x38800000u + shifted) - 0x1p-14f;
    const uint32_t rebias = rest >= 0x7c00 ? 0x70000000u : 0x38000000u;
    const uint32_t bits = rest < 0x400 ? num_bits_of_f32(small) : shifted + rebias;
    return num_f32_of_bits(bits | sign);
}

static inline float num_f32_of_bf16(uint16_t h) {
    return num_f32_of_bits((uint32_t)h << 16);
}

// To nearest even; overflow gives infinity.
static inline uint16_t num_f16_of_f32(float x) {
    const uint32_t bits = num_bits_of_f32(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    // Normal: drop 13 bits of the fraction; what rounds up to 65536 gets infinity's bits.
    const uint32_t normal = (rest - 0x38000000u + 0xfff + (rest >> 13 & 1)) >> 13;
    // Subnormal: adding 2^-1 leaves the multiple of 2^-24 in the fraction, rounded.
    const float sum = num_f32_of_bits(rest < 0x38800000u ? rest : 0) + 0.5f;
    const uint32_t small = num_bits_of_f32(sum) - 0x3f000000u;
    uint32_t r = rest < 0x38800000u ? small : normal;
    r = rest >= 0x47800000u ? 0x7c00 : r;
    return (uint16_t)(rest > 0x7f800000u ? 0x7fff : r | sign);
}

static inline uint16_t num_bf16_of_f32(float x) {
    const uint32_t bits = num_bits_of_f32(x);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000u ? 0x7fff : rounded);
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
