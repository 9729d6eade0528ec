// What lane code for half precision shares. Halves are computed with as 16 bits in a uint32_t.
#ifndef BANKRUN_SIM_LANES_OP_HALF_H
#define BANKRUN_SIM_LANES_OP_HALF_H

#include "sim/lanes/op/float.h"
#include "sim/number/half.h"

#define HALF_NAN 0x7fffu

static inline uint32_t f16_flush(uint32_t h) {
    return h & 0x7c00 ? h : h & 0x8000;
}

static inline bool f16_is_nan(uint32_t h) {
    return (h & 0x7fff) > 0x7c00;
}

static inline bool bf16_is_nan(uint32_t h) {
    return (h & 0x7fff) > 0x7f80;
}

// Both halves of packed operands.
#define HALF_LOW(x) ((x)&0xffff)
#define HALF_HIGH(x) ((x) >> 16)
#define HALF_PACK(low, high) ((uint32_t)(low) | (uint32_t)(high) << 16)

// A pair of handlers for halves and one for packed halves, from a function of halves.
#define HALF_LANES1(name, operation)                                                               \
    LANES1(name, u16, u16, operation(a))                                                           \
    LANES1(name##_x2, u32, u32, HALF_PACK(operation(HALF_LOW(a)), operation(HALF_HIGH(a))))

#define HALF_LANES2(name, operation)                                                               \
    LANES2(name, u16, u16, u16, operation(a, b))                                                   \
    LANES2(name##_x2, u32, u32, u32,                                                               \
           HALF_PACK(operation(HALF_LOW(a), HALF_LOW(b)), operation(HALF_HIGH(a), HALF_HIGH(b))))

#define HALF_LANES3(name, operation)                                                               \
    LANES3(name, u16, u16, u16, u16, operation(a, b, c))                                           \
    LANES3(name##_x2, u32, u32, u32, u32,                                                          \
           HALF_PACK(operation(HALF_LOW(a), HALF_LOW(b), HALF_LOW(c)),                             \
                     operation(HALF_HIGH(a), HALF_HIGH(b), HALF_HIGH(c))))

#endif
