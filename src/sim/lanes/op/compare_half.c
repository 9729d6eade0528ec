// setp and set of half-precision numbers. The packed forms compare both halves: setp writes the
// low half's result to its first destination and the high half's to the second, set packs two
// results.
#include "sim/lanes/op/compare.h"
#include "sim/lanes/op/half.h"

// The rows of floating-point comparisons (ir/value/compare.def).
enum { COMPARE_EQ, COMPARE_LT, COMPARE_LE, COMPARE_NE, COMPARE_NUM, COMPARE_COUNT };

// ---- Tests of two halves, each in the upper half of a word --------------------------------

// The number as an integer of the same order; -0 is 0.
LANES_INLINE int32_t f16_number(uint32_t h, bool ftz) {
    const int32_t sign = (int32_t)h >> 31, magnitude = (int32_t)(h & 0x7fffffff);
    const int32_t number = (magnitude ^ sign) - sign;
    return ftz && magnitude < 0x04000000 ? 0 : number;
}

static inline bool f16_both_numbers(uint32_t a, uint32_t b) {
    return ((a & 0x7fffffff) <= 0x7c000000) & ((b & 0x7fffffff) <= 0x7c000000);
}

#define F16_TESTS(name, ftz)                                                                       \
    F16_TEST(name##_eq, ftz, x == y)                                                               \
    F16_TEST(name##_lt, ftz, x < y)                                                                \
    F16_TEST(name##_le, ftz, x <= y)                                                               \
    F16_TEST(name##_ne, ftz, x != y)                                                               \
    static inline bool name##_num(uint32_t a, uint32_t b) {                                        \
        return f16_both_numbers(a, b);                                                             \
    }
#define F16_TEST(name, ftz, ...)                                                                   \
    static inline bool name(uint32_t a, uint32_t b) {                                              \
        const int32_t x = f16_number(a, ftz), y = f16_number(b, ftz);                              \
        return (__VA_ARGS__)&f16_both_numbers(a, b);                                               \
    }
F16_TESTS(f16, false)
F16_TESTS(f16_ftz, true)

// These are the upper halves of floats.
#define BF16_TEST(name, ...)                                                                       \
    static inline bool bf16_##name(uint32_t a, uint32_t b) {                                       \
        const float x = f32_from(a), y = f32_from(b);                                              \
        return __VA_ARGS__;                                                                        \
    }
BF16_TEST(eq, x == y)
BF16_TEST(lt, x < y)
BF16_TEST(le, x <= y)
BF16_TEST(ne, (x < y) | (x > y))
BF16_TEST(num, (x == x) & (y == y))

// ---- Handlers -----------------------------------------------------------------------------

// Writes instr->value where a comparison of low halves holds, and above it where one of high halves
// does.
LANES_INLINE void write_both(struct sim_warp *warp, const struct sim_instr *instr, uint32_t low,
                             uint32_t high, bool full) {
    LANES_OUT(u32)
    const uint32_t yes = (uint32_t)instr->value, above = yes << 16;
    SIM_LANES {
        LANES_BLEND(u32, ((0u - (low >> l & 1)) & yes) | ((0u - (high >> l & 1)) & above))
    }
}

// Compares the low halves or the high ones.
#define COMPARE_HALF(name)                                                                         \
    LANES_INLINE uint32_t name##_half(struct sim_warp *warp, const struct sim_instr *instr,        \
                                      bool high) {                                                 \
        LANES_IN(u32, pa, 1)                                                                       \
        LANES_IN(u32, pb, 2)                                                                       \
        const int up = high ? 0 : 16;                                                              \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES {                                                                                \
            const uint32_t a = pa[l] << up & 0xffff0000, b = pb[l] << up & 0xffff0000;             \
            set[l] = name(a, b) ? LANES_HOLDS : 0;                                                 \
        }                                                                                          \
        return lanes_signs(set) ^ compare_complement(instr);                                       \
    }                                                                                              \
    LANES_INLINE uint32_t name##_bits(struct sim_warp *warp, const struct sim_instr *instr) {      \
        return name##_half(warp, instr, false);                                                    \
    }

// To compile f16's in each place would take long; beside them a call costs little.
#define CALLED(name)                                                                               \
    COMPARE_HALF(name)                                                                             \
    static __attribute__((noinline))                                                               \
    uint32_t name##_found(struct sim_warp *warp, const struct sim_instr *instr, bool high) {       \
        return name##_half(warp, instr, high);                                                     \
    }                                                                                              \
    COMPARE_HALVES(name, name##_found)

#define IN_PLACE(name)                                                                             \
    COMPARE_HALF(name)                                                                             \
    COMPARE_HALVES(name, name##_half)

// Defines `struct compare name_scalar` and `name_packed`, which writes what it finds of high halves
// to the second destination, or above what it finds of low ones.
#define COMPARE_HALVES(name, found)                                                                \
    LANES_INLINE uint32_t name##_low(struct sim_warp *warp, const struct sim_instr *instr) {       \
        return found(warp, instr, false);                                                          \
    }                                                                                              \
    COMPARE_HANDLERS(name, name##_low)                                                             \
    LANES_BODY(name##_setp_x2) {                                                                   \
        const uint32_t low = found(warp, instr, false), high = found(warp, instr, true);           \
        const uint32_t p = compare_combine(warp, instr, low).yes;                                  \
        const uint32_t q = compare_combine(warp, instr, high).yes;                                 \
        lanes_set_predicate(warp, instr->operand[0], p, full);                                     \
        lanes_set_predicate(warp, instr->pair, q, full);                                           \
    }                                                                                              \
    LANES_PAIR(name##_setp_x2)                                                                     \
    LANES_BODY(name##_set_x2) {                                                                    \
        const uint32_t low = found(warp, instr, false), high = found(warp, instr, true);           \
        write_both(warp, instr, compare_combine(warp, instr, low).yes,                             \
                   compare_combine(warp, instr, high).yes, full);                                  \
    }                                                                                              \
    LANES_PAIR(name##_set_x2)                                                                      \
    static const struct compare name##_scalar = {name##_setp, name##_both, name##_set};            \
    static const struct compare name##_packed = {name##_setp_x2, name##_setp_x2, name##_set_x2};

#define ROW(name)                                                                                  \
    { &name##_scalar, &name##_packed }

#define ALL(name, HANDLERS)                                                                        \
    HANDLERS(name##_eq)                                                                            \
    HANDLERS(name##_lt)                                                                            \
    HANDLERS(name##_le)                                                                            \
    HANDLERS(name##_ne)                                                                            \
    HANDLERS(name##_num)                                                                           \
    static const struct compare *const name##_all[COMPARE_COUNT][2] = {                            \
        [COMPARE_EQ] = ROW(name##_eq),   [COMPARE_LT] = ROW(name##_lt),                            \
        [COMPARE_LE] = ROW(name##_le),   [COMPARE_NE] = ROW(name##_ne),                            \
        [COMPARE_NUM] = ROW(name##_num),                                                           \
    };

ALL(f16, CALLED)
ALL(f16_ftz, CALLED)
ALL(bf16, IN_PLACE)

// ---- Selection ----------------------------------------------------------------------------

static unsigned index_of(enum ptx_modifier row) {
    switch (row) {
    case PTX_MOD_eq:
        return COMPARE_EQ;
    case PTX_MOD_lt:
        return COMPARE_LT;
    case PTX_MOD_le:
        return COMPARE_LE;
    case PTX_MOD_ne:
        return COMPARE_NE;
    default:
        return COMPARE_NUM;
    }
}

static const struct compare *find(const struct ir_instruction *ir, struct sim_instr *out,
                                  uint32_t type) {
    struct ir_comparison comparison;
    const bool ftz = PTX_HAS(ir->ptx, ftz);
    if (!ir_comparison_of(ir, &comparison) || (ftz && type & HALF_BF16))
        return NULL;
    out->immediate = comparison.immediate;
    if (comparison.swaps)
        compare_swap(out);
    const unsigned index = index_of(comparison.row), is_packed = (type & HALF_PACKED) != 0;
    return (type & HALF_BF16 ? bf16_all : ftz ? f16_ftz_all : f16_all)[index][is_packed];
}

// Scalars have no second destination.
LANES_SELECT(setp_half) {
    const uint32_t type = half_type_form(lanes_type(ir, 0));
    const struct compare *compare = find(ir, out, type);
    return (type & HALF_PACKED || ir->operands[0].pair == IR_NONE) &&
           compare_setp(ir, out, compare);
}

LANES_SELECT(set_half) {
    const enum ptx_type to = lanes_type(ir, 0);
    const uint32_t from = half_type_form(lanes_type(ir, 1));
    const struct compare *compare = find(ir, out, from);
    if (!(from & HALF_PACKED))
        return compare_set(ir, out, compare);
    // Each half of the result is the type's half, or 16 bits of an integer.
    out->value = to == PTX_F16X2 ? 0x3c00 : to == PTX_BF16X2 ? 0x3f80 : 0xffff;
    return compare && lanes_use(out, compare->set);
}
