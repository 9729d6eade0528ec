// The validator: every invariant that later rooms rely on, each broken one reported on the PTX
// that it comes from.
#include <string.h>

#include "ir/build.h"

struct validator {
    const struct ir_function *function;
    struct diag_list *diags;
    const struct ir_instruction *instruction;
    bool ok;
};

static void fail(struct validator *v, struct source_range range, const char *what,
                 const char *name) {
    v->ok = false;
    diag_add(v->diags, DIAG_ERROR, v->function->module->ptx->source, range, "%s%s%s%s", what,
             name ? " '" : "", name ? name : "", name ? "'" : "");
}

static void check_register(void *context, uint32_t reg, bool is_written) {
    struct validator *v = context;
    (void)is_written;
    if (reg >= v->function->register_count) {
        fail(v, v->instruction->ptx->range, "register number out of range", NULL);
        return;
    }
    const struct ir_register *r = &v->function->registers[reg];
    if (r->slot >= v->function->slots[r->class])
        fail(v, v->instruction->ptx->range, "no slot for register", r->name);
}

static void check_class(struct validator *v, const struct ptx_operand *ptx,
                        const struct ir_operand *operand, bool wants_predicate) {
    if (operand->kind != IR_OPERAND_REGISTER)
        return;
    const struct ir_register *reg = &v->function->registers[operand->reg];
    bool is_predicate = reg->class == IR_CLASS_PREDICATE;
    if (is_predicate && !wants_predicate)
        fail(v, ptx->range, "a predicate stands where a value must be:", reg->name);
    if (!is_predicate && wants_predicate)
        fail(v, ptx->range, "a predicate must stand here, not", reg->name);
}

static void check_width(struct validator *v, const struct ptx_operand *ptx,
                        const struct ir_operand *operand, const struct ptx_operand_rule *rule) {
    if (operand->kind != IR_OPERAND_REGISTER || rule->has_any_width)
        return;
    const struct ir_register *reg = &v->function->registers[operand->reg];
    enum ptx_type type = ptx_operand_type(v->instruction->ptx, rule);
    if (type == PTX_PRED || reg->class == IR_CLASS_PREDICATE)
        return;
    if ((reg->class == IR_CLASS_64) != (ptx_type_bytes(type) > 4))
        fail(v, ptx->range, "the register's type does not fit the instruction:", reg->name);
}

// A vector register, or one of 128 bits, by its name alone.
static void check_vector(struct validator *v, const struct ptx_operand *ptx,
                         const struct ir_operand *operand, char letter) {
    if (operand->kind == IR_OPERAND_VECTOR && ptx->kind == PTX_OPERAND_REGISTER &&
        !strchr("DSRV", letter))
        fail(v, ptx->range,
             "a vector or 128-bit register stands where one value must be:", ptx->name);
}

// What goes to memory or comes from there is of 128 bits where the type is, and only there.
static void check_wide(struct validator *v, const struct ptx_operand *ptx,
                       const struct ir_operand *operand, const struct ptx_operand_rule *rule) {
    const struct ptx_instruction *instruction = v->instruction->ptx;
    if (ptx_access_of(instruction) == PTX_ACCESS_NONE || !strchr("DS", rule->letter))
        return;
    const bool is_vector = PTX_HAS(instruction, vec) || PTX_HAS(instruction, count);
    const bool is_wide = ptx_operand_type(instruction, rule) == PTX_B128;
    const bool is_named = operand->kind == IR_OPERAND_VECTOR && ptx->kind == PTX_OPERAND_REGISTER;
    if (is_wide && is_vector)
        fail(v, instruction->range, "vectors of 128-bit values do not exist", NULL);
    else if (is_wide && !is_named)
        fail(v, ptx->range, "a 128-bit register must stand here", NULL);
    else if (is_named && !is_wide && !is_vector)
        fail(v, ptx->range,
             "a vector or 128-bit register stands where one value must be:", ptx->name);
}

static void check_operands(struct validator *v) {
    const struct ir_instruction *instruction = v->instruction;
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const struct ptx_operand_rule *rule = ptx_operand_rule(instruction->ptx->isa, i);
        if (!rule || rule->letter == '*')
            return;
        const struct ptx_operand *ptx = &instruction->ptx->operands[i];
        const bool is_predicate = rule->letter == 'q' || rule->letter == 'p';
        check_class(v, ptx, &instruction->operands[i], is_predicate);
        check_width(v, ptx, &instruction->operands[i], rule);
        check_vector(v, ptx, &instruction->operands[i], rule->letter);
        check_wide(v, ptx, &instruction->operands[i], rule);
    }
}

static void check_blocks(struct validator *v) {
    const struct ir_function *function = v->function;
    uint32_t next = 0;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        struct source_range range = function->ptx->range;
        if (block->first != next || !block->count)
            fail(v, range, "blocks do not cover the instructions of", function->name);
        next = block->first + block->count;
        for (uint32_t s = 0; s < block->successor_count; s++)
            if (block->successors[s] >= function->block_count)
                fail(v, range, "a branch leaves the function", function->name);
        if (block->post_dominator != IR_NONE && block->post_dominator >= function->block_count)
            fail(v, range, "a post-dominator lies outside of", function->name);
    }
    if (next != function->instruction_count)
        fail(v, function->ptx->range, "blocks do not cover the instructions of", function->name);
}

bool ir_validate(const struct ir_function *function, struct diag_list *diags) {
    struct validator v = {.function = function, .diags = diags, .ok = true};
    check_blocks(&v);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        v.instruction = &function->instructions[i];
        if (ptx_is(v.instruction->ptx, PTX_FACT_REFUSED))
            continue;
        ir_visit_registers(v.instruction, check_register, &v);
        if (v.ok)
            check_operands(&v);
        if (v.instruction->site != IR_NONE && v.instruction->site >= function->site_count)
            fail(&v, v.instruction->ptx->range, "site number out of range", NULL);
    }
    return v.ok;
}
