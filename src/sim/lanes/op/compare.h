// Comparisons: what setp and set have in common for all types.
//
// Each comparison has three pairs of handlers: setp with one destination, setp with what else may
// be written (a second destination for the complement, a third predicate), and set. Complements
// (`ne` of `eq`) and swapped operands (`gt` of `lt`) share the handlers.
#ifndef BANKRUN_SIM_LANES_OP_COMPARE_H
#define BANKRUN_SIM_LANES_OP_COMPARE_H

#include "ir/value.h"
#include "sim/lanes/vector.h"

struct compare {
    const sim_handler *setp, *setp_both, *set;
};

static inline uint32_t compare_combine(const struct sim_warp *warp, const struct sim_instr *instr,
                                       uint32_t bits) {
    if (__builtin_expect(!(instr->immediate & IR_COMPARE_BOOL), 1))
        return bits;
    switch (instr->immediate & IR_COMPARE_BOOL) {
    case IR_COMPARE_AND:
        return bits & sim_predicate(warp, instr, 3);
    case IR_COMPARE_OR:
        return bits | sim_predicate(warp, instr, 3);
    case IR_COMPARE_XOR:
        return bits ^ sim_predicate(warp, instr, 3);
    default:
        return bits;
    }
}

// Defines the three pairs. The condition sees a and b.
#define COMPARE_PAIRS(name, K, ...)                                                                \
    LANES_INLINE uint32_t name##_bits(struct sim_warp *warp, const struct sim_instr *instr) {      \
        LANES_IN(K, pa, 1)                                                                         \
        LANES_IN(K, pb, 2)                                                                         \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES {                                                                                \
            LANES_VALUE(K, a, pa)                                                                  \
            LANES_VALUE(K, b, pb)                                                                  \
            set[l] = (__VA_ARGS__) ? -1 : 0;                                                       \
        }                                                                                          \
        return lanes_signs(set) ^ (0u - (instr->immediate & IR_COMPARE_NOT));                      \
    }                                                                                              \
    LANES_BODY(name##_setp) {                                                                      \
        lanes_set_predicate(warp, instr->operand[0], name##_bits(warp, instr), full);              \
    }                                                                                              \
    LANES_PAIR(name##_setp)                                                                        \
    static __attribute__((noinline))                                                               \
    uint32_t name##_found(struct sim_warp *warp, const struct sim_instr *instr) {                  \
        return name##_bits(warp, instr);                                                           \
    }                                                                                              \
    LANES_BODY(name##_both) {                                                                      \
        const uint32_t bits = name##_found(warp, instr);                                           \
        const uint32_t yes = compare_combine(warp, instr, bits);                                   \
        const uint32_t no = compare_combine(warp, instr, ~bits);                                   \
        lanes_set_predicate(warp, instr->operand[0], yes, full);                                   \
        lanes_set_predicate(warp, instr->pair, no, full);                                          \
    }                                                                                              \
    LANES_PAIR(name##_both)                                                                        \
    LANES_BODY(name##_set) {                                                                       \
        LANES_OUT(u32)                                                                             \
        const uint32_t bits = compare_combine(warp, instr, name##_found(warp, instr));             \
        const uint32_t yes = (uint32_t)instr->value;                                               \
        SIM_LANES {                                                                                \
            LANES_BLEND(u32, (0u - (bits >> l & 1)) & yes)                                         \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name##_set)

// Defines `struct compare name`.
#define COMPARISON(name, K, ...)                                                                   \
    COMPARE_PAIRS(name, K, __VA_ARGS__)                                                            \
    static const struct compare name = {name##_setp, name##_both, name##_set};

static inline void compare_swap(struct sim_instr *out) {
    const sim_ref a = out->operand[1];
    out->operand[1] = out->operand[2];
    out->operand[2] = a;
}

static inline bool compare_setp(const struct ir_instruction *ir, struct sim_instr *out,
                                const struct compare *compare) {
    const bool plain = ir->operands[0].pair == IR_NONE && !(out->immediate & IR_COMPARE_BOOL);
    return compare && lanes_use(out, plain ? compare->setp : compare->setp_both);
}

static inline bool compare_set(const struct ir_instruction *ir, struct sim_instr *out,
                               const struct compare *compare) {
    out->value = ir_true_of(lanes_type(ir, 0));
    return compare && out->value && lanes_use(out, compare->set);
}

#endif
