// Integer multiplication: mul, mad, mul24, mad24 and the dot products.
#include "sim/lanes/lanes.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

static inline uint64_t wide_u(uint32_t a, uint32_t b) {
    return (uint64_t)a * b;
}
static inline int64_t wide_s(int32_t a, int32_t b) {
    return (int64_t)a * b;
}
static inline uint32_t high_u32(uint32_t a, uint32_t b) {
    return (uint32_t)(wide_u(a, b) >> 32);
}
static inline uint32_t high_s32(int32_t a, int32_t b) {
    return (uint32_t)(wide_s(a, b) >> 32);
}
static inline uint64_t high_u64(uint64_t a, uint64_t b) {
    return (uint64_t)((uint128)a * b >> 64);
}
static inline uint64_t high_s64(int64_t a, int64_t b) {
    return (uint64_t)((int128)a * b >> 64);
}

LANES2(mul_lo_u16, u16, u32, u32, a *b)
LANES2(mul_lo_u32, u32, u32, u32, a *b)
LANES2(mul_lo_u64, u64, u64, u64, a *b)
LANES2(mul_hi_u16, u16, u16, u16, a *b >> 16)
LANES2(mul_hi_s16, s16, s16, s16, a *b >> 16)
LANES2(mul_hi_u32, u32, u32, u32, high_u32(a, b))
LANES2(mul_hi_s32, u32, s32, s32, high_s32(a, b))
EACH2(mul_hi_u64, u64, u64, u64, high_u64(a, b))
EACH2(mul_hi_s64, u64, s64, s64, high_s64(a, b))
LANES2(mul_wide_u16, u32, u16, u16, a *b)
LANES2(mul_wide_s16, s32, s16, s16, a *b)
LANES2(mul_wide_u32, u64, u32, u32, wide_u(a, b))
LANES2(mul_wide_s32, s64, s32, s32, wide_s(a, b))

LANES3(mad_lo_u16, u16, u32, u32, u32, a *b + c)
LANES3(mad_lo_u32, u32, u32, u32, u32, a *b + c)
LANES3(mad_lo_u64, u64, u64, u64, u64, a *b + c)
LANES3(mad_hi_u16, u16, u16, u16, u16, (a * b >> 16) + c)
LANES3(mad_hi_s16, s16, s16, s16, s16, (a * b >> 16) + c)
LANES3(mad_hi_u32, u32, u32, u32, u32, high_u32(a, b) + c)
LANES3(mad_hi_s32, u32, s32, s32, u32, high_s32(a, b) + c)
EACH3(mad_hi_u64, u64, u64, u64, u64, high_u64(a, b) + c)
EACH3(mad_hi_s64, u64, s64, s64, u64, high_s64(a, b) + c)
LANES3(mad_wide_u16, u32, u16, u16, u32, a *b + c)
LANES3(mad_wide_s16, u32, s16, s16, u32, (uint32_t)(a *b) + c)
LANES3(mad_wide_u32, u64, u32, u32, u64, wide_u(a, b) + c)
LANES3(mad_wide_s32, u64, s32, s32, u64, (uint64_t)wide_s(a, b) + c)

static inline uint32_t clamp_s32(int64_t v) {
    v = v > INT32_MAX ? INT32_MAX : v;
    return (uint32_t)(v < INT32_MIN ? INT32_MIN : v);
}

LANES3(mad_hi_sat_s32, u32, s32, s32, s32, clamp_s32((wide_s(a, b) >> 32) + (int64_t)c))

// 24-bit products: the operands' low 24 bits, the product's low or high 32 of 48 bits.
static inline uint64_t wide24_u(uint32_t a, uint32_t b) {
    return wide_u(a & 0xffffff, b & 0xffffff);
}
static inline int64_t wide24_s(uint32_t a, uint32_t b) {
    return wide_s((int32_t)(a << 8) >> 8, (int32_t)(b << 8) >> 8);
}

LANES2(mul24_lo_u32, u32, u32, u32, (uint32_t)wide24_u(a, b))
LANES2(mul24_lo_s32, u32, u32, u32, (uint32_t)wide24_s(a, b))
LANES2(mul24_hi_u32, u32, u32, u32, (uint32_t)(wide24_u(a, b) >> 16))
LANES2(mul24_hi_s32, u32, u32, u32, (uint32_t)(wide24_s(a, b) >> 16))
LANES3(mad24_lo_u32, u32, u32, u32, u32, (uint32_t)wide24_u(a, b) + c)
LANES3(mad24_lo_s32, u32, u32, u32, u32, (uint32_t)wide24_s(a, b) + c)
LANES3(mad24_hi_u32, u32, u32, u32, u32, (uint32_t)(wide24_u(a, b) >> 16) + c)
LANES3(mad24_hi_s32, u32, u32, u32, u32, (uint32_t)(wide24_s(a, b) >> 16) + c)
LANES3(mad24_hi_sat_s32, u32, u32, u32, s32, clamp_s32((wide24_s(a, b) >> 16) + (int64_t)c))

// Dot products of bytes, and of halves with bytes. dp2a takes b's two low or two high bytes.
#define BYTE_U(x, n) ((x) >> (8 * (n)) & 0xff)
#define BYTE_S(x, n) ((uint32_t)((int32_t)((x) << (24 - 8 * (n))) >> 24))
#define HALF_U(x, n) ((x) >> (16 * (n)) & 0xffff)
#define HALF_S(x, n) ((uint32_t)((int32_t)((x) << (16 - 16 * (n))) >> 16))
#define DP4A(A, B)                                                                                 \
    (c + BYTE_##A(a, 0) * BYTE_##B(b, 0) + BYTE_##A(a, 1) * BYTE_##B(b, 1) +                       \
     BYTE_##A(a, 2) * BYTE_##B(b, 2) + BYTE_##A(a, 3) * BYTE_##B(b, 3))
#define DP2A(A, B, n) (c + HALF_##A(a, 0) * BYTE_##B(b, n) + HALF_##A(a, 1) * BYTE_##B(b, n + 1))

LANES3(dp4a_uu, u32, u32, u32, u32, DP4A(U, U))
LANES3(dp4a_us, u32, u32, u32, u32, DP4A(U, S))
LANES3(dp4a_su, u32, u32, u32, u32, DP4A(S, U))
LANES3(dp4a_ss, u32, u32, u32, u32, DP4A(S, S))
LANES3(dp2a_lo_uu, u32, u32, u32, u32, DP2A(U, U, 0))
LANES3(dp2a_lo_us, u32, u32, u32, u32, DP2A(U, S, 0))
LANES3(dp2a_lo_su, u32, u32, u32, u32, DP2A(S, U, 0))
LANES3(dp2a_lo_ss, u32, u32, u32, u32, DP2A(S, S, 0))
LANES3(dp2a_hi_uu, u32, u32, u32, u32, DP2A(U, U, 2))
LANES3(dp2a_hi_us, u32, u32, u32, u32, DP2A(U, S, 2))
LANES3(dp2a_hi_su, u32, u32, u32, u32, DP2A(S, U, 2))
LANES3(dp2a_hi_ss, u32, u32, u32, u32, DP2A(S, S, 2))

static lanes_table mul_lo_table = {
    [PTX_U16] = mul_lo_u16, [PTX_S16] = mul_lo_u16, [PTX_U32] = mul_lo_u32,
    [PTX_S32] = mul_lo_u32, [PTX_U64] = mul_lo_u64, [PTX_S64] = mul_lo_u64,
};
static lanes_table mul_hi_table = {
    [PTX_U16] = mul_hi_u16, [PTX_S16] = mul_hi_s16, [PTX_U32] = mul_hi_u32,
    [PTX_S32] = mul_hi_s32, [PTX_U64] = mul_hi_u64, [PTX_S64] = mul_hi_s64,
};
static lanes_table mul_wide_table = {
    [PTX_U16] = mul_wide_u16,
    [PTX_S16] = mul_wide_s16,
    [PTX_U32] = mul_wide_u32,
    [PTX_S32] = mul_wide_s32,
};
static lanes_table mad_lo_table = {
    [PTX_U16] = mad_lo_u16, [PTX_S16] = mad_lo_u16, [PTX_U32] = mad_lo_u32,
    [PTX_S32] = mad_lo_u32, [PTX_U64] = mad_lo_u64, [PTX_S64] = mad_lo_u64,
};
static lanes_table mad_hi_table = {
    [PTX_U16] = mad_hi_u16, [PTX_S16] = mad_hi_s16, [PTX_U32] = mad_hi_u32,
    [PTX_S32] = mad_hi_s32, [PTX_U64] = mad_hi_u64, [PTX_S64] = mad_hi_s64,
};
static lanes_table mad_wide_table = {
    [PTX_U16] = mad_wide_u16,
    [PTX_S16] = mad_wide_s16,
    [PTX_U32] = mad_wide_u32,
    [PTX_S32] = mad_wide_s32,
};
static lanes_table mul24_lo_table = {[PTX_U32] = mul24_lo_u32, [PTX_S32] = mul24_lo_s32};
static lanes_table mul24_hi_table = {[PTX_U32] = mul24_hi_u32, [PTX_S32] = mul24_hi_s32};
static lanes_table mad24_lo_table = {[PTX_U32] = mad24_lo_u32, [PTX_S32] = mad24_lo_s32};
static lanes_table mad24_hi_table = {[PTX_U32] = mad24_hi_u32, [PTX_S32] = mad24_hi_s32};

LANES_SELECT(mul_int) {
    switch (lanes_modifier(ir, PTX_GROUP_half)) {
    case PTX_MOD_lo:
        return lanes_by_type(out, ir, mul_lo_table);
    case PTX_MOD_hi:
        return lanes_by_type(out, ir, mul_hi_table);
    default:
        return lanes_by_type(out, ir, mul_wide_table);
    }
}

LANES_SELECT(mad_int) {
    switch (lanes_modifier(ir, PTX_GROUP_half)) {
    case PTX_MOD_lo:
        return lanes_by_type(out, ir, mad_lo_table);
    case PTX_MOD_hi:
        return lanes_by_type(out, ir, mad_hi_table);
    default:
        return lanes_by_type(out, ir, mad_wide_table);
    }
}

LANES_SELECT(mad_sat) {
    return lanes_use(out, mad_hi_sat_s32);
}

LANES_SELECT(mul24) {
    bool low = lanes_modifier(ir, PTX_GROUP_half) == PTX_MOD_lo;
    return lanes_by_type(out, ir, low ? mul24_lo_table : mul24_hi_table);
}

LANES_SELECT(mad24) {
    bool low = lanes_modifier(ir, PTX_GROUP_half) == PTX_MOD_lo;
    if (PTX_HAS(ir->ptx, sat))
        return lanes_use(out, mad24_hi_sat_s32);
    return lanes_by_type(out, ir, low ? mad24_lo_table : mad24_hi_table);
}

static unsigned signs_of_sources(const struct ir_instruction *ir) {
    return (lanes_type(ir, 0) == PTX_S32) * 2u + (lanes_type(ir, 1) == PTX_S32);
}

LANES_SELECT(dp4a) {
    static const sim_handler *const pairs[] = {dp4a_uu, dp4a_us, dp4a_su, dp4a_ss};
    return lanes_use(out, pairs[signs_of_sources(ir)]);
}

LANES_SELECT(dp2a) {
    static const sim_handler *const low[] = {dp2a_lo_uu, dp2a_lo_us, dp2a_lo_su, dp2a_lo_ss};
    static const sim_handler *const high[] = {dp2a_hi_uu, dp2a_hi_us, dp2a_hi_su, dp2a_hi_ss};
    bool is_low = lanes_modifier(ir, PTX_GROUP_half) == PTX_MOD_lo;
    return lanes_use(out, (is_low ? low : high)[signs_of_sources(ir)]);
}
