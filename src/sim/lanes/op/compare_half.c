// setp and set of half-precision numbers. The packed forms compare both halves: setp writes the
// low half's result to its first destination and the high half's to the second, set packs two
// results.
#include "sim/lanes/op/compare.h"
#include "sim/lanes/op/half.h"

// The rows of floating-point comparisons (ir/value/compare.def).
enum { COMPARE_EQ, COMPARE_LT, COMPARE_LE, COMPARE_NE, COMPARE_NUM, COMPARE_COUNT };

LANES_INLINE float of_f16(uint32_t h) {
    return num_f32_of_f16((uint16_t)h);
}
LANES_INLINE float of_f16_ftz(uint32_t h) {
    return num_f32_of_f16((uint16_t)f16_flush(h));
}
LANES_INLINE float of_bf16(uint32_t h) {
    return num_f32_of_bf16((uint16_t)h);
}

#define EQ(x, y) ((x) == (y))
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define NE(x, y) ((x) < (y) || (x) > (y))
#define NUM(x, y) ((x) == (x) && (y) == (y))

#define ALL(name, of)                                                                              \
    COMPARISON(name##_eq, u16, EQ(of(a), of(b)))                                                   \
    COMPARISON(name##_lt, u16, LT(of(a), of(b)))                                                   \
    COMPARISON(name##_le, u16, LE(of(a), of(b)))                                                   \
    COMPARISON(name##_ne, u16, NE(of(a), of(b)))                                                   \
    COMPARISON(name##_num, u16, NUM(of(a), of(b)))                                                 \
    static const struct compare *const name[COMPARE_COUNT] = {                                     \
        [COMPARE_EQ] = &name##_eq, [COMPARE_LT] = &name##_lt,   [COMPARE_LE] = &name##_le,         \
        [COMPARE_NE] = &name##_ne, [COMPARE_NUM] = &name##_num,                                    \
    };

ALL(f16, of_f16)
ALL(f16_ftz, of_f16_ftz)
ALL(bf16, of_bf16)

// ---- Packed -------------------------------------------------------------------------------

#define PACKED(name, of, test)                                                                     \
    LANES_INLINE void name##_bits(struct sim_warp *warp, const struct sim_instr *instr,            \
                                  uint32_t *low, uint32_t *high) {                                 \
        LANES_IN(u32, pa, 1)                                                                       \
        LANES_IN(u32, pb, 2)                                                                       \
        _Alignas(64) int32_t first[LANES], second[LANES];                                          \
        SIM_LANES                                                                                  \
        {                                                                                          \
            const uint32_t a = pa[l], b = pb[l];                                                   \
            first[l] = test(of(HALF_LOW(a)), of(HALF_LOW(b))) ? -1 : 0;                            \
            second[l] = test(of(HALF_HIGH(a)), of(HALF_HIGH(b))) ? -1 : 0;                         \
        }                                                                                          \
        const uint32_t complement = 0u - (instr->immediate & IR_COMPARE_NOT);                      \
        *low = compare_combine(warp, instr, lanes_signs(first) ^ complement);                      \
        *high = compare_combine(warp, instr, lanes_signs(second) ^ complement);                    \
    }                                                                                              \
    LANES_BODY(name##_setp) {                                                                      \
        uint32_t low, high;                                                                        \
        name##_bits(warp, instr, &low, &high);                                                     \
        lanes_set_predicate(warp, instr->operand[0], low, full);                                   \
        lanes_set_predicate(warp, instr->pair, high, full);                                        \
    }                                                                                              \
    LANES_PAIR(name##_setp)                                                                        \
    LANES_BODY(name##_set) {                                                                       \
        LANES_OUT(u32)                                                                             \
        uint32_t low, high;                                                                        \
        name##_bits(warp, instr, &low, &high);                                                     \
        const uint32_t yes = (uint32_t)instr->value, above = yes << 16;                            \
        SIM_LANES                                                                                  \
        { LANES_BLEND(u32, ((0u - (low >> l & 1)) & yes) | ((0u - (high >> l & 1)) & above)) }     \
    }                                                                                              \
    LANES_PAIR(name##_set)                                                                         \
    static const struct compare name = {name##_setp, name##_setp, name##_set};

#define ALL_PACKED(name, of)                                                                       \
    PACKED(name##_eq, of, EQ)                                                                      \
    PACKED(name##_lt, of, LT)                                                                      \
    PACKED(name##_le, of, LE)                                                                      \
    PACKED(name##_ne, of, NE)                                                                      \
    PACKED(name##_num, of, NUM)                                                                    \
    static const struct compare *const name[COMPARE_COUNT] = {                                     \
        [COMPARE_EQ] = &name##_eq, [COMPARE_LT] = &name##_lt,   [COMPARE_LE] = &name##_le,         \
        [COMPARE_NE] = &name##_ne, [COMPARE_NUM] = &name##_num,                                    \
    };

ALL_PACKED(f16x2, of_f16)
ALL_PACKED(f16x2_ftz, of_f16_ftz)
ALL_PACKED(bf16x2, of_bf16)

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
                                  enum ptx_type type) {
    struct ir_comparison comparison;
    const bool ftz = PTX_HAS(ir->ptx, ftz);
    if (!ir_comparison_of(ir, &comparison))
        return NULL;
    out->immediate = comparison.immediate;
    if (comparison.swaps)
        compare_swap(out);
    const unsigned index = index_of(comparison.row);
    switch (type) {
    case PTX_F16:
        return (ftz ? f16_ftz : f16)[index];
    case PTX_F16X2:
        return (ftz ? f16x2_ftz : f16x2)[index];
    case PTX_BF16:
        return ftz ? NULL : bf16[index];
    case PTX_BF16X2:
        return ftz ? NULL : bf16x2[index];
    default:
        return NULL;
    }
}

// Scalars have no second destination.
LANES_SELECT(setp_half) {
    const enum ptx_type type = lanes_type(ir, 0);
    const bool packed = type == PTX_F16X2 || type == PTX_BF16X2;
    if (!packed && ir->operands[0].pair != IR_NONE)
        return false;
    return compare_setp(ir, out, find(ir, out, type));
}

LANES_SELECT(set_half) {
    const enum ptx_type type = lanes_type(ir, 0), source = lanes_type(ir, 1);
    const struct compare *compare = find(ir, out, source);
    const bool packed = source == PTX_F16X2 || source == PTX_BF16X2;
    if (!packed)
        return compare_set(ir, out, compare);
    // Each half of the result is the type's half, or 16 bits of an integer.
    out->value = type == PTX_F16X2 ? 0x3c00 : type == PTX_BF16X2 ? 0x3f80 : 0xffff;
    return compare && lanes_use(out, compare->set);
}
