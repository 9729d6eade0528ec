// Inside the IR: stretches of code that the code generator looks at as one: blocks that follow
// each other with no other way in or out, up to an instruction that becomes branches or a call.
// Which those are was read off the machine code that ptxas 13.0 makes for 9.0.
#ifndef BANKRUN_IR_STRETCH_H
#define BANKRUN_IR_STRETCH_H

#include "ir/ir.h"
#include "ir/uses.h"

struct ir_stretches {
    uint32_t *order;   // all instructions, those of a stretch one behind the other
    uint32_t *place;   // of each instruction in `order`
    uint32_t *stretch; // that each instruction is in
};

struct ir_stretches *ir_stretches_create(const struct ir_function *function);
void ir_stretches_free(struct ir_stretches *stretches); // NULL is allowed

// Are both in one stretch, and `second` later?
bool ir_is_behind(const struct ir_stretches *stretches, uint32_t first, uint32_t second);
// Does an instruction set the register behind `first` and before `second`, which are in one
// stretch?
bool ir_is_set_between(const struct ir_stretches *stretches, const struct ir_uses *uses,
                       uint32_t reg, uint32_t first, uint32_t second);

#endif
