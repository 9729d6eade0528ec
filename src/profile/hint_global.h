// Inside the profile: accesses to global memory that are not coalesced.
#ifndef BANKRUN_PROFILE_HINT_GLOBAL_H
#define BANKRUN_PROFILE_HINT_GLOBAL_H

#include "profile/profile.h"

// `offsets`: of the lanes, less than 2 GiB from the first one's, modulo 2^32.
struct profile_shape hint_global_shape(uint32_t mask, const uint32_t *offsets);

// Of a launch that is all counted: finds hints of its sites, and says them.
void hint_global(unsigned arch, struct profile_launch *launch);

#endif
