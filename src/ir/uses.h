// Inside the IR: who sets and reads each register of a function.
#ifndef BANKRUN_IR_USES_H
#define BANKRUN_IR_USES_H

#include "base/vec.h"
#include "ir/ir.h"

struct ir_mention {             // of a register by an instruction
    uint32_t instruction, next; // next: another one of the same register, before it, or IR_NONE
};

struct ir_uses {
    const struct ir_function *function;
    uint32_t *last_setting, *last_reading; // of each register, in `mentions`, or IR_NONE
    VEC(struct ir_mention) mentions;
};

struct ir_uses *ir_uses_create(const struct ir_function *function);
void ir_uses_free(struct ir_uses *uses); // NULL is allowed

// The only instruction that sets the register. NULL: there are none or several.
const struct ir_instruction *ir_only_setter(const struct ir_uses *uses, uint32_t reg);
bool ir_is_read(const struct ir_uses *uses, uint32_t reg);
// constant.c: a number, or a register that is set once and unconditionally to what follows from
// numbers alone.
bool ir_is_constant(const struct ir_uses *uses, const struct ir_operand *operand, uint64_t *value);

// uniform.c: do all lanes of a warp have the same there, whatever they do? For an address: the same
// address.
bool ir_is_uniform(const struct ir_uses *uses, const struct ir_operand *operand);

#endif
