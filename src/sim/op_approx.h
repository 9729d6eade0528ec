// Elementary functions for the approximate instructions. They are computed in double precision,
// with errors below 2^-40 of the result, and rounded once by the caller; the hardware's own errors
// are around 2^-22. Written without branches, for vector code.
#ifndef BANKRUN_SIM_OP_APPROX_H
#define BANKRUN_SIM_OP_APPROX_H

#include "sim/op_float.h"

// 2^x. Arguments beyond +-300 give what 300 does, which rounds to infinity or zero.
static inline double approx_ex2(double x) {
    const double low = x > -300 ? x : -300;
    const double in = low < 300 ? low : 300;
    // Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
    const double shifted = in + 0x1.8p52;
    const double f = (in - (shifted - 0x1.8p52)) * 0.693147180559945309; // |f| <= ln(2) / 2
    double p = 1.0 / 39916800;
    p = p * f + 1.0 / 3628800;
    p = p * f + 1.0 / 362880;
    p = p * f + 1.0 / 40320;
    p = p * f + 1.0 / 5040;
    p = p * f + 1.0 / 720;
    p = p * f + 1.0 / 120;
    p = p * f + 1.0 / 24;
    p = p * f + 1.0 / 6;
    p = p * f + 0.5;
    p = p * f + 1;
    p = p * f + 1;
    const double r = f64_from(f64_bits(p) + (f64_bits(shifted) << 52));
    return x == x ? r : x;
}

// log2(x) for x > 0 and finite.
static inline double approx_lg2(double x) {
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)).
    const uint64_t bits = f64_bits(x) - 0x3fe6a09e667f3bcd;
    const int32_t e = (int32_t)(bits >> 32) >> 20;
    const double m = f64_from((bits & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
    const double t = (m - 1) / (m + 1), s = t * t; // |t| < 0.1716
    double p = 1.0 / 17;
    p = p * s + 1.0 / 15;
    p = p * s + 1.0 / 13;
    p = p * s + 1.0 / 11;
    p = p * s + 1.0 / 9;
    p = p * s + 1.0 / 7;
    p = p * s + 1.0 / 5;
    p = p * s + 1.0 / 3;
    p = p * s + 1;
    return t * p * 2.88539008177792681 + e; // 2 / ln(2)
}

// sin(2 pi x).
static inline double approx_sin_turns(double x) {
    // x = n / 2 + f with |f| <= 1/4; every half turn changes the sign.
    const double shifted = 2 * x + 0x1.8p52;
    const double f = x - (shifted - 0x1.8p52) * 0.5;
    const double angle = f * 6.28318530717958648, s = angle * angle;
    // A zero has the operand's sign, too.
    const double a = f == 0 ? f64_from(f64_bits(x) & 0x8000000000000000) : angle;
    double p = -1.0 / 121645100408832000;
    p = p * s + 1.0 / 355687428096000;
    p = p * s - 1.0 / 1307674368000;
    p = p * s + 1.0 / 6227020800;
    p = p * s - 1.0 / 39916800;
    p = p * s + 1.0 / 362880;
    p = p * s - 1.0 / 5040;
    p = p * s + 1.0 / 120;
    p = p * s - 1.0 / 6;
    p = p * s + 1;
    return f64_from(f64_bits(a * p) ^ f64_bits(shifted) << 63);
}

static inline double approx_tanh(double x) {
    const double m = f64_from(f64_bits(x) & 0x7fffffffffffffff), square = m * m;
    const double e = approx_ex2(m * -2.88539008177792681); // exp(-2 m)
    const double large = (1 - e) / (1 + e);
    const double small = m * (1 - square * (1.0 / 3 - square * (2.0 / 15)));
    const double r = m < 0x1p-6 ? small : large;
    return f64_from(f64_bits(r) | (f64_bits(x) & 0x8000000000000000));
}

#endif
