// setp and set of integers and of single- and double-precision numbers.
#include "sim/lanes/op/compare.h"
#include "sim/lanes/op/value.h"

#define COMPARE(name, law, K, x, ...)                                                              \
    LANES_INLINE uint32_t name##_bits(struct sim_warp *warp, const struct sim_instr *instr) {      \
        LANES_IN(K, pa, 1)                                                                         \
        LANES_IN(K, pb, 2)                                                                         \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES {                                                                                \
            LANES_VALUE(K, a, pa)                                                                  \
            LANES_VALUE(K, b, pb)                                                                  \
            set[l] = (x) ? LANES_HOLDS : 0;                                                        \
        }                                                                                          \
        return lanes_signs(set) ^ compare_complement(instr);                                       \
    }                                                                                              \
    COMPARE_HANDLERS(name, name##_bits, compare_write)
#define WAY(class, cmp, row, complements, swaps)

#include "ir/value/compare.def"
