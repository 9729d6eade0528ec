// Values that all lanes of a warp have in common, as the code generator can know.
#include "ir/build.h"
#include "ir/uses.h"

enum { PATIENCE = 48 }; // registers to look at for one answer

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
    return ptx_is(set->ptx, PTX_FACT_UNIFORM) &&
           (ptx_access_of(set->ptx) == PTX_ACCESS_NONE || is_shared_load(function, set->ptx));
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
    const struct ir_instruction *set = ++*steps < PATIENCE ? ir_only_setter(uses, reg) : NULL;
    if (!set || set->guard != IR_NONE || !is_same_for_all(uses->function, set))
        return false;
    for (uint32_t o = 1; o < set->operand_count; o++)
        if (!is_uniform_operand(uses, &set->operands[o], steps))
            return false;
    return true;
}

bool ir_is_uniform(const struct ir_uses *uses, const struct ir_operand *operand) {
    unsigned steps = 0;
    uint64_t value;
    return is_uniform_operand(uses, operand, &steps) || ir_is_constant(uses, operand, &value);
}
