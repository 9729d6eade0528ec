// What came into a profile behind a moment: the launches of one test among many.
#ifndef BANKRUN_PROFILE_SINCE_H
#define BANKRUN_PROFILE_SINCE_H

#include "profile/profile.h"

// How much there was. Zeroed: nothing.
struct profile_moment {
    uint64_t launched;
    uint64_t *refused, *gaps, *findings; // how often each of the profile's
    size_t refused_count, gap_count, finding_count;
};

struct profile_moment profile_moment_of(const struct profile *profile);
void profile_free_moment(struct profile_moment *moment); // what it holds

// A profile of its own, with what came later: launches from 0 on, each with its repeats, and what
// was refused, missed or found. Caller frees. The moment is of this profile, from whose beginning
// no launches were dropped since.
struct profile *profile_since(const struct profile *profile, const struct profile_moment *moment);

#endif
