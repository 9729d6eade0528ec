// What the expressions of value.def call: integer arithmetic on one lane, safe for any operand, and
// written so that loops over lanes become vector code.
#ifndef BANKRUN_IR_VALUE_MATH_H
#define BANKRUN_IR_VALUE_MATH_H

#include <math.h>
#include <stdint.h>

#include "ir/value_float.h"

// The lowest bits of an mbarrier, and of the state that an arrival gives: how many arrivals its
// phase waits for.
enum { IR_MBARRIER_COUNT = 20, IR_MBARRIER_COUNT_MASK = (1 << IR_MBARRIER_COUNT) - 1 };

// ---- Sums, minimum and maximum --------------------------------------------------------------

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

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define LOW_U(x) ((x)&0xffff)
#define HIGH_U(x) ((x) >> 16)
#define LOW_S(x) ((int32_t)((x) << 16) >> 16)
#define HIGH_S(x) ((int32_t)(x) >> 16)
#define PAIR(low, high) (((uint32_t)(low)&0xffff) | (uint32_t)(high) << 16)

// ---- Products -------------------------------------------------------------------------------

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

static inline uint32_t clamp_s32(int64_t v) {
    v = v > INT32_MAX ? INT32_MAX : v;
    return (uint32_t)(v < INT32_MIN ? INT32_MIN : v);
}

static inline uint64_t wide24_u(uint32_t a, uint32_t b) {
    return wide_u(a & 0xffffff, b & 0xffffff);
}
static inline int64_t wide24_s(uint32_t a, uint32_t b) {
    return wide_s((int32_t)(a << 8) >> 8, (int32_t)(b << 8) >> 8);
}

#define BYTE_U(x, n) ((x) >> (8 * (n)) & 0xff)
#define BYTE_S(x, n) ((uint32_t)((int32_t)((x) << (24 - 8 * (n))) >> 24))
#define HALF_U(x, n) ((x) >> (16 * (n)) & 0xffff)
#define HALF_S(x, n) ((uint32_t)((int32_t)((x) << (16 - 16 * (n))) >> 16))
#define DP4A(A, B)                                                                                 \
    (c + BYTE_##A(a, 0) * BYTE_##B(b, 0) + BYTE_##A(a, 1) * BYTE_##B(b, 1) +                       \
     BYTE_##A(a, 2) * BYTE_##B(b, 2) + BYTE_##A(a, 3) * BYTE_##B(b, 3))
#define DP2A(A, B, n) (c + HALF_##A(a, 0) * BYTE_##B(b, n) + HALF_##A(a, 1) * BYTE_##B(b, n + 1))

// ---- Quotients ------------------------------------------------------------------------------

// Quotients of 32-bit numbers are exact by way of doubles, with a reciprocal that is too large by
// 2^-51 to 2^-49 of it: a product is never less than the quotient, and a quotient that is no
// integer is further from the next one (2^-32 of it, or more). The reciprocal is one for all lanes
// where the divisor is.
static inline double reciprocal(double b) {
    return 1.0 / b * (1.0 + 0x1p-50);
}

static inline uint32_t divide_u32(uint32_t a, uint32_t b) {
    uint32_t q = (uint32_t)((double)a * reciprocal((double)(b ? b : 1)));
    return b ? q : UINT32_MAX;
}

static inline uint32_t divide_s32(int32_t a, int32_t b) {
    double ratio = (double)a * reciprocal((double)(b ? b : 1));
    int32_t q = ratio >= 0x1p31 ? INT32_MIN : (int32_t)ratio; // -2^31 / -1
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

// ---- Shifts, permutations, tables -----------------------------------------------------------

// The same said twice: on Zen processors the interpreter takes a third longer for rotations by the
// second way, whose shifts depend on each other through memory; compiled code (compile/rows.c),
// which mostly knows the amount, takes half as long.
#ifndef VALUE_SHIFTS_WORDS
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n) {
    return n > 31 ? a : (uint32_t)(((uint64_t)b << 32 | a) << n >> 32);
}
static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n) {
    return n > 31 ? b : (uint32_t)(((uint64_t)b << 32 | a) >> n);
}
#else
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n) {
    const uint32_t by = n & 31;
    return n > 31 ? a : b << by | a >> 1 >> (31 - by);
}
static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n) {
    const uint32_t by = n & 31;
    return n > 31 ? b : a >> by | b << 1 << (31 - by);
}
#endif

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
VALUE_INLINE uint32_t permute_fixed(uint32_t a, uint32_t b, uint32_t c, uint64_t table) {
    const uint32_t low = (uint32_t)table, high = (uint32_t)(table >> 32);
    const uint32_t pair = c & 2 ? high : low;
    return permute(a, b, c & 1 ? pair >> 16 : pair & 0xffff);
}

struct lop3_table {
    uint32_t low[4], change[4]; // by (a, b): the result for c = 0, and where c = 1 differs from it
};

static inline struct lop3_table lop3_unpack(uint32_t table) {
    struct lop3_table t;
    for (int i = 0; i < 4; i++) {
        t.low[i] = 0u - (table >> (2 * i) & 1);
        t.change[i] = t.low[i] ^ (0u - (table >> (2 * i + 1) & 1));
    }
    return t;
}

static inline uint32_t lop3_choose(uint32_t selector, uint32_t zero, uint32_t one) {
    return (selector & one) | (~selector & zero);
}

// Bit 4a + 2b + c of the table for bits a, b, c of the operands: the table is halved with c, b, a.
static inline uint32_t lop3(const struct lop3_table *t, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t r0 = t->low[0] ^ (c & t->change[0]), r1 = t->low[1] ^ (c & t->change[1]);
    const uint32_t r2 = t->low[2] ^ (c & t->change[2]), r3 = t->low[3] ^ (c & t->change[3]);
    return lop3_choose(a, lop3_choose(b, r0, r1), lop3_choose(b, r2, r3));
}

// ---- Bits -----------------------------------------------------------------------------------

// Counts and searches are written with shifts and masks, which every vector unit has.
static inline uint32_t count_32(uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    x += x >> 8;
    return (x + (x >> 16)) & 0x3f;
}

static inline uint32_t count_64(uint64_t x) {
    return count_32((uint32_t)x) + count_32((uint32_t)(x >> 32));
}

static inline uint32_t leading_zeros_32(uint32_t x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return count_32(~x);
}

static inline uint32_t leading_zeros_64(uint64_t x) {
    uint32_t high = (uint32_t)(x >> 32);
    return leading_zeros_32(high ? high : (uint32_t)x) + (high ? 0 : 32);
}

static inline uint32_t reverse_32(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}

static inline uint64_t reverse_64(uint64_t x) {
    return (uint64_t)reverse_32((uint32_t)x) << 32 | reverse_32((uint32_t)(x >> 32));
}

static inline uint32_t find_32(uint32_t x) {
    return 31 - leading_zeros_32(x);
}
static inline uint32_t find_64(uint64_t x) {
    return 63 - leading_zeros_64(x);
}
static inline uint32_t find_shift_32(uint32_t x) {
    const uint32_t zeros = leading_zeros_32(x);
    return x ? zeros : UINT32_MAX;
}
static inline uint32_t find_shift_64(uint64_t x) {
    const uint32_t zeros = leading_zeros_64(x);
    return x ? zeros : UINT32_MAX;
}

// Positions and lengths of bfe and bfi are the low 8 bits of their operands, but the hardware
// looks at all 32 bits of them when the field is one of 64 bits.
static inline uint32_t low_mask_32(uint32_t length) {
    return length > 31 ? UINT32_MAX : (1u << (length & 31)) - 1;
}
static inline uint64_t low_mask_64(uint32_t length) {
    return length > 63 ? UINT64_MAX : ~(UINT64_MAX << (length & 63));
}

static inline uint32_t extract_u32(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t position = b & 0xff, length = c & 0xff;
    return position > 31 ? 0 : a >> (position & 31) & low_mask_32(length);
}

static inline uint64_t extract_u64(uint64_t a, uint32_t b, uint32_t c) {
    return b > 63 ? 0 : a >> (b & 63) & low_mask_64(c);
}

// The field's top bit, or the operand's where the field reaches beyond it, is replicated.
static inline uint32_t extract_s32(int32_t a, uint32_t b, uint32_t c) {
    uint32_t position = b & 0xff, length = c & 0xff;
    uint32_t start = position > 31 ? 31 : position;
    uint32_t end = position + length > 32 ? 32 : position + length; // bit behind the field
    uint32_t field = (uint32_t)a << ((32 - end) & 31);
    // After the shift the field's top bit is bit 31.
    uint32_t value = (uint32_t)((int32_t)field >> ((start + 32 - end) & 31));
    uint32_t sign = (uint32_t)(a >> 31);
    return length == 0 ? 0 : position > 31 ? sign : value;
}

static inline uint64_t extract_s64(int64_t a, uint64_t position, uint64_t length) {
    uint64_t start = position > 63 ? 63 : position;
    uint64_t end = position + length > 64 ? 64 : position + length;
    uint64_t field = (uint64_t)a << ((64 - end) & 63);
    uint64_t value = (uint64_t)((int64_t)field >> ((start + 64 - end) & 63));
    uint64_t sign = (uint64_t)(a >> 63);
    return length == 0 ? 0 : position > 63 ? sign : value;
}

static inline uint32_t insert_32(uint32_t a, uint32_t b, uint32_t c, uint32_t e) {
    uint32_t position = c & 0xff, mask = low_mask_32(e & 0xff) << (position & 31);
    mask = position > 31 ? 0 : mask;
    return (b & ~mask) | (a << (position & 31) & mask);
}

static inline uint64_t insert_64(uint64_t a, uint64_t b, uint32_t c, uint32_t e) {
    const uint64_t mask = c > 63 ? 0 : low_mask_64(e) << (c & 63);
    return (b & ~mask) | (a << (c & 63) & mask);
}

static inline uint32_t mask_clamped(uint32_t a, uint32_t b) {
    return a > 31 ? 0 : low_mask_32(b) << (a & 31);
}

static inline uint32_t extend_s32(uint32_t a, uint32_t b) {
    return b == 0 ? 0 : b > 31 ? a : (uint32_t)((int32_t)(a << ((32 - b) & 31)) >> ((32 - b) & 31));
}

// The c-th set bit of a at or above bit b (c > 0), or at or below it (c < 0).
static inline uint32_t find_nth_set(uint32_t a, uint32_t b, int32_t c) {
    if (c == INT32_MIN) // has no magnitude; this is what the hardware makes of it
        return 0;
    if (b > 31)
        return UINT32_MAX;
    if (c == 0)
        return a >> b & 1 ? b : UINT32_MAX;
    int step = c < 0 ? -1 : 1;
    uint32_t left = c < 0 ? 0u - (uint32_t)c : (uint32_t)c;
    for (int bit = (int)b; bit >= 0 && bit < 32; bit += step) {
        if (a >> bit & 1 && --left == 0)
            return (uint32_t)bit;
    }
    return UINT32_MAX;
}

// ---- Conversions --------------------------------------------------------------------------

// Integers from numbers that are integers, infinite or NaN. Limits are the first ones out of range;
// conversions see only numbers in range, and NaN comes last, so that no jumps are needed.
static inline int32_t s32_of_f32(float x) {
    const int32_t near = x >= 0x1p31f ? INT32_MAX : x >= -0x1p31f ? (int32_t)x : INT32_MIN;
    return x == x ? near : 0;
}
static inline uint32_t u32_of_f32(float x) {
    return x >= 0x1p32f ? UINT32_MAX : x > 0 ? (uint32_t)x : 0;
}
static inline int64_t s64_of_f32(float x) {
    return x >= 0x1p63f ? INT64_MAX : x >= -0x1p63f ? (int64_t)x : INT64_MIN;
}
static inline uint64_t u64_of_f32(float x) {
    const uint64_t near = x >= 0x1p64f ? UINT64_MAX : x > 0 ? (uint64_t)x : 0;
    return x == x ? near : 1ull << 63;
}
static inline int32_t s32_of_f64(double x) {
    return x >= 0x1p31 ? INT32_MAX : x >= -0x1p31 ? (int32_t)x : INT32_MIN;
}
static inline uint32_t u32_of_f64(double x) {
    const uint32_t near = x >= 0x1p32 ? UINT32_MAX : x > 0 ? (uint32_t)x : 0;
    return x == x ? near : 1u << 31;
}
static inline int64_t s64_of_f64(double x) {
    return x >= 0x1p63 ? INT64_MAX : x >= -0x1p63 ? (int64_t)x : INT64_MIN;
}
static inline uint64_t u64_of_f64(double x) {
    const uint64_t near = x >= 0x1p64 ? UINT64_MAX : x > 0 ? (uint64_t)x : 0;
    return x == x ? near : 1ull << 63;
}

#endif
