// Minimum and maximum of floating-point numbers. -0 is less than +0. One NaN gives the other
// operand, or NaN with .NaN; two give NaN. .xorsign.abs compares the magnitudes and gives the
// result the exclusive or of the signs.
#include "sim/lanes/op/float64.h"

// Equal numbers have equal bits but for the signs of zeros: the minimum of zeros has either sign
// bit, the maximum has both.
static inline uint32_t f32_less(float a, float b, bool max) {
    const uint32_t x = f32_bits(a), y = f32_bits(b);
    const uint32_t equal = max ? x & y : x | y, first = max ? y : x, second = max ? x : y;
    return a < b ? first : a > b ? second : equal;
}

static inline uint64_t f64_less(double a, double b, bool max) {
    const uint64_t x = f64_bits(a), y = f64_bits(b);
    const uint64_t equal = max ? x & y : x | y, first = max ? y : x, second = max ? x : y;
    return a < b ? first : a > b ? second : equal;
}

enum { FTZ = 1, KEEP_NAN = 2, XOR_SIGN = 4 };

LANES_INLINE float f32_pick(float a, float b, bool max, int form) {
    const float p = f32_operand(a, form & FTZ), q = f32_operand(b, form & FTZ);
    const uint32_t magnitude = form & XOR_SIGN ? 0x7fffffff : UINT32_MAX;
    const float x = f32_from(f32_bits(p) & magnitude), y = f32_from(f32_bits(q) & magnitude);
    const uint32_t less = f32_less(x, y, max);
    const uint32_t one_nan = x == x ? f32_bits(x) : f32_bits(y); // one of them is a NaN
    uint32_t r = x == x && y == y ? less : form & KEEP_NAN ? F32_NAN : one_nan;
    r = (r & 0x7fffffff) > 0x7f800000 ? F32_NAN : r;
    const uint32_t sign = (f32_bits(p) ^ f32_bits(q)) & ~magnitude;
    return f32_from(r | (r == F32_NAN ? 0 : sign));
}

static inline double f64_pick(double a, double b, bool max) {
    const double less = f64_from(f64_less(a, b, max));
    return a != a ? (b != b ? f64_quiet(b) : b) : b != b ? a : less;
}

#define FORM(form)                                                                                 \
    LANES2(min_##form, f32, f32, f32, f32_pick(a, b, false, form))                                 \
    LANES2(max_##form, f32, f32, f32, f32_pick(a, b, true, form))
FORM(0)
FORM(1)
FORM(2)
FORM(3)
FORM(4)
FORM(5)
FORM(6)
FORM(7)
LANES2(min_f64, f64, f64, f64, f64_pick(a, b, false))
LANES2(max_f64, f64, f64, f64, f64_pick(a, b, true))

static bool select_form(const struct ir_instruction *ir, struct sim_instr *out, bool max) {
    static const sim_handler *const min_forms[] = {min_0, min_1, min_2, min_3,
                                                   min_4, min_5, min_6, min_7};
    static const sim_handler *const max_forms[] = {max_0, max_1, max_2, max_3,
                                                   max_4, max_5, max_6, max_7};
    int form = (PTX_HAS(ir->ptx, ftz) ? FTZ : 0) | (PTX_HAS(ir->ptx, mode) ? KEEP_NAN : 0) |
               (PTX_HAS(ir->ptx, variant) ? XOR_SIGN : 0);
    if (PTX_HAS(ir->ptx, variant) != PTX_HAS(ir->ptx, variant2)) // .xorsign and .abs go together
        return false;
    if (lanes_type(ir, 0) == PTX_F64)
        return lanes_use(out, form ? NULL : max ? max_f64 : min_f64);
    return lanes_use(out, (max ? max_forms : min_forms)[form]);
}

LANES_SELECT(min_float) {
    return select_form(ir, out, false);
}

LANES_SELECT(max_float) {
    return select_form(ir, out, true);
}

// ---- Of three floats: NaN where all are, or with .NaN any is; .abs takes magnitudes ---------

LANES_INLINE float f32_pick3(float a, float b, float c, bool max, int form) {
    return f32_pick(f32_pick(a, b, max, form), c, max, form);
}

LANES_INLINE float f32_magnitude(float x) {
    return f32_from(f32_bits(x) & 0x7fffffff);
}

#define FORM3(form)                                                                                \
    LANES3(min3_##form, f32, f32, f32, f32, f32_pick3(a, b, c, false, form))                       \
    LANES3(max3_##form, f32, f32, f32, f32, f32_pick3(a, b, c, true, form))                        \
    LANES3(min3_abs_##form, f32, f32, f32, f32,                                                    \
           f32_pick3(f32_magnitude(a), f32_magnitude(b), f32_magnitude(c), false, form))           \
    LANES3(max3_abs_##form, f32, f32, f32, f32,                                                    \
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
    const int form = (PTX_HAS(ir->ptx, ftz) ? FTZ : 0) | (PTX_HAS(ir->ptx, mode) ? KEEP_NAN : 0);
    return lanes_use(out, forms[max][PTX_HAS(ir->ptx, variant2)][form]);
}

LANES_SELECT(min_float3) {
    return select_form3(ir, out, false);
}

LANES_SELECT(max_float3) {
    return select_form3(ir, out, true);
}
