// Arithmetic with the condition code's carry bit.
#include "sim/lanes/op/value.h"
#include "sim/lanes/vector.h"

// A statement gives the result as `r`, and whether it carries (or borrows) as `carry`; `in` is 0
// or 1. `flip` is ~0u where the bit stands for its opposite.
#define CARRY_LOOP(D, flip, loop, ...)                                                             \
    LANES_OUT(D)                                                                                   \
    const uint32_t carries = imm & IR_CARRY_READ ? warp->carry ^ flip : 0;                         \
    _Alignas(64) int32_t flags[LANES];                                                             \
    loop {                                                                                         \
        const lane_##D in = carries >> l & 1;                                                      \
        __VA_ARGS__;                                                                               \
        flags[l] = carry ? -1 : 0;                                                                 \
        LANES_BLEND(D, r)                                                                          \
    }                                                                                              \
    if (imm & IR_CARRY_WRITTEN) {                                                                  \
        const uint32_t bits = lanes_signs(flags) ^ flip;                                           \
        warp->carry = full ? bits : (warp->carry & ~warp->mask) | (bits & warp->mask);             \
    }

#define CARRY2(name, law, D, flip, x, carries, ...)                                                \
    LANES_BODY(name) {                                                                             \
        LANES_IN(D, pa, 1)                                                                         \
        LANES_IN(D, pb, 2)                                                                         \
        CARRY_LOOP(D, flip, SIM_LANES, const lane_##D a = pa[l], b = pb[l], r = (x);               \
                   const bool carry = (carries))                                                   \
    }                                                                                              \
    LANES_PAIR(name)

#define CARRY_LOOP_VECTOR SIM_LANES
#define CARRY_LOOP_EACH LANES_EACH
#define CARRY3(name, law, D, A, loop, product, ...)                                                \
    LANES_BODY(name) {                                                                             \
        LANES_IN(A, pa, 1)                                                                         \
        LANES_IN(A, pb, 2)                                                                         \
        LANES_IN(D, pc, 3)                                                                         \
        CARRY_LOOP(D, 0u, CARRY_LOOP_##loop,                                                       \
                   LANES_VALUE(A, a, pa) LANES_VALUE(A, b, pb) const lane_##D p =                  \
                       (lane_##D)(product),                                                        \
                   s = p + pc[l], r = s + in;                                                      \
                   const bool carry = (s < p) | (r < s))                                           \
    }                                                                                              \
    LANES_PAIR(name)
#define TAKES_CARRY(isa)

#include "ir/value/carry.def"
