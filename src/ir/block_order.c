// Which accesses must take effect in the order of blocks, so that what a kernel computes is the
// same however many host threads run it.
//
// Atomics whose results somebody reads, or that change a word to what depends on who came first,
// see how far other blocks are; so do loads that may see what other threads write while they run.
// Reductions of integers by one operation come to the same in any order. Where blocks write the
// same memory by plain stores and read it again, without any of these, the program races with
// itself, and no order is known to be meant.
#include <stdlib.h>

#include "ir/address.h"
#include "ir/build.h"
#include "ir/uses.h"

enum { PATIENCE = 32 }; // registers to look at for one answer

struct atomic { // on global memory
    uint64_t origins;
    bool is_direct; // at `offset` from the only origin
    uint64_t offset;
};

struct survey { // of a kernel
    bool *ordered;
    uint32_t number; // of the function's first instruction
    const struct ir_function *function;
    struct ir_uses *uses;
    VEC(struct atomic) atomics;
    bool depends;       // on who comes first
    uint32_t operation; // of the reductions so far; 0: none yet
};

// ---- Where addresses come from --------------------------------------------------------------

// Parameters of the kernel and variables of the module, as bits; two may share one.
static uint64_t bit_of(uint64_t number) {
    return 1ull << (number % 64);
}

static uint64_t origin_of_load(const struct ir_function *function,
                               const struct ir_instruction *load) {
    const struct ir_operand *from = &load->operands[1];
    if (load->ptx->isa != PTX_ISA_ld_param || !function->ptx->is_entry ||
        from->kind != IR_OPERAND_ADDRESS || !from->variable)
        return 0;
    return bit_of((from->variable->offset + from->value) / 8);
}

static uint64_t origins_of(const struct survey *survey, const struct ir_operand *operand,
                           unsigned *steps);

static uint64_t origins_of_setter(const struct survey *survey, const struct ir_instruction *set,
                                  unsigned *steps) {
    uint64_t origins = 0;
    if (ptx_access_of(set->ptx) != PTX_ACCESS_NONE)
        return origin_of_load(survey->function, set);
    for (uint32_t o = 1; o < set->operand_count; o++)
        origins |= origins_of(survey, &set->operands[o], steps);
    return origins;
}

// What a 64-bit value may be computed from. Loops give one register several values.
static uint64_t origins_of(const struct survey *survey, const struct ir_operand *operand,
                           unsigned *steps) {
    const struct ir_uses *uses = survey->uses;
    if (operand->variable)
        return bit_of((uintptr_t)operand->variable / sizeof *operand->variable);
    if ((operand->kind != IR_OPERAND_REGISTER && operand->kind != IR_OPERAND_ADDRESS) ||
        operand->reg == IR_NONE || survey->function->registers[operand->reg].class != IR_CLASS_64)
        return 0;
    uint64_t origins = 0;
    for (uint32_t at = uses->last_setting[operand->reg]; at != IR_NONE && ++*steps < PATIENCE;
         at = uses->mentions.data[at].next)
        origins |= origins_of_setter(
            survey, &survey->function->instructions[uses->mentions.data[at].instruction], steps);
    return origins;
}

// An address that is a parameter itself, with a constant added: the fields of a structure are
// apart.
static bool is_direct(const struct survey *survey, const struct ir_operand *address) {
    if (address->variable || address->reg == IR_NONE)
        return true;
    const struct ir_instruction *set = ir_only_setter(survey->uses, address->reg);
    // A register that nothing else sets may be made of itself.
    for (unsigned steps = 0; set && steps < PATIENCE && set->ptx->isa == PTX_ISA_cvta_to &&
                             set->operands[1].kind == IR_OPERAND_REGISTER;
         steps++)
        set = ir_only_setter(survey->uses, set->operands[1].reg);
    return set && set->ptx->isa == PTX_ISA_ld_param;
}

static struct atomic place_of(const struct survey *survey, const struct ir_instruction *instruction,
                              unsigned position) {
    const struct ir_operand *address = &instruction->operands[position];
    unsigned steps = 0;
    return (struct atomic){.origins = origins_of(survey, address, &steps),
                           .is_direct = is_direct(survey, address),
                           .offset = address->value};
}

static bool may_meet(const struct atomic *a, const struct atomic *b) {
    return (a->origins & b->origins) && !(a->is_direct && b->is_direct && a->offset != b->offset);
}

// ---- Instructions ---------------------------------------------------------------------------

static bool is_beyond_block(const struct ir_instruction *instruction) {
    const enum ptx_space space = ir_access_space(instruction);
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC;
}

static bool is_integer(enum ptx_type type) {
    const enum ptx_type_class class = ptx_type_class(type);
    return class == PTX_CLASS_BITS || class == PTX_CLASS_UNSIGNED || class == PTX_CLASS_SIGNED;
}

// Operations that may be swapped with each other have one number. 0: it matters who comes first.
static uint32_t commuting(const struct survey *survey, const struct ir_instruction *instruction,
                          unsigned address) {
    const struct ptx_instruction *ptx = instruction->ptx;
    const enum ptx_modifier op = ptx_modifier_of(ptx, PTX_GROUP_op);
    const enum ptx_type type = (enum ptx_type)ptx->types[0];
    const bool is_signed = ptx_type_class(type) == PTX_CLASS_SIGNED;
    uint64_t bound;
    if (!is_integer(type) || op == PTX_MOD_exch || op == PTX_MOD_cas)
        return 0;
    if (op == PTX_MOD_min || op == PTX_MOD_max)
        return (uint32_t)op * 2 + is_signed;
    if (op == PTX_MOD_inc || op == PTX_MOD_dec) // one that never wraps adds
        return ir_is_constant(survey->uses, &instruction->operands[address + 1], &bound) &&
                       (uint32_t)bound == UINT32_MAX
                   ? (uint32_t)PTX_MOD_add * 2
                   : 0;
    return (uint32_t)op * 2;
}

static bool is_result_read(const struct survey *survey, const struct ir_operand *result) {
    if (result->kind == IR_OPERAND_REGISTER)
        return ir_is_read(survey->uses, result->reg);
    for (uint32_t e = 0; result->kind == IR_OPERAND_VECTOR && e < result->element_count; e++)
        if (is_result_read(survey, &result->elements[e]))
            return true;
    return false;
}

static void add_operation(struct survey *survey, uint32_t operation) {
    survey->depends |= !operation || (survey->operation && survey->operation != operation);
    survey->operation = operation;
}

static void add_atomic(struct survey *survey, const struct ir_instruction *instruction,
                       bool has_result) {
    if (!survey->uses)
        survey->uses = ir_uses_create(survey->function);
    add_operation(survey, commuting(survey, instruction, has_result));
    survey->depends |= has_result && is_result_read(survey, &instruction->operands[0]);
    vec_push(&survey->atomics, place_of(survey, instruction, has_result));
}

static bool is_strong(const struct ptx_instruction *ptx) {
    return PTX_HAS(ptx, volatile) || PTX_HAS(ptx, sem) ||
           ptx_modifier_of(ptx, PTX_GROUP_cache) == PTX_MOD_cv;
}

// Whether the instruction takes part in the order, should the kernel need one.
static bool takes_part(struct survey *survey, const struct ir_instruction *instruction) {
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    const bool is_beyond = is_beyond_block(instruction);
    switch (access) {
    case PTX_ACCESS_ATOMIC:
    case PTX_ACCESS_REDUCTION:
        if (is_beyond)
            add_atomic(survey, instruction, access == PTX_ACCESS_ATOMIC);
        return is_beyond;
    case PTX_ACCESS_SURFACE_REDUCTION:
        add_operation(survey, commuting(survey, instruction, 0));
        return true;
    case PTX_ACCESS_BULK_COPY:
        if (!PTX_HAS(instruction->ptx, red) || !is_beyond)
            return false;
        add_operation(survey, commuting(survey, instruction, 0));
        return true;
    case PTX_ACCESS_LOAD:
        survey->depends |= is_beyond && is_strong(instruction->ptx);
        return is_beyond && is_strong(instruction->ptx);
    case PTX_ACCESS_STORE:
        return is_beyond && is_strong(instruction->ptx);
    default:
        return false;
    }
}

// A plain load of what atomics change meanwhile: `if (x < *least) atomicMin(least, x);`
static bool may_see_atomic(struct survey *survey, const struct ir_instruction *instruction) {
    if (ptx_access_of(instruction->ptx) != PTX_ACCESS_LOAD || PTX_HAS(instruction->ptx, nc) ||
        !is_beyond_block(instruction))
        return false;
    if (!survey->uses)
        survey->uses = ir_uses_create(survey->function);
    const struct atomic load = place_of(survey, instruction, 1);
    for (size_t i = 0; i < survey->atomics.length; i++)
        if (may_meet(&load, &survey->atomics.data[i]))
            return true;
    return false;
}

// ---- The kernel -----------------------------------------------------------------------------

static void survey_function(struct survey *survey, const struct ir_function *function,
                            bool looks_for_loads) {
    survey->function = function;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ir_instruction *instruction = &function->instructions[i];
        bool *is_ordered = &survey->ordered[survey->number + i];
        if (!looks_for_loads)
            *is_ordered = takes_part(survey, instruction);
        else if (may_see_atomic(survey, instruction))
            *is_ordered = survey->depends = true;
    }
    survey->number += function->instruction_count;
    ir_uses_free(survey->uses);
    survey->uses = NULL;
}

bool *ir_block_ordered(const struct ir_function *kernel) {
    struct survey survey = {0};
    uint32_t count, instructions = 0;
    const struct ir_function **functions = ir_reachable(kernel, &count);
    for (uint32_t f = 0; f < count; f++)
        instructions += functions[f]->instruction_count;
    survey.ordered = base_alloc((instructions + 1) * sizeof *survey.ordered);
    for (int pass = 0; pass < 2; pass++) {
        survey.number = 0;
        for (uint32_t f = 0; f < count && (pass == 0 || survey.atomics.length); f++)
            survey_function(&survey, functions[f], pass == 1);
    }
    free(functions);
    vec_free(&survey.atomics);
    if (survey.depends)
        return survey.ordered;
    free(survey.ordered);
    return NULL;
}
