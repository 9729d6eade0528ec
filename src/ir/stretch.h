// Inside the IR: stretches of code that the code generator looks at as one: blocks that follow
// each other with no other way in or out, up to an instruction that becomes branches or a call.
// Which those are was read off the machine code that ptxas 13.0 makes for 9.0.
#ifndef BANKRUN_IR_STRETCH_H
#define BANKRUN_IR_STRETCH_H

#include "base/vec.h"
#include "ir/ir.h"

struct ir_setting {
    uint32_t instruction, next; // next: of the same register, or IR_NONE
};

struct ir_stretches {
    uint32_t *order;         // all instructions, those of a stretch one behind the other
    uint32_t *place;         // of each instruction in `order`
    uint32_t *stretch;       // that each instruction is in
    uint32_t *first_setting; // of each register, or IR_NONE
    VEC(struct ir_setting) settings;
};

struct ir_stretches *ir_stretches_create(const struct ir_function *function);
void ir_stretches_free(struct ir_stretches *stretches); // NULL is allowed

// Are both in one stretch, and `second` later?
bool ir_is_behind(const struct ir_stretches *stretches, uint32_t first, uint32_t second);
// How many instructions set the register: 0, 1, or 2 for more.
uint32_t ir_settings(const struct ir_stretches *stretches, uint32_t reg);
// That one; NULL: there are none or several.
const struct ir_instruction *ir_only_setter(const struct ir_stretches *stretches,
                                            const struct ir_function *function, uint32_t reg);
// Does one set it behind `first` and before `second`, which are in one stretch?
bool ir_is_set_between(const struct ir_stretches *stretches, uint32_t reg, uint32_t first,
                       uint32_t second);

#endif
