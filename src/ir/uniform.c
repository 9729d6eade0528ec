// Values that all lanes of a warp have in common, as the code generator can know.
#include <stdlib.h>
#include <string.h>

#include "ir/build.h"

enum { PATIENCE = 48 }; // registers to look at for one answer

struct ir_uses {
    const struct ir_function *function;
    const struct ir_instruction **setter; // of each register the last; NULL: none
    bool *is_set_again, *is_read;
    const struct ir_instruction *current;
};

static void note_use(void *context, uint32_t reg, bool is_written) {
    struct ir_uses *uses = context;
    if (!is_written) {
        uses->is_read[reg] = true;
        return;
    }
    uses->is_set_again[reg] = uses->setter[reg] != NULL;
    uses->setter[reg] = uses->current;
}

struct ir_uses *ir_uses_create(const struct ir_function *function) {
    const size_t count = (size_t)function->register_count + 1;
    struct ir_uses *uses = base_alloc(sizeof *uses);
    uses->function = function;
    uses->setter = base_alloc(count * sizeof(const struct ir_instruction *));
    uses->is_set_again = base_alloc(count);
    uses->is_read = base_alloc(count);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        uses->current = &function->instructions[i];
        ir_visit_registers(uses->current, note_use, uses);
    }
    return uses;
}

void ir_uses_free(struct ir_uses *uses) {
    if (!uses)
        return;
    free(uses->setter);
    free(uses->is_set_again);
    free(uses->is_read);
    free(uses);
}

// The only instruction that sets the register. NULL: there are none or several.
static const struct ir_instruction *definition_of(const struct ir_uses *uses, uint32_t reg) {
    return uses->is_set_again[reg] ? NULL : uses->setter[reg];
}

bool ir_is_constant(const struct ir_uses *uses, const struct ir_operand *operand, uint64_t *value) {
    const struct ir_instruction *set =
        operand->kind == IR_OPERAND_REGISTER ? definition_of(uses, operand->reg) : NULL;
    if (set && set->guard == IR_NONE && ir_instruction_is(set, "mov"))
        operand = &set->operands[1];
    *value = operand->value;
    return operand->kind == IR_OPERAND_IMMEDIATE;
}

bool ir_is_read(const struct ir_uses *uses, uint32_t reg) {
    return uses->is_read[reg];
}

// A load from memory that lanes share: not their own, and not what a function was called with.
static bool is_shared_load(const struct ir_function *function, const struct ptx_instruction *ptx) {
    switch (ptx_modifier_of(ptx, PTX_GROUP_space)) {
    case PTX_MOD_global:
    case PTX_MOD_shared:
    case PTX_MOD_shared_cta:
    case PTX_MOD_const:
        return true;
    case PTX_MOD_param:
        return function->ptx->is_entry;
    default:
        return false;
    }
}

// Does its result depend on nothing but its operands, and memory that lanes share?
static bool is_same_for_all(const struct ir_function *function, const struct ir_instruction *set) {
    static const char *const opcodes[] = {"mov", "add", "sub", "mul", "mad",  "shl", "shr",
                                          "and", "or",  "xor", "not", "neg",  "min", "max",
                                          "rem", "div", "cvt", "abs", "cvta", "bfe"};
    const char *opcode = ptx_isa_row(set->ptx->isa)->opcode;
    if (strcmp(opcode, "ld") == 0)
        return is_shared_load(function, set->ptx);
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
        if (strcmp(opcode, opcodes[i]) == 0)
            return true;
    return false;
}

static bool is_of_block(enum ptx_sreg sreg) {
    switch (sreg) {
    case PTX_SREG_ctaid_x:
    case PTX_SREG_ctaid_y:
    case PTX_SREG_ctaid_z:
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z:
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
        return true;
    default:
        return false;
    }
}

static bool is_uniform(const struct ir_uses *uses, uint32_t reg, unsigned *steps);

static bool is_uniform_operand(const struct ir_uses *uses, const struct ir_operand *operand,
                               unsigned *steps) {
    switch (operand->kind) {
    case IR_OPERAND_IMMEDIATE:
    case IR_OPERAND_SYMBOL:
        return true;
    case IR_OPERAND_REGISTER:
        return operand->pair == IR_NONE && is_uniform(uses, operand->reg, steps);
    case IR_OPERAND_ADDRESS:
        return operand->reg == IR_NONE || is_uniform(uses, operand->reg, steps);
    case IR_OPERAND_SREG:
        return is_of_block(operand->sreg);
    default:
        return false;
    }
}

static bool is_uniform(const struct ir_uses *uses, uint32_t reg, unsigned *steps) {
    const struct ir_instruction *set = ++*steps < PATIENCE ? definition_of(uses, reg) : NULL;
    if (!set || set->guard != IR_NONE || !is_same_for_all(uses->function, set))
        return false;
    for (uint32_t o = 1; o < set->operand_count; o++)
        if (!is_uniform_operand(uses, &set->operands[o], steps))
            return false;
    return true;
}

bool ir_is_uniform(const struct ir_uses *uses, const struct ir_operand *operand) {
    unsigned steps = 0;
    return is_uniform_operand(uses, operand, &steps);
}
