// Approximate instructions in double precision. With .ftz they work on the upper 32 bits of
// operand and result, and the lower ones of the result are zeros.
#include "sim/lanes/op/approx.h"

LANES1(rcp_ftz, u64, u64, (uint64_t)sfu_rcp_wide((uint32_t)(a >> 32)) << 32)
LANES1(rsqrt_ftz, u64, u64, (uint64_t)sfu_rsqrt_wide((uint32_t)(a >> 32)) << 32)
LANES1(rsqrt_plain, f64, f64, approx_rsqrt_double(a))

LANES_SELECT(rcp_f64_approx) {
    return lanes_use(out, rcp_ftz);
}

LANES_SELECT(rsqrt_f64) {
    return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? rsqrt_ftz : rsqrt_plain);
}
