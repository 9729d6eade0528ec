// Reductions of memory elements; see reduce.h.
#include "sim/number/reduce.h"

#include <stddef.h>

#include "ir/number/half.h"

// Subnormal numbers stay what they are, unlike with red.global (measured on 9.0).
static uint32_t add_f32(uint32_t a, uint32_t b) {
    const float sum = num_f32_of_bits(a) + num_f32_of_bits(b);
    return sum != sum ? 0x7fffffffu : num_bits_of_f32(sum);
}

// Of two NaN the operand's stays, with its bits.
static uint64_t add_f64(uint64_t a, uint64_t b) {
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    if (y != y)
        return b;
    if (x != x)
        return a;
    x += y;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0xfff8000000000000u : bits;
}

// A NaN loses against a number; -0 is less than +0. The bits of a half in an order of its value.
static int32_t half_order(uint16_t h) {
    return h & 0x8000 ? -(int32_t)(h & 0x7fff) - 1 : h;
}

static uint16_t pick_half(uint16_t a, uint16_t b, uint16_t infinity, bool wants_less) {
    const bool a_is_nan = (a & 0x7fff) > infinity, b_is_nan = (b & 0x7fff) > infinity;
    if (a_is_nan)
        return b_is_nan ? 0x7fff : b;
    if (b_is_nan)
        return a;
    return (half_order(a) < half_order(b)) == wants_less ? a : b;
}

#define F16_INFINITY 0x7c00
#define BF16_INFINITY 0x7f80

// X(name, operation, PTX type, memory type, new value of `old` and `b`)
#define REDUCTIONS(X)                                                                              \
    X(and_32, and, B32, uint32_t, old &b)                                                          \
    X(and_64, and, B64, uint64_t, old &b)                                                          \
    X(or_32, or, B32, uint32_t, old | b)                                                           \
    X(or_64, or, B64, uint64_t, old | b)                                                           \
    X(xor_32, xor, B32, uint32_t, old ^ b)                                                         \
    X(xor_64, xor, B64, uint64_t, old ^ b)                                                         \
    X(add_32, add, U32, uint32_t, old + b)                                                         \
    X(add_64, add, U64, uint64_t, old + b)                                                         \
    X(inc_u32, inc, U32, uint32_t, old >= b ? 0 : old + 1)                                         \
    X(dec_u32, dec, U32, uint32_t, old == 0 || old > b ? b : old - 1)                              \
    X(min_u32, min, U32, uint32_t, old < b ? old : b)                                              \
    X(max_u32, max, U32, uint32_t, old > b ? old : b)                                              \
    X(min_s32, min, S32, uint32_t, (int32_t)old < (int32_t)b ? old : b)                            \
    X(max_s32, max, S32, uint32_t, (int32_t)old > (int32_t)b ? old : b)                            \
    X(min_u64, min, U64, uint64_t, old < b ? old : b)                                              \
    X(max_u64, max, U64, uint64_t, old > b ? old : b)                                              \
    X(min_s64, min, S64, uint64_t, (int64_t)old < (int64_t)b ? old : b)                            \
    X(max_s64, max, S64, uint64_t, (int64_t)old > (int64_t)b ? old : b)                            \
    X(add_float, add, F32, uint32_t, add_f32(old, b))                                              \
    X(add_double, add, F64, uint64_t, add_f64(old, b))                                             \
    X(add_f16, add, F16, uint16_t, num_add_f16(old, b))                                            \
    X(add_bf16, add, BF16, uint16_t, num_add_bf16(old, b))                                         \
    X(min_f16, min, F16, uint16_t, pick_half(old, b, F16_INFINITY, true))                          \
    X(max_f16, max, F16, uint16_t, pick_half(old, b, F16_INFINITY, false))                         \
    X(min_bf16, min, BF16, uint16_t, pick_half(old, b, BF16_INFINITY, true))                       \
    X(max_bf16, max, BF16, uint16_t, pick_half(old, b, BF16_INFINITY, false))

#define X(name, op, ptx, type, expression)                                                         \
    static void name(void *memory, const void *operand) {                                          \
        type *p = memory;                                                                          \
        const type b = *(const type *)operand;                                                     \
        type old = __atomic_load_n(p, __ATOMIC_RELAXED), new;                                      \
        do                                                                                         \
            new = (type)(expression);                                                              \
        while (                                                                                    \
            !__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
    }
REDUCTIONS(X)
#undef X

// The type under which an operation stands that does not care for the sign.
static enum ptx_type row_type(enum ptx_modifier op, enum ptx_type type) {
    const bool is_bitwise = op == PTX_MOD_and || op == PTX_MOD_or || op == PTX_MOD_xor;
    switch (type) {
    case PTX_U32:
    case PTX_S32:
        return is_bitwise ? PTX_B32 : op == PTX_MOD_add ? PTX_U32 : type;
    case PTX_U64:
    case PTX_S64:
        return is_bitwise ? PTX_B64 : op == PTX_MOD_add ? PTX_U64 : type;
    default:
        return type;
    }
}

const struct sim_reduction *sim_reduction_find(enum ptx_modifier op, enum ptx_type type) {
    static const struct sim_reduction table[] = {
#define X(name, op, ptx, type, expression) {PTX_MOD_##op, PTX_##ptx, sizeof(type), name},
        REDUCTIONS(X)
#undef X
    };
    const enum ptx_type wanted = row_type(op, type);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].op == op && table[i].type == wanted)
            return &table[i];
    return NULL;
}
