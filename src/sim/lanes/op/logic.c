// Bitwise logic on registers and on predicates, and lop3.
#include "sim/lanes/op/value.h"
#include "sim/lanes/vector.h"

// Predicates: all lanes are one word.
#define PREDICATE1(name, law, x, ...)                                                              \
    LANES_BODY(name) {                                                                             \
        const uint32_t a = sim_predicate(warp, instr, 1);                                          \
        lanes_set_predicate(warp, instr->operand[0], x, full);                                     \
    }                                                                                              \
    LANES_PAIR(name)

#define PREDICATE2(name, law, x, ...)                                                              \
    LANES_BODY(name) {                                                                             \
        const uint32_t a = sim_predicate(warp, instr, 1), b = sim_predicate(warp, instr, 2);       \
        lanes_set_predicate(warp, instr->operand[0], x, full);                                     \
    }                                                                                              \
    LANES_PAIR(name)

// The table is unpacked once for all lanes.
#define LOOKUP3(name, law, D, A, B, C, x, ...)                                                     \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D)                                                                               \
        LANES_IN(A, pa, 1)                                                                         \
        LANES_IN(B, pb, 2)                                                                         \
        LANES_IN(C, pc, 3)                                                                         \
        const struct lop3_table table = lop3_unpack(imm);                                          \
        SIM_LANES {                                                                                \
            LANES_VALUE(A, a, pa)                                                                  \
            LANES_VALUE(B, b, pb)                                                                  \
            LANES_VALUE(C, c, pc)                                                                  \
            LANES_BLEND(D, (x))                                                                    \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

// lop3 with a predicate: p = (d != 0) op q.
#define TESTED3(name, law, D, A, B, C, x, ...)                                                     \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D)                                                                               \
        LANES_IN(A, pa, 1)                                                                         \
        LANES_IN(B, pb, 2)                                                                         \
        LANES_IN(C, pc, 3)                                                                         \
        const uint32_t q = sim_predicate(warp, instr, 5);                                          \
        const struct lop3_table table = lop3_unpack(imm);                                          \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES {                                                                                \
            LANES_VALUE(A, a, pa)                                                                  \
            LANES_VALUE(B, b, pb)                                                                  \
            LANES_VALUE(C, c, pc)                                                                  \
            const lane_##D r = (x);                                                                \
            set[l] = r != 0 ? -1 : 0;                                                              \
            LANES_BLEND(D, r)                                                                      \
        }                                                                                          \
        const uint32_t bits = lanes_signs(set);                                                    \
        lanes_set_predicate(warp, instr->pair, imm &IR_LOP3_AND ? bits &q : bits | q, full);       \
    }                                                                                              \
    LANES_PAIR(name)

#include "ir/value/logic.def"
