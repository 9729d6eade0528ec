// Approximate instructions. The ISA bounds their errors and fixes their special values; here the
// result is the exact value rounded to nearest, or what the hardware's sequence of instructions
// gives when each of its steps is exact.
#include "sim/op_approx.h"

#include <math.h>

#define APPROX1(name, operation)                                                                   \
    LANES1(name##_plain, f32, f32, f32_canonical(operation(a, false)))                             \
    LANES1(name##_ftz, f32, f32, f32_canonical(f32_flush(operation(f32_flush(a), true))))
#define APPROX2(name, operation)                                                                   \
    LANES2(name##_plain, f32, f32, f32, f32_canonical(operation(a, b, false)))                     \
    LANES2(name##_ftz, f32, f32, f32, f32_canonical(operation(f32_flush(a), f32_flush(b), true)))

LANES_INLINE float approx_rcp(float x, bool ftz) {
    (void)ftz;
    return 1 / x;
}

LANES_INLINE float approx_sqrt(float x, bool ftz) {
    (void)ftz;
    return sqrtf(x);
}

LANES_INLINE float approx_rsqrt(float x, bool ftz) {
    (void)ftz;
    return (float)(1 / sqrt((double)x));
}

// The hardware's sine takes turns: the operand times 1 / (2 pi), rounded towards zero to a float.
// A subnormal number of turns is none.
static inline float turns(float x) {
    const double exact = (double)x * 0.15915493667125701904;
    return f32_flush(f32_truncate((float)exact, exact));
}

// A whole number of turns is a zero with the operand's sign; infinity has no sine.
LANES_INLINE float approx_sin(float x, bool ftz) {
    (void)ftz;
    const float t = turns(x);
    const bool infinite = (f32_bits(x) & 0x7fffffff) == 0x7f800000;
    return infinite ? f32_from(F32_NAN) : (float)approx_sin_turns(t);
}

LANES_INLINE float approx_cos(float x, bool ftz) {
    (void)ftz;
    const double t = turns(x);
    const bool infinite = (f32_bits(x) & 0x7fffffff) == 0x7f800000;
    // A turn's fraction, so that a quarter can be added exactly.
    const double f = t - ((t + 0x1.8p52) - 0x1.8p52);
    return infinite ? f32_from(F32_NAN) : (float)approx_sin_turns(f + 0.25);
}

LANES_INLINE float approx_log2(float x, bool ftz) {
    (void)ftz;
    const float finite = (float)approx_lg2(x);
    const float rest = x == 0 ? -INFINITY : x > 0 ? x : f32_from(F32_NAN);
    return x > 0 && x < INFINITY ? finite : rest;
}

LANES_INLINE float approx_exp2(float x, bool ftz) {
    (void)ftz;
    return (float)approx_ex2(x);
}

LANES_INLINE float approx_tanhf(float x, bool ftz) {
    (void)ftz;
    return (float)approx_tanh(x);
}

// a * (1 / b), both steps rounded. Reciprocals of numbers beyond 2^126 are flushed, so that the
// quotient is zero, or NaN when a is infinite.
LANES_INLINE float approx_div(float a, float b, bool ftz) {
    const float quotient = f32_mul(a, f32_flush(1 / b), ftz);
    const bool is_small = f32_from(f32_bits(b) & 0x7fffffff) < 0x1p-126f; // a reciprocal overflows
    return is_small && !ftz ? (float)((double)a / (double)b) : quotient;
}

// Scales large divisors, and small ones unless they are flushed.
LANES_INLINE float approx_div_full(float a, float b, bool ftz) {
    const float magnitude = f32_from(f32_bits(b) & 0x7fffffff);
    const float scale = magnitude > 0x1p126f ? 0.25f : magnitude < 0x1p-126f ? 0x1p24f : 1;
    return f32_mul(a * scale, 1 / (b * scale), ftz);
}

APPROX1(rcp, approx_rcp)
APPROX1(sqrt, approx_sqrt)
APPROX1(rsqrt, approx_rsqrt)
APPROX1(sin, approx_sin)
APPROX1(cos, approx_cos)
APPROX1(lg2, approx_log2)
APPROX1(ex2, approx_exp2)
LANES1(tanh_plain, f32, f32, f32_canonical(approx_tanhf(a, false)))
APPROX2(div, approx_div)
APPROX2(div_full, approx_div_full)

#define SELECT(name, pairs)                                                                        \
    LANES_SELECT(name) {                                                                           \
        return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? pairs##_ftz : pairs##_plain);                \
    }

SELECT(rcp_f32_approx, rcp)
SELECT(sqrt_f32_approx, sqrt)
SELECT(rsqrt_f32, rsqrt)
SELECT(sin_f32, sin)
SELECT(cos_f32, cos)
SELECT(lg2_f32, lg2)
SELECT(ex2_f32, ex2)

LANES_SELECT(tanh_f32) {
    return lanes_use(out, tanh_plain);
}

LANES_SELECT(div_f32_approx) {
    const bool ftz = PTX_HAS(ir->ptx, ftz);
    if (lanes_modifier(ir, PTX_GROUP_approx) == PTX_MOD_full)
        return lanes_use(out, ftz ? div_full_ftz : div_full_plain);
    return lanes_use(out, ftz ? div_ftz : div_plain);
}
