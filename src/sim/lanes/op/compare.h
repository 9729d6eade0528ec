// Comparisons: what setp and set have in common for all types.
//
// Each comparison has three pairs of handlers: setp with one destination, setp with what else may
// be written (a second destination for the complement, a third predicate), and set. Complements
// (`ne` of `eq`) and swapped operands (`gt` of `lt`) share the handlers.
#ifndef BANKRUN_SIM_LANES_OP_COMPARE_H
#define BANKRUN_SIM_LANES_OP_COMPARE_H

#include "sim/lanes/vector.h"

struct compare {
    const sim_handler *setp, *setp_both, *set;
};

// instr->immediate
enum {
    COMPARE_NOT = 1, // complement the comparison
    COMPARE_AND = 2, // combine with the predicate operand[3]
    COMPARE_OR = 4,
    COMPARE_XOR = 6,
    COMPARE_BOOL = 6, // mask of these
};

static inline uint32_t compare_combine(const struct sim_warp *warp, const struct sim_instr *instr,
                                       uint32_t bits) {
    switch (instr->immediate & COMPARE_BOOL) {
    case COMPARE_AND:
        return bits & sim_predicate(warp, instr, 3);
    case COMPARE_OR:
        return bits | sim_predicate(warp, instr, 3);
    case COMPARE_XOR:
        return bits ^ sim_predicate(warp, instr, 3);
    default:
        return bits;
    }
}

// Defines `struct compare name`. The condition sees a and b.
#define COMPARE(name, K, ...)                                                                      \
    LANES_INLINE uint32_t name##_bits(struct sim_warp *warp, const struct sim_instr *instr) {      \
        LANES_IN(K, pa, 1)                                                                         \
        LANES_IN(K, pb, 2)                                                                         \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES                                                                                  \
        {                                                                                          \
            LANES_VALUE(K, a, pa)                                                                  \
            LANES_VALUE(K, b, pb)                                                                  \
            set[l] = (__VA_ARGS__) ? -1 : 0;                                                       \
        }                                                                                          \
        return lanes_signs(set) ^ (0u - (instr->immediate & COMPARE_NOT));                         \
    }                                                                                              \
    LANES_BODY(name##_setp) {                                                                      \
        lanes_set_predicate(warp, instr->operand[0], name##_bits(warp, instr), full);              \
    }                                                                                              \
    LANES_PAIR(name##_setp)                                                                        \
    LANES_BODY(name##_both) {                                                                      \
        const uint32_t bits = name##_bits(warp, instr);                                            \
        const uint32_t yes = compare_combine(warp, instr, bits);                                   \
        const uint32_t no = compare_combine(warp, instr, ~bits);                                   \
        lanes_set_predicate(warp, instr->operand[0], yes, full);                                   \
        lanes_set_predicate(warp, instr->pair, no, full);                                          \
    }                                                                                              \
    LANES_PAIR(name##_both)                                                                        \
    LANES_BODY(name##_set) {                                                                       \
        LANES_OUT(u32)                                                                             \
        const uint32_t bits = compare_combine(warp, instr, name##_bits(warp, instr));              \
        const uint32_t yes = (uint32_t)instr->value;                                               \
        SIM_LANES                                                                                  \
        { LANES_BLEND(u32, (0u - (bits >> l & 1)) & yes) }                                         \
    }                                                                                              \
    LANES_PAIR(name##_set)                                                                         \
    static const struct compare name = {name##_setp, name##_both, name##_set};

// Sets immediate, and swaps the sources when `swap`. False: an unknown way to combine.
static inline bool compare_prepare(const struct ir_instruction *ir, struct sim_instr *out,
                                   bool complement, bool swap) {
    out->immediate = complement ? COMPARE_NOT : 0;
    switch (lanes_modifier(ir, PTX_GROUP_bool)) {
    case PTX_MOD_NONE:
        break;
    case PTX_MOD_and:
        out->immediate |= COMPARE_AND;
        break;
    case PTX_MOD_or:
        out->immediate |= COMPARE_OR;
        break;
    case PTX_MOD_xor:
        out->immediate |= COMPARE_XOR;
        break;
    default:
        return false;
    }
    if (swap) {
        const sim_ref a = out->operand[1];
        out->operand[1] = out->operand[2];
        out->operand[2] = a;
    }
    // The third predicate is there when, and only when, it is combined with.
    return (ir->operand_count > 3) == ((out->immediate & COMPARE_BOOL) != 0);
}

static inline bool compare_setp(const struct ir_instruction *ir, struct sim_instr *out,
                                const struct compare *compare) {
    const bool plain = ir->operands[0].pair == IR_NONE && !(out->immediate & COMPARE_BOOL);
    return compare && lanes_use(out, plain ? compare->setp : compare->setp_both);
}

// What `set` writes where the comparison holds.
static inline uint32_t compare_true(enum ptx_type type) {
    switch (type) {
    case PTX_U32:
    case PTX_S32:
        return UINT32_MAX;
    case PTX_U16:
    case PTX_S16:
        return 0xffff;
    case PTX_F32:
        return 0x3f800000;
    case PTX_F16:
        return 0x3c00;
    case PTX_BF16:
        return 0x3f80;
    default:
        return 0;
    }
}

static inline bool compare_set(const struct ir_instruction *ir, struct sim_instr *out,
                               const struct compare *compare) {
    out->value = compare_true(lanes_type(ir, 0));
    return compare && out->value && lanes_use(out, compare->set);
}

// Where a comparison is found: one of a type's handlers, its complement, its operands swapped.
struct compare_way {
    uint8_t index;
    bool complement, swap;
};

// Floating point: the first six are false when an operand is NaN, the next six true.
enum { COMPARE_EQ, COMPARE_LT, COMPARE_LE, COMPARE_NE, COMPARE_NUM, COMPARE_COUNT };

static inline bool compare_float_way(enum ptx_modifier cmp, struct compare_way *way) {
    static const struct {
        enum ptx_modifier cmp;
        struct compare_way way;
    } ways[] = {
        {PTX_MOD_eq, {COMPARE_EQ, false, false}},   {PTX_MOD_ne, {COMPARE_NE, false, false}},
        {PTX_MOD_lt, {COMPARE_LT, false, false}},   {PTX_MOD_le, {COMPARE_LE, false, false}},
        {PTX_MOD_gt, {COMPARE_LT, false, true}},    {PTX_MOD_ge, {COMPARE_LE, false, true}},
        {PTX_MOD_equ, {COMPARE_NE, true, false}},   {PTX_MOD_neu, {COMPARE_EQ, true, false}},
        {PTX_MOD_ltu, {COMPARE_LE, true, true}},    {PTX_MOD_leu, {COMPARE_LT, true, true}},
        {PTX_MOD_gtu, {COMPARE_LE, true, false}},   {PTX_MOD_geu, {COMPARE_LT, true, false}},
        {PTX_MOD_num, {COMPARE_NUM, false, false}}, {PTX_MOD_nan, {COMPARE_NUM, true, false}},
    };
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].cmp == cmp) {
            *way = ways[i].way;
            return true;
        }
    }
    return false;
}

#endif
