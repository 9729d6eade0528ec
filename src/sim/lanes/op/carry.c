// Arithmetic with the condition code's carry bit: add.cc, addc, sub.cc, subc, mad.cc, madc.
// A subtraction adds the complement: its bit is set when it did not borrow, also for an addc that
// reads it (what ptxas makes for sm_90, and what ZLUDA's tests expect of NVIDIA's hardware).
#include "sim/lanes/vector.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

// instr->immediate: whether the carry bit is added (or subtracted), and whether it is written.
enum { READS_CARRY = 1, WRITES_CARRY = 2 };

// A statement gives the result as `r`, and whether it carries (or borrows) as `carry`; `in` is 0
// or 1. `flip` is ~0u where the bit stands for its opposite.
#define CARRY_LOOP(D, flip, loop, ...)                                                             \
    LANES_OUT(D)                                                                                   \
    const uint32_t carries = imm & READS_CARRY ? warp->carry ^ flip : 0;                           \
    _Alignas(64) int32_t flags[LANES];                                                             \
    loop {                                                                                         \
        const lane_##D in = carries >> l & 1;                                                      \
        __VA_ARGS__;                                                                               \
        flags[l] = carry ? -1 : 0;                                                                 \
        LANES_BLEND(D, r)                                                                          \
    }                                                                                              \
    if (imm & WRITES_CARRY) {                                                                      \
        const uint32_t bits = lanes_signs(flags) ^ flip;                                           \
        warp->carry = full ? bits : (warp->carry & ~warp->mask) | (bits & warp->mask);             \
    }

#define CARRY_ADD(name, D)                                                                         \
    LANES_BODY(name) {                                                                             \
        LANES_IN(D, pa, 1)                                                                         \
        LANES_IN(D, pb, 2)                                                                         \
        CARRY_LOOP(D, 0u, SIM_LANES, const lane_##D a = pa[l], s = a + pb[l], r = s + in;          \
                   const bool carry = (s < a) | (r < s))                                           \
    }                                                                                              \
    LANES_PAIR(name)

#define CARRY_SUB(name, D)                                                                         \
    LANES_BODY(name) {                                                                             \
        LANES_IN(D, pa, 1)                                                                         \
        LANES_IN(D, pb, 2)                                                                         \
        CARRY_LOOP(D, ~0u, SIM_LANES, const lane_##D a = pa[l], b = pb[l], s = a - b, r = s - in;  \
                   const bool carry = (a < b) | (s < in))                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define CARRY_MAD(name, D, loop, product)                                                          \
    LANES_BODY(name) {                                                                             \
        LANES_IN(D, pa, 1)                                                                         \
        LANES_IN(D, pb, 2)                                                                         \
        LANES_IN(D, pc, 3)                                                                         \
        CARRY_LOOP(D, 0u, loop, const lane_##D a = pa[l], b = pb[l], p = (lane_##D)(product),      \
                   s = p + pc[l], r = s + in;                                                      \
                   const bool carry = (s < p) | (r < s))                                           \
    }                                                                                              \
    LANES_PAIR(name)

CARRY_ADD(add_32, u32)
CARRY_ADD(add_64, u64)
CARRY_SUB(sub_32, u32)
CARRY_SUB(sub_64, u64)
CARRY_MAD(mad_lo_32, u32, SIM_LANES, a *b)
CARRY_MAD(mad_lo_64, u64, SIM_LANES, a *b)
CARRY_MAD(mad_hi_u32, u32, SIM_LANES, (uint64_t)a *b >> 32)
CARRY_MAD(mad_hi_s32, u32, SIM_LANES, (int64_t)(int32_t)a *(int32_t)b >> 32)
CARRY_MAD(mad_hi_u64, u64, LANES_EACH, (uint128)a *b >> 64)
CARRY_MAD(mad_hi_s64, u64, LANES_EACH, (int128)(int64_t)a *(int64_t)b >> 64)

static lanes_table add_table = {
    [PTX_U32] = add_32, [PTX_S32] = add_32, [PTX_U64] = add_64, [PTX_S64] = add_64};
static lanes_table sub_table = {
    [PTX_U32] = sub_32, [PTX_S32] = sub_32, [PTX_U64] = sub_64, [PTX_S64] = sub_64};
static lanes_table mad_lo_table = {
    [PTX_U32] = mad_lo_32, [PTX_S32] = mad_lo_32, [PTX_U64] = mad_lo_64, [PTX_S64] = mad_lo_64};
static lanes_table mad_hi_table = {
    [PTX_U32] = mad_hi_u32, [PTX_S32] = mad_hi_s32, [PTX_U64] = mad_hi_u64, [PTX_S64] = mad_hi_s64};

static bool select_carry(struct sim_instr *out, const struct ir_instruction *ir, lanes_table table,
                         bool reads) {
    out->immediate = (reads ? READS_CARRY : 0) | (PTX_HAS(ir->ptx, cc) ? WRITES_CARRY : 0);
    return lanes_by_type(out, ir, table);
}

static bool select_mad(struct sim_instr *out, const struct ir_instruction *ir, bool reads) {
    bool low = lanes_modifier(ir, PTX_GROUP_half) == PTX_MOD_lo;
    return select_carry(out, ir, low ? mad_lo_table : mad_hi_table, reads);
}

LANES_SELECT(add_cc) {
    return select_carry(out, ir, add_table, false);
}

LANES_SELECT(addc) {
    return select_carry(out, ir, add_table, true);
}

LANES_SELECT(sub_cc) {
    return select_carry(out, ir, sub_table, false);
}

LANES_SELECT(subc) {
    return select_carry(out, ir, sub_table, true);
}

LANES_SELECT(mad_cc) {
    return select_mad(out, ir, false);
}

LANES_SELECT(madc) {
    return select_mad(out, ir, true);
}
