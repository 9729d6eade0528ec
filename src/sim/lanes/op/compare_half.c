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

LANES_INLINE uint32_t combined(struct sim_warp *warp, const struct sim_instr *instr,
                               const int32_t *set) {
    const uint32_t complement = 0u - (instr->immediate & IR_COMPARE_NOT);
    return compare_combine(warp, instr, lanes_signs(set) ^ complement);
}

// Writes instr->value where a comparison holds, and above it again for the high halves.
LANES_INLINE const struct sim_instr *write_low(struct sim_warp *warp, const struct sim_instr *instr,
                                               uint32_t low) {
    LANES_OUT(u32)
    const uint32_t yes = (uint32_t)instr->value;
    SIM_LANES {
        const uint32_t r = (0u - (low >> l & 1)) & yes;
        d[l] = on[l] ? r : d[l];
    }
    return instr + 1;
}

static const struct sim_instr *write_both(struct sim_warp *warp, const struct sim_instr *instr,
                                          uint32_t low, uint32_t high) {
    LANES_OUT(u32)
    const uint32_t yes = (uint32_t)instr->value, above = yes << 16;
    SIM_LANES {
        const uint32_t r = ((0u - (low >> l & 1)) & yes) | ((0u - (high >> l & 1)) & above);
        d[l] = on[l] ? r : d[l];
    }
    return instr + 1;
}

// Defines `struct compare name` for scalars and name_x2 for packed halves.
#define COMPARE_HALVES(name)                                                                       \
    LANES_INLINE void name##_bits(struct sim_warp *warp, const struct sim_instr *instr,            \
                                  uint32_t *low, uint32_t *high) {                                 \
        LANES_IN(u32, pa, 1)                                                                       \
        LANES_IN(u32, pb, 2)                                                                       \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES                                                                                  \
            set[l] = name(pa[l] << 16, pb[l] << 16) ? -1 : 0;                                      \
        *low = combined(warp, instr, set);                                                         \
        if (!high)                                                                                 \
            return;                                                                                \
        SIM_LANES                                                                                  \
            set[l] = name(pa[l] & 0xffff0000, pb[l] & 0xffff0000) ? -1 : 0;                        \
        *high = combined(warp, instr, set);                                                        \
    }                                                                                              \
    static const struct sim_instr *name##_setp_run(struct sim_warp *warp,                          \
                                                   const struct sim_instr *instr) {                \
        uint32_t yes;                                                                              \
        name##_bits(warp, instr, &yes, NULL);                                                      \
        sim_set_predicate(warp, instr->operand[0], yes);                                           \
        return instr + 1;                                                                          \
    }                                                                                              \
    static const struct sim_instr *name##_setp_x2_run(struct sim_warp *warp,                       \
                                                      const struct sim_instr *instr) {             \
        uint32_t low, high;                                                                        \
        name##_bits(warp, instr, &low, &high);                                                     \
        sim_set_predicate(warp, instr->operand[0], low);                                           \
        sim_set_predicate(warp, instr->pair, high);                                                \
        return instr + 1;                                                                          \
    }                                                                                              \
    static const struct sim_instr *name##_set_run(struct sim_warp *warp,                           \
                                                  const struct sim_instr *instr) {                 \
        uint32_t low, high;                                                                        \
        if (!(instr->immediate & HALF_PACKED)) {                                                   \
            name##_bits(warp, instr, &low, NULL);                                                  \
            return write_low(warp, instr, low);                                                    \
        }                                                                                          \
        name##_bits(warp, instr, &low, &high);                                                     \
        return write_both(warp, instr, low, high);                                                 \
    }                                                                                              \
    static const sim_handler name##_setp[2] = {name##_setp_run, name##_setp_run};                  \
    static const sim_handler name##_setp_x2[2] = {name##_setp_x2_run, name##_setp_x2_run};         \
    static const sim_handler name##_set[2] = {name##_set_run, name##_set_run};                     \
    static const struct compare name##_handlers = {name##_setp, name##_setp_x2, name##_set};

#define ALL(name)                                                                                  \
    COMPARE_HALVES(name##_eq)                                                                      \
    COMPARE_HALVES(name##_lt)                                                                      \
    COMPARE_HALVES(name##_le)                                                                      \
    COMPARE_HALVES(name##_ne)                                                                      \
    COMPARE_HALVES(name##_num)                                                                     \
    static const struct compare *const name##_all[COMPARE_COUNT] = {                               \
        [COMPARE_EQ] = &name##_eq_handlers,   [COMPARE_LT] = &name##_lt_handlers,                  \
        [COMPARE_LE] = &name##_le_handlers,   [COMPARE_NE] = &name##_ne_handlers,                  \
        [COMPARE_NUM] = &name##_num_handlers,                                                      \
    };

ALL(f16)
ALL(f16_ftz)
ALL(bf16)

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
    out->immediate = comparison.immediate | type;
    if (comparison.swaps)
        compare_swap(out);
    const unsigned index = index_of(comparison.row);
    return (type & HALF_BF16 ? bf16_all : ftz ? f16_ftz_all : f16_all)[index];
}

// Scalars have no second destination.
LANES_SELECT(setp_half) {
    const uint32_t type = half_type_form(lanes_type(ir, 0));
    const struct compare *compare = find(ir, out, type);
    if (type & HALF_PACKED)
        return compare && lanes_use(out, compare->setp_both);
    return compare && ir->operands[0].pair == IR_NONE && lanes_use(out, compare->setp);
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
