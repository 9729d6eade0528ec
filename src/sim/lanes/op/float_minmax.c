// Minimum and maximum of three floats: NaN where all are, or with .NaN any is; .abs takes
// magnitudes.
#include "sim/lanes/op/float.h"

LANES_INLINE float f32_pick3(float a, float b, float c, bool max, int form) {
    return f32_pick(f32_pick(a, b, max, form), c, max, form);
}

LANES_INLINE float f32_magnitude(float x) {
    return f32_from(f32_bits(x) & 0x7fffffff);
}

#define FORM3(form)                                                                                \
    ONCE3(min3_##form, f32, f32, f32, f32, f32_pick3(a, b, c, false, form))                        \
    ONCE3(max3_##form, f32, f32, f32, f32, f32_pick3(a, b, c, true, form))                         \
    ONCE3(min3_abs_##form, f32, f32, f32, f32,                                                     \
          f32_pick3(f32_magnitude(a), f32_magnitude(b), f32_magnitude(c), false, form))            \
    ONCE3(max3_abs_##form, f32, f32, f32, f32,                                                     \
          f32_pick3(f32_magnitude(a), f32_magnitude(b), f32_magnitude(c), true, form))
FORM3(0)
FORM3(1)
FORM3(2)
FORM3(3)

#define FORMS3(name)                                                                               \
    { name##_0, name##_1, name##_2, name##_3 }

static bool select_form3(const struct ir_instruction *ir, struct sim_instr *out, bool max) {
    static const sim_handler *const forms[2][2][4] = {{FORMS3(min3), FORMS3(min3_abs)},
                                                      {FORMS3(max3), FORMS3(max3_abs)}};
    const int form =
        (PTX_HAS(ir->ptx, ftz) ? PICK_FTZ : 0) | (PTX_HAS(ir->ptx, mode) ? PICK_NAN : 0);
    return lanes_use(out, forms[max][PTX_HAS(ir->ptx, variant2)][form]);
}

LANES_SELECT(min_float3) {
    return select_form3(ir, out, false);
}

LANES_SELECT(max_float3) {
    return select_form3(ir, out, true);
}
