// Numbers of 8, 6 and 4 bits: e4m3, e5m2, e3m2, e2m3, e2m1, and scales of 8 exponent bits (ue8m0).
// (PTX ISA, cvt, "Alternate floating-point data formats".)
#ifndef BANKRUN_IR_NUMBER_NARROW_H
#define BANKRUN_IR_NUMBER_NARROW_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

struct num_narrow {
    uint8_t fraction, exponent; // stored bits, behind them the sign
    uint8_t bias;
    uint8_t largest; // bits of the largest number
    uint8_t nan;     // what a NaN becomes: the canonical NaN, or the largest number
    bool has_nan;    // what is larger than `largest` is infinity or NaN
};

// `packed` is the type of a pair: PTX_E4M3X2, .. NULL: no such format.
const struct num_narrow *num_narrow_format(enum ptx_type packed);

// To nearest even; what is too large, infinity too, becomes the largest number.
uint32_t num_narrow_of_f32(const struct num_narrow *format, float x, bool relu);
// Stochastic rounding: the number next to zero, or the one behind it where the bits that are lost,
// cut to as many as there are random ones, and those carry. `magnitude` is finite and has no sign;
// the result is exponent and fraction of a format, and may be larger than what it can hold.
uint32_t num_code_random(unsigned fraction, int bias, float magnitude, uint32_t random,
                         unsigned random_bits);
// Stochastic rounding with `random_bits` of them; otherwise as num_narrow_of_f32.
uint32_t num_narrow_random(const struct num_narrow *format, float x, uint32_t random,
                           unsigned random_bits, bool relu);
// Exact; every NaN becomes the canonical one.
uint32_t num_f16_of_narrow(const struct num_narrow *format, uint32_t bits, bool relu);

// The power of two of a magnitude as the exponent's 8 bits, rounded down or up; 0xff is NaN, and
// infinity when that is not clamped.
uint32_t num_scale_of_f32(float x, bool up, bool satfinite);
uint32_t num_bf16_of_scale(uint32_t scale);

#endif
