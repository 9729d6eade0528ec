// Parameters in registers, `.func (.reg .u32 r) f (.reg .u32 a)`: each gets a hidden .param
// variable. Callers store to it and load from it, the function loads its arguments where it begins
// and stores its results where it returns. And parameters whose address a function takes: they get
// a copy in its local memory.
#include "ir/build.h"

#include <assert.h>
#include <string.h>

static uint64_t align_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

// ---- Hidden variables and what moves between them and registers ------------------------------

static struct ir_variable *hide(struct ir_builder *builder, const struct ptx_variable *like,
                                enum ptx_type type) {
    struct arena *arena = builder->module->arena;
    struct ptx_variable *ptx = ARENA_NEW(arena, struct ptx_variable);
    struct ir_variable *variable = ARENA_NEW(arena, struct ir_variable);
    const uint64_t bytes = ptx_type_bytes(type);
    ptx->name = like->name;
    ptx->range = like->range;
    ptx->space = PTX_SPACE_PARAM;
    ptx->type = type;
    ptx->vector = 1;
    ptx->bytes = bytes;
    variable->ptx = ptx;
    variable->name = ptx->name;
    variable->space = PTX_SPACE_PARAM;
    variable->offset = align_up(builder->parameter_bytes, bytes ? bytes : 1);
    builder->parameter_bytes = variable->offset + bytes;
    if (builder->parameter_bytes > builder->function->frame_parameter_bytes)
        builder->function->frame_parameter_bytes = builder->parameter_bytes;
    return variable;
}

static bool can_pass(struct ir_builder *builder, struct source_range range, enum ptx_type type) {
    if (type != PTX_PRED && type != PTX_B128)
        return true;
    ir_error(builder, range, "a .%s register cannot be a parameter", ptx_type_text(type));
    return false;
}

// `ld.param` to, or `st.param` from, the operand.
static struct ir_instruction *move(struct ir_builder *builder, const struct ir_variable *variable,
                                   struct ir_operand value, bool is_load, uint32_t location) {
    assert(variable->space == PTX_SPACE_PARAM);
    struct arena *arena = builder->module->arena;
    struct ptx_instruction *ptx = ARENA_NEW(arena, struct ptx_instruction);
    const enum ptx_type type = variable->ptx->type;
    ptx->isa = is_load ? PTX_ISA_ld_param : PTX_ISA_st_param;
    ptx->mnemonic = is_load ? "ld.param" : "st.param";
    ptx->modifiers[PTX_GROUP_space] = PTX_MOD_param;
    ptx->types[ptx->type_count++] = (uint8_t)type;
    ptx->range = variable->ptx->range;
    ptx->location = location;
    ptx->operand_count = 2;
    ptx->operands = ARENA_ARRAY(arena, struct ptx_operand, 2);
    for (unsigned i = 0; i < 2; i++)
        ptx->operands[i].range = ptx->range;
    struct ir_instruction instruction = {.ptx = ptx,
                                         .guard = IR_NONE,
                                         .location = location,
                                         .site = IR_NONE,
                                         .target = IR_NONE,
                                         .operand_count = 2};
    instruction.operands[is_load ? 0 : 1] = value;
    instruction.operands[is_load ? 1 : 0] = (struct ir_operand){
        .kind = IR_OPERAND_ADDRESS, .reg = IR_NONE, .pair = IR_NONE, .variable = variable};
    return ir_append(builder, &instruction);
}

// ---- The function ---------------------------------------------------------------------------

void ir_declare_register_parameter(struct ir_builder *builder, const struct ptx_variable *ptx,
                                   bool is_result) {
    const uint32_t reg = (uint32_t)builder->registers.length;
    ir_declare_register(builder, ptx);
    can_pass(builder, ptx->range, ptx->type);
    if (ptx->vector > 1 || ptx->family)
        ir_error(builder, ptx->range, "a parameter is one register, not several");
    struct ir_variable *variable = hide(builder, ptx, ptx->type);
    vec_push(&builder->variables, variable);
    struct ir_register_parameter parameter = {variable, reg, is_result};
    vec_push(&builder->register_parameters, parameter);
}

static void move_formals(struct ir_builder *builder, bool results, uint32_t location) {
    for (size_t i = 0; i < builder->register_parameters.length; i++) {
        const struct ir_register_parameter *p = &builder->register_parameters.data[i];
        const struct ir_operand value = {
            .kind = IR_OPERAND_REGISTER, .reg = p->reg, .pair = IR_NONE};
        if (p->is_result == results)
            move(builder, p->variable, value, !results, location);
    }
}

void ir_load_register_arguments(struct ir_builder *builder) {
    move_formals(builder, false, 0);
}

void ir_store_register_results(struct ir_builder *builder, uint32_t location) {
    move_formals(builder, true, location);
}

// ---- The call -------------------------------------------------------------------------------

static bool is_in_memory(const struct ir_operand *operand) {
    return operand->kind == IR_OPERAND_SYMBOL && operand->variable &&
           operand->variable->space == PTX_SPACE_PARAM;
}

// The formal parameter's type where it is known, the register's otherwise.
static enum ptx_type type_of(const struct ir_builder *builder, const struct ir_operand *operand,
                             const struct ptx_variable *formals, size_t count, uint32_t index) {
    if (formals && index < count && !formals[index].is_array)
        return formals[index].type;
    if (operand->kind == IR_OPERAND_REGISTER)
        return builder->registers.data[operand->reg].type;
    return PTX_B32;
}

static struct ir_operand symbol(const struct ir_variable *variable) {
    return (struct ir_operand){.kind = IR_OPERAND_SYMBOL,
                               .reg = IR_NONE,
                               .pair = IR_NONE,
                               .bytes = 8,
                               .variable = variable};
}

void ir_pass_register_arguments(struct ir_builder *builder, const struct ptx_instruction *ptx,
                                struct ir_call *call) {
    const struct ptx_function *callee = call->callee ? call->callee : call->prototype;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        struct ir_operand value = call->arguments[i];
        if (is_in_memory(&value))
            continue;
        const enum ptx_type type = type_of(builder, &value, callee ? callee->parameters : NULL,
                                           callee ? callee->parameter_count : 0, i);
        const struct ptx_variable like = {.name = "argument", .range = ptx->range};
        const bool is_value = value.kind == IR_OPERAND_REGISTER ||
                              value.kind == IR_OPERAND_IMMEDIATE || value.kind == IR_OPERAND_SREG;
        if (!is_value || !can_pass(builder, ptx->range, type))
            continue; // the simulator refuses it by name
        const struct ir_variable *variable = hide(builder, &like, type);
        value.bytes = ptx_type_bytes(type) > 4 ? 8 : 4;
        move(builder, variable, value, false, ptx->location);
        call->arguments[i] = symbol(variable);
    }
}

void ir_take_register_results(struct ir_builder *builder, const struct ptx_instruction *ptx,
                              struct ir_call *call) {
    const struct ptx_function *callee = call->callee ? call->callee : call->prototype;
    uint32_t guard = IR_NONE;
    if (ptx->guard.name)
        ir_lookup_register(builder, ptx->guard.name, &guard);
    for (uint32_t i = 0; i < call->result_count; i++) {
        const struct ir_operand value = call->results[i];
        if (value.kind != IR_OPERAND_REGISTER && value.kind != IR_OPERAND_SINK)
            continue;
        const enum ptx_type type = type_of(builder, &value, callee ? callee->returns : NULL,
                                           callee ? callee->return_count : 0, i);
        const struct ptx_variable like = {.name = "result", .range = ptx->range};
        if (!can_pass(builder, ptx->range, type))
            continue;
        const struct ir_variable *variable = hide(builder, &like, type);
        call->results[i] = symbol(variable);
        struct ir_instruction *load = move(builder, variable, value, true, ptx->location);
        load->guard = guard;
        load->guard_negated = ptx->guard.is_negated;
    }
}

// ---- Addresses of parameters ------------------------------------------------------------------

static void copy_to_local(struct ir_builder *builder, const struct ir_operand *operand) {
    for (uint32_t i = 0; operand->kind == IR_OPERAND_VECTOR && i < operand->element_count; i++)
        copy_to_local(builder, &operand->elements[i]);
    if (!is_in_memory(operand))
        return;
    for (size_t i = 0; i < builder->variables.length; i++) {
        struct ir_variable *variable = builder->variables.data[i];
        if (variable != operand->variable || !variable->is_formal || variable->is_copied)
            continue;
        enum { ALIGNMENT = 16 };
        const uint64_t align = variable->ptx->align > ALIGNMENT ? variable->ptx->align : ALIGNMENT;
        variable->is_copied = true;
        variable->local_offset = align_up(builder->function->local_bytes, align);
        builder->function->local_bytes = variable->local_offset + variable->ptx->bytes;
    }
}

void ir_copy_addressed_parameters(struct ir_builder *builder) {
    if (builder->function->ptx->is_entry)
        return;
    for (size_t i = 0; i < builder->instructions.length; i++) {
        const struct ir_instruction *instruction = &builder->instructions.data[i];
        for (uint32_t o = 0; !instruction->call && o < instruction->operand_count; o++)
            copy_to_local(builder, &instruction->operands[o]);
    }
}
