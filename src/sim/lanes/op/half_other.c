// Signs, minimum and maximum of halves.
#include "sim/lanes/op/half.h"
#include "sim/lanes/op/value.h"

// A negative scalar has no sign in the zeros above it.
static inline const uint16_t *signs_of(const struct sim_instr *instr) {
#define SIGNS4(low, high) low, high, low, high, low, high, low, high
#define SIGNS16(low, high)                                                                         \
    SIGNS4(low, high), SIGNS4(low, high), SIGNS4(low, high), SIGNS4(low, high)
    static const _Alignas(64) uint16_t scalar[HALVES] = {SIGNS16(0x8000, 0), SIGNS16(0x8000, 0)};
    static const _Alignas(64)
        uint16_t packed[HALVES] = {SIGNS16(0x8000, 0x8000), SIGNS16(0x8000, 0x8000)};
    return instr->immediate & HALF_PACKED ? packed : scalar;
}

#define HALVES_OF(name, inputs, values, x)                                                         \
    LANES_BODY(name) {                                                                             \
        uint16_t *d = LANES_ALIGNED(uint16_t, instr->operand[0]);                                  \
        const uint16_t *on = (const uint16_t *)(const void *)warp->lanes;                          \
        const int16_t infinity = instr->immediate & HALF_BF16 ? 0x7f80 : 0x7c00;                   \
        const uint16_t *pa = half_operand(warp, instr, 1), *inputs;                                \
        HALF_EACH({                                                                                \
            const uint16_t a = pa[i], values, r = (uint16_t)(x);                                   \
            d[i] = full || on[i] ? r : d[i];                                                       \
        })                                                                                         \
    }                                                                                              \
    LANES_PAIR(name)

#define HALF1(name, law, x, ...) HALVES_OF(name, signs = signs_of(instr), sign = signs[i], x)
#define HALF2(name, law, x, ...) HALVES_OF(name, pb = half_operand(warp, instr, 2), b = pb[i], x)

#include "ir/value/half.def"
