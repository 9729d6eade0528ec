// Proofs of a kernel: all warps of a block, one after the other. See prove.h.
#include "prove/prove.h"

#include <stdlib.h>
#include <string.h>

#include "prove/walk.h"

enum { MOST_STEPS = 4000000 };

static struct code *list_codes(const struct ir_function *kernel, uint32_t *count) {
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

static void free_codes(struct code *codes, uint32_t count) {
    for (uint32_t f = 0; f < count; f++) {
        for (uint32_t n = 0; n < codes[f].loop_count; n++)
            free(codes[f].loops[n].has);
        free(codes[f].loops);
        free(codes[f].loop_of);
        free(codes[f].meanings);
        free(codes[f].is_joined);
    }
    free(codes);
}

static void walk_warp(struct walker *walker, const struct ir_function *kernel, uint32_t warp,
                      uint32_t threads) {
    const struct code *code = walk_code(walker, kernel);
    const uint32_t first = warp * FORM_LANES;
    struct region region = {.meets = IR_NONE};
    walker->warp = warp;
    walker->lanes = threads - first >= FORM_LANES ? UINT32_MAX : (1u << (threads - first)) - 1;
    walker->records = true;
    walker->has_parted = false;
    memset(walker->special, 0, sizeof walker->special);
    form_table_init(&walker->table);
    struct state state = {.may = walker->lanes, .is_exact = true, .is_sure = true};
    state.registers = base_alloc((kernel->register_count + 1) * sizeof *state.registers);
    if (code->is_irreducible)
        walker->trouble = "it jumps into a loop";
    walk_run(walker, code, 0, state, &region, false);
    vec_free(&walker->parameters);
    vec_free(&walker->addresses);
    form_table_free(&walker->table);
}

// All warps at once. False: something stays open that a look at one warp after the other may
// decide.
static bool walk_all_warps(struct walker *walker, const struct ir_function *kernel,
                           struct prove_result *result) {
    const uint32_t *block = walker->launch->block;
    if (block[0] % FORM_LANES != 0 || block[0] * block[1] * block[2] == FORM_LANES)
        return false;
    walker->is_any_warp = true;
    walk_warp(walker, kernel, 0, FORM_LANES);
    walker->is_any_warp = false;
    bool is_proved = !walker->trouble;
    for (uint32_t s = 0; s < result->site_count; s++)
        is_proved &= result->sites[s].verdict == PROVE_EXACT || result->sites[s].is_final ||
                     result->sites[s].verdict == PROVE_NOT_REACHED;
    if (!is_proved)
        memset(result->sites, 0, result->site_count * sizeof *result->sites);
    walker->trouble = NULL;
    return is_proved;
}

// Nothing is known: whatever was found so far may not be all.
static void give_up(struct prove_result *result, const char *why) {
    result->trouble = why;
    for (uint32_t s = 0; s < result->site_count; s++)
        result->sites[s] = (struct prove_site){
            .verdict = PROVE_OBSERVED, .what = why, .instruction = IR_NONE, .has_excess = true};
}

struct prove_result *prove_kernel(const struct ir_function *kernel,
                                  const struct prove_launch *launch) {
    struct prove_result *result = base_alloc(sizeof *result);
    struct walker walker = {.launch = launch,
                            .layout = ir_shared_layout(kernel),
                            .most_steps = launch->most_steps ? launch->most_steps : MOST_STEPS};
    free(ir_kernel_sites(kernel, &result->site_count));
    result->sites = base_alloc((result->site_count + 1) * sizeof *result->sites);
    walker.sites = result->sites;
    walker.codes = list_codes(kernel, &walker.code_count);
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    const bool is_proved = walk_all_warps(&walker, kernel, result);
    for (uint32_t warp = 0; !is_proved && warp * FORM_LANES < threads && !walker.trouble; warp++)
        walk_warp(&walker, kernel, warp, threads);
    result->steps = walker.steps;
    if (walker.trouble)
        give_up(result, walker.trouble);
    free_codes(walker.codes, walker.code_count);
    return result;
}

uint32_t prove_line(const struct prove_site *site) {
    if (site->instruction == IR_NONE || !site->function)
        return 0;
    const uint32_t location = site->function->instructions[site->instruction].location;
    return ir_source_place(site->function, location).line;
}

void prove_free(struct prove_result *result) {
    if (!result)
        return;
    free(result->sites);
    free(result);
}
