// Approximate instructions, bit for bit as an H200 computes them.
#include "sim/lanes/op/approx.h"

// The operations flush by themselves what .ftz flushes.
#define APPROX1(name, operation)                                                                   \
    ONCE1(name##_plain, f32, f32, f32_canonical(operation(a, false)))                              \
    ONCE1(name##_ftz, f32, f32, operation(a, true))
#define APPROX2(name, operation)                                                                   \
    ONCE2(name##_plain, f32, f32, f32, f32_canonical(operation(a, b, false)))                      \
    ONCE2(name##_ftz, f32, f32, f32, f32_canonical(operation(a, b, true)))

APPROX1(rcp, approx_rcp)
APPROX1(sqrt, approx_sqrt)
APPROX1(rsqrt, approx_rsqrt)
APPROX1(sin, approx_sin)
APPROX1(cos, approx_cos)
APPROX1(lg2, approx_lg2)
APPROX1(ex2, approx_ex2)
ONCE1(tanh_plain, f32, f32, sfu_tanh(a))
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
