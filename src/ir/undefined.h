// Which bits of a result follow from bits that nothing has defined: the shadows of operands, where
// a bit is set that could as well be the other one, become the shadow of the result.
//
// No bit that could change is left out (but a row of law OPAQUE computes no more than its
// operands), and none too many is in it where the law is COPY, BITWISE, ROUTE, ROUTE_PAIR, CHOICE,
// or a shift by what is defined.
#ifndef BANKRUN_IR_UNDEFINED_H
#define BANKRUN_IR_UNDEFINED_H

#include "ir/value.h"

struct ir_shadow {
    uint64_t in[IR_VALUE_PARTS]; // of the sources in the order of ir_lane; predicates: bit 0
    uint64_t out[IR_VALUE_PARTS];
    bool second; // of a second destination
};

// `lane`: the sources; what it holds otherwise is overwritten. `meaning`: the instruction's;
// without a row it depends on all `sources` of them.
void ir_undefined(const struct ir_function *function, const struct ir_instruction *instruction,
                  const struct ir_meaning *meaning, unsigned sources, const struct ir_lane *lane,
                  struct ir_shadow *shadow);

#endif
