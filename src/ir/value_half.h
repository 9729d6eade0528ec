// What the rows of halves call. Without branches and in 16 bits, so that loops over the halves of a
// register become vector code.
#ifndef BANKRUN_IR_VALUE_HALF_H
#define BANKRUN_IR_VALUE_HALF_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/number/half.h"

// The number of an f16 as an integer of the same order; -0 is 0.
static inline int16_t f16_order(uint32_t h) {
    const int16_t sign = (int16_t)((int16_t)h >> 15), magnitude = (int16_t)(h & 0x7fff);
    return (int16_t)((magnitude ^ sign) - sign);
}

// Subnormal numbers are 0, too.
static inline int16_t f16_order_ftz(uint32_t h) {
    return h & 0x7c00 ? f16_order(h) : 0;
}

static inline bool f16_are_numbers(uint32_t a, uint32_t b) {
    const int16_t x = (int16_t)(a & 0x7fff), y = (int16_t)(b & 0x7fff);
    return (x > y ? x : y) <= 0x7c00;
}

#endif
