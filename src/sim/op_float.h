// What floating-point lane code shares: bits, flushing, saturation and NaN.
//
// Single precision: a result that is NaN is 0x7fffffff, whatever the operands were. `ftz` flushes
// subnormal operands and results to zero and keeps the sign. `sat` clamps to [0, 1], NaN to +0.
#ifndef BANKRUN_SIM_OP_FLOAT_H
#define BANKRUN_SIM_OP_FLOAT_H

#include "sim/lanes.h"

#define F32_NAN 0x7fffffffu

static inline uint32_t f32_bits(float x) {
    union {
        float value;
        uint32_t bits;
    } u = {.value = x};
    return u.bits;
}

static inline float f32_from(uint32_t bits) {
    union {
        uint32_t bits;
        float value;
    } u = {.bits = bits};
    return u.value;
}

static inline uint64_t f64_bits(double x) {
    union {
        double value;
        uint64_t bits;
    } u = {.value = x};
    return u.bits;
}

static inline double f64_from(uint64_t bits) {
    union {
        uint64_t bits;
        double value;
    } u = {.bits = bits};
    return u.value;
}

static inline float f32_flush(float x) {
    const uint32_t bits = f32_bits(x);
    return f32_from(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

static inline float f32_canonical(float x) {
    return x == x ? x : f32_from(F32_NAN);
}

static inline float f32_saturate(float x) {
    const float low = x > 0 ? x : 0;
    return low < 1 ? low : 1;
}

// An operand, and a result, of an instruction with these modifiers.
LANES_INLINE float f32_operand(float x, bool ftz) {
    return ftz ? f32_flush(x) : x;
}

LANES_INLINE float f32_result(float x, bool ftz, bool sat) {
    const float flushed = ftz ? f32_flush(x) : x;
    return sat ? f32_saturate(flushed) : f32_canonical(flushed);
}

// The next float towards zero, when `x` was rounded away from zero from `exact`.
static inline float f32_truncate(float x, double exact) {
    const float magnitude = f32_from(f32_bits(x) & 0x7fffffff);
    const bool away = (double)magnitude > (exact < 0 ? -exact : exact);
    return f32_from(f32_bits(x) - away);
}

#endif
