// What the conversions of value.def call besides value_math.h: tf32, halves in pairs, stochastic
// rounding, integers packed.
#ifndef BANKRUN_IR_VALUE_CONVERT_H
#define BANKRUN_IR_VALUE_CONVERT_H

#include "ir/form.h"
#include "ir/number/half.h"
#include "ir/value_math.h"

// ---- Single precision to tf32: 10 bits of fraction, the low 13 bits are zero ----------------

static inline uint32_t tf32_magnitude(uint32_t bits, uint32_t add) {
    return (bits + add) & 0xffffe000;
}

// .rna treats what has the exponent of infinity as bits; the others give the canonical NaN.
static inline uint32_t tf32_away(uint32_t a) {
    const bool special = (a & 0x7f800000) == 0x7f800000;
    return tf32_magnitude(a, special ? 0 : 0x1000);
}
static inline uint32_t tf32_number(uint32_t a, uint32_t add) {
    return (a & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : tf32_magnitude(a, add);
}
static inline uint32_t tf32_nearest(uint32_t a) {
    return tf32_number(a, 0xfff + (a >> 13 & 1));
}
static inline uint32_t float_relu(uint32_t a) {
    return a >> 31 ? 0 : a;
}

// .satfinite takes one from the last bit kept of whatever has the exponent of infinity.
static inline uint32_t tf32_away_finite(uint32_t a) {
    const uint32_t r = tf32_away(a);
    return (r & 0x7f800000) == 0x7f800000 ? r - 0x2000 : r;
}

// With .rn and .rz a NaN stays one, and the others are at most the largest number.
static inline uint32_t tf32_finite(uint32_t r) {
    return (r & 0x7fffffff) == 0x7f800000 ? r - 0x2000 : r;
}

// ---- Halves ---------------------------------------------------------------------------------

static inline uint32_t half_relu(uint32_t h) {
    return h >> 15 ? 0 : h;
}

// ---- Stochastic rounding --------------------------------------------------------------------

// The 16 bits that bf16 does not keep are rounded up where the random ones carry out of them.
static inline uint32_t brain_random(float x, uint32_t random, uint32_t form) {
    const uint32_t bits = num_bits_of_f32(x), rest = bits & 0x7fffffff;
    const uint32_t most = form & IR_FORM_FINITE ? 0x7f7f : 0x7f80;
    const uint32_t sum = rest >= 0x7f800000 ? most : (rest + random) >> 16;
    const uint32_t magnitude = sum > most ? most : sum;
    const uint32_t r = bits >> 31 && form & IR_FORM_RELU ? 0 : magnitude | (bits >> 31) << 15;
    return rest > 0x7f800000 ? 0x7fff : r;
}

// f16 loses 13 bits and takes as many random ones.
static inline uint32_t half_random(float x, uint32_t random, uint32_t form) {
    const uint32_t bits = num_bits_of_f32(x), rest = bits & 0x7fffffff;
    const uint32_t most = form & IR_FORM_FINITE ? 0x7bff : 0x7c00;
    if (rest > 0x7f800000)
        return 0x7fff;
    if (bits >> 31 && form & IR_FORM_RELU)
        return 0;
    const uint32_t code = rest > 0x47800000
                              ? most
                              : num_code_random(10, 15, num_f32_of_bits(rest), random & 0x1fff, 13);
    return (code > most ? most : code) | bits >> 31 << 15;
}

// The random bits of one of four numbers. Of 8 and 6 bits, the first two take the upper half, and
// the last two the lower one. Of 4 bits, the first two take the upper bytes of both halves, the
// last two the lower ones; which of two takes which half the manual leaves open: the machine code
// is two conversions of pairs, and pairs of f16 give the first the upper half.
static inline uint32_t random_of_four(uint32_t random, int i, unsigned bits) {
    if (bits == 8)
        return random >> (i < 2 ? 16 : 0) & 0xffff;
    return random >> ((i & 1 ? 0 : 16) + (i < 2 ? 8 : 0)) & 0xff;
}

// Four numbers of 8 and 6 bits, each in a byte, or of 4 bits; the first is highest.
static inline uint32_t four_random(const float x[4], uint32_t random, const struct ir_form *form) {
    const unsigned bits = form->narrow.bits;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++)
        r = r << bits |
            num_narrow_random(form->narrow.format, x[i], random_of_four(random, i, bits), 2 * bits,
                              form->narrow.relu);
    return r;
}

// ---- Integers ---------------------------------------------------------------------------------

static inline uint32_t clamped(int32_t x, unsigned bits, bool is_signed) {
    const int32_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    const int32_t least = is_signed ? -most - 1 : 0;
    return (uint32_t)(x < least ? least : x > most ? most : x) & ((1u << bits) - 1);
}

// Bits of a part that is packed below a third operand.
static inline unsigned packed_bits(uint32_t form) {
    return (form & IR_FORM_BITS) + 1;
}

#endif
