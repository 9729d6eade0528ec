// Sums of a product and an addend that the IR contracted, rounded once: f32 and f64.
#include "sim/lanes/op/contract.h"

#include "sim/lanes/op/float.h"

// Index: which of product and addend are negated (contract_signs()), then ftz and sat.
#define F32_FORM(name, p, c_, ftz, sat)                                                            \
    LANES3(name, f32, f32, f32, f32, f32_result(f32_fma(p a, b, c_ c, ftz), sat))
#define F32_FORMS(name, p, c_)                                                                     \
    F32_FORM(name##_plain, p, c_, false, false)                                                    \
    F32_FORM(name##_ftz, p, c_, true, false)                                                       \
    F32_FORM(name##_sat, p, c_, false, true)                                                       \
    F32_FORM(name##_ftz_sat, p, c_, true, true)
#define F32_TABLE(name)                                                                            \
    { name##_plain, name##_ftz, name##_sat, name##_ftz_sat }

F32_FORMS(sum, +, +)
F32_FORMS(rest, -, +)
F32_FORMS(less, +, -)
F32_FORMS(minus, -, -)

// A NaN is the result as it is, whatever the product's sign: where the processor or the compiler
// has no negated product, the operand's would change.
static inline double f64_without(double r, double a) {
    return a == a ? r : f64_quiet(a);
}

#define F64_FORM(name, r) LANES3(name, f64, f64, f64, f64, f64_result3(r, a, b, c))

F64_FORM(sum_f64, __builtin_fma(a, b, c))
F64_FORM(rest_f64, f64_without(__builtin_fma(-a, b, c), a))
F64_FORM(less_f64, __builtin_fma(a, b, -c))
F64_FORM(minus_f64, f64_without(__builtin_fma(-a, b, -c), a))

bool SIM_NAME(op_contract_f32)(const struct ir_instruction *ir, struct sim_instr *out) {
    static const sim_handler *const forms[][4] = {F32_TABLE(sum), F32_TABLE(rest), F32_TABLE(less),
                                                  F32_TABLE(minus)};
    return lanes_use(out,
                     forms[contract_signs(ir)][PTX_HAS(ir->ptx, ftz) + 2u * PTX_HAS(ir->ptx, sat)]);
}

bool SIM_NAME(op_contract_f64)(const struct ir_instruction *ir, struct sim_instr *out) {
    static const sim_handler *const forms[] = {sum_f64, rest_f64, less_f64, minus_f64};
    return lanes_use(out, forms[contract_signs(ir)]);
}
