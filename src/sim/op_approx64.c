// Approximate instructions in double precision. With .ftz they work on the upper 32 bits of
// operand and result: 20 bits of fraction, subnormals flushed.
#include "sim/op_float64.h"

#include <math.h>

static inline double f64_upper(double x) {
    const uint64_t bits = f64_bits(x) & 0xffffffff00000000ull;
    return f64_from(bits & 0x7ff0000000000000 ? bits : bits & 0x8000000000000000);
}

LANES1(rcp_ftz, f64, f64, f64_upper(f64_result1(1 / f64_upper(a), a)))
LANES1(rsqrt_ftz, f64, f64, f64_upper(f64_result1(1 / sqrt(f64_upper(a)), a)))
LANES1(rsqrt_plain, f64, f64, f64_result1(1 / sqrt(a), a))

LANES_SELECT(rcp_f64_approx) {
    return lanes_use(out, rcp_ftz);
}

LANES_SELECT(rsqrt_f64) {
    return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? rsqrt_ftz : rsqrt_plain);
}
