// What floating-point lane code shares beyond ir/value_float.h: operands, results and tiny numbers.
#ifndef BANKRUN_SIM_LANES_OP_FLOAT_H
#define BANKRUN_SIM_LANES_OP_FLOAT_H

#include "ir/value_float.h"
#include "sim/lanes/lanes.h"

// An operand of an instruction that flushes, or does not.
LANES_INLINE float f32_operand(float x, bool ftz) {
    return ftz ? f32_flush(x) : x;
}

LANES_INLINE float f32_result(float x, bool sat) {
    return sat ? f32_saturate(x) : f32_canonical(x);
}

// Arithmetic. The hardware flushes a result that is tiny after rounding to 24 bits with no limit of
// the exponent: a product just below 2^-126 is flushed although the nearest float is 2^-126. To see
// that, products are computed again with a factor of 2^32. A sum that is tiny is exact.
LANES_INLINE float f32_flush_tiny(float x, bool is_tiny) {
    const uint32_t bits = f32_bits(x);
    return f32_from(is_tiny ? bits & 0x80000000 : bits);
}

static inline bool f32_is_tiny_scaled(float scaled) {
    return f32_from(f32_bits(scaled) & 0x7fffffff) < 0x1p-94f;
}

LANES_INLINE float f32_add(float a, float b, bool ftz) {
    return f32_operand(f32_operand(a, ftz) + f32_operand(b, ftz), ftz);
}

LANES_INLINE float f32_sub(float a, float b, bool ftz) {
    return f32_operand(f32_operand(a, ftz) - f32_operand(b, ftz), ftz);
}

LANES_INLINE float f32_mul(float a, float b, bool ftz) {
    const float x = f32_operand(a, ftz), y = f32_operand(b, ftz);
    return ftz ? f32_flush_tiny(x * y, f32_is_tiny_scaled(x * 0x1p32f * y)) : x * y;
}

LANES_INLINE float f32_fma(float a, float b, float c, bool ftz) {
    const float x = f32_operand(a, ftz), y = f32_operand(b, ftz), z = f32_operand(c, ftz);
    const float r = __builtin_fmaf(x, y, z);
    // Where the factor makes an operand overflow, the result is zero or far from tiny.
    const bool may_be_tiny = f32_from(f32_bits(r) & 0x7fffffff) <= 0x1p-126f;
    const float scaled = ftz ? __builtin_fmaf(x * 0x1p32f, y, z * 0x1p32f) : r;
    return ftz ? f32_flush_tiny(r, may_be_tiny && f32_is_tiny_scaled(scaled)) : r;
}

// A quotient of floats is never between the largest tiny number of 24 bits and 2^-126.
LANES_INLINE float f32_div(float a, float b, bool ftz) {
    const float x = f32_operand(a, ftz), y = f32_operand(b, ftz);
    const float least = f32_from(f32_bits(y) & 0x7fffffff) * 0x1p-126f;
    return ftz ? f32_flush_tiny(x / y, f32_from(f32_bits(x) & 0x7fffffff) < least) : x / y;
}

// The next float towards zero, when `x` was rounded away from zero from `exact`.
static inline float f32_truncate(float x, double exact) {
    const float magnitude = f32_from(f32_bits(x) & 0x7fffffff);
    const bool away = (double)magnitude > (exact < 0 ? -exact : exact);
    return f32_from(f32_bits(x) - away);
}

#endif
