// What a launch takes in time, as far as its counts tell: an estimate (docs/cost.md).
#ifndef BANKRUN_PROFILE_COST_H
#define BANKRUN_PROFILE_COST_H

#include "cost/cost.h"
#include "profile/profile.h"

struct profile_cost {
    const struct cost_machine *machine;
    struct cost_counts counts;
    struct cost_time time;
    uint64_t excess; // wavefronts of shared memory
};

// False: there is no machine for the architecture, or the launch did not run to its end. Counts of
// a sample are those of the whole grid.
bool profile_time_of(unsigned arch, const struct profile_launch *launch, struct profile_cost *cost);
// False, too: nothing of it conflicts.
bool profile_cost_of(unsigned arch, const struct profile_launch *launch, struct profile_cost *cost);

// How many times as fast the launch is without so many of its wavefronts.
double profile_cost_gain(const struct profile_cost *cost, uint64_t excess);
// The same without so many of its sectors, of a launch of so many times the blocks. At most: what
// the first-level cache has already is not waited for.
double profile_cost_gain_global(const struct profile_cost *cost, uint64_t sectors, double times);

#endif
