// Arithmetic that rounds towards zero, minus or plus infinity: the host's rounding mode is set
// around the loop over the lanes. The handlers of all three modes are the same, and read the mode
// from instr->immediate.
#include "sim/lanes/op/float_round.h"

#include <math.h>

#include "sim/lanes/op/float.h"
#include "sim/lanes/op/float_mode.h"

// name_nearest, a LANES_BODY, between the two.
#define ROUNDED(name)                                                                              \
    LANES_BODY(name) {                                                                             \
        const uint32_t old = mode_set(instr->immediate);                                           \
        name##_nearest_body(warp, instr, full);                                                    \
        mode_restore(old);                                                                         \
    }                                                                                              \
    LANES_PAIR(name)

// Operations in up to four forms: index 1 flushes subnormals, 2 saturates, 3 both.
#define FORM1(name, operation, ftz)                                                                \
    LANES_BODY(name##_nearest) {                                                                   \
        LANES_OUT(f32)                                                                             \
        LANES_IN(f32, pa, 1)                                                                       \
        SIM_LANES {                                                                                \
            LANES_BLEND(f32, f32_canonical(operation(pa[l], ftz)))                                 \
        }                                                                                          \
    }                                                                                              \
    ROUNDED(name)

#define FORM2(name, operation, ftz, sat)                                                           \
    LANES_BODY(name##_nearest) {                                                                   \
        LANES_OUT(f32)                                                                             \
        LANES_IN(f32, pa, 1)                                                                       \
        LANES_IN(f32, pb, 2)                                                                       \
        SIM_LANES {                                                                                \
            LANES_BLEND(f32, f32_result(operation(pa[l], pb[l], ftz), sat))                        \
        }                                                                                          \
    }                                                                                              \
    ROUNDED(name)

#define FORM3(name, operation, ftz, sat)                                                           \
    LANES_BODY(name##_nearest) {                                                                   \
        LANES_OUT(f32)                                                                             \
        LANES_IN(f32, pa, 1)                                                                       \
        LANES_IN(f32, pb, 2)                                                                       \
        LANES_IN(f32, pc, 3)                                                                       \
        SIM_LANES {                                                                                \
            LANES_BLEND(f32, f32_result(operation(pa[l], pb[l], pc[l], ftz), sat))                 \
        }                                                                                          \
    }                                                                                              \
    ROUNDED(name)

#define FORMS(FORM, name, operation)                                                               \
    FORM(name##_plain, operation, false, false)                                                    \
    FORM(name##_ftz, operation, true, false)                                                       \
    FORM(name##_sat, operation, false, true)                                                       \
    FORM(name##_ftz_sat, operation, true, true)                                                    \
    static const sim_handler *const name##_forms[] = {name##_plain, name##_ftz, name##_sat,        \
                                                      name##_ftz_sat};

LANES_INLINE float reciprocal(float x, bool ftz) {
    return f32_div(1, x, ftz);
}

LANES_INLINE float square_root(float x, bool ftz) {
    return sqrtf(f32_operand(x, ftz));
}

FORMS(FORM2, add, f32_add)
FORMS(FORM2, sub, f32_sub)
FORMS(FORM2, mul, f32_mul)
FORMS(FORM3, fma, f32_fma)
FORM2(div_plain, f32_div, false, false)
FORM2(div_ftz, f32_div, true, false)
FORM1(rcp_plain, reciprocal, false)
FORM1(rcp_ftz, reciprocal, true)
FORM1(sqrt_plain, square_root, false)
FORM1(sqrt_ftz, square_root, true)

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define RCP(x) (1 / (x))

#define DOUBLE1(name, operation)                                                                   \
    LANES_BODY(name##_nearest) {                                                                   \
        LANES_OUT(f64)                                                                             \
        LANES_IN(f64, pa, 1)                                                                       \
        SIM_LANES {                                                                                \
            LANES_BLEND(f64, f64_result1(operation(pa[l]), pa[l]))                                 \
        }                                                                                          \
    }                                                                                              \
    ROUNDED(name)

#define DOUBLE2(name, operation, result)                                                           \
    LANES_BODY(name##_nearest) {                                                                   \
        LANES_OUT(f64)                                                                             \
        LANES_IN(f64, pa, 1)                                                                       \
        LANES_IN(f64, pb, 2)                                                                       \
        SIM_LANES {                                                                                \
            LANES_BLEND(f64, result(operation(pa[l], pb[l]), pa[l], pb[l]))                        \
        }                                                                                          \
    }                                                                                              \
    ROUNDED(name)

DOUBLE2(add_double, ADD, f64_result2)
DOUBLE2(sub_double, SUB, f64_result2)
DOUBLE2(mul_double, MUL, f64_result2)
DOUBLE2(div_double, DIV, f64_quotient)
DOUBLE1(rcp_double, RCP)
DOUBLE1(sqrt_double, sqrt)

LANES_BODY(fma_double_nearest) {
    LANES_OUT(f64)
    LANES_IN(f64, pa, 1)
    LANES_IN(f64, pb, 2)
    LANES_IN(f64, pc, 3)
    SIM_LANES {
        const double r = __builtin_fma(pa[l], pb[l], pc[l]);
        LANES_BLEND(f64, f64_result3(r, pa[l], pb[l], pc[l]))
    }
}
ROUNDED(fma_double)

static bool use(const struct ir_instruction *ir, struct sim_instr *out, const sim_handler *pair) {
    out->immediate = mode_of(ir);
    if (out->immediate == MODE_NEAREST)
        return false;
    return lanes_use(out, pair);
}

static unsigned form(const struct ir_instruction *ir) {
    return PTX_HAS(ir->ptx, ftz) + 2u * PTX_HAS(ir->ptx, sat);
}

#define SELECT(name, pair)                                                                         \
    bool SIM_NAME(op_round_##name)(const struct ir_instruction *ir, struct sim_instr *out) {       \
        return use(ir, out, pair);                                                                 \
    }

SELECT(add_f32, add_forms[form(ir)])
SELECT(sub_f32, sub_forms[form(ir)])
SELECT(mul_f32, mul_forms[form(ir)])
SELECT(fma_f32, fma_forms[form(ir)])
SELECT(div_f32, PTX_HAS(ir->ptx, ftz) ? div_ftz : div_plain)
SELECT(rcp_f32, PTX_HAS(ir->ptx, ftz) ? rcp_ftz : rcp_plain)
SELECT(sqrt_f32, PTX_HAS(ir->ptx, ftz) ? sqrt_ftz : sqrt_plain)
SELECT(add_f64, add_double)
SELECT(sub_f64, sub_double)
SELECT(mul_f64, mul_double)
SELECT(fma_f64, fma_double)
SELECT(div_f64, div_double)
SELECT(rcp_f64, rcp_double)
SELECT(sqrt_f64, sqrt_double)
