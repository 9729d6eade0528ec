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
    const sim_handler *packed_setp, *packed_set; // of both halves; NULL where there are none
};

struct compare_bits {
    uint32_t yes, no; // lanes where the comparison holds, and its complement
};

// Combined with a third predicate c: where c decides, both are what it says, elsewhere one is the
// other's complement. All three ways are computed as one, since a jump costs more.
LANES_INLINE struct compare_bits compare_combine(const struct sim_warp *warp,
                                                 const struct sim_instr *instr, uint32_t bits) {
    const uint32_t way = instr->immediate & IR_COMPARE_BOOL;
    if (__builtin_expect(!way, 1))
        return (struct compare_bits){bits, ~bits};
    const uint32_t c = sim_predicate(warp, instr, 3);
    const uint32_t open = way == IR_COMPARE_AND ? c : way == IR_COMPARE_OR ? ~c : UINT32_MAX;
    const uint32_t yes = (bits & open) ^ (way == IR_COMPARE_AND ? 0 : c);
    return (struct compare_bits){yes, yes ^ open};
}

LANES_INLINE uint32_t compare_complement(const struct sim_instr *instr) {
    return 0u - (instr->immediate & IR_COMPARE_NOT);
}

LANES_INLINE void compare_write_both(struct sim_warp *warp, const struct sim_instr *instr,
                                     uint32_t bits, const bool full) {
    const struct compare_bits r = compare_combine(warp, instr, bits);
    lanes_set_predicate(warp, instr->operand[0], r.yes, full);
    lanes_set_predicate(warp, instr->pair, r.no, full);
}

LANES_INLINE void compare_write_set(struct sim_warp *warp, const struct sim_instr *instr,
                                    uint32_t bits, const bool full) {
    bits = compare_combine(warp, instr, bits).yes;
    LANES_OUT(u32)
    const uint32_t yes = (uint32_t)instr->value;
    SIM_LANES {
        LANES_BLEND(u32, (0u - (bits >> l & 1)) & yes)
    }
}

// Defines the three pairs by name_bits(warp, instr): the lanes where the comparison holds. The
// pairs other than setp's call `found`, which may be the same, and <write>_both and <write>_set,
// which may be those above.
#define COMPARE_HANDLERS(name, found, write)                                                       \
    LANES_BODY(name##_setp) {                                                                      \
        lanes_set_predicate(warp, instr->operand[0], name##_bits(warp, instr), full);              \
    }                                                                                              \
    LANES_PAIR(name##_setp)                                                                        \
    LANES_BODY(name##_both) {                                                                      \
        write##_both(warp, instr, found(warp, instr), full);                                       \
    }                                                                                              \
    LANES_PAIR(name##_both)                                                                        \
    LANES_BODY(name##_set) {                                                                       \
        write##_set(warp, instr, found(warp, instr), full);                                        \
    }                                                                                              \
    LANES_PAIR(name##_set)

static inline void compare_swap(struct sim_instr *out) {
    const sim_ref a = out->operand[1];
    out->operand[1] = out->operand[2];
    out->operand[2] = a;
}

static inline bool compare_setp(const struct ir_instruction *ir, struct sim_instr *out,
                                const struct compare *compare) {
    const bool plain = ir->operands[0].pair == IR_NONE && !(out->immediate & IR_COMPARE_BOOL);
    if (out->immediate & IR_COMPARE_PACKED)
        return lanes_use(out, compare->packed_setp);
    return lanes_use(out, plain ? compare->setp : compare->setp_both);
}

static inline bool compare_set(const struct ir_instruction *ir, struct sim_instr *out,
                               const struct compare *compare) {
    const bool is_packed = out->immediate & IR_COMPARE_PACKED;
    out->value = ir_true_of(ir->ptx);
    return out->value && lanes_use(out, is_packed ? compare->packed_set : compare->set);
}

#endif
