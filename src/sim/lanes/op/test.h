// Rows of value.def that are a condition of one operand.
#ifndef BANKRUN_SIM_LANES_OP_TEST_H
#define BANKRUN_SIM_LANES_OP_TEST_H

#include "sim/lanes/op/value.h"
#include "sim/lanes/vector.h"

// `before` declares what the condition sees besides a.
#define LANES_TEST1(name, K, before, x)                                                            \
    LANES_BODY(name) {                                                                             \
        LANES_IN(K, pa, 1)                                                                         \
        _Alignas(64) int32_t set[LANES];                                                           \
        before SIM_LANES {                                                                         \
            LANES_VALUE(K, a, pa)                                                                  \
            (void)a;                                                                               \
            set[l] = (x) ? -1 : 0;                                                                 \
        }                                                                                          \
        lanes_set_predicate(warp, instr->operand[0], lanes_signs(set), full);                      \
    }                                                                                              \
    LANES_PAIR(name)

#define TEST1(name, law, K, x, ...) LANES_TEST1(name, K, , x)

#endif
