// Sums and products of halves that are computed in single precision: add, sub and fma with a
// second type. A half is an exact float.
#include "sim/lanes/op/float.h"
#include "sim/lanes/op/float_mode.h"
#include "sim/lanes/op/half.h"

// instr->immediate holds the rounding mode. Halves become floats before it is set: they do so by a
// subtraction, whose zero would have another sign.
#define MIXED(name, of_half, sat, expression)                                                      \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(f32)                                                                             \
        LANES_IN(u32, pa, 1)                                                                       \
        LANES_IN(u32, pb, 2)                                                                       \
        LANES_IN(f32, pc, 3)                                                                       \
        _Alignas(64) float x[LANES], y[LANES];                                                     \
        SIM_LANES {                                                                                \
            x[l] = of_half((uint16_t)pa[l]);                                                       \
            y[l] = of_half((uint16_t)pb[l]);                                                       \
        }                                                                                          \
        const uint32_t old = mode_set(imm);                                                        \
        SIM_LANES {                                                                                \
            const float a = x[l], b = y[l], c = pc[l];                                             \
            (void)b;                                                                               \
            LANES_BLEND(f32, f32_result((expression), sat))                                        \
        }                                                                                          \
        mode_restore(old);                                                                         \
    }                                                                                              \
    LANES_PAIR(name)

#define FORMS(name, expression)                                                                    \
    MIXED(name##_f16, num_f32_of_f16, false, expression)                                           \
    MIXED(name##_f16_sat, num_f32_of_f16, true, expression)                                        \
    MIXED(name##_bf16, num_f32_of_bf16, false, expression)                                         \
    MIXED(name##_bf16_sat, num_f32_of_bf16, true, expression)                                      \
    static const sim_handler *const name[] = {name##_f16, name##_f16_sat, name##_bf16,             \
                                              name##_bf16_sat};

FORMS(add, a + c)
FORMS(sub, a - c)
FORMS(fma, __builtin_fmaf(a, b, c))

static bool use(const struct ir_instruction *ir, struct sim_instr *out,
                const sim_handler *const forms[]) {
    out->immediate = mode_of(ir);
    return lanes_use(out, forms[PTX_HAS(ir->ptx, sat) + 2u * (lanes_type(ir, 1) == PTX_BF16)]);
}

// `add d, a, c`: the handlers find c where fma has it.
static bool use_sum(const struct ir_instruction *ir, struct sim_instr *out,
                    const sim_handler *const forms[]) {
    out->operand[3] = out->operand[2];
    out->operand[2] = out->operand[1];
    return use(ir, out, forms);
}

LANES_SELECT(add_mixed) {
    return use_sum(ir, out, add);
}

LANES_SELECT(sub_mixed) {
    return use_sum(ir, out, sub);
}

LANES_SELECT(fma_mixed) {
    return use(ir, out, fma);
}
