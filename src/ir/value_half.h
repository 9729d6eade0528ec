// What the rows of halves call. Without branches and in 16 bits, so that loops over the halves of a
// register become vector code.
#ifndef BANKRUN_IR_VALUE_HALF_H
#define BANKRUN_IR_VALUE_HALF_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/number/half.h"
#include "ir/value_float.h"

#define HALF_NAN 0x7fffu

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

static inline uint16_t f16_flush(uint16_t h) {
    return h & 0x7c00 ? h : h & 0x8000;
}

static inline uint16_t half_canonical(uint32_t h, int16_t infinity) {
    return (int16_t)(h & 0x7fff) > infinity ? HALF_NAN : (uint16_t)h;
}

// Orders halves as numbers, -0 before +0; the key of a key is the half.
static inline int16_t half_key(int16_t h) {
    return h ^ ((h >> 15) & 0x7fff);
}

// One NaN gives the other operand, or the canonical NaN.
VALUE_INLINE uint16_t half_pick(uint16_t p, uint16_t q, int16_t infinity, bool max, int form) {
    const uint16_t sign = form & PICK_XOR ? 0x8000 : 0;
    const int16_t x = (int16_t)(p & ~sign), y = (int16_t)(q & ~sign);
    const bool x_nan = (int16_t)(x & 0x7fff) > infinity;
    const bool y_nan = (int16_t)(y & 0x7fff) > infinity;
    const int16_t first = half_key(form & PICK_NAN || !x_nan ? x : y);
    const int16_t second = half_key(form & PICK_NAN || !y_nan ? y : x);
    const int16_t less = first < second ? first : second;
    const int16_t more = first < second ? second : first;
    const uint16_t number = (uint16_t)half_key(max ? more : less);
    const bool is_nan = form & PICK_NAN ? x_nan | y_nan : x_nan & y_nan;
    return is_nan ? HALF_NAN : number | ((uint32_t)(p ^ q) & sign);
}

#endif
