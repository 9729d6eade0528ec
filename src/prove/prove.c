// Proofs of a kernel: all warps of a block, one after the other. See prove.h.
#include "prove/prove.h"

#include <stdlib.h>
#include <string.h>

#include "prove/conditions.h"
#include "prove/race.h"
#include "prove/walk.h"

struct code *walk_list_codes(const struct ir_function *kernel, uint32_t *count) {
    const struct ir_function **functions = ir_reachable(kernel, count);
    struct code *codes = base_alloc((*count + 1) * sizeof *codes);
    uint32_t sites = 0;
    for (uint32_t f = 0; f < *count; f++) {
        codes[f].function = functions[f];
        codes[f].first_site = sites;
        sites += functions[f]->site_count;
    }
    free(functions);
    return codes;
}

void walk_free_codes(struct code *codes, uint32_t count) {
    for (uint32_t f = 0; f < count; f++) {
        for (uint32_t n = 0; n < codes[f].loop_count; n++)
            free(codes[f].loops[n].has);
        free(codes[f].loops);
        free(codes[f].loop_of);
        free(codes[f].meanings);
        ir_liveness_free(&codes[f].live);
        free(codes[f].is_joined);
        free(codes[f].has_barrier);
        free(codes[f].leads_to_barrier);
        free(codes[f].parts_at_barrier);
    }
    free(codes);
}

void walk_warp(struct walker *walker, const struct ir_function *kernel, uint32_t warp,
               uint32_t threads) {
    const struct code *code = walk_code(walker, kernel);
    const uint32_t first = warp * FORM_LANES;
    struct region region = {.meets = IR_NONE};
    walker->warp = warp;
    walker->lanes = threads - first >= FORM_LANES ? UINT32_MAX : (1u << (threads - first)) - 1;
    walker->records = true;
    walker->has_parted = walker->has_lost = false;
    walker->round = IR_NONE;
    struct state state = {.may = walker->lanes,
                          .is_exact = true,
                          .is_sure = true,
                          .is_certain = true,
                          .is_common = true};
    if (walker->races)
        race_begin(walker, &state);
    state.registers = base_alloc((kernel->register_count + 1) * sizeof *state.registers);
    state.varying = walker->blocks ? base_alloc(kernel->register_count + 1) : NULL;
    if (code->is_irreducible)
        walker->trouble = "it jumps into a loop";
    walk_run(walker, code, 0, state, &region, false);
}

// With a table of forms of its own.
static void walk_alone(struct walker *walker, const struct ir_function *kernel, uint32_t warp,
                       uint32_t threads) {
    memset(walker->special, 0, sizeof walker->special);
    form_table_init(&walker->table);
    walk_warp(walker, kernel, warp, threads);
    vec_free(&walker->parameters);
    vec_free(&walker->addresses);
    form_table_free(&walker->table);
}

static void begin_blocks(struct prove_result *result) {
    bool *sectors = result->blocks.has_other_sectors;
    if (!sectors)
        sectors = base_alloc((result->site_count + 1) * sizeof *sectors);
    memset(sectors, 0, (result->site_count + 1) * sizeof *sectors);
    result->blocks = (struct prove_blocks){.has_other_sectors = sectors, .instruction = IR_NONE};
}

// Of all sites of which it is asked whether they stay in their arrays it is known already that they
// do not, or may not: other warps cannot mend it.
static bool is_in_vain(const struct walker *walker, uint32_t sites) {
    for (uint32_t s = 0; s < sites; s++)
        if (!walker->wanted || (walker->wanted[s] && walker->sites[s].bounds.fit <= PROVE_FITS))
            return false;
    return true;
}

// As many as the block has, as long as all goes well. The last ones, whose threads have the largest
// indices, are the first to leave an array.
static void walk_each_warp(struct walker *walker, const struct ir_function *kernel,
                           uint32_t sites) {
    const uint32_t *block = walker->launch->block, threads = block[0] * block[1] * block[2];
    const uint32_t warps = (threads + FORM_LANES - 1) / FORM_LANES;
    const uint64_t before = walker->steps;
    for (uint32_t n = 0; n < warps && !walker->trouble && !is_in_vain(walker, sites); n++) {
        walk_alone(walker, kernel, walker->wanted ? warps - 1 - n : n, threads);
        if (n == 0 && !walker->wanted)
            walk_foresee(walker, before, warps);
    }
}

// All warps at once. False: that is not possible.
static bool walk_all_warps(struct walker *walker, const struct ir_function *kernel) {
    const uint32_t *block = walker->launch->block;
    if (block[0] % FORM_LANES != 0 || block[0] * block[1] * block[2] == FORM_LANES)
        return false;
    walker->is_any_warp = true;
    walk_alone(walker, kernel, 0, FORM_LANES);
    walker->is_any_warp = false;
    const bool is_whole = !walker->trouble;
    walker->trouble = NULL;
    return is_whole;
}

// A look at single warps would tell no more of what accesses cost.
static bool is_settled(const struct walker *walker, const struct prove_site *site) {
    return walker->wanted || site->verdict == PROVE_EXACT || site->verdict == PROVE_NOT_REACHED ||
           site->is_final;
}

// Nor of where they lie.
static bool is_placed(const struct walker *walker, const struct prove_site *site) {
    return !walker->launch->wants_bounds ||
           (walker->wanted && !walker->wanted[site - walker->sites]) ||
           ((site->bounds.fit <= PROVE_FITS || site->bounds.is_final) &&
            (site->alignment.fit <= PROVE_FITS || site->alignment.is_final));
}

// Nothing is known: whatever was found so far may not be all.
static void give_up(struct prove_result *result, const char *why) {
    result->trouble = why;
    for (uint32_t s = 0; s < result->site_count; s++)
        result->sites[s] = (struct prove_site){
            .verdict = PROVE_OBSERVED,
            .what = why,
            .instruction = IR_NONE,
            .has_excess = true,
            .bounds = {.fit = PROVE_FIT_UNKNOWN, .what = why, .instruction = IR_NONE},
            .alignment = {.fit = PROVE_FIT_UNKNOWN, .what = why, .instruction = IR_NONE}};
    if (!result->blocks.has_other_sectors)
        return;
    begin_blocks(result);
    result->blocks.varies = PROVE_BY_OTHERS;
    result->blocks.why = why;
}

// Warp by warp, behind a look at all of them at once. What that knew of costs stays, if it was all;
// what it knew at all, if single warps take too long.
static void walk_warps(struct walker *walker, const struct ir_function *kernel,
                       struct prove_result *result, bool has_all) {
    bool is_settled_all = has_all, is_placed_all = has_all;
    for (uint32_t s = 0; s < result->site_count; s++) {
        is_settled_all &= is_settled(walker, &result->sites[s]);
        is_placed_all &= is_placed(walker, &result->sites[s]);
    }
    if (is_settled_all && is_placed_all)
        return;
    struct prove_site *before = result->sites;
    walker->sites = result->sites = base_alloc((result->site_count + 1) * sizeof *before);
    walk_each_warp(walker, kernel, result->site_count);
    const bool is_cut = has_all && walker->trouble;
    for (uint32_t s = 0; (is_settled_all || is_cut) && s < result->site_count; s++) {
        if (!is_cut) {
            before[s].bounds = result->sites[s].bounds;
            before[s].alignment = result->sites[s].alignment;
        }
        result->sites[s] = before[s];
    }
    if (is_cut)
        walker->trouble = NULL;
    free(before);
}

// The same, where it is asked whether all blocks do the same.
static void walk_blocks(struct walker *walker, const struct ir_function *kernel,
                        struct prove_result *result, bool has_all) {
    if (has_all && !walker->blocks->varies)
        return;
    begin_blocks(result);
    walk_each_warp(walker, kernel, result->site_count);
}

struct prove_result *prove_assuming(const struct ir_function *kernel,
                                    const struct prove_launch *launch,
                                    const struct prove_assumption *assumption, const bool *wanted) {
    struct prove_result *result = base_alloc(sizeof *result);
    struct walker walker = {.launch = launch,
                            .assumption = assumption,
                            .wanted = wanted,
                            .layout = walk_layout(kernel, launch),
                            .arrays = launch->wants_bounds ? ir_shared_origins(kernel) : NULL,
                            .most_steps = walk_most_steps(launch)};
    free(ir_kernel_sites(kernel, &result->site_count));
    result->sites = base_alloc((result->site_count + 1) * sizeof *result->sites);
    walker.sites = result->sites;
    if (launch->asks_blocks) {
        begin_blocks(result);
        walker.blocks = &result->blocks;
    }
    walker.codes = walk_list_codes(kernel, &walker.code_count);
    const bool has_all = walk_all_warps(&walker, kernel);
    (walker.blocks ? walk_blocks : walk_warps)(&walker, kernel, result, has_all);
    result->steps = walker.steps;
    if (walker.trouble)
        give_up(result, walker.trouble);
    walk_free_codes(walker.codes, walker.code_count);
    free(walker.arrays);
    return result;
}

struct prove_result *prove_kernel(const struct ir_function *kernel,
                                  const struct prove_launch *launch) {
    struct prove_launch once = *launch;
    once.layout = walk_layout(kernel, launch);
    struct prove_result *result = prove_assuming(kernel, &once, NULL, NULL);
    if (launch->wants_conditions)
        prove_conditions(kernel, &once, result);
    return result;
}

uint32_t prove_line(const struct ir_function *function, uint32_t instruction) {
    if (instruction == IR_NONE || !function)
        return 0;
    return ir_source_place(function, function->instructions[instruction].location).line;
}

void prove_free(struct prove_result *result) {
    if (!result)
        return;
    free(result->sites);
    free(result->blocks.has_other_sectors);
    free(result);
}
