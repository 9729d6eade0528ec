// What races are looked for in: barriers, branches on which they hang, and accesses. See race.h.
#include "prove/race.h"

#include <string.h>

#include "ptx/facts.h"

enum { MOST_ACCESSES = 1 << 20 };

void race_give_up(struct races *races, const struct code *code, uint32_t instruction,
                  const char *why) {
    if (races->trouble)
        return;
    races->trouble = why;
    races->trouble_code = code;
    races->trouble_instruction = instruction;
}

static uint32_t number_of(const struct walker *walker, const struct code *code) {
    return (uint32_t)(code - walker->codes);
}

// ---- Barriers of a function -----------------------------------------------------------------

static bool is_barrier_row(enum ptx_isa isa) {
    switch (isa) {
    case PTX_ISA_bar_sync:
    case PTX_ISA_bar_red_pred:
    case PTX_ISA_bar_red_popc:
    case PTX_ISA_barrier_sync:
    case PTX_ISA_barrier_red_pred:
    case PTX_ISA_barrier_red_popc:
        return true;
    default:
        return false;
    }
}

static const struct ir_operand *id_of(const struct ir_instruction *instruction) {
    return &instruction->operands[ptx_is(instruction->ptx, PTX_FACT_GATHERS)];
}

// Of all threads of the block. Others are taken to order nothing.
bool race_is_barrier(const struct ir_instruction *instruction) {
    if (!is_barrier_row(instruction->ptx->isa))
        return false;
    const bool is_reduction = ptx_is(instruction->ptx, PTX_FACT_GATHERS);
    return id_of(instruction)->kind == IR_OPERAND_IMMEDIATE &&
           (is_reduction || instruction->operand_count == 1);
}

static bool is_any_barrier(const struct ir_instruction *instruction) {
    return ptx_is(instruction->ptx, PTX_FACT_SYNCS) && instruction->ptx->isa != PTX_ISA_bar_warp &&
           instruction->ptx->isa != PTX_ISA_barrier_cluster_arrive &&
           instruction->ptx->isa != PTX_ISA_barrier_cluster_wait;
}

bool race_may_be_same_barrier(const struct ir_instruction *a, const struct ir_instruction *b) {
    return is_any_barrier(a) && is_any_barrier(b) &&
           (id_of(a)->kind != IR_OPERAND_IMMEDIATE || id_of(b)->kind != IR_OPERAND_IMMEDIATE ||
            id_of(a)->value == id_of(b)->value);
}

// From these blocks on, as far as `meets`.
static bool reaches_barrier(const struct code *code, const uint32_t *from, uint32_t count,
                            uint32_t meets, uint32_t *stack, bool *is_seen) {
    const struct ir_function *function = code->function;
    uint32_t depth = 0;
    memset(is_seen, 0, function->block_count);
    for (uint32_t i = 0; i < count; i++)
        if (from[i] != IR_NONE && from[i] != meets && !is_seen[from[i]]) {
            is_seen[from[i]] = true;
            stack[depth++] = from[i];
        }
    while (depth) {
        const struct ir_block *block = &function->blocks[stack[--depth]];
        const struct ir_instruction *last =
            &function->instructions[block->first + block->count - 1];
        const uint32_t *to = last->target_count ? last->targets : block->successors;
        const uint32_t ways = last->target_count ? last->target_count : block->successor_count;
        if (code->has_barrier[block - function->blocks])
            return true;
        for (uint32_t i = 0; i < ways; i++)
            if (to[i] != IR_NONE && to[i] != meets && !is_seen[to[i]]) {
                is_seen[to[i]] = true;
                stack[depth++] = to[i];
            }
    }
    return false;
}

void race_find_barriers(struct code *code) {
    const struct ir_function *function = code->function;
    const uint32_t blocks = function->block_count;
    uint32_t *stack = base_alloc((blocks + 1) * sizeof *stack);
    bool *is_seen = base_alloc(blocks + 1);
    code->has_barrier = base_alloc(blocks + 1);
    code->leads_to_barrier = base_alloc(blocks + 1);
    code->parts_at_barrier = base_alloc(blocks + 1);
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t i = 0; i < function->blocks[b].count; i++)
            code->has_barrier[b] |=
                race_is_barrier(&function->instructions[function->blocks[b].first + i]);
    for (uint32_t b = 0; b < blocks; b++) {
        const struct ir_block *block = &function->blocks[b];
        const struct ir_instruction *last =
            &function->instructions[block->first + block->count - 1];
        const uint32_t *to = last->target_count ? last->targets : block->successors;
        const uint32_t ways = last->target_count ? last->target_count : block->successor_count;
        code->leads_to_barrier[b] = reaches_barrier(code, &b, 1, IR_NONE, stack, is_seen);
        code->parts_at_barrier[b] =
            ways > 1 && reaches_barrier(code, to, ways, block->post_dominator, stack, is_seen);
    }
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t i = 0; i < function->blocks[b].count; i++) {
            const bool is_warps =
                function->instructions[function->blocks[b].first + i].ptx->isa == PTX_ISA_bar_warp;
            for (uint32_t n = 0; n < code->loop_count; n++)
                code->loops[n].has_warp_barrier |=
                    code->loops[n].has[b] && (is_warps || code->has_barrier[b]);
        }
    for (uint32_t n = 0; n < code->loop_count; n++)
        for (uint32_t b = 0; b < blocks; b++)
            code->loops[n].has_barrier |= code->loops[n].has[b] && code->has_barrier[b];
    free(is_seen);
    free(stack);
}

// ---- Rounds of loops ------------------------------------------------------------------------

struct race_mark race_begin_round(struct walker *walker, const struct code *code,
                                  const struct loop *loop, uint32_t round) {
    struct races *races = walker->races;
    if (!races)
        return (struct race_mark){0};
    const struct race_mark mark = {races->context, races->edges.length, races->branches.length,
                                   races->accesses.length};
    if (loop->has_warp_barrier)
        races->context = race_context(races, number_of(walker, code), loop->header, round);
    return mark;
}

void race_end_round(struct walker *walker, const struct race_mark *mark) {
    if (walker->races)
        walker->races->context = mark->context;
}

void race_take_back(struct walker *walker, const struct race_mark *mark) {
    struct races *races = walker->races;
    if (!races)
        return;
    races->edges.length = mark->edges;
    races->branches.length = mark->branches;
    races->accesses.length = mark->accesses;
}

void race_enter_any(struct walker *walker, const struct loop *loop, struct state *any) {
    struct races *races = walker->races;
    any->is_certain = false;
    if (!races)
        return;
    if (loop->has_barrier)
        any->phases = race_enter_loop(races, any->phases, races->context);
    else
        races->free_rounds++;
}

bool race_compare(struct walker *walker, const struct loop *loop, struct state *any,
                  const struct state *back) {
    struct races *races = walker->races;
    if (!races)
        return false;
    bool skips = false;
    const uint32_t came = loop->has_barrier
                              ? race_next_round(races, back->phases, races->context, &skips)
                              : back->phases;
    const struct state before = *any;
    any->phases = race_unite(races, any->phases, came);
    any->warp_phases = race_unite(races, any->warp_phases, back->warp_phases);
    any->is_common &= back->is_common;
    any->copies = race_copies_next_round(walker, loop, any->copies, back->copies);
    if (skips)
        vec_push(&races->unstepped, races->context);
    return any->phases != before.phases || any->warp_phases != before.warp_phases ||
           any->is_common != before.is_common || any->copies != before.copies;
}

void race_leave_any(struct walker *walker, const struct loop *loop) {
    if (walker->races && !loop->has_barrier)
        walker->races->free_rounds--;
}

// ---- Branches -------------------------------------------------------------------------------

static void note_branch(struct races *races, const struct race_branch *branch) {
    const size_t count = races->branches.length;
    for (size_t n = 0; n < count; n++) {
        const size_t at = (races->branch + n) % count;
        struct race_branch *known = &races->branches.data[at];
        if (known->context != branch->context || known->code != branch->code ||
            known->instruction != branch->instruction)
            continue;
        known->is_split |= known->condition != branch->condition;
        races->branch = at + 1;
        return;
    }
    vec_push(&races->branches, *branch);
    races->branch = races->branches.length;
}

bool race_branch(struct walker *walker, const struct code *code, uint32_t block,
                 const struct state *state, const struct truth *truth, const struct form *guard) {
    const struct ir_block *at = &code->function->blocks[block];
    // Who comes to no barrier any more keeps nobody waiting.
    if (!state->is_common || !code->parts_at_barrier[block] ||
        !code->leads_to_barrier[at->successors[0]] ||
        !code->leads_to_barrier[at->successors[at->successor_count - 1]])
        return state->is_common;
    const struct form *condition = form_spread(&walker->table, guard, state->may);
    if ((truth->yes && truth->no) || !form_is_uniform(&walker->table, condition))
        return false;
    const struct race_branch branch = {.context = walker->races->context,
                                       .code = code,
                                       .instruction = at->first + at->count - 1,
                                       .condition = condition};
    if (walker->records)
        note_branch(walker->races, &branch);
    return true;
}

// ---- Instructions ---------------------------------------------------------------------------

void race_begin(struct walker *walker, struct state *state) {
    state->phases = race_begin_phase(walker->races, IR_NONE);
    state->warp_phases = race_begin_phase(walker->races, walker->warp);
}

void race_merge(struct walker *walker, struct state *into, const struct state *from) {
    into->phases = race_unite(walker->races, into->phases, from->phases);
    into->warp_phases = race_unite(walker->races, into->warp_phases, from->warp_phases);
    into->copies = race_copies_unite(walker, into->copies, from->copies);
}

static void pass_barrier(struct walker *walker, const struct code *code, uint32_t instruction,
                         struct state *state) {
    struct races *races = walker->races;
    uint32_t node, count;
    const uint32_t after =
        race_pass_barrier(races, IR_NONE, number_of(walker, code), instruction, &node);
    const uint32_t *before = race_members(races, state->phases, &count);
    for (uint32_t i = 0; walker->records && i < count; i++)
        vec_push(&races->edges, (struct race_edge){.phase = before[i],
                                                   .node = node,
                                                   .warp = walker->warp,
                                                   .code = code,
                                                   .instruction = instruction,
                                                   .is_common = state->is_common});
    state->phases = after;
}

// All lanes of the warp are there, and name each other.
static bool is_warp_barrier(struct walker *walker, const struct code *code, uint32_t number,
                            const struct state *state) {
    const struct ir_instruction *instruction = &code->function->instructions[number];
    if (state->may != walker->lanes || !state->is_exact || walker->has_parted ||
        walker->is_joined || walker->calls)
        return false;
    if (race_is_barrier(instruction))
        return true;
    if (instruction->ptx->isa != PTX_ISA_bar_warp)
        return false;
    const struct reader reader = {walker, code, number, state};
    const struct form *mask = read_operand(&reader, &instruction->operands[0]);
    return form_is_concrete(mask) && form_is_same(mask->base) && mask->bits >= 32 &&
           !(walker->lanes & ~mask->base[0]);
}

void race_step(struct walker *walker, const struct code *code, uint32_t number, struct state *state,
               const struct truth *truth) {
    const struct ir_instruction *instruction = &code->function->instructions[number];
    const struct ir_function *callee =
        instruction->call && instruction->call->callee
            ? ir_find_function(code->function->module, instruction->call->callee->name)
            : NULL;
    if (callee && walk_code(walker, callee)->leads_to_barrier[0])
        race_give_up(walker->races, code, number, "a function that is called has barriers");
    uint32_t node;
    const bool is_of_warp = is_warp_barrier(walker, code, number, state);
    if (is_of_warp)
        state->warp_phases =
            race_pass_barrier(walker->races, walker->warp, number_of(walker, code), number, &node);
    if (race_is_barrier(instruction))
        pass_barrier(walker, code, number, state);
    if (walker->records && (is_of_warp || race_is_barrier(instruction)))
        race_copies_note(walker, state);
    race_copy_step(walker, code, number, state, truth);
}

bool race_is_strong(const struct ir_instruction *instruction) {
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    return access == PTX_ACCESS_ATOMIC || access == PTX_ACCESS_REDUCTION ||
           PTX_HAS(instruction->ptx, volatile) || PTX_HAS(instruction->ptx, sem);
}

static bool is_read(const struct ir_instruction *instruction) {
    switch (ptx_access_of(instruction->ptx)) {
    case PTX_ACCESS_LOAD:
    case PTX_ACCESS_MATRIX_LOAD:
    case PTX_ACCESS_FRAGMENT_LOAD:
        return true;
    default:
        return false;
    }
}

// Of plain stores of one number.
static const struct form *stored(const struct reader *reader,
                                 const struct ir_instruction *instruction) {
    return ptx_access_of(instruction->ptx) == PTX_ACCESS_STORE && instruction->operand_count == 2 &&
                   instruction->operands[1].kind != IR_OPERAND_VECTOR
               ? read_operand(reader, &instruction->operands[1])
               : NULL;
}

static void push_access(struct races *races, const struct race_access *access) {
    if (access->lanes)
        vec_push(&races->accesses, *access);
    if (races->accesses.length > MOST_ACCESSES)
        race_give_up(races, NULL, 0, "it makes too many accesses");
}

void race_note_copy(struct walker *walker, const struct state *state,
                    const struct race_copy *copy) {
    const struct race_access access = {.warp = walker->warp,
                                       .lanes = copy->lanes,
                                       .phases = state->phases,
                                       .warp_phases = state->warp_phases,
                                       .context = walker->races->context,
                                       .instruction = copy->instruction,
                                       .code = copy->code,
                                       .address = copy->address,
                                       .class = RACE_WRITE,
                                       .width = copy->width,
                                       .is_once = false};
    push_access(walker->races, &access);
}

void race_access(struct walker *walker, const struct code *code, uint32_t number,
                 const struct state *state, const struct form *address, unsigned width,
                 uint32_t lanes) {
    struct races *races = walker->races;
    const struct ir_instruction *instruction = &code->function->instructions[number];
    const struct reader reader = {walker, code, number, state};
    const struct form *guard = read_guard(&reader);
    const enum ptx_access kind = ptx_access_of(instruction->ptx);
    const bool is_known = kind == PTX_ACCESS_LOAD || kind == PTX_ACCESS_STORE ||
                          kind == PTX_ACCESS_ATOMIC || kind == PTX_ACCESS_REDUCTION ||
                          kind == PTX_ACCESS_MATRIX_LOAD || kind == PTX_ACCESS_MATRIX_STORE ||
                          race_is_copy(instruction) || ir_is_wmma_access(instruction->ptx);
    struct race_access access = {.warp = walker->warp,
                                 .lanes = lanes,
                                 .phases = state->phases,
                                 .warp_phases = state->warp_phases,
                                 .context = races->context,
                                 .instruction = number,
                                 .code = code,
                                 .is_called = walker->calls > 0,
                                 .address = is_known ? address : NULL,
                                 .value = stored(&reader, instruction),
                                 .width = (uint8_t)width,
                                 .is_once = races->free_rounds == 0,
                                 .is_certain = state->is_certain};
    if (guard && truth_of(walker, guard, state->may).open)
        access.is_certain = false;
    access.class = (uint8_t)((is_read(instruction) ? RACE_READ : RACE_WRITE) |
                             (race_is_strong(instruction) ? RACE_STRONG : 0));
    if (race_is_copy(instruction))
        access.is_certain = false;
    race_copies_meet(walker, state, &access);
    push_access(races, &access);
}
