#include "spread/why.h"

// Fewer warp instructions take some tenths of a second on one thread.
enum { WORTHWHILE = 10000000 };

static uint64_t blocks_of(const struct run_launch *launch) {
    const uint32_t *grid = launch->sim.grid;
    return (uint64_t)grid[0] * grid[1] * grid[2];
}

bool spread_is_short(const struct run_launch *launch) {
    const uint64_t blocks = blocks_of(launch);
    const uint64_t each = sim_kernel_block_instructions(launch->kernel);
    return blocks < 2 || (each != UINT64_MAX && each < WORTHWHILE / blocks);
}

static const char *of_run(const struct run_launch *launch) {
    const struct sim *sim = sim_kernel_device(launch->kernel);
    if (launch->sim.is_cooperative)
        return "its blocks may wait for each other";
    if (launch->sim.first_block || launch->sim.block_count || launch->sim.picks)
        return "only some of its blocks are asked for";
    if (launch->proves_blocks || sim_samples(sim))
        return "not all of its blocks need to run (--blocks)";
    if (launch->schedule.runs)
        return "it is run in several orders (--schedule)";
    if (launch->trace)
        return "it is traced, and a trace has an order";
    if (launch->profile && launch->profile->checks)
        return "it is checked, and checkers look at the launch as a whole";
    if (sim_config_of(sim)->lets_pass || sim_tracks_undefined(sim))
        return "its accesses are looked at one by one";
    for (unsigned i = 0; i < launch->observer_count; i++)
        if (launch->observers[i])
            return "somebody looks at its accesses as a whole";
    return sim_kernel_needs_one_process(launch->kernel);
}

static enum ranks_merge_op merge_of(enum ptx_modifier op) {
    switch (op) {
    case PTX_MOD_min:
        return RANKS_MIN;
    case PTX_MOD_max:
        return RANKS_MAX;
    case PTX_MOD_and:
        return RANKS_AND;
    case PTX_MOD_or:
        return RANKS_OR;
    case PTX_MOD_xor:
        return RANKS_XOR;
    case PTX_MOD_add:
        return RANKS_ADD;
    default:
        return RANKS_STORES;
    }
}

const char *spread_why_not(const struct run_launch *launch, struct ranks_merge *merge) {
    const char *why = of_run(launch);
    if (why)
        return why;
    const struct ir_apart apart = ir_apart(sim_kernel_function(launch->kernel));
    *merge = (struct ranks_merge){
        .bytes = apart.bytes, .is_signed = apart.is_signed, .has_stores = apart.has_stores};
    if (apart.why || !apart.has_reductions)
        return apart.why;
    merge->op = merge_of(apart.op);
    return merge->op == RANKS_STORES ? "it changes memory by an atomic that cannot be put together"
                                     : NULL;
}
