// Single-precision arithmetic, rounded to nearest: add, sub, mul, fma, div, rcp, sqrt.
// lanes/op/float_round.c has the other roundings.
#include "sim/lanes/op/contract.h"
#include "sim/lanes/op/float.h"
#include "sim/lanes/op/float_round.h"

#include <math.h>

// Each operation in four forms: index 1 of the table flushes subnormals, 2 saturates, 3 both.
#define FORM2(name, operation, ftz, sat)                                                           \
    LANES2(name, f32, f32, f32, f32_result(operation(a, b, ftz), sat))
#define FORM3(name, operation, ftz, sat)                                                           \
    LANES3(name, f32, f32, f32, f32, f32_result(operation(a, b, c, ftz), sat))
#define FORMS(FORM, name, operation)                                                               \
    FORM(name##_plain, operation, false, false)                                                    \
    FORM(name##_ftz, operation, true, false)                                                       \
    FORM(name##_sat, operation, false, true)                                                       \
    FORM(name##_ftz_sat, operation, true, true)                                                    \
    static const sim_handler *const name##_forms[] = {name##_plain, name##_ftz, name##_sat,        \
                                                      name##_ftz_sat};

FORMS(FORM2, add, f32_add)
FORMS(FORM2, sub, f32_sub)
FORMS(FORM2, mul, f32_mul)
FORMS(FORM3, fma, f32_fma)

FORM2(div_plain, f32_div, false, false)
FORM2(div_ftz, f32_div, true, false)
LANES1(rcp_plain, f32, f32, f32_canonical(1 / a))
LANES1(rcp_ftz, f32, f32, f32_canonical(f32_div(1, a, true)))
LANES1(sqrt_plain, f32, f32, f32_canonical(sqrtf(a)))
LANES1(sqrt_ftz, f32, f32, f32_canonical(sqrtf(f32_flush(a))))

static bool is_nearest(const struct ir_instruction *ir) {
    const enum ptx_modifier round = lanes_modifier(ir, PTX_GROUP_round);
    return round == PTX_MOD_NONE || round == PTX_MOD_rn;
}

static unsigned form(const struct ir_instruction *ir) {
    return PTX_HAS(ir->ptx, ftz) + 2u * PTX_HAS(ir->ptx, sat);
}

LANES_SELECT(add_f32) {
    if (ir->is_contracted)
        return SIM_NAME(op_contract_f32)(ir, out);
    if (!is_nearest(ir))
        return SIM_NAME(op_round_add_f32)(ir, out);
    return lanes_use(out, add_forms[form(ir)]);
}

LANES_SELECT(sub_f32) {
    if (ir->is_contracted)
        return SIM_NAME(op_contract_f32)(ir, out);
    if (!is_nearest(ir))
        return SIM_NAME(op_round_sub_f32)(ir, out);
    return lanes_use(out, sub_forms[form(ir)]);
}

LANES_SELECT(mul_f32) {
    if (!is_nearest(ir))
        return SIM_NAME(op_round_mul_f32)(ir, out);
    return lanes_use(out, mul_forms[form(ir)]);
}

LANES_SELECT(fma_f32) {
    if (!is_nearest(ir))
        return SIM_NAME(op_round_fma_f32)(ir, out);
    return lanes_use(out, fma_forms[form(ir)]);
}

LANES_SELECT(div_f32) {
    if (!is_nearest(ir))
        return SIM_NAME(op_round_div_f32)(ir, out);
    return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? div_ftz : div_plain);
}

LANES_SELECT(rcp_f32) {
    if (!is_nearest(ir))
        return SIM_NAME(op_round_rcp_f32)(ir, out);
    return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? rcp_ftz : rcp_plain);
}

LANES_SELECT(sqrt_f32) {
    if (!is_nearest(ir))
        return SIM_NAME(op_round_sqrt_f32)(ir, out);
    return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? sqrt_ftz : sqrt_plain);
}
