// Double-precision arithmetic, rounded to nearest: add, sub, mul, fma, div, rcp, sqrt.
// lanes/op/float_round.c has the other roundings.
#include "sim/lanes/op/float64.h"

#include <math.h>

#include "sim/lanes/op/contract.h"
#include "sim/lanes/op/float_round.h"

LANES2(add, f64, f64, f64, f64_result2(a + b, a, b))
LANES2(sub, f64, f64, f64, f64_result2(a - b, a, b))
LANES2(mul, f64, f64, f64, f64_result2(a *b, a, b))
LANES2(divide, f64, f64, f64, f64_quotient(a / b, a, b))
LANES3(fma_nearest, f64, f64, f64, f64, f64_result3(__builtin_fma(a, b, c), a, b, c))
LANES1(rcp, f64, f64, f64_result1(1 / a, a))
LANES1(sqrt_nearest, f64, f64, f64_result1(sqrt(a), a))

static bool is_nearest(const struct ir_instruction *ir) {
    const enum ptx_modifier round = lanes_modifier(ir, PTX_GROUP_round);
    return round == PTX_MOD_NONE || round == PTX_MOD_rn;
}

LANES_SELECT(add_f64) {
    if (ir->is_contracted)
        return SIM_NAME(op_contract_f64)(ir, out);
    return is_nearest(ir) ? lanes_use(out, add) : SIM_NAME(op_round_add_f64)(ir, out);
}

LANES_SELECT(sub_f64) {
    if (ir->is_contracted)
        return SIM_NAME(op_contract_f64)(ir, out);
    return is_nearest(ir) ? lanes_use(out, sub) : SIM_NAME(op_round_sub_f64)(ir, out);
}

LANES_SELECT(mul_f64) {
    return is_nearest(ir) ? lanes_use(out, mul) : SIM_NAME(op_round_mul_f64)(ir, out);
}

LANES_SELECT(fma_f64) {
    return is_nearest(ir) ? lanes_use(out, fma_nearest) : SIM_NAME(op_round_fma_f64)(ir, out);
}

LANES_SELECT(div_f64) {
    return is_nearest(ir) ? lanes_use(out, divide) : SIM_NAME(op_round_div_f64)(ir, out);
}

LANES_SELECT(rcp_f64) {
    return is_nearest(ir) ? lanes_use(out, rcp) : SIM_NAME(op_round_rcp_f64)(ir, out);
}

LANES_SELECT(sqrt_f64) {
    return is_nearest(ir) ? lanes_use(out, sqrt_nearest) : SIM_NAME(op_round_sqrt_f64)(ir, out);
}
