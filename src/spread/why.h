// Inside the spread: which launches are not shared out, in words.
#ifndef BANKRUN_SPREAD_WHY_H
#define BANKRUN_SPREAD_WHY_H

#include "ranks/pages.h"
#include "run/launch.h"

// NULL: it may be; *merge is how words are put together then. The words are static.
const char *spread_why_not(const struct run_launch *launch, struct ranks_merge *merge);
// It takes longer to share it out than to run it, as far as that is known.
bool spread_is_short(const struct run_launch *launch);

#endif
