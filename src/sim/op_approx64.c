// Approximate instructions in double precision. With .ftz they work on the upper 32 bits of
// operand and result: 20 bits of fraction, subnormals flushed, and one NaN.
#include "sim/op_float64.h"

#include <math.h>

static inline double upper_operand(double x) {
    const uint64_t bits = f64_bits(x) & 0xffffffff00000000ull;
    return f64_from(bits & 0x7ff0000000000000 ? bits : bits & 0x8000000000000000);
}

static inline double upper_result(double x) {
    const uint64_t bits = f64_bits(x) & 0xffffffff00000000ull;
    const uint64_t flushed = bits & 0x7ff0000000000000 ? bits : bits & 0x8000000000000000;
    return f64_from(x == x ? flushed : 0x7fffffff00000000);
}

LANES1(rcp_ftz, f64, f64, upper_result(1 / upper_operand(a)))
LANES1(rsqrt_ftz, f64, f64, upper_result(1 / sqrt(upper_operand(a))))

// Without .ftz the result is good to the last bit or the one before.
static double rsqrt_long(double x) {
    return f64_result1((double)(1 / sqrtl((long double)x)), x);
}

EACH1(rsqrt_plain, f64, f64, rsqrt_long(a))

LANES_SELECT(rcp_f64_approx) {
    return lanes_use(out, rcp_ftz);
}

LANES_SELECT(rsqrt_f64) {
    return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? rsqrt_ftz : rsqrt_plain);
}
