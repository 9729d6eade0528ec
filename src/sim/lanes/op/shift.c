// Shifts, funnel shifts and byte permutations.
#include "sim/lanes/lanes.h"

// Amounts are 32-bit and not taken modulo the width: a shift by the width or more leaves zeros,
// or the sign.
LANES2(shl_16, u16, u32, u32, b > 15 ? 0 : a << (b & 31))
LANES2(shl_32, u32, u32, u32, b > 31 ? 0 : a << (b & 31))
LANES2(shl_64, u64, u64, u32, b > 63 ? 0 : a << (b & 63))
LANES2(shr_u16, u16, u16, u32, b > 15 ? 0 : a >> (b & 31))
LANES2(shr_s16, s16, s16, u32, a >> (b > 15 ? 15 : b))
LANES2(shr_u32, u32, u32, u32, b > 31 ? 0 : a >> (b & 31))
LANES2(shr_s32, s32, s32, u32, a >> (b > 31 ? 31 : b))
LANES2(shr_u64, u64, u64, u32, b > 63 ? 0 : a >> (b & 63))
LANES2(shr_s64, s64, s64, u32, a >> (b > 63 ? 63 : b))

// shf shifts the pair b:a by c and gives its high word (l) or its low word (r).
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n) {
    return n > 31 ? a : (uint32_t)(((uint64_t)b << 32 | a) << n >> 32);
}
static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n) {
    return n > 31 ? b : (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

LANES3(shf_l_clamp, u32, u32, u32, u32, funnel_left(a, b, c))
LANES3(shf_l_wrap, u32, u32, u32, u32, funnel_left(a, b, c & 31))
LANES3(shf_r_clamp, u32, u32, u32, u32, funnel_right(a, b, c))
LANES3(shf_r_wrap, u32, u32, u32, u32, funnel_right(a, b, c & 31))

static lanes_table shl_table = {[PTX_B16] = shl_16, [PTX_B32] = shl_32, [PTX_B64] = shl_64};
static lanes_table shr_table = {
    [PTX_B16] = shr_u16, [PTX_U16] = shr_u16, [PTX_S16] = shr_s16,
    [PTX_B32] = shr_u32, [PTX_U32] = shr_u32, [PTX_S32] = shr_s32,
    [PTX_B64] = shr_u64, [PTX_U64] = shr_u64, [PTX_S64] = shr_s64,
};

LANES_SELECT(shl) {
    return lanes_by_type(out, ir, shl_table);
}

LANES_SELECT(shr) {
    return lanes_by_type(out, ir, shr_table);
}

LANES_SELECT(shf) {
    bool left = lanes_modifier(ir, PTX_GROUP_op) == PTX_MOD_l;
    if (lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_wrap)
        return lanes_use(out, left ? shf_l_wrap : shf_r_wrap);
    return lanes_use(out, left ? shf_l_clamp : shf_r_clamp);
}

// prmt picks four of the eight bytes of b:a. In the general form each selector has four bits, of
// which the top one asks for copies of the byte's sign.
static inline uint32_t permute_byte(uint32_t a, uint32_t b, uint32_t selector) {
    const uint32_t word = selector & 4 ? b : a;
    const uint32_t byte = word >> ((selector & 3) * 8) & 0xff;
    const uint32_t sign = (uint32_t)((int32_t)(byte << 24) >> 31) & 0xff;
    return selector & 8 ? sign : byte;
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
    return permute_byte(a, b, c) | permute_byte(a, b, c >> 4) << 8 |
           permute_byte(a, b, c >> 8) << 16 | permute_byte(a, b, c >> 12) << 24;
}

// The other modes have a fixed table of selectors, one for each value of c's low two bits: the
// table's 16-bit entries, the first one lowest.
LANES_INLINE uint32_t permute_fixed(uint32_t a, uint32_t b, uint32_t c, uint64_t table) {
    const uint32_t low = (uint32_t)table, high = (uint32_t)(table >> 32);
    const uint32_t pair = c & 2 ? high : low;
    return permute(a, b, c & 1 ? pair >> 16 : pair & 0xffff);
}

LANES3(prmt_any, u32, u32, u32, u32, permute(a, b, c))
LANES3(prmt_f4e, u32, u32, u32, u32, permute_fixed(a, b, c, 0x6543543243213210))
LANES3(prmt_b4e, u32, u32, u32, u32, permute_fixed(a, b, c, 0x0123701267015670))
LANES3(prmt_rc8, u32, u32, u32, u32, permute_fixed(a, b, c, 0x3333222211110000))
LANES3(prmt_ecl, u32, u32, u32, u32, permute_fixed(a, b, c, 0x3333322232113210))
LANES3(prmt_ecr, u32, u32, u32, u32, permute_fixed(a, b, c, 0x3210221011100000))
LANES3(prmt_rc16, u32, u32, u32, u32, permute_fixed(a, b, c, 0x3232101032321010))

LANES_SELECT(prmt) {
    switch (lanes_modifier(ir, PTX_GROUP_mode)) {
    case PTX_MOD_f4e:
        return lanes_use(out, prmt_f4e);
    case PTX_MOD_b4e:
        return lanes_use(out, prmt_b4e);
    case PTX_MOD_rc8:
        return lanes_use(out, prmt_rc8);
    case PTX_MOD_ecl:
        return lanes_use(out, prmt_ecl);
    case PTX_MOD_ecr:
        return lanes_use(out, prmt_ecr);
    case PTX_MOD_rc16:
        return lanes_use(out, prmt_rc16);
    default:
        return lanes_use(out, prmt_any);
    }
}
