// setp and set of single- and double-precision numbers.
#include "sim/lanes/op/compare.h"
#include "sim/lanes/op/float.h"

#define ALL(name, K, of)                                                                           \
    COMPARE(name##_eq, K, of(a) == of(b))                                                          \
    COMPARE(name##_lt, K, of(a) < of(b))                                                           \
    COMPARE(name##_le, K, of(a) <= of(b))                                                          \
    COMPARE(name##_ne, K, of(a) < of(b) || of(a) > of(b))                                          \
    COMPARE(name##_num, K, a == a && b == b)                                                       \
    static const struct compare *const name[COMPARE_COUNT] = {                                     \
        [COMPARE_EQ] = &name##_eq, [COMPARE_LT] = &name##_lt,   [COMPARE_LE] = &name##_le,         \
        [COMPARE_NE] = &name##_ne, [COMPARE_NUM] = &name##_num,                                    \
    };

ALL(f32, f32, )
ALL(f32_ftz, f32, f32_flush)
ALL(f64, f64, )

static const struct compare *find(const struct ir_instruction *ir, struct sim_instr *out,
                                  enum ptx_type type) {
    struct compare_way way;
    if (!compare_float_way(lanes_modifier(ir, PTX_GROUP_cmp), &way) ||
        !compare_prepare(ir, out, way.complement, way.swap))
        return NULL;
    if (type == PTX_F64)
        return PTX_HAS(ir->ptx, ftz) ? NULL : f64[way.index];
    return (PTX_HAS(ir->ptx, ftz) ? f32_ftz : f32)[way.index];
}

LANES_SELECT(setp_float) {
    return compare_setp(ir, out, find(ir, out, lanes_type(ir, 0)));
}

LANES_SELECT(set_float) {
    return compare_set(ir, out, find(ir, out, lanes_type(ir, 1)));
}
