// cvt between integers without saturation: a value is cut to the narrower type or extended from
// it, and extended to the register it goes to.
#include "sim/lanes/op/cvt.h"

// Kinds of lanes.h for sources, by type. The result of expression `a` has the source's value.
#define FROM(name, D, to)                                                                          \
    LANES1(u8_##name, D, u8, to(a))                                                                \
    LANES1(s8_##name, D, s8, to(a))                                                                \
    LANES1(u16_##name, D, u16, to(a))                                                              \
    LANES1(s16_##name, D, s16, to(a))                                                              \
    LANES1(u32_##name, D, u32, to(a))                                                              \
    LANES1(s32_##name, D, s32, to(a))                                                              \
    LANES1(u64_##name, D, u64, to(a))                                                              \
    static const sim_handler *const name[PTX_TYPE_COUNT] = {                                       \
        [PTX_U8] = u8_##name,   [PTX_S8] = s8_##name,   [PTX_U16] = u16_##name,                    \
        [PTX_S16] = s16_##name, [PTX_U32] = u32_##name, [PTX_S32] = s32_##name,                    \
        [PTX_U64] = u64_##name, [PTX_S64] = u64_##name,                                            \
    };

// Named by the destination's type and, where it makes a difference, the register's width.
FROM(to_u8, u8, (uint8_t))
FROM(to_u16, u16, (uint16_t))
FROM(to_u32, u32, (uint32_t))
FROM(to_s8_in_16, u16, (uint16_t)(int16_t)(int8_t))
FROM(to_s8_in_32, u32, (uint32_t)(int32_t)(int8_t))
FROM(to_s16_in_32, u32, (uint32_t)(int32_t)(int16_t))
FROM(to_64, u64, (uint64_t)(int64_t))
FROM(to_u32_in_64, u64, (uint64_t)(uint32_t))
FROM(to_s32_in_64, u64, (uint64_t)(int64_t)(int32_t))

static const sim_handler *const *find(enum ptx_type to, unsigned register_bytes) {
    switch (to) {
    case PTX_U8:
        return register_bytes < 8 ? to_u8 : NULL;
    case PTX_S8:
        return register_bytes == 1   ? to_u8
               : register_bytes == 2 ? to_s8_in_16
               : register_bytes == 4 ? to_s8_in_32
                                     : NULL;
    case PTX_U16:
        return register_bytes < 8 ? to_u16 : NULL;
    case PTX_S16:
        return register_bytes == 2 ? to_u16 : register_bytes == 4 ? to_s16_in_32 : NULL;
    case PTX_U32:
        return register_bytes == 4 ? to_u32 : to_u32_in_64;
    case PTX_S32:
        return register_bytes == 4 ? to_u32 : to_s32_in_64;
    default:
        return to_64;
    }
}

bool SIM_NAME(op_cvt_int_int)(const struct cvt *cvt, struct sim_instr *out) {
    const struct num_conversion *n = &cvt->number;
    const sim_handler *const *table = find(n->to, n->register_bytes);
    // A narrow type in a wide register is left to the other way.
    if (n->sat || !table || (cvt->from_lane == 8) != (ptx_type_bytes(n->from) == 8))
        return false;
    return lanes_use(out, table[n->from]);
}
