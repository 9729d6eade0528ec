// Conversions between numbers of any two types, one at a time and with every rounding: what cvt
// does when there is no vector code for it.
#ifndef BANKRUN_IR_NUMBER_CONVERT_H
#define BANKRUN_IR_NUMBER_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum num_round {
    NUM_NEAREST, // to even
    NUM_NEAREST_AWAY,
    NUM_ZERO,
    NUM_DOWN,
    NUM_UP,
};

struct num_conversion {
    enum ptx_type from, to;
    enum num_round round;
    bool to_integer; // float to float: round to an integer
    bool ftz, sat, relu, satfinite;
    unsigned register_bytes; // of the destination: integers are extended to it
};

// `bits`: the source, of which the type's bits are read. The result has zeros above the register.
uint64_t num_convert(const struct num_conversion *conversion, uint64_t bits);

#endif
