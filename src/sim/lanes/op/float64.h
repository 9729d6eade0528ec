// Double precision: NaN. A result that is NaN because operands are has the payload of one of them,
// made quiet; any other NaN is 0xfff8000000000000. Which operand that is was read off an H200: of
// a + b, a - b and a * b it is b, of fma b, then c, then a, of a / b it is a.
#ifndef BANKRUN_SIM_LANES_OP_FLOAT64_H
#define BANKRUN_SIM_LANES_OP_FLOAT64_H

#include "sim/lanes/op/float.h"

// Each takes what the host computed, and the operands. x86 gives the right NaN unless two operands
// are NaN.
static inline double f64_result1(double r, double a) {
#ifdef __SSE2__
    (void)a;
    return r;
#else
    const double other = r == r ? r : f64_from(0xfff8000000000000);
    return a == a ? other : f64_quiet(a);
#endif
}

static inline double f64_result2(double r, double a, double b) {
    return b == b ? f64_result1(r, a) : f64_quiet(b);
}

static inline double f64_quotient(double r, double a, double b) {
#ifdef __SSE2__
    (void)a, (void)b;
    return r;
#else
    return f64_result2(r, b, a);
#endif
}

static inline double f64_result3(double r, double a, double b, double c) {
    const double rc = c == c ? f64_result1(r, a) : f64_quiet(c);
    return b == b ? rc : f64_quiet(b);
}

#endif
