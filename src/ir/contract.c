// Products and sums without a rounding modifier, which the ISA lets a code generator contract to
// fused multiply-adds. ptxas does so as this file does, found by compiling some thousand kernels
// for 7.5 to 10.0 and reading the machine code (tests/unit/test_contract.c; docs/accuracy.md):
//
// - A product is contracted when everything that reads it, maybe through `neg` and `mov`, is an
//   addition or subtraction of its type in the same stretch of code: it is never needed itself.
// - With a constant factor (a number, a kernel's parameter, `.const`) they may be anywhere, since
//   that takes no more registers.
// - Products that are read once come first, in the order of the sums; then the others. Of packed
//   numbers all come at once.
// - Of two products in a sum that is taken which is read less often, else the first. The other is
//   needed itself from then on, and no later sum takes it.
#include <assert.h>
#include <stdlib.h>

#include "ir/build.h"
#include "ir/stretch.h"

enum { MOVES = 8 }; // `neg` and `mov` between a product and a sum

struct term {         // what an operand of a sum is
    uint32_t product; // IR_NONE: no product
    bool is_negated;
};

struct sum {
    uint32_t instruction;
    struct term terms[2];
    uint32_t taken; // of `terms`, IR_NONE: none
};

struct product {
    uint32_t instruction;
    uint32_t first, count; // in `uses`
    bool is_movable;       // has a constant factor
};

struct use {
    uint32_t sum, term;
};

struct contraction {
    struct ir_function *function;
    struct ir_stretches *stretches;
    struct ir_uses *registers;
    uint32_t *sum_of;     // of each instruction
    VEC(struct sum) sums; // in the order of the code
    VEC(struct product) products;
    VEC(struct use) uses;
};

// ---- What an instruction is ---------------------------------------------------------------

static bool is_unrounded(const struct ir_instruction *instruction) {
    return !PTX_HAS(instruction->ptx, round);
}

static bool is_product(const struct ir_instruction *instruction) {
    return ptx_is(instruction->ptx, PTX_FACT_PRODUCT) && is_unrounded(instruction) &&
           !PTX_HAS(instruction->ptx, sat) && instruction->guard == IR_NONE &&
           instruction->operands[0].kind == IR_OPERAND_REGISTER;
}

static bool is_sum(const struct ir_instruction *instruction) {
    return ptx_is(instruction->ptx, PTX_FACT_SUM) && is_unrounded(instruction);
}

static bool is_register(const struct ir_operand *operand, uint32_t reg) {
    return operand->kind == IR_OPERAND_REGISTER && operand->reg == reg;
}

static bool is_packed(const struct ir_instruction *instruction) {
    const enum ptx_type type = (enum ptx_type)instruction->ptx->types[0];
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_F32X2;
}

// Both flush or neither does, and both have one type.
static bool are_alike(const struct ir_instruction *a, const struct ir_instruction *b) {
    return a->ptx->types[0] == b->ptx->types[0] && PTX_HAS(a->ptx, ftz) == PTX_HAS(b->ptx, ftz);
}

static bool is_move(const struct ir_instruction *instruction) {
    return ptx_is(instruction->ptx, PTX_FACT_COPY) && instruction->guard == IR_NONE &&
           instruction->operand_count == 2 &&
           instruction->operands[0].kind == IR_OPERAND_REGISTER &&
           instruction->operands[1].kind == IR_OPERAND_REGISTER;
}

// The sums, in the order in which the code runs.
static void note_sums(struct contraction *c) {
    for (uint32_t n = 0; n < c->function->instruction_count; n++) {
        const uint32_t i = c->stretches->order[n];
        c->sum_of[i] = IR_NONE;
        if (!is_sum(&c->function->instructions[i]))
            continue;
        c->sum_of[i] = (uint32_t)c->sums.length;
        vec_push(&c->sums, ((struct sum){i, {{IR_NONE, false}, {IR_NONE, false}}, IR_NONE}));
    }
}

// ---- Products -----------------------------------------------------------------------------

static bool note_uses(struct contraction *c, struct product *product, uint32_t reg, bool is_negated,
                      int moves);

// False: the product is needed itself there.
static bool note_use(struct contraction *c, struct product *product, uint32_t reg,
                     uint32_t instruction, bool is_negated, int moves) {
    const struct ir_instruction *mul = &c->function->instructions[product->instruction];
    const struct ir_instruction *reader = &c->function->instructions[instruction];
    if (!product->is_movable && !ir_is_behind(c->stretches, product->instruction, instruction))
        return false;
    if (is_move(reader) && moves < MOVES) {
        const uint32_t copy = reader->operands[0].reg;
        const bool negates = ptx_is(reader->ptx, PTX_FACT_NEGATES);
        return (!negates || !PTX_HAS(reader->ptx, ftz) || PTX_HAS(mul->ptx, ftz)) &&
               ir_only_setter(c->registers, copy) &&
               note_uses(c, product, copy, is_negated != negates, moves + 1);
    }
    const uint32_t s = c->sum_of[instruction];
    if (s == IR_NONE || !are_alike(mul, reader) ||
        is_register(&reader->operands[1], reg) == is_register(&reader->operands[2], reg))
        return false;
    const uint32_t term = is_register(&reader->operands[2], reg), other = 1 - term;
    if (c->sums.data[s].terms[other].product == c->products.length)
        return false; // both operands are this product
    vec_push(&c->uses, ((struct use){s, term}));
    product->count++;
    c->sums.data[s].terms[term] = (struct term){(uint32_t)c->products.length, is_negated};
    return true;
}

static bool note_uses(struct contraction *c, struct product *product, uint32_t reg, bool is_negated,
                      int moves) {
    const struct ir_uses *uses = c->registers;
    for (uint32_t m = uses->last_reading[reg]; m != IR_NONE; m = uses->mentions.data[m].next)
        if (!note_use(c, product, reg, uses->mentions.data[m].instruction, is_negated, moves))
            return false;
    return true;
}

// Does the register hold at the sum what it holds at the product?
static bool keeps(const struct contraction *c, uint32_t reg, uint32_t product, uint32_t sum) {
    if (ir_is_behind(c->stretches, product, sum))
        return !ir_is_set_between(c->stretches, c->registers, reg, product, sum);
    return ir_only_setter(c->registers, reg); // before the product, which is before the sum
}

static bool keeps_factors(const struct contraction *c, uint32_t product, uint32_t sum) {
    const struct ir_instruction *mul = &c->function->instructions[product];
    for (int o = 1; o <= 2; o++)
        if (mul->operands[o].kind == IR_OPERAND_REGISTER &&
            !keeps(c, mul->operands[o].reg, product, sum))
            return false;
    return true;
}

// In the machine code it is no register.
static bool is_constant(const struct contraction *c, const struct ir_operand *operand) {
    uint64_t value;
    if (operand->kind != IR_OPERAND_REGISTER || ir_is_constant(c->registers, operand, &value))
        return true;
    const struct ir_instruction *set = ir_only_setter(c->registers, operand->reg);
    if (!set || set->guard != IR_NONE || ptx_access_of(set->ptx) != PTX_ACCESS_LOAD)
        return false;
    const enum ptx_modifier space = ptx_modifier_of(set->ptx, PTX_GROUP_space);
    return set->operands[1].kind == IR_OPERAND_ADDRESS && set->operands[1].reg == IR_NONE &&
           (space == PTX_MOD_const || (space == PTX_MOD_param && c->function->ptx->is_entry));
}

static void forget(struct contraction *c, const struct product *product) {
    for (uint32_t u = product->first; u < product->first + product->count; u++)
        c->sums.data[c->uses.data[u].sum].terms[c->uses.data[u].term].product = IR_NONE;
    c->uses.length = product->first;
}

static void note_product(struct contraction *c, uint32_t instruction) {
    const struct ir_instruction *mul = &c->function->instructions[instruction];
    struct product product = {instruction, (uint32_t)c->uses.length, 0,
                              is_constant(c, &mul->operands[1]) ||
                                  is_constant(c, &mul->operands[2])};
    const uint32_t reg = mul->operands[0].reg;
    bool is_free = ir_only_setter(c->registers, reg) && note_uses(c, &product, reg, false, 0);
    for (uint32_t u = 0; is_free && u < product.count; u++)
        is_free = keeps_factors(c, instruction,
                                c->sums.data[c->uses.data[product.first + u].sum].instruction);
    if (is_free && product.count)
        vec_push(&c->products, product);
    else
        forget(c, &product);
}

// ---- Choosing -----------------------------------------------------------------------------

// No sum needs the product itself yet.
static bool is_free(const struct contraction *c, uint32_t product) {
    if (product == IR_NONE)
        return false;
    const struct product *p = &c->products.data[product];
    for (uint32_t u = p->first; u < p->first + p->count; u++) {
        const struct sum *sum = &c->sums.data[c->uses.data[u].sum];
        if (sum->taken != IR_NONE && sum->terms[sum->taken].product != product)
            return false;
    }
    return true;
}

static void choose(struct contraction *c, struct sum *sum, bool read_once) {
    uint32_t count[2] = {UINT32_MAX, UINT32_MAX};
    for (int t = 0; t < 2; t++)
        if (is_free(c, sum->terms[t].product))
            count[t] = c->products.data[sum->terms[t].product].count;
    const uint32_t term = count[1] < count[0];
    if (count[term] != UINT32_MAX && (!read_once || count[term] == 1))
        sum->taken = term;
}

static void choose_all(struct contraction *c) {
    for (int pass = 0; pass < 2; pass++)
        for (size_t s = 0; s < c->sums.length; s++) {
            struct sum *sum = &c->sums.data[s];
            if (sum->taken == IR_NONE)
                choose(c, sum,
                       pass == 0 && !is_packed(&c->function->instructions[sum->instruction]));
        }
}

// d = x + y, where x is a * b, becomes d = a * b + y.
static void rewrite(struct ir_function *function, const struct sum *sum,
                    const struct contraction *c) {
    struct ir_instruction *out = &function->instructions[sum->instruction];
    const struct term *term = &sum->terms[sum->taken];
    const struct ir_instruction *mul =
        &function->instructions[c->products.data[term->product].instruction];
    assert(out->operand_count == 3 && mul->operand_count == 3 && !out->is_contracted);
    const bool subtracts = ptx_is(out->ptx, PTX_FACT_NEGATES);
    out->operands[3] = out->operands[sum->taken ? 1 : 2];
    out->operands[1] = mul->operands[1];
    out->operands[2] = mul->operands[2];
    out->operand_count = 4;
    out->is_contracted = true;
    out->negates_product = term->is_negated != (subtracts && sum->taken == 1);
    out->negates_addend = subtracts && sum->taken == 0;
}

static bool has_product(const struct ir_function *function) {
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (is_product(&function->instructions[i]))
            return true;
    return false;
}

void ir_contract(struct ir_function *function) {
    assert(!function->slots[IR_CLASS_32] && !function->slots[IR_CLASS_64]); // lives change
    if (function->module->ptx->is_debug || !has_product(function))
        return; // ptxas -O0, which debugging asks for, contracts nothing
    struct contraction c = {.function = function};
    c.sum_of = base_alloc((function->instruction_count + 1) * sizeof *c.sum_of);
    c.stretches = ir_stretches_create(function);
    c.registers = ir_uses_create(function);
    note_sums(&c);
    for (uint32_t i = 0; c.sums.length && i < function->instruction_count; i++)
        if (is_product(&function->instructions[i]))
            note_product(&c, i);
    choose_all(&c);
    for (size_t s = 0; s < c.sums.length; s++)
        if (c.sums.data[s].taken != IR_NONE)
            rewrite(function, &c.sums.data[s], &c);
    ir_stretches_free(c.stretches);
    ir_uses_free(c.registers);
    free(c.sum_of);
    vec_free(&c.sums);
    vec_free(&c.products);
    vec_free(&c.uses);
}
