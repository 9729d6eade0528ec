// What is done with each instruction of a kernel - native code, the interpreter's handler, or the
// interpreter -, what is live there, and which forms registers have.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/forms.h"
#include "sim/native/compiler.h"

static const struct form lanes = {.kind = FORM_LANES, .bits = FORM_ANY_BITS};

// ---- Liveness by instruction ----------------------------------------------------------------

struct scan {
    const struct plan *plan;
    uint64_t *live;
    bool is_partial, wants_written;
};

static void scan_register(void *context, uint32_t reg, bool is_written) {
    struct scan *scan = context;
    const uint64_t bit = 1ull << (reg % 64);
    if (scan->wants_written) {
        if (is_written && !scan->is_partial)
            scan->live[reg / 64] &= ~bit;
    } else if (!is_written || scan->is_partial) {
        scan->live[reg / 64] |= bit;
    }
}

static void find_live(struct plan *plan) {
    const size_t words = plan->live.words;
    uint64_t *live = base_alloc((words + 1) * sizeof *live);
    for (uint32_t b = 0; b < plan->function->block_count; b++) {
        memcpy(live, plan->live.out + b * words, words * sizeof *live);
        for (uint32_t o = plan->block_ops[b + 1]; o-- > plan->block_ops[b];) {
            const struct ir_instruction *ir = &plan->function->instructions[plan->ops[o].ir];
            // Of the copies that one instruction became the first stands for all.
            const bool is_later = o > plan->block_ops[b] && plan->ops[o - 1].ir == plan->ops[o].ir;
            if (!is_later) {
                struct scan scan = {plan, live, ir->guard != IR_NONE, true};
                ir_visit_registers(ir, scan_register, &scan);
                scan.wants_written = false;
                ir_visit_registers(ir, scan_register, &scan);
            }
            memcpy(plan->live_before + o * words, live, words * sizeof *live);
        }
    }
    free(live);
}

bool plan_is_live_behind(const struct plan *plan, uint32_t op, uint32_t reg) {
    const uint32_t block = ir_block_of(plan->function, plan->ops[op].ir);
    if (op + 1 < plan->block_ops[block + 1]) // perhaps the jump alone is behind it
        return plan_is_live(plan, op + 1, reg);
    return ir_is_live(&plan->live, plan->live.out, block, reg);
}

// ---- Sets -------------------------------------------------------------------------------------

bool plan_add(const struct plan *plan, uint64_t *to, const uint64_t *set) {
    bool grows = false;
    for (size_t w = 0; w < plan->live.words; w++) {
        grows |= (set[w] & ~to[w]) != 0;
        to[w] |= set[w];
    }
    return grows;
}

// ---- Forms of all blocks --------------------------------------------------------------------

static bool join_form(struct form *to, struct form from) {
    const struct form before = *to;
    if (from.kind == FORM_NONE)
        return false;
    if (to->kind == FORM_NONE)
        *to = from;
    if (from.kind == FORM_LANES || to->kind == FORM_LANES || from.stride != to->stride ||
        from.flip != to->flip)
        *to = (struct form){.kind = FORM_LANES, .bits = to->bits};
    if (from.zeros < to->zeros)
        to->zeros = from.zeros;
    // A bound that grows in a loop would grow for long.
    if (from.bits > to->bits)
        to->bits = FORM_ANY_BITS;
    return before.kind != to->kind || before.zeros != to->zeros || before.bits != to->bits;
}

static bool join_forms(struct plan *plan, uint32_t block, const struct form *forms) {
    if (block == IR_NONE)
        return false;
    struct form *to = plan->forms + (size_t)block * plan->function->register_count;
    bool changes = !plan->is_reached[block];
    plan->is_reached[block] = true;
    for (uint32_t r = 0; r < plan->function->register_count; r++)
        if (ir_is_live(&plan->live, plan->live.in, block, r))
            changes |= join_form(&to[r], forms[r]);
    return changes;
}

void plan_step_block(const struct plan *plan, uint32_t b, struct form *forms) {
    memcpy(forms, plan_forms(plan, b), plan->function->register_count * sizeof *forms);
    for (uint32_t o = plan->block_ops[b]; o < plan->block_ops[b + 1]; o++)
        forms_step(plan, &plan->ops[o], forms);
}

static bool step_block(struct plan *plan, uint32_t b, struct form *forms) {
    const struct ir_block *block = &plan->function->blocks[b];
    plan_step_block(plan, b, forms);
    bool changes = false;
    const bool is_once = parts_are_made_once(plan, b, forms);
    for (uint32_t s = 0; s < block->successor_count; s++)
        if (!is_once || block->successors[s] == block->post_dominator)
            changes |= join_forms(plan, block->successors[s], forms);
    if (parts_at(plan, b, forms)) { // each lane has what it wrote itself where they meet
        for (uint32_t r = 0; r < plan->function->register_count; r++)
            if (plan_is_written(plan, b, r))
                forms[r] = lanes;
        changes |= join_forms(plan, block->post_dominator, forms);
    }
    return changes;
}

void plan_reach(struct reached *reached, uint32_t block) {
    if (block == IR_NONE || reached->is_reached[block])
        return;
    reached->is_reached[block] = true;
    reached->list[reached->count++] = block;
}

// Which blocks are reached, now that all forms are known: on the way there some were taken for more
// regular than they are.
static void reach_all(struct plan *plan, struct form *forms) {
    const uint32_t count = plan->function->block_count;
    struct reached reached = {plan->is_reached, base_alloc((count + 1) * sizeof *reached.list), 0};
    plan->is_made_once = base_alloc(count + 1);
    memset(plan->is_reached, 0, count);
    plan_reach(&reached, 0);
    for (uint32_t i = 0; i < reached.count; i++) {
        const uint32_t b = reached.list[i];
        const struct ir_block *block = &plan->function->blocks[b];
        plan_step_block(plan, b, forms);
        plan->is_made_once[b] = parts_are_made_once(plan, b, forms);
        for (uint32_t s = 0; s < block->successor_count; s++)
            if (!plan->is_made_once[b] || block->successors[s] == block->post_dominator)
                plan_reach(&reached, block->successors[s]);
        if (parts_at(plan, b, forms))
            plan_reach(&reached, block->post_dominator);
    }
    free(reached.list);
}

static void find_forms(struct plan *plan) {
    const uint32_t registers = plan->function->register_count;
    plan->forms =
        base_alloc(((size_t)plan->function->block_count * registers + 1) * sizeof *plan->forms);
    plan->is_reached = base_alloc(plan->function->block_count + 1);
    struct form *forms = base_alloc((registers + 1) * sizeof *forms);
    for (uint32_t r = 0; r < registers; r++)
        plan->forms[r] = lanes;
    plan->is_reached[0] = true;
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t b = 0; b < plan->function->block_count; b++)
            if (plan->is_reached[b])
                changes |= step_block(plan, b, forms);
    }
    reach_all(plan, forms);
    free(forms);
}

// ---- Entries ----------------------------------------------------------------------------------

// An entry loads all registers that are live: where the next one comes soon, so many ops at most,
// it is left out.
enum { SOON = 16 };

static bool has_leave(const struct plan *plan, uint32_t block) {
    for (uint32_t o = plan->block_ops[block]; o < plan->block_ops[block + 1]; o++)
        if (plan->ops[o].kind == OP_LEAVE)
            return true;
    return false;
}

static void reach_behind(const struct plan *plan, struct reached *reached, uint32_t b) {
    const struct ir_block *block = &plan->function->blocks[b];
    for (uint32_t s = 0; s < block->successor_count && !has_leave(plan, b); s++)
        plan_reach(reached, block->successors[s]);
}

// Whether a round of a loop may come back to its head without an entry: there is one behind each
// barrier.
static bool comes_back(const struct plan *plan, uint32_t head) {
    const uint32_t count = plan->function->block_count;
    struct reached reached = {base_alloc(count + 1), base_alloc((count + 1) * sizeof *reached.list),
                              0};
    reach_behind(plan, &reached, head);
    for (uint32_t i = 0; i < reached.count && !reached.is_reached[head]; i++)
        reach_behind(plan, &reached, reached.list[i]);
    const bool result = reached.is_reached[head];
    free(reached.is_reached);
    free(reached.list);
    return result;
}

static bool is_loop_head(const struct plan *plan, uint32_t block) {
    for (uint32_t o = plan->block_ops[block]; o < plan->op_count; o++)
        if (plan->ops[o].kind == OP_JUMP && plan->ops[o].target == block)
            return true;
    return false;
}

static bool is_soon_entered(const struct plan *plan, uint32_t b) {
    const struct ir_block *block = &plan->function->blocks[b];
    bool all = true;
    for (uint32_t s = 0; s < block->successor_count; s++)
        all &= block->successors[s] != IR_NONE &&
               plan->is_entry[plan->block_ops[block->successors[s]]];
    return plan->block_ops[b + 1] - plan->block_ops[b] <= SOON && (all || has_leave(plan, b));
}

static void set_entry(struct plan *plan, uint32_t block, uint32_t op, bool is_entry) {
    if (op == plan->block_ops[block + 1]) // a block without any
        return;
    plan->is_entry[op] = is_entry && plan->is_reached[block] && plan->ops[op].kind != OP_LEAVE;
}

// From the last block to the first: what is behind a block is known then, but for loops.
static void find_entries(struct plan *plan) {
    const struct ir_block *blocks = plan->function->blocks;
    for (uint32_t b = 0; b < plan->function->block_count; b++)
        set_entry(plan, b, plan->block_ops[b], is_loop_head(plan, b) && comes_back(plan, b));
    for (uint32_t b = plan->function->block_count; b-- > 0;) {
        const uint32_t begin = plan->block_ops[b];
        for (uint32_t o = begin + 1; o < plan->block_ops[b + 1]; o++)
            set_entry(plan, b, o, plan->ops[o - 1].kind == OP_LEAVE);
        if (!plan->is_entry[begin])
            set_entry(plan, b, begin,
                      b == 0 || (blocks[b].is_reconvergence && !is_soon_entered(plan, b)));
    }
}

struct plan *plan_create(const struct compile_request *request) {
    struct plan *plan = base_alloc(sizeof *plan);
    const struct sim_code *code = plan->code = request->code;
    const struct ir_function *function = plan->function = code->ir;
    plan->has_whole_rows = request->has_whole_rows;
    plan->lanes = request->lanes;
    ops_read(plan, request);
    plan->live = ir_liveness_find(function);
    plan->live_before =
        base_alloc((plan->op_count + 1) * (plan->live.words + 1) * sizeof *plan->live_before);
    find_live(plan);
    parts_find(plan);
    find_forms(plan);
    doubts_find(plan);
    saved_find(plan);
    loaded_find(plan);
    plan->is_entry = base_alloc(plan->op_count + 1);
    find_entries(plan);
    return plan;
}

void plan_free(struct plan *plan) {
    if (!plan)
        return;
    ir_liveness_free(&plan->live);
    free(plan->live_before);
    free(plan->forms);
    free(plan->may_part);
    free(plan->written);
    free(plan->is_made_once);
    free(plan->doubts);
    free(plan->unsaved);
    free(plan->is_loaded);
    free(plan->is_reached);
    free(plan->is_entry);
    free(plan->block_ops);
    free(plan->ops);
    free(plan);
}
