// cvt from integers to single and double precision, rounded to nearest.
#include "sim/lanes/op/cvt.h"

#define FROM(D, type)                                                                              \
    LANES1(u8_##D, D, u8, (type)a)                                                                 \
    LANES1(s8_##D, D, s8, (type)a)                                                                 \
    LANES1(u16_##D, D, u16, (type)a)                                                               \
    LANES1(s16_##D, D, s16, (type)a)                                                               \
    LANES1(u32_##D, D, u32, (type)a)                                                               \
    LANES1(s32_##D, D, s32, (type)a)                                                               \
    LANES1(u64_##D, D, u64, (type)a)                                                               \
    LANES1(s64_##D, D, s64, (type)a)                                                               \
    static const sim_handler *const to_##D[PTX_TYPE_COUNT] = {                                     \
        [PTX_U8] = u8_##D,   [PTX_S8] = s8_##D,   [PTX_U16] = u16_##D, [PTX_S16] = s16_##D,        \
        [PTX_U32] = u32_##D, [PTX_S32] = s32_##D, [PTX_U64] = u64_##D, [PTX_S64] = s64_##D,        \
    };

FROM(f32, float)
FROM(f64, double)

bool SIM_NAME(op_cvt_int_float)(const struct cvt *cvt, struct sim_instr *out) {
    const struct num_conversion *n = &cvt->number;
    if (n->round != NUM_NEAREST || n->sat ||
        (cvt->from_lane == 8) != (ptx_type_bytes(n->from) == 8))
        return false;
    if (n->to == PTX_F32 && cvt->to_lane == 4)
        return lanes_use(out, to_f32[n->from]);
    return n->to == PTX_F64 && lanes_use(out, to_f64[n->from]);
}
