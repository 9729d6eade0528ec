// Expands rows of value.def to lane code: a pair of handlers sim_value_<row> for each.
#ifndef BANKRUN_SIM_LANES_OP_VALUE_H
#define BANKRUN_SIM_LANES_OP_VALUE_H

#include "ir/address.h"
#include "ir/value.h"
#include "ir/value_math.h"
#include "sim/lanes/lanes.h"
#include "sim/lanes/op/use_value.h"

#define LANES_VALUE_NAME(name) SIM_NAME(sim_value_##name)

#undef LANES_PAIR
#define LANES_PAIR(name)                                                                           \
    LANES_HANDLERS(name)                                                                           \
    extern const sim_handler LANES_VALUE_NAME(name)[2];                                            \
    const sim_handler LANES_VALUE_NAME(name)[2] = {name##_some, name##_all};

#undef LANES_SINGLE
#define LANES_SINGLE(name)                                                                         \
    extern const sim_handler LANES_VALUE_NAME(name)[2];                                            \
    const sim_handler LANES_VALUE_NAME(name)[2] = {name##_run, name##_run};

#define FORM(isa)
#define SAME(isa, as)
#define VALUE1(name, law, D, A, x, ...) LANES1(name, D, A, x)
#define VALUE2(name, law, D, A, B, x, ...) LANES2(name, D, A, B, x)
#define VALUE3(name, law, D, A, B, C, x, ...) LANES3(name, D, A, B, C, x)
#define VALUE4(name, law, D, A, B, C, E, x, ...) LANES4(name, D, A, B, C, E, x)
#define LOOP1(name, law, D, A, x, ...) EACH1(name, D, A, x)
#define LOOP2(name, law, D, A, B, x, ...) EACH2(name, D, A, B, x)
#define LOOP3(name, law, D, A, B, C, x, ...) EACH3(name, D, A, B, C, x)

#define LONG3(name, law, D, A, B, C, x, ...)                                                       \
    LANES_ONCE(name, D, LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) LANES_IN(C, pc, 3),                  \
               LANES_VALUE(A, a, pa) LANES_VALUE(B, b, pb) LANES_VALUE(C, c, pc), x)

// What the modifiers ask for is looked at in each lane, so a loop.
#define FORMED1(name, law, D, A, x, ...)                                                           \
    LANES_BODY(name) {                                                                             \
        const struct ir_form *form = instr->extra;                                                 \
        LANES_OUT(D) LANES_IN(A, pa, 1) LANES_EACH if (full || on[l]) {                            \
            LANES_VALUE(A, a, pa) d[l] = (lane_##D)(store_##D)(x);                                 \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define FORMED2(name, law, D, A, B, x, ...)                                                        \
    LANES_BODY(name) {                                                                             \
        const struct ir_form *form = instr->extra;                                                 \
        LANES_OUT(D) LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) LANES_EACH if (full || on[l]) {         \
            LANES_VALUE(A, a, pa) LANES_VALUE(B, b, pb) d[l] = (lane_##D)(store_##D)(x);           \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define FORMED3(name, law, D, A, B, C, x, ...)                                                     \
    LANES_BODY(name) {                                                                             \
        const struct ir_form *form = instr->extra;                                                 \
        LANES_OUT(D)                                                                               \
        LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) LANES_IN(C, pc, 3) LANES_EACH if (full || on[l]) {   \
            LANES_VALUE(A, a, pa)                                                                  \
            LANES_VALUE(B, b, pb) LANES_VALUE(C, c, pc) d[l] = (lane_##D)(store_##D)(x);           \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define FOUR2(name, law, D, A, B, x, ...)                                                          \
    LANES_BODY(name) {                                                                             \
        const struct lanes_formed *formed = instr->extra;                                          \
        const struct ir_form *form = &formed->form;                                                \
        LANES_OUT(D) LANES_IN(B, pb, 2) const lane_##A *part[4];                                   \
        for (int i = 0; i < 4; i++)                                                                \
            part[i] = LANES_ALIGNED(const lane_##A, formed->four[i]);                              \
        LANES_EACH if (full || on[l]) {                                                            \
            const value_##A a[4] = {part[0][l], part[1][l], part[2][l], part[3][l]};               \
            LANES_VALUE(B, b, pb) d[l] = (lane_##D)(store_##D)(x);                                 \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#endif
