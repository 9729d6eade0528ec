// One function: statements become instructions.
#include "ir/build.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint64_t align_up(uint64_t value, uint64_t alignment) {
    return alignment ? (value + alignment - 1) / alignment * alignment : value;
}

static uint64_t alignment_of(const struct ptx_variable *variable) {
    uint64_t natural = ptx_type_bytes(variable->type) * (variable->vector ? variable->vector : 1);
    return variable->align ? variable->align : natural ? natural : 1;
}

static struct ir_variable *new_variable(struct ir_builder *builder,
                                        const struct ptx_variable *ptx) {
    struct ir_variable *variable = ARENA_NEW(builder->module->arena, struct ir_variable);
    variable->ptx = ptx;
    variable->name = ptx->name;
    variable->space = ptx->space;
    vec_push(&builder->variables, variable);
    map_put(&builder->scope->variables, variable->name, strlen(variable->name), variable);
    return variable;
}

static void declare_variable(struct ir_builder *builder, const struct ptx_variable *ptx) {
    struct ir_function *function = builder->function;
    struct ir_variable *variable;
    switch (ptx->space) {
    case PTX_SPACE_REG:
        ir_declare_register(builder, ptx);
        return;
    case PTX_SPACE_LOCAL:
        variable = new_variable(builder, ptx);
        variable->offset = align_up(function->local_bytes, alignment_of(ptx));
        function->local_bytes = variable->offset + ptx->bytes;
        return;
    case PTX_SPACE_PARAM:
        variable = new_variable(builder, ptx);
        variable->offset = align_up(builder->parameter_bytes, alignment_of(ptx));
        builder->parameter_bytes = variable->offset + ptx->bytes;
        if (builder->parameter_bytes > function->frame_parameter_bytes)
            function->frame_parameter_bytes = builder->parameter_bytes;
        return;
    case PTX_SPACE_SHARED:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        new_variable(builder, ptx); // gets its address when the kernel is laid out or loaded
        return;
    default:
        ir_error(builder, ptx->range, "'%s' cannot be declared in a function", ptx->name);
    }
}

static void declare_formal(struct ir_builder *builder, const struct ptx_variable *ptx,
                           bool is_result) {
    if (ptx->space == PTX_SPACE_REG) {
        ir_declare_register_parameter(builder, ptx, is_result);
        return;
    }
    size_t count = builder->variables.length;
    declare_variable(builder, ptx);
    if (builder->variables.length > count)
        builder->variables.data[count]->is_formal = true;
}

static void declare_kernel_parameter(struct ir_builder *builder,
                                     const struct ptx_variable *parameter) {
    struct ir_function *function = builder->function;
    struct ir_variable *variable = new_variable(builder, parameter);
    variable->is_formal = true;
    variable->offset = align_up(function->parameter_bytes, alignment_of(parameter));
    const uint64_t bytes = variable->offset + parameter->bytes;
    if (bytes > IR_MAX_KERNEL_PARAMETER_BYTES)
        ir_error(builder, parameter->range,
                 "the parameters of the kernel take %llu bytes, and can take %d",
                 (unsigned long long)bytes, IR_MAX_KERNEL_PARAMETER_BYTES);
    else
        function->parameter_bytes = (uint32_t)bytes;
}

// Formal parameters: of a kernel they lie in its parameter block, of a function in its frame or in
// registers.
static void declare_parameters(struct ir_builder *builder, const struct ptx_function *ptx) {
    for (size_t i = 0; i < ptx->return_count; i++)
        declare_formal(builder, &ptx->returns[i], true);
    for (size_t i = 0; i < ptx->parameter_count; i++) {
        const struct ptx_variable *parameter = &ptx->parameters[i];
        if (ptx->is_entry)
            declare_kernel_parameter(builder, parameter);
        else
            declare_formal(builder, parameter, false);
    }
}

struct ir_instruction *ir_append(struct ir_builder *builder,
                                 const struct ir_instruction *instruction) {
    assert(instruction->ptx && instruction->ptx->isa != PTX_ISA_NONE);
    assert(builder->instructions.length == builder->instruction_scopes.length);
    vec_push(&builder->instructions, *instruction);
    vec_push(&builder->instruction_scopes, builder->scope->number);
    return &builder->instructions.data[builder->instructions.length - 1];
}

static struct ir_instruction *append(struct ir_builder *builder,
                                     const struct ptx_instruction *ptx) {
    struct ir_instruction instruction = {.ptx = ptx,
                                         .guard = IR_NONE,
                                         .location = ptx->location,
                                         .site = IR_NONE,
                                         .target = IR_NONE};
    return ir_append(builder, &instruction);
}

static void set_guard(struct ir_builder *builder, struct ir_instruction *instruction,
                      const struct ptx_guard *guard) {
    if (!guard->name)
        return;
    uint32_t index = 0;
    if (!ir_lookup_register(builder, guard->name, &index)) {
        ir_error(builder, guard->range, "register '%s' is not declared", guard->name);
        return;
    }
    if (builder->registers.data[index].class != IR_CLASS_PREDICATE) {
        ir_error(builder, guard->range, "'%s' is not a predicate", guard->name);
        return;
    }
    instruction->guard = index;
    instruction->guard_negated = guard->is_negated;
}

// `@p exit` becomes `@!p bra over; exit; over:`.
static void branch_over(struct ir_builder *builder, const struct ptx_instruction *ptx) {
    struct ptx_instruction *jump = ARENA_NEW(builder->module->arena, struct ptx_instruction);
    jump->isa = PTX_ISA_bra_any;
    jump->range = ptx->range;
    jump->location = ptx->location;
    struct ir_instruction *out = append(builder, jump);
    set_guard(builder, out, &ptx->guard);
    out->guard_negated = !out->guard_negated;
    // Targets hold instruction indices until the blocks are known: jump behind the next one.
    out->target = (uint32_t)builder->instructions.length + 1;
}

static void find_label(struct ir_builder *builder, const struct ptx_operand *operand,
                       uint32_t instruction, uint32_t *target) {
    if (!operand->name || !ir_lookup_label(builder, operand->name, instruction, target))
        ir_error(builder, operand->range, "label '%s' is not defined in this function",
                 operand->name ? operand->name : "?");
}

static const struct ptx_statement *find_statement(const struct ptx_statement *const *list,
                                                  size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (name && list[i]->name && strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}

static void resolve_table(struct ir_builder *builder, struct ir_instruction *instruction) {
    const struct ptx_operand *label = &instruction->ptx->operands[1];
    const struct ptx_statement *table =
        find_statement(builder->branch_targets.data, builder->branch_targets.length, label->name);
    if (!table) {
        ir_error(builder, label->range, "'%s' is no list of branch targets",
                 label->name ? label->name : "?");
        return;
    }
    uint32_t *targets = ARENA_ARRAY(builder->module->arena, uint32_t, table->operand_count);
    for (size_t i = 0; i < table->operand_count; i++)
        find_label(builder, &table->operands[i],
                   (uint32_t)(instruction - builder->instructions.data), &targets[i]);
    instruction->targets = targets;
    instruction->target_count = (uint32_t)table->operand_count;
}

// Labels may be used before they are defined, so branches are resolved last.
static void resolve_branches(struct ir_builder *builder) {
    for (size_t i = 0; i < builder->instructions.length; i++) {
        struct ir_instruction *instruction = &builder->instructions.data[i];
        if (instruction->ptx->isa == PTX_ISA_bra_any && instruction->ptx->operand_count)
            find_label(builder, &instruction->ptx->operands[0], (uint32_t)i, &instruction->target);
        if (instruction->ptx->isa == PTX_ISA_brx_idx)
            resolve_table(builder, instruction);
    }
}

// What a call hands over lies in the frame of who calls: a whole variable of it.
static void check_passed(struct ir_builder *builder, const struct ptx_operand *ptx,
                         const struct ir_operand *operand) {
    if (operand->kind != IR_OPERAND_SYMBOL || operand->variable->space != PTX_SPACE_PARAM)
        return;
    if (operand->variable->is_formal)
        ir_error(builder, ptx->range,
                 "'%s' is a formal parameter, which a call cannot take: copy it to a .param "
                 "variable",
                 operand->variable->name);
    else if (operand->value)
        ir_error(builder, ptx->range, "a call takes all of '%s': no offset can stand here",
                 operand->variable->name);
}

static struct ir_operand *translate_list(struct ir_builder *builder,
                                         const struct ptx_instruction *ptx,
                                         const struct ptx_operand *list, uint32_t *count) {
    *count = (uint32_t)list->element_count;
    struct ir_operand *out =
        ARENA_ARRAY(builder->module->arena, struct ir_operand, list->element_count + 1);
    for (size_t i = 0; i < list->element_count; i++) {
        out[i] = ir_translate_operand(builder, ptx, &list->elements[i], PTX_B32);
        check_passed(builder, &list->elements[i], &out[i]);
    }
    return out;
}

// call (results), callee, (arguments), prototype;  all but the callee may be missing.
static struct ir_call *read_call(struct ir_builder *builder, const struct ptx_instruction *ptx) {
    struct ir_call *call = ARENA_NEW(builder->module->arena, struct ir_call);
    size_t next = 0;
    if (next < ptx->operand_count && ptx->operands[next].kind == PTX_OPERAND_LIST)
        call->results = translate_list(builder, ptx, &ptx->operands[next++], &call->result_count);
    if (next >= ptx->operand_count) {
        ir_error(builder, ptx->range, "the call names no function");
        return call;
    }
    const struct source_range target = ptx->operands[next].range;
    call->target = ir_translate_place(builder, ptx, (unsigned)next++);
    if (call->target.kind == IR_OPERAND_FUNCTION)
        call->callee = call->target.function;
    if (call->callee && call->callee->is_entry)
        ir_error(builder, target, "'%s' is a kernel: only a .func can be called",
                 call->callee->name);
    if (next < ptx->operand_count && ptx->operands[next].kind == PTX_OPERAND_LIST)
        call->arguments =
            translate_list(builder, ptx, &ptx->operands[next++], &call->argument_count);
    if (next < ptx->operand_count) {
        const struct ptx_statement *prototype = find_statement(
            builder->prototypes.data, builder->prototypes.length, ptx->operands[next].name);
        call->prototype = prototype ? prototype->function : NULL;
    }
    return call;
}

static void translate_call(struct ir_builder *builder, const struct ptx_instruction *ptx) {
    const uint64_t mark = builder->parameter_bytes;
    struct ir_call *call = read_call(builder, ptx);
    ir_pass_register_arguments(builder, ptx, call);
    if (ptx->guard.name)
        branch_over(builder, ptx);
    append(builder, ptx)->call = call;
    ir_take_register_results(builder, ptx, call);
    builder->parameter_bytes = mark;
}

static void translate_instruction(struct ir_builder *builder, const struct ptx_instruction *ptx) {
    if (ptx->isa == PTX_ISA_call_plain) {
        translate_call(builder, ptx);
        return;
    }
    if (ptx->isa == PTX_ISA_ret_any)
        ir_store_register_results(builder, ptx->location);
    bool by_branch = ptx->guard.name && ir_is_guarded_by_branch(ptx);
    if (by_branch)
        branch_over(builder, ptx);
    struct ir_instruction *out = append(builder, ptx);
    if (!by_branch)
        set_guard(builder, out, &ptx->guard);
    if (ptx_is(ptx, PTX_FACT_REFUSED)) {
        builder->function->has_refused = true;
        return; // its operands may be of kinds that nothing here knows
    }
    switch (ptx->isa) {
    case PTX_ISA_bra_any:
        return;
    case PTX_ISA_brx_idx:
        out->operands[0] = ir_translate_place(builder, ptx, 0);
        out->operand_count = 1;
        return;
    default:
        ir_translate_operands(builder, ptx, out);
    }
}

static void translate_statement(struct ir_builder *builder, const struct ptx_statement *statement) {
    switch (statement->kind) {
    case PTX_STATEMENT_INSTRUCTION:
        translate_instruction(builder, statement->instruction);
        break;
    case PTX_STATEMENT_LABEL:
        ir_declare_label(builder, statement->name, (uint32_t)builder->instructions.length);
        break;
    case PTX_STATEMENT_VARIABLE:
        declare_variable(builder, statement->variable);
        break;
    case PTX_STATEMENT_BLOCK_BEGIN:
        ir_scope_push(builder);
        break;
    case PTX_STATEMENT_BLOCK_END:
        if (builder->scope->outer)
            ir_scope_pop(builder);
        break;
    case PTX_STATEMENT_CALL_TARGETS: // any function may be called; the list only narrows it
        break;
    case PTX_STATEMENT_BRANCH_TARGETS:
        vec_push(&builder->branch_targets, statement);
        break;
    case PTX_STATEMENT_CALL_PROTOTYPE:
        vec_push(&builder->prototypes, statement);
        break;
    }
}

// Prototypes may follow the calls that use them.
static void collect_prototypes(struct ir_builder *builder, const struct ptx_function *ptx) {
    for (size_t i = 0; i < ptx->statement_count; i++)
        if (ptx->statements[i].kind == PTX_STATEMENT_CALL_PROTOTYPE)
            vec_push(&builder->prototypes, &ptx->statements[i]);
}

static void *keep(struct arena *arena, const void *data, size_t bytes) {
    void *copy = arena_alloc(arena, bytes ? bytes : 1);
    if (bytes)
        memcpy(copy, data, bytes);
    return copy;
}

static void store_results(struct ir_builder *builder) {
    struct ir_function *function = builder->function;
    struct arena *arena = builder->module->arena;
    function->registers = keep(arena, builder->registers.data,
                               builder->registers.length * sizeof *builder->registers.data);
    function->register_count = (uint32_t)builder->registers.length;
    function->instructions =
        keep(arena, builder->instructions.data,
             builder->instructions.length * sizeof *builder->instructions.data);
    function->instruction_count = (uint32_t)builder->instructions.length;
    function->variable_count = (uint32_t)builder->variables.length;
    function->variables = keep(arena, builder->variables.data,
                               builder->variables.length * sizeof *builder->variables.data);
}

// The end of a body without `ret` returns, as `ret` would.
static void append_return(struct ir_builder *builder, const struct ptx_function *ptx) {
    struct ptx_instruction *ret = ARENA_NEW(builder->module->arena, struct ptx_instruction);
    ret->isa = PTX_ISA_ret_any;
    ret->range = ptx->range;
    ir_store_register_results(builder, 0);
    append(builder, ret);
}

static void free_builder(struct ir_builder *builder) {
    while (builder->scope)
        ir_scope_pop(builder);
    map_free(&builder->labels);
    vec_free(&builder->outer_scopes);
    vec_free(&builder->instruction_scopes);
    vec_free(&builder->registers);
    vec_free(&builder->instructions);
    vec_free(&builder->variables);
    vec_free(&builder->register_parameters);
    vec_free(&builder->branch_targets);
    vec_free(&builder->prototypes);
}

void ir_error(struct ir_builder *builder, struct source_range range, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    struct arena *arena = builder->module->arena;
    char buffer[512];
    vsnprintf(buffer, sizeof buffer, format, arguments);
    text = arena_strndup(arena, buffer, strlen(buffer));
    va_end(arguments);
    diag_add(builder->diags, DIAG_ERROR, builder->source, range, "%s", text);
}

struct ir_function *ir_build_function(struct ir_module *module, const struct ptx_function *ptx,
                                      struct diag_list *diags) {
    assert(ptx->has_body);
    struct ir_builder builder = {.module = module, .source = module->ptx->source, .diags = diags};
    struct ir_function *function = ARENA_NEW(module->arena, struct ir_function);
    builder.function = function;
    function->ptx = ptx;
    function->name = ptx->name;
    function->module = module;
    function->locations = ptx->locations;
    function->location_count = (uint32_t)ptx->location_count;
    size_t errors = diags->errors;

    ir_scope_push(&builder);
    declare_parameters(&builder, ptx);
    collect_prototypes(&builder, ptx);
    ir_load_register_arguments(&builder);
    for (size_t i = 0; i < ptx->statement_count; i++)
        translate_statement(&builder, &ptx->statements[i]);
    append_return(&builder, ptx);
    resolve_branches(&builder);
    ir_copy_addressed_parameters(&builder);
    function->local_bytes = align_up(function->local_bytes, 16);
    function->frame_parameter_bytes = align_up(function->frame_parameter_bytes, 16);
    bool ok = diags->errors == errors;
    if (ok)
        ir_build_cfg(&builder);
    store_results(&builder);
    if (ok) {
        ir_compute_post_dominators(function);
        ir_find_joins(function);
        ir_contract(function);
        ir_assign_slots(function);
        ir_find_sites(function, module->arena);
    }
    free_builder(&builder);
    return ok ? function : NULL;
}
