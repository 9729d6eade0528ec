// Whether a kernel is free of races in shared memory: all warps are walked, then all pairs of what
// they do between barriers are looked at. See races.h.
#include "prove/races.h"

#include <stdlib.h>

#include "prove/race.h"
#include "ptx/facts.h"

// ---- What is not followed -------------------------------------------------------------------

static const char *why_refused(const struct ir_instruction *instruction) {
    if (race_is_copy(instruction))
        return NULL;
    switch (ptx_access_of(instruction->ptx)) {
    case PTX_ACCESS_ASYNC_STORE:
    case PTX_ACCESS_ASYNC_REDUCTION:
    case PTX_ACCESS_ASYNC_COPY:
    case PTX_ACCESS_BULK_COPY:
        return "asynchronous copies are not followed";
    case PTX_ACCESS_MBARRIER:
        return "mbarriers are not followed";
    default:
        break;
    }
    if (ir_is_like(instruction, PTX_ISA_mapa_shared))
        return "shared memory of other blocks is not followed";
    if (ir_is_async_product(instruction))
        return "asynchronous products are not followed";
    return NULL;
}

// May it order threads, beside barriers of the whole block?
static bool may_order(const struct ir_instruction *instruction) {
    return (ptx_is(instruction->ptx, PTX_FACT_SYNCS) && !race_is_barrier(instruction) &&
            instruction->ptx->isa != PTX_ISA_bar_warp) ||
           ir_is_like(instruction, PTX_ISA_fence_any) ||
           ir_is_like(instruction, PTX_ISA_membar_any) || instruction->call ||
           race_is_strong(instruction);
}

static void look_at_code(struct walker *walker, const struct code *code) {
    const struct ir_function *function = code->function;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const char *why = why_refused(&function->instructions[i]);
        if (why)
            race_give_up(walker->races, code, i, why);
        walker->races->has_other_order |= may_order(&function->instructions[i]);
        walker->races->has_warp_order |= function->instructions[i].ptx->isa == PTX_ISA_bar_warp;
    }
}

// A barrier of part of the block, which releases others than it looks like when it is met beside
// one of the whole block.
static bool is_mixed(const struct walker *walker, const struct ir_instruction *part) {
    for (uint32_t f = 0; f < walker->code_count; f++) {
        const struct ir_function *function = walker->codes[f].function;
        for (uint32_t i = 0; i < function->instruction_count; i++)
            if (race_is_barrier(&function->instructions[i]) && !race_is_barrier(part) &&
                race_may_be_same_barrier(&function->instructions[i], part))
                return true;
    }
    return false;
}

static void look_at_barriers(struct walker *walker, const struct code *code) {
    for (uint32_t i = 0; i < code->function->instruction_count; i++)
        if (is_mixed(walker, &code->function->instructions[i]))
            race_give_up(walker->races, code, i,
                         "a barrier of part of the block may be one of the whole block, too");
}

// ---- All warps ------------------------------------------------------------------------------

// What is the same for all threads stays the same number.
static void forget_thread(struct walker *walker) {
    for (unsigned s = 0; s < PTX_SREG_COUNT; s++)
        if (!race_is_of_block((enum ptx_sreg)s))
            walker->special[s] = NULL;
}

static void walk_block(struct walker *walker, const struct ir_function *kernel) {
    const uint32_t *block = walker->launch->block;
    const uint32_t threads = block[0] * block[1] * block[2];
    for (uint32_t f = 0; f < walker->code_count; f++) {
        look_at_code(walker, &walker->codes[f]);
        look_at_barriers(walker, &walker->codes[f]);
    }
    const uint32_t warps = (threads + FORM_LANES - 1) / FORM_LANES;
    for (uint32_t warp = 0; warp < warps && !walker->trouble && !walker->races->trouble; warp++) {
        forget_thread(walker);
        walk_warp(walker, kernel, warp, threads);
        if (warp == 0)
            walk_foresee(walker, 0, warps);
    }
}

static void give_up(struct prove_races *result, const struct walker *walker) {
    const struct races *races = walker->races;
    *result = (struct prove_races){
        .freedom = PROVE_NOT_FREE,
        .has_shared = true,
        .why = walker->trouble ? walker->trouble : races->trouble,
        .function = races->trouble_code && !walker->trouble ? races->trouble_code->function : NULL,
        .instruction = races->trouble_instruction};
}

// What a walk has found, but for the numbers of phases and what was made of it for the next one.
static void forget_walk(struct races *races) {
    vec_free(&races->edges);
    vec_free(&races->branches);
    vec_free(&races->steps);
    vec_free(&races->accesses);
    vec_free(&races->unstepped);
    free(races->is_common);
    races->is_common = NULL;
    races->branch = 0;
}

static void races_free(struct races *races) {
    forget_walk(races);
    race_phases_free(races);
    vec_free(&races->scalars);
}

// Something that an access may be of.
static bool has_shared(const struct walker *walker) {
    if (walker->layout->variable_count > 0)
        return true;
    for (uint32_t f = 0; f < walker->code_count; f++) {
        const struct ir_function *function = walker->codes[f].function;
        for (uint32_t i = 0; i < function->instruction_count; i++)
            if (function->instructions[i].site != IR_NONE &&
                ir_access_space(&function->instructions[i]) == PTX_SPACE_SHARED)
                return true;
    }
    return false;
}

// Of a walk of all warps.
static void look(struct walker *walker, const struct ir_function *kernel,
                 struct prove_races *result) {
    struct races *races = walker->races;
    walk_block(walker, kernel);
    if (walker->trouble || races->trouble)
        return;
    race_find_common(walker);
    result->has_shared = races->accesses.length > 0;
    if (!race_scalars_hold(walker))
        race_give_up(races, NULL, 0, "what all threads read alike is not known");
    else if (result->has_shared && race_is_in_step(walker))
        race_find_pairs(walker, result);
}

// Once more, if what the first walk has found of shared memory may tell more.
static void look_again(struct walker *walker, const struct ir_function *kernel,
                       struct prove_races *result) {
    struct races *races = walker->races;
    if (!result->has_shared || walker->trouble || !races->is_common || !race_find_scalars(walker))
        return;
    forget_walk(races);
    races->trouble = NULL;
    races->trouble_code = NULL;
    walker->steps = 0;
    *result = (struct prove_races){.freedom = PROVE_FREE};
    look(walker, kernel, result);
}

struct prove_races prove_races(const struct ir_function *kernel,
                               const struct prove_launch *launch) {
    struct races races = {0};
    struct prove_races result = {.freedom = PROVE_FREE};
    struct walker walker = {.launch = launch,
                            .layout = walk_layout(kernel, launch),
                            .races = &races,
                            .most_steps = walk_most_steps(launch)};
    walker.codes = walk_list_codes(kernel, &walker.code_count);
    form_table_init(&walker.table);
    if (has_shared(&walker)) {
        look(&walker, kernel, &result);
        if (races.trouble || result.freedom == PROVE_NOT_FREE)
            look_again(&walker, kernel, &result);
    }
    if (walker.trouble || (races.trouble && result.freedom == PROVE_FREE))
        give_up(&result, &walker);
    result.steps = walker.steps;
    vec_free(&walker.parameters);
    vec_free(&walker.addresses);
    form_table_free(&walker.table);
    walk_free_codes(walker.codes, walker.code_count);
    races_free(&races);
    return result;
}
