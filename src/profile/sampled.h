// Inside the profile: launches of which only some blocks were run.
#ifndef BANKRUN_PROFILE_SAMPLED_H
#define BANKRUN_PROFILE_SAMPLED_H

#include "profile/profile.h"

__extension__ typedef unsigned __int128 wide_count;

// How the pieces of a grid (blocks, or clusters) differ in one count. In integers, so that the
// order of adding does not matter.
struct spread {
    uint64_t pieces, sum;
    wide_count squares;
};

void spread_add(struct spread *spread, uint64_t value);
void spread_merge(struct spread *to, const struct spread *from);
// Half the width of the 95 % confidence interval of the sum over the whole grid, as a part of that
// sum; `share` of the grid was run.
double spread_error(const struct spread *spread, double share);

// Counts of `launch->blocks_run` blocks become those of `all`.
void profile_scale(struct profile_launch *launch, uint64_t all);

#endif
