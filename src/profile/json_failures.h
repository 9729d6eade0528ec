// Inside the profile: what went wrong, in the saved form. A profile without any of it has none of
// these keys.
#ifndef BANKRUN_PROFILE_JSON_FAILURES_H
#define BANKRUN_PROFILE_JSON_FAILURES_H

#include "profile/json_check.h"
#include "profile/profile.h"

// `faults` and `cut_short` of a launch
void profile_write_faults(json_t *object, const struct profile_launch *launch);
void profile_read_faults(struct profile_reader *reader, const json_t *object,
                         struct profile_launch *launch);

// `refused` and `incomplete`. Reading comes after that of the processes.
void profile_write_failures(json_t *root, const struct profile *profile);
void profile_read_failures(struct profile_reader *reader, const json_t *root,
                           struct profile *profile);

// One that was refused, to be compared. Caller frees.
char *profile_refused_to_json(const struct profile_refused *refused);

#endif
