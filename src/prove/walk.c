// A warp's way through the blocks of a function. See walk.h.
#include "prove/race.h"

#include <string.h>

#include "ir/dominance.h"
#include "ptx/facts.h"

// ---- Loops of a function --------------------------------------------------------------------

static bool dominates(const struct ir_dominance *dominance, uint32_t a, uint32_t b) {
    while (dominance->place[b] > dominance->place[a])
        b = dominance->parent[b];
    return a == b;
}

static bool polls(const struct ir_instruction *instruction) {
    const enum ptx_access access = ptx_access_of(instruction->ptx);
    return ptx_is(instruction->ptx, PTX_FACT_POLLS) &&
           (access != PTX_ACCESS_LOAD || PTX_HAS(instruction->ptx, volatile) ||
            PTX_HAS(instruction->ptx, sem));
}

static struct loop *loop_at(struct code *code, uint32_t header) {
    if (code->loop_of[header] == IR_NONE) {
        code->loop_of[header] = code->loop_count;
        code->loops[code->loop_count++] =
            (struct loop){.header = header, .has = base_alloc(code->function->block_count + 1)};
        code->loops[code->loop_of[header]].has[header] = true;
    }
    return &code->loops[code->loop_of[header]];
}

// All blocks from which the header is reached, back to it, through this one.
static void add_to_loop(const struct code *code, struct loop *loop, const struct ir_edges *in,
                        uint32_t block) {
    const uint32_t blocks = code->function->block_count;
    uint32_t *stack = base_alloc((blocks + 1) * sizeof *stack), depth = 0;
    if (!loop->has[block]) {
        loop->has[block] = true;
        stack[depth++] = block;
    }
    while (depth) {
        const uint32_t b = stack[--depth];
        for (uint32_t e = in->first[b]; e < in->first[b + 1]; e++) {
            const uint32_t from = in->to[e];
            if (loop->has[from] || code->function->blocks[from].order == IR_NONE)
                continue;
            loop->has[from] = true;
            stack[depth++] = from;
        }
    }
    free(stack);
}

static void find_polling(struct code *code) {
    const struct ir_function *function = code->function;
    for (uint32_t n = 0; n < code->loop_count; n++)
        for (uint32_t b = 0; b < function->block_count; b++)
            for (uint32_t i = 0; code->loops[n].has[b] && i < function->blocks[b].count; i++)
                code->loops[n].polls |=
                    polls(&function->instructions[function->blocks[b].first + i]);
}

// Which lanes are together from a join on to where all meet depends on who was quicker.
static void find_joined(struct code *code, const struct ir_edges *out,
                        const struct ir_dominance *dominance) {
    const struct ir_function *function = code->function;
    uint32_t *stack = base_alloc((function->block_count + 1) * sizeof *stack);
    code->is_joined = base_alloc(function->block_count + 1);
    for (uint32_t join = 0; join < function->block_count; join++) {
        if (!function->blocks[join].is_join || code->loop_of[join] != IR_NONE)
            continue;
        const uint32_t meets = function->blocks[dominance->parent[join]].post_dominator;
        uint32_t depth = 0;
        code->has_joins = true;
        if (join != meets && !code->is_joined[join])
            stack[depth++] = join;
        code->is_joined[join] |= join != meets;
        while (depth) {
            const uint32_t b = stack[--depth];
            for (uint32_t e = out->first[b]; e < out->first[b + 1]; e++) {
                const uint32_t to = out->to[e];
                if (to == function->block_count || to == meets || code->is_joined[to])
                    continue;
                code->is_joined[to] = true;
                stack[depth++] = to;
            }
        }
    }
    free(stack);
}

static void find_loops(struct code *code) {
    const struct ir_function *function = code->function;
    const uint32_t nodes = function->block_count + 1;
    struct ir_edges out = ir_flow(function, IR_NONE), in = ir_edges_reverse(&out, nodes);
    struct ir_dominance dominance = ir_dominance_find(&out, &in, nodes, 0);
    code->loops = base_alloc(nodes * sizeof *code->loops);
    code->loop_of = base_alloc(nodes * sizeof *code->loop_of);
    memset(code->loop_of, 0xff, nodes * sizeof *code->loop_of);
    for (uint32_t b = 0; b < function->block_count; b++)
        for (uint32_t e = out.first[b]; e < out.first[b + 1]; e++) {
            const uint32_t to = out.to[e];
            if (to == function->block_count || dominance.place[b] == IR_NONE ||
                dominance.place[to] > dominance.place[b])
                continue;
            if (dominates(&dominance, to, b))
                add_to_loop(code, loop_at(code, to), &in, b);
            else
                code->is_irreducible = true;
        }
    find_polling(code);
    find_joined(code, &out, &dominance);
    race_find_barriers(code);
    ir_dominance_free(&dominance);
    ir_edges_free(&in);
    ir_edges_free(&out);
}

const struct code *walk_code(struct walker *walker, const struct ir_function *function) {
    struct code *code = NULL;
    for (uint32_t i = 0; i < walker->code_count; i++)
        if (walker->codes[i].function == function)
            code = &walker->codes[i];
    if (!code || code->meanings)
        return code;
    code->meanings = base_alloc((function->instruction_count + 1) * sizeof *code->meanings);
    for (uint32_t i = 0; i < function->instruction_count; i++)
        code->meanings[i] = ir_meaning_of(function, &function->instructions[i]);
    code->live = ir_liveness_find(function);
    find_loops(code);
    return code;
}

// ---- Branches -------------------------------------------------------------------------------

// Where ways join before they all meet it is not followed who is missing there.
static void die(struct walker *walker, const struct code *code, struct state *state,
                struct region *region) {
    walker->has_parted |= code->has_joins && state->may != walker->lanes;
    walker->has_lost |= state->facts != NULL;
    if (state->copies && walker->records)
        race_give_up(walker->races, state->copies->code, state->copies->instruction,
                     "threads end before they have waited for an asynchronous copy");
    losses_note(&region->deaths, state);
    state_free(state);
}

// Both sides are followed as far as `meets`, and put together there. False: nobody comes there.
static bool follow_to(struct walker *walker, const struct code *code, struct side sides[2],
                      uint32_t meets, struct region *region, const struct state *before,
                      struct state *after) {
    struct gather together = {.block = meets};
    struct region inner = {.meets = meets,
                           .at_meets = &together,
                           .loop = region->loop,
                           .back = region->back,
                           .exits = region->exits,
                           .joins = region->joins};
    walk_sides(walker, code, sides, 2, &inner);
    losses_add(&region->deaths, &inner.deaths);
    losses_add(&region->leavers, &inner.leavers);
    if (!together.is_any)
        return false;
    *after = gather_meet(&together, before, &inner);
    return true;
}

static bool is_in_region(const struct region *region, uint32_t block) {
    return block != IR_NONE && (!region->loop || region->loop->has[block]);
}

// Parts the state. Both sides have lanes.
static void part(struct walker *walker, const struct code *code, const struct form *guard,
                 const struct truth *truth, const struct state *state, uint32_t instruction,
                 uint32_t next, struct side sides[2]) {
    const uint32_t taken = code->function->instructions[instruction].target;
    sides[0] = (struct side){taken, state_copy(code, state)};
    sides[1] = (struct side){next, state_copy(code, state)};
    sides[0].state.may = truth->yes | truth->open;
    sides[1].state.may = truth->no | truth->open;
    if (!truth->open)
        return;
    for (int i = 0; i < 2; i++)
        varying_part(walker, code->function->instructions[instruction].guard, instruction,
                     &sides[i].state);
    // All or none of the open lanes: where there are no others, a side is followed by all or none.
    const bool is_one = truth->is_one && !truth->yes && !truth->no;
    for (int i = 0; i < 2; i++) {
        sides[i].state.is_exact &= is_one;
        sides[i].state.is_sure = sides[i].state.is_certain = false;
        sides[i].state.facts = facts_branch(&walker->table, state->facts, guard, truth->open,
                                            sides[i].state.may, i == 0);
    }
}

// Where the state goes on after the last instruction of its block; IR_NONE: everything was
// followed.
static uint32_t branch(struct walker *walker, const struct code *code, uint32_t b,
                       uint32_t instruction, struct state *state, struct region *region) {
    const struct ir_block *block = &code->function->blocks[b];
    const struct reader reader = {walker, code, instruction, state};
    const struct form *guard = read_guard(&reader);
    const uint32_t taken = code->function->instructions[instruction].target;
    if (!guard)
        return taken;
    const uint32_t next = block->successors[block->successor_count - 1];
    const struct truth truth = truth_of(walker, guard, state->may);
    bool is_common = state->is_common;
    if (walker->races && taken != next)
        is_common = race_branch(walker, code, b, state, &truth, guard);
    if (taken == next || !(truth.no | truth.open))
        return taken;
    if (!(truth.yes | truth.open))
        return next;
    struct side sides[2];
    part(walker, code, guard, &truth, state, instruction, next, sides);
    sides[0].state.is_common = sides[1].state.is_common = is_common;
    const struct state before = *state;
    const uint32_t meets = block->post_dominator;
    state_free(state);
    if (!is_in_region(region, meets)) {
        walk_sides(walker, code, sides, 2, region);
        return IR_NONE;
    }
    return follow_to(walker, code, sides, meets, region, &before, state) ? meets : IR_NONE;
}

// A jump table: any of its targets, by all lanes where they have the same index.
static uint32_t jump_table(struct walker *walker, const struct code *code, uint32_t b,
                           uint32_t instruction, struct state *state, struct region *region) {
    const struct ir_instruction *jump = &code->function->instructions[instruction];
    const struct reader reader = {walker, code, instruction, state};
    const struct form *index = read_operand(&reader, &jump->operands[0]);
    const bool is_one = form_is_uniform(&walker->table, index);
    if (form_is_concrete(index) && is_one && (uint32_t)index->base[0] < jump->target_count)
        return jump->targets[(uint32_t)index->base[0]];
    const struct state before = *state;
    const uint32_t meets = code->function->blocks[b].post_dominator;
    struct gather together = {.block = meets};
    struct region inner = *region;
    const bool is_inside = is_in_region(region, meets);
    if (is_inside) {
        inner.meets = meets;
        inner.at_meets = &together;
        inner.deaths = inner.leavers = (struct losses){0};
    }
    struct side *sides = base_alloc((jump->target_count + 1) * sizeof *sides);
    size_t count = 0;
    for (uint32_t t = 0; t < jump->target_count; t++) {
        bool is_new = true;
        for (uint32_t earlier = 0; earlier < t; earlier++)
            is_new &= jump->targets[earlier] != jump->targets[t];
        if (!is_new)
            continue;
        struct side *side = &sides[count++];
        *side = (struct side){jump->targets[t], state_copy(code, &before)};
        side->state.is_exact &= is_one;
        side->state.is_sure = side->state.is_certain = false;
        side->state.is_common &= !code->parts_at_barrier[b];
        side->state.facts = facts_open(&walker->table, before.facts);
        varying_part(walker, jump->operands[0].reg, instruction, &side->state);
    }
    walk_sides(walker, code, sides, count, &inner);
    free(sides);
    state_free(state);
    losses_add(&region->deaths, &inner.deaths);
    losses_add(&region->leavers, &inner.leavers);
    if (!together.is_any)
        return IR_NONE;
    // Stricter than where two sides meet: whoever is lost, it may be by one of many ways.
    const bool has_fewer = inner.deaths.is_any || inner.leavers.is_any;
    *state = together.state;
    state->is_exact = before.is_exact && !has_fewer;
    state->is_sure = before.is_sure && !has_fewer;
    varying_meet(state, &before, &inner.deaths, &inner.leavers);
    state->is_certain = before.is_certain && !has_fewer;
    state->is_common = before.is_common && !inner.leavers.is_apart;
    return meets;
}

// ---- Runs -----------------------------------------------------------------------------------

// The last instruction. Whatever is neither a branch nor an end goes on behind it.
static uint32_t leave_block(struct walker *walker, const struct code *code, uint32_t b,
                            struct state *state, struct region *region) {
    const struct ir_block *block = &code->function->blocks[b];
    const uint32_t last = block->first + block->count - 1;
    const struct ir_instruction *instruction = &code->function->instructions[last];
    facts_enter(&walker->table, state->facts);
    if (instruction->ptx->isa == PTX_ISA_bra_any)
        return branch(walker, code, b, last, state, region);
    if (instruction->target_count)
        return jump_table(walker, code, b, last, state, region);
    if (!ptx_is(instruction->ptx, PTX_FACT_SPLITS))
        walk_step(walker, code, last, state);
    if (block->successor_count)
        return block->successors[block->successor_count - 1];
    if (instruction->ptx->isa == PTX_ISA_ret_any)
        memory_return(walker, state);
    die(walker, code, state, region);
    return IR_NONE;
}

static bool has_ended(struct walker *walker, const struct code *code, uint32_t block,
                      struct state *state, struct region *region) {
    if (walk_waits(walker, code, block, state, region))
        return true;
    if (block == region->meets) {
        gather_add(walker, code, region->at_meets, state);
        return true;
    }
    if (!region->loop)
        return false;
    if (block == region->loop->header) {
        gather_add(walker, code, region->back, state);
        return true;
    }
    if (region->loop->has[block])
        return false;
    losses_note(&region->leavers, state);
    gather_exit(walker, code, region->exits, block, state);
    return true;
}

enum { MOST_DEPTH = 400 };

static const char too_long[] = "it takes too long to follow";

void walk_foresee(struct walker *walker, uint64_t before, uint32_t warps) {
    const uint64_t all = before + (walker->steps - before) * warps;
    if (all > walker->most_steps + walker->most_steps / 4)
        walker->trouble = too_long;
}

void walk_run(struct walker *walker, const struct code *code, uint32_t block, struct state state,
              struct region *region, bool is_entered) {
    if (++walker->depth > MOST_DEPTH)
        walker->trouble = "its branches are nested too deep";
    while (block != IR_NONE) {
        if (walker->trouble) {
            die(walker, code, &state, region);
            break;
        }
        if (!is_entered && has_ended(walker, code, block, &state, region))
            break;
        const uint32_t loop = code->loop_of[block];
        if (loop != IR_NONE && !is_entered) {
            block = walk_loop(walker, code, &code->loops[loop], &state, region);
            continue;
        }
        is_entered = false;
        const struct ir_block *at = &code->function->blocks[block];
        for (uint32_t i = 0; i + 1 < at->count; i++) {
            walker->is_joined = code->is_joined[block];
            facts_enter(&walker->table, state.facts);
            walk_step(walker, code, at->first + i, &state);
        }
        walker->is_joined = code->is_joined[block];
        walker->steps += at->count;
        if (walker->steps > walker->most_steps)
            walker->trouble = too_long;
        block = leave_block(walker, code, block, &state, region);
    }
    walker->depth--;
}
