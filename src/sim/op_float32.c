// Single-precision arithmetic, rounded to nearest: add, sub, mul, fma, div, rcp, sqrt.
// op_float_round.c has the other roundings.
#include "sim/op_float.h"
#include "sim/op_float_round.h"

#include <math.h>

// Each operation in four forms: index 1 of the table flushes subnormals, 2 saturates, 3 both.
#define FORM2(name, ftz, sat, operation)                                                           \
    LANES2(name, f32, f32, f32,                                                                    \
           f32_result(operation(f32_operand(a, ftz), f32_operand(b, ftz)), ftz, sat))
#define FORMS2(name, operation)                                                                    \
    FORM2(name##_plain, false, false, operation)                                                   \
    FORM2(name##_ftz, true, false, operation)                                                      \
    FORM2(name##_sat, false, true, operation)                                                      \
    FORM2(name##_ftz_sat, true, true, operation)                                                   \
    static const sim_handler *const name##_forms[] = {name##_plain, name##_ftz, name##_sat,        \
                                                      name##_ftz_sat};

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))

FORMS2(add, ADD)
FORMS2(sub, SUB)
FORMS2(mul, MUL)

#define FMA_FORM(name, ftz, sat)                                                                   \
    LANES3(                                                                                        \
        name, f32, f32, f32, f32,                                                                  \
        f32_result(__builtin_fmaf(f32_operand(a, ftz), f32_operand(b, ftz), f32_operand(c, ftz)),  \
                   ftz, sat))

FMA_FORM(fma_plain, false, false)
FMA_FORM(fma_ftz, true, false)
FMA_FORM(fma_sat, false, true)
FMA_FORM(fma_ftz_sat, true, true)
static const sim_handler *const fma_forms[] = {fma_plain, fma_ftz, fma_sat, fma_ftz_sat};

#define DIV(x, y) ((x) / (y))
FORM2(div_plain, false, false, DIV)
FORM2(div_ftz, true, false, DIV)

LANES1(rcp_plain, f32, f32, f32_canonical(1 / a))
LANES1(rcp_ftz, f32, f32, f32_result(1 / f32_flush(a), true, false))
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
    if (!is_nearest(ir))
        return SIM_NAME(op_round_add_f32)(ir, out);
    return lanes_use(out, add_forms[form(ir)]);
}

LANES_SELECT(sub_f32) {
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
