// Integer division and remainder. A division by zero does not fault: as on the hardware all bits
// of the quotient and of the remainder are one. The smallest value divided by -1 wraps.
#include "sim/lanes/lanes.h"

// Quotients of 32-bit numbers are exact by way of doubles: both operands are, and a quotient that
// is no integer is further from one (2^-32 of it, or more) than a double's rounding error.
static inline uint32_t divide_u32(uint32_t a, uint32_t b) {
    uint32_t q = (uint32_t)((double)a / (double)(b ? b : 1));
    return b ? q : UINT32_MAX;
}

static inline uint32_t divide_s32(int32_t a, int32_t b) {
    double ratio = (double)a / (double)(b ? b : 1);
    int32_t q = ratio > INT32_MAX ? INT32_MIN : (int32_t)ratio; // -2^31 / -1
    return b ? (uint32_t)q : UINT32_MAX;
}

static inline uint32_t remain_u32(uint32_t a, uint32_t b) {
    return b ? a - divide_u32(a, b) * b : UINT32_MAX;
}

static inline uint32_t remain_s32(int32_t a, int32_t b) {
    return b ? (uint32_t)a - divide_s32(a, b) * (uint32_t)b : UINT32_MAX;
}

static inline uint64_t divide_u64(uint64_t a, uint64_t b) {
    return b ? a / b : UINT64_MAX;
}

static inline uint64_t divide_s64(int64_t a, int64_t b) {
    if (b == -1)
        return 0 - (uint64_t)a;
    return b ? (uint64_t)(a / b) : UINT64_MAX;
}

static inline uint64_t remain_u64(uint64_t a, uint64_t b) {
    return b ? a % b : UINT64_MAX;
}

static inline uint64_t remain_s64(int64_t a, int64_t b) {
    if (b == -1)
        return 0;
    return b ? (uint64_t)(a % b) : UINT64_MAX;
}

LANES2(div_u16, u16, u16, u16, divide_u32(a, b))
LANES2(div_s16, s16, s16, s16, divide_s32(a, b))
LANES2(div_u32, u32, u32, u32, divide_u32(a, b))
LANES2(div_s32, u32, s32, s32, divide_s32(a, b))
EACH2(div_u64, u64, u64, u64, divide_u64(a, b))
EACH2(div_s64, u64, s64, s64, divide_s64(a, b))
LANES2(rem_u16, u16, u16, u16, remain_u32(a, b))
LANES2(rem_s16, s16, s16, s16, remain_s32(a, b))
LANES2(rem_u32, u32, u32, u32, remain_u32(a, b))
LANES2(rem_s32, u32, s32, s32, remain_s32(a, b))
EACH2(rem_u64, u64, u64, u64, remain_u64(a, b))
EACH2(rem_s64, u64, s64, s64, remain_s64(a, b))

static lanes_table div_table = {
    [PTX_U16] = div_u16, [PTX_S16] = div_s16, [PTX_U32] = div_u32,
    [PTX_S32] = div_s32, [PTX_U64] = div_u64, [PTX_S64] = div_s64,
};
static lanes_table rem_table = {
    [PTX_U16] = rem_u16, [PTX_S16] = rem_s16, [PTX_U32] = rem_u32,
    [PTX_S32] = rem_s32, [PTX_U64] = rem_u64, [PTX_S64] = rem_s64,
};

LANES_SELECT(div_int) {
    return lanes_by_type(out, ir, div_table);
}

LANES_SELECT(rem) {
    return lanes_by_type(out, ir, rem_table);
}
