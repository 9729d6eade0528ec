// Two floats in a 64-bit register: add, sub, mul, fma. A vector of 32 such registers holds 64
// floats, two of each lane.
#include "sim/lanes/op/contract.h"
#include "sim/lanes/op/float.h"
#include "sim/lanes/op/float_mode.h"

#if defined(__clang__)
#define FLOATS_EACH                                                                                \
    _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < 2 * LANES; i++)
#else
#define FLOATS_EACH _Pragma("GCC ivdep") for (int i = 0; i < 2 * LANES; i++)
#endif
#define FLOATS_IN(p, n) const float *p = LANES_ALIGNED(const float, instr->operand[n]);
#define FLOATS_BLEND(result)                                                                       \
    {                                                                                              \
        const float r_ = f32_canonical(result);                                                    \
        d[i] = full || on[i / 2] ? r_ : d[i];                                                      \
    }

// instr->immediate holds the rounding mode.
#define FORM2(name, operation, ftz)                                                                \
    LANES_BODY(name) {                                                                             \
        float *d = LANES_ALIGNED(float, instr->operand[0]);                                        \
        const int32_t *on = warp->lanes;                                                           \
        FLOATS_IN(a, 1)                                                                            \
        FLOATS_IN(b, 2)                                                                            \
        const uint32_t old = mode_set(instr->immediate);                                           \
        FLOATS_EACH FLOATS_BLEND(operation(a[i], b[i], ftz)) mode_restore(old);                    \
    }                                                                                              \
    LANES_PAIR(name)

#define FORM3(name, operation, ftz)                                                                \
    LANES_BODY(name) {                                                                             \
        float *d = LANES_ALIGNED(float, instr->operand[0]);                                        \
        const int32_t *on = warp->lanes;                                                           \
        FLOATS_IN(a, 1)                                                                            \
        FLOATS_IN(b, 2)                                                                            \
        FLOATS_IN(c, 3)                                                                            \
        const uint32_t old = mode_set(instr->immediate);                                           \
        FLOATS_EACH FLOATS_BLEND(operation(a[i], b[i], c[i], ftz)) mode_restore(old);              \
    }                                                                                              \
    LANES_PAIR(name)

FORM2(add_plain, f32_add, false)
FORM2(add_ftz, f32_add, true)
FORM2(sub_plain, f32_sub, false)
FORM2(sub_ftz, f32_sub, true)
FORM2(mul_plain, f32_mul, false)
FORM2(mul_ftz, f32_mul, true)
FORM3(fma_plain, f32_fma, false)
FORM3(fma_ftz, f32_fma, true)

// Sums of a product and an addend that the IR contracted.
#define REST(a, b, c, ftz) f32_fma(-(a), b, c, ftz)
#define LESS(a, b, c, ftz) f32_fma(a, b, -(c), ftz)
#define MINUS(a, b, c, ftz) f32_fma(-(a), b, -(c), ftz)
FORM3(rest_plain, REST, false)
FORM3(rest_ftz, REST, true)
FORM3(less_plain, LESS, false)
FORM3(less_ftz, LESS, true)
FORM3(minus_plain, MINUS, false)
FORM3(minus_ftz, MINUS, true)

static bool select_contracted(const struct ir_instruction *ir, struct sim_instr *out) {
    static const sim_handler *const forms[][2] = {{fma_plain, fma_ftz},
                                                  {rest_plain, rest_ftz},
                                                  {less_plain, less_ftz},
                                                  {minus_plain, minus_ftz}};
    return lanes_use(out, forms[contract_signs(ir)][PTX_HAS(ir->ptx, ftz)]);
}

#define SELECT(name)                                                                               \
    LANES_SELECT(name##_f32x2) {                                                                   \
        out->immediate = mode_of(ir);                                                              \
        if (ir->is_contracted)                                                                     \
            return select_contracted(ir, out);                                                     \
        return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? name##_ftz : name##_plain);                  \
    }

SELECT(add)
SELECT(sub)
SELECT(mul)
SELECT(fma)
