// What floating-point expressions of value.def and lane code share: bits, flushing, saturation,
// NaN.
//
// Single precision: a result that is NaN is 0x7fffffff, whatever the operands were. `ftz` flushes
// subnormal operands and results to zero and keeps the sign. `sat` clamps to [0, 1], NaN to +0.
#ifndef BANKRUN_IR_VALUE_FLOAT_H
#define BANKRUN_IR_VALUE_FLOAT_H

#include <stdint.h>

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

static inline double f64_quiet(double nan) {
    return f64_from(f64_bits(nan) | 0x0008000000000000);
}

#endif
