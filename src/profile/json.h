// Inside the profile: names that writing and reading share.
#ifndef BANKRUN_PROFILE_JSON_H
#define BANKRUN_PROFILE_JSON_H

#include "profile/profile.h"

#define PROFILE_SCHEMA "bankrun-profile/1"

#ifndef BANKRUN_VERSION // set by the build
#define BANKRUN_VERSION "unknown"
#endif

extern const char *const profile_space_text[SITE_SPACES];

// "wavefronts" and "ideal", or "sectors" and "ideal_sectors"
const char *profile_units_key(enum site_space space);
const char *profile_ideal_key(enum site_space space);

// Global memory has no matrix accesses.
bool profile_has_total(enum site_space space, enum profile_op op);

#endif
