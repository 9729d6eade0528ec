#include "profile/cost.h"

static void add_totals(struct profile_cost *cost, const struct profile_launch *launch) {
    struct cost_counts *counts = &cost->counts;
    for (int op = 0; op < PROFILE_OPS; op++) {
        const struct profile_counts *shared = &launch->totals[SITE_SHARED][op];
        const struct profile_counts *global = &launch->totals[SITE_GLOBAL][op];
        counts->shared_requests += (double)shared->requests;
        counts->shared_wavefronts += (double)shared->units;
        counts->global_requests += (double)global->requests;
        counts->global_loads += op == PROFILE_LOAD ? (double)global->requests : 0;
        counts->sectors += (double)global->units;
        cost->excess += profile_excess_of(shared);
    }
}

bool profile_time_of(unsigned arch, const struct profile_launch *launch,
                     struct profile_cost *cost) {
    *cost = (struct profile_cost){.machine = cost_machine_of(arch)};
    if (!cost->machine || launch->fault || launch->shared_bytes > UINT32_MAX)
        return false;
    cost->counts =
        (struct cost_counts){.blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2],
                             .threads = launch->block[0] * launch->block[1] * launch->block[2],
                             .shared_bytes = (unsigned)launch->shared_bytes,
                             .instructions = (double)launch->instructions,
                             .barriers = (double)launch->barriers};
    add_totals(cost, launch);
    cost->time = cost_time_of(cost->machine, &cost->counts);
    return cost->time.all > 0;
}

bool profile_cost_of(unsigned arch, const struct profile_launch *launch,
                     struct profile_cost *cost) {
    return profile_time_of(arch, launch, cost) && cost->excess > 0;
}

double profile_cost_gain(const struct profile_cost *cost, uint64_t excess) {
    const struct cost_time then = cost_time_without(cost->machine, &cost->counts, (double)excess);
    return cost_gain(&cost->time, &then);
}

static struct cost_counts multiplied(const struct cost_counts *counts, double times) {
    struct cost_counts more = *counts;
    more.blocks *= times;
    more.instructions *= times;
    more.barriers *= times;
    more.shared_requests *= times;
    more.shared_wavefronts *= times;
    more.global_requests *= times;
    more.global_loads *= times;
    more.sectors *= times;
    return more;
}

double profile_cost_gain_global(const struct profile_cost *cost, uint64_t sectors, double times) {
    const struct cost_counts counts = multiplied(&cost->counts, times);
    struct cost_counts fewer = counts;
    fewer.sectors -= times * (double)sectors;
    const struct cost_time now = cost_time_of(cost->machine, &counts);
    const struct cost_time then = cost_time_of(cost->machine, &fewer);
    return cost_gain(&now, &then);
}
