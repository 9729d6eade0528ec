// Integer addition, subtraction, absolute values, minimum and maximum.
#include "sim/lanes/lanes.h"

LANES2(add_u16, u16, u32, u32, a + b)
LANES2(add_u32, u32, u32, u32, a + b)
LANES2(add_u64, u64, u64, u64, a + b)
LANES2(sub_u16, u16, u32, u32, a - b)
LANES2(sub_u32, u32, u32, u32, a - b)
LANES2(sub_u64, u64, u64, u64, a - b)

// The type's largest value, or its smallest when `sign` is negative.
static inline uint32_t limit_s32(uint32_t sign) {
    return 0x7fffffffu + (sign >> 31);
}

static inline uint32_t add_saturated(uint32_t a, uint32_t b) {
    uint32_t r = a + b;
    return (int32_t)((a ^ r) & (b ^ r)) < 0 ? limit_s32(a) : r;
}

static inline uint32_t sub_saturated(uint32_t a, uint32_t b) {
    uint32_t r = a - b;
    return (int32_t)((a ^ b) & (a ^ r)) < 0 ? limit_s32(a) : r;
}

LANES2(add_sat_s32, u32, u32, u32, add_saturated(a, b))
LANES2(sub_sat_s32, u32, u32, u32, sub_saturated(a, b))

// Two 16-bit sums in a word: the top bits are added without their carries.
LANES2(add_16x2, u32, u32, u32, ((a & 0x7fff7fff) + (b & 0x7fff7fff)) ^ ((a ^ b) & 0x80008000))

// a < b ? b - a : a - b, in the width of the type.
LANES3(sad_u16, u16, u16, u16, u16, c + (a < b ? b - a : a - b))
LANES3(sad_s16, s16, s16, s16, s16, c + (a < b ? b - a : a - b))
LANES3(sad_u32, u32, u32, u32, u32, c + (a < b ? b - a : a - b))
LANES3(sad_s32, u32, s32, s32, u32,
       c + (a < b ? (uint32_t)b - (uint32_t)a : (uint32_t)a - (uint32_t)b))
LANES3(sad_u64, u64, u64, u64, u64, c + (a < b ? b - a : a - b))
LANES3(sad_s64, u64, s64, s64, u64,
       c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))

// The smallest value has no absolute value and stays what it is.
LANES1(abs_s16, s16, s16, a < 0 ? -a : a)
LANES1(abs_s32, u32, s32, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
LANES1(abs_s64, u64, s64, a < 0 ? 0u - (uint64_t)a : (uint64_t)a)
LANES1(neg_s16, s16, s16, -a)
LANES1(neg_s32, u32, u32, 0u - a)
LANES1(neg_s64, u64, u64, 0u - a)

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

LANES2(min_u16, u16, u16, u16, MIN(a, b))
LANES2(min_s16, s16, s16, s16, MIN(a, b))
LANES2(min_u32, u32, u32, u32, MIN(a, b))
LANES2(min_s32, s32, s32, s32, MIN(a, b))
LANES2(min_u64, u64, u64, u64, MIN(a, b))
LANES2(min_s64, s64, s64, s64, MIN(a, b))
LANES2(max_u16, u16, u16, u16, MAX(a, b))
LANES2(max_s16, s16, s16, s16, MAX(a, b))
LANES2(max_u32, u32, u32, u32, MAX(a, b))
LANES2(max_s32, s32, s32, s32, MAX(a, b))
LANES2(max_u64, u64, u64, u64, MAX(a, b))
LANES2(max_s64, s64, s64, s64, MAX(a, b))
LANES2(min_relu_s32, s32, s32, s32, MAX(MIN(a, b), 0))
LANES2(max_relu_s32, s32, s32, s32, MAX(MAX(a, b), 0))

#define LOW_U(x) ((x)&0xffff)
#define HIGH_U(x) ((x) >> 16)
#define LOW_S(x) ((int32_t)((x) << 16) >> 16)
#define HIGH_S(x) ((int32_t)(x) >> 16)
#define PACK(low, high) (((uint32_t)(low)&0xffff) | (uint32_t)(high) << 16)

LANES2(min_u16x2, u32, u32, u32, PACK(MIN(LOW_U(a), LOW_U(b)), MIN(HIGH_U(a), HIGH_U(b))))
LANES2(max_u16x2, u32, u32, u32, PACK(MAX(LOW_U(a), LOW_U(b)), MAX(HIGH_U(a), HIGH_U(b))))
LANES2(min_s16x2, u32, u32, u32, PACK(MIN(LOW_S(a), LOW_S(b)), MIN(HIGH_S(a), HIGH_S(b))))
LANES2(max_s16x2, u32, u32, u32, PACK(MAX(LOW_S(a), LOW_S(b)), MAX(HIGH_S(a), HIGH_S(b))))
LANES2(min_relu_s16x2, u32, u32, u32,
       PACK(MAX(MIN(LOW_S(a), LOW_S(b)), 0), MAX(MIN(HIGH_S(a), HIGH_S(b)), 0)))
LANES2(max_relu_s16x2, u32, u32, u32,
       PACK(MAX(MAX(LOW_S(a), LOW_S(b)), 0), MAX(MAX(HIGH_S(a), HIGH_S(b)), 0)))

static lanes_table add_table = {
    [PTX_U16] = add_u16, [PTX_S16] = add_u16, [PTX_U32] = add_u32,
    [PTX_S32] = add_u32, [PTX_U64] = add_u64, [PTX_S64] = add_u64,
};
static lanes_table sub_table = {
    [PTX_U16] = sub_u16, [PTX_S16] = sub_u16, [PTX_U32] = sub_u32,
    [PTX_S32] = sub_u32, [PTX_U64] = sub_u64, [PTX_S64] = sub_u64,
};
static lanes_table sad_table = {
    [PTX_U16] = sad_u16, [PTX_S16] = sad_s16, [PTX_U32] = sad_u32,
    [PTX_S32] = sad_s32, [PTX_U64] = sad_u64, [PTX_S64] = sad_s64,
};
static lanes_table abs_table = {
    [PTX_S16] = abs_s16,
    [PTX_S32] = abs_s32,
    [PTX_S64] = abs_s64,
};
static lanes_table neg_table = {
    [PTX_S16] = neg_s16,
    [PTX_S32] = neg_s32,
    [PTX_S64] = neg_s64,
};
static lanes_table min_table = {
    [PTX_U16] = min_u16, [PTX_S16] = min_s16, [PTX_U32] = min_u32,
    [PTX_S32] = min_s32, [PTX_U64] = min_u64, [PTX_S64] = min_s64,
};
static lanes_table max_table = {
    [PTX_U16] = max_u16, [PTX_S16] = max_s16, [PTX_U32] = max_u32,
    [PTX_S32] = max_s32, [PTX_U64] = max_u64, [PTX_S64] = max_s64,
};
static lanes_table min_relu_table = {[PTX_S32] = min_relu_s32, [PTX_S16X2] = min_relu_s16x2};
static lanes_table max_relu_table = {[PTX_S32] = max_relu_s32, [PTX_S16X2] = max_relu_s16x2};
static lanes_table min_x2_table = {[PTX_U16X2] = min_u16x2, [PTX_S16X2] = min_s16x2};
static lanes_table max_x2_table = {[PTX_U16X2] = max_u16x2, [PTX_S16X2] = max_s16x2};

LANES_SELECT(add_int) {
    return lanes_by_type(out, ir, add_table);
}

LANES_SELECT(sub_int) {
    return lanes_by_type(out, ir, sub_table);
}

LANES_SELECT(add_sat) {
    return lanes_use(out, add_sat_s32);
}

LANES_SELECT(sub_sat) {
    return lanes_use(out, sub_sat_s32);
}

LANES_SELECT(add_x2) {
    return lanes_use(out, add_16x2);
}

LANES_SELECT(sad) {
    return lanes_by_type(out, ir, sad_table);
}

LANES_SELECT(abs_int) {
    return lanes_by_type(out, ir, abs_table);
}

LANES_SELECT(neg_int) {
    return lanes_by_type(out, ir, neg_table);
}

LANES_SELECT(min_int) {
    return lanes_by_type(out, ir, PTX_HAS(ir->ptx, relu) ? min_relu_table : min_table);
}

LANES_SELECT(max_int) {
    return lanes_by_type(out, ir, PTX_HAS(ir->ptx, relu) ? max_relu_table : max_table);
}

LANES_SELECT(min_x2) {
    return lanes_by_type(out, ir, PTX_HAS(ir->ptx, relu) ? min_relu_table : min_x2_table);
}

LANES_SELECT(max_x2) {
    return lanes_by_type(out, ir, PTX_HAS(ir->ptx, relu) ? max_relu_table : max_x2_table);
}
