// Places of symbols and of memory operands.
#include "ir/address.h"

#include "ptx/facts.h"

bool ir_is_by_window(const struct ir_instruction *instruction) {
    if (ptx_modifier_of(instruction->ptx, PTX_GROUP_space) != PTX_MOD_shared_cluster)
        return false;
    switch (ptx_access_of(instruction->ptx)) {
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_STORE:
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
    case PTX_ACCESS_MBARRIER:
        return true;
    default:
        return false;
    }
}

enum ptx_space ir_access_space(const struct ir_instruction *instruction) {
    const struct ptx_instruction *ptx = instruction->ptx;
    switch (ptx_modifier_of(ptx, PTX_GROUP_space)) {
    case PTX_MOD_const:
        return PTX_SPACE_CONST;
    case PTX_MOD_global:
        return PTX_SPACE_GLOBAL;
    case PTX_MOD_local:
        return PTX_SPACE_LOCAL;
    case PTX_MOD_param:
    case PTX_MOD_param_entry:
    case PTX_MOD_param_func:
        return PTX_SPACE_PARAM;
    case PTX_MOD_shared:
    case PTX_MOD_shared_cta:
        return PTX_SPACE_SHARED;
    case PTX_MOD_shared_cluster:
        return ir_is_by_window(instruction) ? PTX_SPACE_GENERIC : PTX_SPACE_SHARED;
    default:
        return ptx->isa == PTX_ISA_ldu_any ? PTX_SPACE_GLOBAL : PTX_SPACE_GENERIC;
    }
}

bool ir_is_volatile(const struct ir_instruction *instruction) {
    return PTX_HAS(instruction->ptx, volatile) && ir_access_space(instruction) != PTX_SPACE_SHARED;
}

// Where a variable lies in its own space.
static struct ir_place variable_place(const struct ir_shared_layout *layout,
                                      const struct ir_variable *variable) {
    struct ir_place place = {
        .space = variable->space, .base = IR_BASE_NONE, .reg = IR_NONE, .variable = variable};
    switch (variable->space) {
    case PTX_SPACE_SHARED:
        if (!ir_shared_offset(layout, variable, &place.offset))
            place.base = IR_BASE_MISSING;
        break;
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        place.base = IR_BASE_VARIABLE;
        break;
    case PTX_SPACE_LOCAL:
    case PTX_SPACE_PARAM:
        place.offset = variable->offset;
        break;
    default:
        place.base = IR_BASE_MISSING;
    }
    return place;
}

// A parameter of a kernel lies in global memory, one of a function was copied to local memory when
// its address is wanted; one of a call has none.
static struct ir_place parameter_place(const struct ir_function *function,
                                       const struct ir_operand *symbol) {
    const struct ir_variable *variable = symbol->variable;
    struct ir_place place = {PTX_SPACE_GENERIC, IR_BASE_MISSING, IR_NONE, variable, symbol->value};
    if (variable->is_formal && function->ptx->is_entry) {
        place.base = IR_BASE_PARAMETERS;
        place.offset += variable->offset;
    } else if (variable->is_copied && symbol->bytes != 4) {
        place.base = IR_BASE_FRAME;
        place.offset += IR_LOCAL_WINDOW + variable->local_offset;
    }
    return place;
}

struct ir_place ir_symbol_place(const struct ir_function *function,
                                const struct ir_shared_layout *layout,
                                const struct ir_operand *symbol) {
    if (symbol->variable->space == PTX_SPACE_PARAM)
        return parameter_place(function, symbol);
    struct ir_place place = variable_place(layout, symbol->variable);
    place.offset += symbol->value;
    if (place.space == PTX_SPACE_LOCAL && !function->ptx->is_entry) // a kernel's frame begins at 0
        place.base = IR_BASE_FRAME;
    return place;
}

// A function's parameters have generic addresses (see ir_variable.is_copied); the parameter block
// of a kernel lies in global memory.
static bool is_generic_parameter(const struct ir_function *function,
                                 const struct ir_instruction *instruction) {
    return !function->ptx->is_entry &&
           ptx_modifier_of(instruction->ptx, PTX_GROUP_space) != PTX_MOD_param_entry;
}

static struct ir_place register_place(const struct ir_function *function,
                                      const struct ir_instruction *instruction, uint32_t reg) {
    enum ptx_space space = ir_access_space(instruction);
    if (space == PTX_SPACE_PARAM && is_generic_parameter(function, instruction))
        space = PTX_SPACE_GENERIC;
    return (struct ir_place){space, IR_BASE_REGISTER, reg, NULL, 0};
}

// A generic access that names a variable means the variable's place.
static struct ir_place named_place(const struct ir_shared_layout *layout,
                                   const struct ir_instruction *instruction,
                                   const struct ir_variable *variable) {
    const enum ptx_space space = ir_access_space(instruction);
    struct ir_place place = variable_place(layout, variable);
    if (space == PTX_SPACE_GENERIC && variable->space == PTX_SPACE_SHARED)
        place.offset += IR_SHARED_WINDOW;
    if (space != PTX_SPACE_GENERIC || variable->space != PTX_SPACE_LOCAL)
        place.space = space;
    return place;
}

struct ir_place ir_access_place(const struct ir_function *function,
                                const struct ir_shared_layout *layout,
                                const struct ir_instruction *instruction,
                                const struct ir_operand *address) {
    struct ir_place place = {ir_access_space(instruction), IR_BASE_NONE, IR_NONE, NULL, 0};
    if (address->reg != IR_NONE)
        place = register_place(function, instruction, address->reg);
    else if (address->variable)
        place = named_place(layout, instruction, address->variable);
    if (!address->variable && ir_is_by_window(instruction))
        place.offset += IR_SHARED_WINDOW;
    place.offset += address->value;
    return place;
}
