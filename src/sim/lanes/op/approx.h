// What the approximate instructions are made of: the special function unit, and around it the few
// instructions that an H200 executes for each of them.
#ifndef BANKRUN_SIM_LANES_OP_APPROX_H
#define BANKRUN_SIM_LANES_OP_APPROX_H

#include "sim/lanes/op/sfu.h"

#define APPROX_LEAST 0x00800000u // 2^-126
#define APPROX_LARGE 0x7e800000u // 2^126

// The unit flushes subnormal operands; without .ftz they are scaled before it, and results after.
LANES_INLINE bool approx_is_scaled(float x, bool ftz) {
    return !ftz && (f32_bits(x) & 0x7fffffff) < APPROX_LEAST;
}

// 2^24 for small operands, 1/4 for large ones, else 1.
LANES_INLINE float approx_scale(float x, bool small, bool large) {
    const uint32_t magnitude = f32_bits(x) & 0x7fffffff;
    const uint32_t up = small && magnitude < APPROX_LEAST ? 24u << 23 : 0;
    const uint32_t down = large && magnitude > APPROX_LARGE ? 2u << 23 : 0;
    return f32_from(SFU_ONE + up - down);
}

LANES_INLINE float approx_rcp(float x, bool ftz) {
    const float scale = approx_scale(x, true, true);
    return ftz ? sfu_rcp(x) : scale * sfu_rcp(x * scale);
}

LANES_INLINE float approx_sqrt(float x, bool ftz) {
    const bool scaled = approx_is_scaled(x, ftz);
    const float root = sfu_sqrt(scaled ? x * 0x1p24f : x);
    return scaled ? root * 0x1p-12f : root;
}

LANES_INLINE float approx_rsqrt(float x, bool ftz) {
    const bool scaled = approx_is_scaled(x, ftz);
    const float root = sfu_rsqrt(scaled ? x * 0x1p24f : x);
    return scaled ? root * 0x1p12f : root;
}

LANES_INLINE float approx_lg2(float x, bool ftz) {
    const bool scaled = approx_is_scaled(x, ftz);
    const float logarithm = sfu_lg2(scaled ? x * 0x1p24f : x);
    return scaled ? logarithm - 24 : logarithm;
}

// A subnormal result is the square of the root.
LANES_INLINE float approx_ex2(float x, bool ftz) {
    const bool scaled = !ftz && x < -126;
    const float power = sfu_ex2(scaled ? x * 0.5f : x);
    return scaled ? power * power : power;
}

// The unit takes turns: the operand times 1 / (2 pi), cut to a float.
static inline float approx_turns(float x) {
    const double exact = (double)x * 0.15915493667125701904;
    return f32_truncate((float)exact, exact);
}

LANES_INLINE float approx_sin(float x, bool ftz) {
    (void)ftz;
    return sfu_sin(approx_turns(x));
}

LANES_INLINE float approx_cos(float x, bool ftz) {
    (void)ftz;
    return sfu_cos(approx_turns(x));
}

// Reciprocals of numbers beyond 2^126 are flushed, so that the quotient is zero, or NaN when a is
// infinite.
LANES_INLINE float approx_div(float a, float b, bool ftz) {
    const float scale = approx_scale(b, !ftz, false);
    return f32_mul(a * scale, sfu_rcp(b * scale), ftz);
}

// Scales large divisors, and small ones unless they are flushed.
LANES_INLINE float approx_div_full(float a, float b, bool ftz) {
    const float scale = approx_scale(b, !ftz, true);
    return f32_mul(a * scale, sfu_rcp(b * scale), ftz);
}

// One step of Newton's method, of third order, from the upper word's root.
static inline double approx_rsqrt_step(double x) {
    const double root = f64_from((uint64_t)sfu_rsqrt_wide((uint32_t)(f64_bits(x) >> 32)) << 32);
    const double error = __builtin_fma(x, -(root * root), 1);
    return __builtin_fma(__builtin_fma(error, 0.375, 0.5), root * error, root);
}

static inline double approx_rsqrt_double(double x) {
    const bool subnormal = x > 0 && x < 0x1p-1022;
    const double root = approx_rsqrt_step(subnormal ? x * 0x1p54 : x);
    const double r = subnormal ? root * 0x1p27 : root;
    const double zero_or_infinite = x > 0 ? 0 : f64_from(f64_bits(x) | 0x7ff0000000000000);
    const double special = x < 0 ? f64_from(0xfff8000000000000) : zero_or_infinite;
    const double number = x > 0 && x < __builtin_inf() ? r : special;
    return x == x ? number : x + x;
}

#endif
