// Registers that may not have the form that the plan gives them, since the interpreter takes lanes
// different ways and brings them together again. Who enters asks of those alone: all others hold
// what they held, had all lanes gone one way. See forms.h.
//
// Lanes that part at a branch can be in one place again where both of its ways lead, up to its
// post-dominator, at which they wait for each other; what either way writes may differ there. What
// is computed of a register in doubt is in doubt, and a branch that asks one may part lanes.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/forms.h"

struct search {
    struct plan *plan;
    bool *may_part, *parts; // by block: whether lanes may part behind it, and whether that is done
    uint64_t *written;      // block * words: registers
    uint64_t *doubts;       // of registers, while a block is gone through
    bool *sides[2];         // by block: either way leads there
    uint32_t *list;         // of blocks
};

// ---- Instructions -----------------------------------------------------------------------------

struct visit {
    uint64_t *registers;
    bool reads, is_set; // reads: one of them
};

static void visit_read(void *context, uint32_t reg, bool is_written) {
    struct visit *visit = context;
    visit->reads |= !is_written && plan_has(visit->registers, reg);
}

static void visit_written(void *context, uint32_t reg, bool is_written) {
    const struct visit *visit = context;
    const uint64_t bit = 1ull << (reg % 64);
    if (is_written && visit->is_set)
        visit->registers[reg / 64] |= bit;
    else if (is_written)
        visit->registers[reg / 64] &= ~bit;
}

// A result that wraps between lanes is the interpreter's, who gives each lane its own.
static void step(const struct plan *plan, const struct op *op, uint64_t *doubts) {
    const struct ir_instruction *ir = &plan->function->instructions[op->ir];
    struct visit visit = {doubts, op->checks_range, false};
    ir_visit_registers(ir, visit_read, &visit);
    visit.is_set = visit.reads;
    if (visit.is_set || op->guard == IR_NONE)
        ir_visit_registers(ir, visit_written, &visit);
}

uint64_t *doubts_before(const struct plan *plan, uint32_t op) {
    const size_t words = plan->live.words;
    const uint32_t block = ir_block_of(plan->function, plan->ops[op].ir);
    uint64_t *doubts = base_alloc((words + 1) * sizeof *doubts);
    memcpy(doubts, plan->doubts + block * words, words * sizeof *doubts);
    for (uint32_t o = plan->block_ops[block]; o < op; o++)
        step(plan, &plan->ops[o], doubts);
    return doubts;
}

static void note_written(struct search *search, uint32_t block) {
    const struct plan *plan = search->plan;
    struct visit visit = {search->written + block * plan->live.words, false, true};
    for (uint32_t o = plan->block_ops[block]; o < plan->block_ops[block + 1]; o++)
        ir_visit_registers(&plan->function->instructions[plan->ops[o].ir], visit_written, &visit);
}

// ---- Branches ---------------------------------------------------------------------------------

// All blocks that a way leads to, up to one.
static void follow(const struct search *search, uint32_t from, uint32_t last, bool *is_reached) {
    const struct ir_function *function = search->plan->function;
    struct reached reached = {is_reached, search->list, 0};
    memset(is_reached, 0, function->block_count);
    plan_reach(&reached, from);
    for (uint32_t i = 0; i < reached.count; i++) {
        const struct ir_block *block = &function->blocks[reached.list[i]];
        for (uint32_t s = 0; s < block->successor_count && reached.list[i] != last; s++)
            plan_reach(&reached, block->successors[s]);
    }
}

static void part(struct search *search, uint32_t b) {
    const struct plan *plan = search->plan;
    const struct ir_block *block = &plan->function->blocks[b];
    const size_t words = plan->live.words;
    uint64_t *written = base_alloc((words + 1) * sizeof *written);
    for (unsigned s = 0; s < 2; s++)
        follow(search, block->successors[s], block->post_dominator, search->sides[s]);
    for (uint32_t n = 0; n < plan->function->block_count; n++)
        if ((search->sides[0][n] || search->sides[1][n]) && n != block->post_dominator)
            plan_add(plan, written, search->written + n * words);
    for (uint32_t n = 0; n < plan->function->block_count; n++)
        if (search->sides[0][n] && search->sides[1][n])
            plan_add(plan, plan->doubts + n * words, written);
    free(written);
}

// ---- All of them ------------------------------------------------------------------------------

static bool step_block(struct search *search, uint32_t b) {
    struct plan *plan = search->plan;
    const struct ir_block *block = &plan->function->blocks[b];
    const uint32_t end = plan->block_ops[b + 1];
    const size_t words = plan->live.words;
    memcpy(search->doubts, plan->doubts + b * words, words * sizeof *search->doubts);
    for (uint32_t o = plan->block_ops[b]; o < end; o++)
        step(plan, &plan->ops[o], search->doubts);
    if (!plan->is_reached[b]) // nobody knows its forms
        plan_add(plan, search->doubts, search->written + b * words);
    const bool parts = block->successor_count > 1 &&
                       (search->may_part[b] || plan_has(search->doubts, plan->ops[end - 1].guard));
    bool changes = parts && !search->parts[b];
    if (changes)
        part(search, b);
    search->parts[b] |= parts;
    for (uint32_t s = 0; s < block->successor_count; s++)
        if (block->successors[s] != IR_NONE)
            changes |= plan_add(plan, plan->doubts + block->successors[s] * words, search->doubts);
    return changes;
}

// Where it is known that the condition is the same in all lanes, if no register is in doubt.
static bool may_part(const struct plan *plan, uint32_t b, struct form *forms) {
    const uint32_t begin = plan->block_ops[b], end = plan->block_ops[b + 1];
    if (!plan->is_reached[b] || begin == end || plan->ops[end - 1].guard == IR_NONE)
        return true;
    plan_step_block(plan, b, forms);
    return forms[plan->ops[end - 1].guard].kind != FORM_RAMP;
}

// One of several ways, which blocks do not tell.
static bool has_tables(const struct ir_function *function) {
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (function->instructions[i].target_count)
            return true;
    return false;
}

static void search_all(struct search *search) {
    const uint32_t count = search->plan->function->block_count;
    struct form *forms = base_alloc((search->plan->function->register_count + 1) * sizeof *forms);
    for (uint32_t b = 0; b < count; b++) {
        search->may_part[b] = may_part(search->plan, b, forms);
        note_written(search, b);
    }
    free(forms);
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t b = 0; b < count; b++)
            changes |= step_block(search, b);
    }
}

void doubts_find(struct plan *plan) {
    const uint32_t count = plan->function->block_count;
    const size_t words = plan->live.words, bytes = (count * words + 1) * sizeof(uint64_t);
    plan->doubts = base_alloc(bytes);
    if (has_tables(plan->function)) {
        memset(plan->doubts, 0xff, bytes);
        return;
    }
    struct search search = {.plan = plan,
                            .may_part = base_alloc(count + 1),
                            .parts = base_alloc(count + 1),
                            .written = base_alloc(bytes),
                            .doubts = base_alloc((words + 1) * sizeof(uint64_t)),
                            .sides = {base_alloc(count + 1), base_alloc(count + 1)},
                            .list = base_alloc((count + 1) * sizeof(uint32_t))};
    search_all(&search);
    free(search.may_part);
    free(search.parts);
    free(search.written);
    free(search.doubts);
    free(search.sides[0]);
    free(search.sides[1]);
    free(search.list);
}
