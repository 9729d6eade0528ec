// Inside the profile: what a launch takes in time, as JSON. It is not read again but made anew.
#ifndef BANKRUN_PROFILE_JSON_COST_H
#define BANKRUN_PROFILE_JSON_COST_H

#include <jansson.h>

#include "profile/profile.h"

// Sets `cost` of a launch; nothing where nothing is known, or nothing conflicts.
void profile_write_cost(json_t *object, unsigned arch, const struct profile_launch *launch);

#endif
