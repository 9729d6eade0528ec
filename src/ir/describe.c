// What isa.def's rows say about an instruction's operands and its place in the control flow.
#include "ir/build.h"

#include <assert.h>
#include <string.h>

char ir_operand_letter(const struct ptx_instruction *ptx, unsigned position) {
    const struct ptx_operand_rule *rule = ptx_operand_rule(ptx->isa, position);
    return rule ? rule->letter : 0;
}

bool ir_is_destination(const struct ir_instruction *instruction, unsigned position) {
    const char letter = ir_operand_letter(instruction->ptx, position);
    return letter && strchr("dDRUqx", letter);
}

static bool is_source(const struct ir_instruction *instruction, unsigned position) {
    return ir_operand_letter(instruction->ptx, position) == 'U' ||
           !ir_is_destination(instruction, position);
}

bool ir_ends_block(const struct ir_instruction *instruction) {
    return ptx_is(instruction->ptx, PTX_FACT_SPLITS);
}

// With a guard these are jumped over, so that the simulator never meets them with only part of a
// split's lanes. The guard of a branch is its own.
bool ir_is_guarded_by_branch(const struct ptx_instruction *ptx) {
    return ptx->isa != PTX_ISA_bra_any &&
           (ptx_is(ptx, PTX_FACT_SPLITS) || ptx_is(ptx, PTX_FACT_SYNCS) || PTX_HAS(ptx, sync));
}

static void visit_operand(const struct ir_operand *operand, bool is_written,
                          ir_register_visitor visit, void *context) {
    // An address's base is read even where the operand's place is a destination's.
    if (operand->kind == IR_OPERAND_ADDRESS)
        is_written = false;
    if (operand->kind == IR_OPERAND_REGISTER || operand->kind == IR_OPERAND_ADDRESS) {
        if (operand->reg != IR_NONE)
            visit(context, operand->reg, is_written);
    }
    if (operand->kind == IR_OPERAND_VECTOR || operand->kind == IR_OPERAND_ADDRESS)
        for (uint32_t i = 0; i < operand->element_count; i++)
            visit_operand(&operand->elements[i], is_written, visit, context);
    if (operand->pair != IR_NONE && operand->kind != IR_OPERAND_NONE)
        visit(context, operand->pair, is_written);
}

static void visit_call(const struct ir_call *call, ir_register_visitor visit, void *context) {
    for (uint32_t i = 0; i < call->argument_count; i++)
        visit_operand(&call->arguments[i], false, visit, context);
    visit_operand(&call->target, false, visit, context);
    for (uint32_t i = 0; i < call->result_count; i++)
        visit_operand(&call->results[i], true, visit, context);
}

void ir_visit_registers(const struct ir_instruction *instruction, ir_register_visitor visit,
                        void *context) {
    assert(instruction->operand_count <=
           sizeof instruction->operands / sizeof *instruction->operands);
    if (instruction->guard != IR_NONE)
        visit(context, instruction->guard, false);
    if (instruction->call) {
        visit_call(instruction->call, visit, context);
        return;
    }
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (is_source(instruction, i) || instruction->operands[i].kind == IR_OPERAND_ADDRESS)
            visit_operand(&instruction->operands[i], false, visit, context);
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (ir_is_destination(instruction, i))
            visit_operand(&instruction->operands[i], true, visit, context);
}
