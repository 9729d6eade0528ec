// Inside the profile: what would cure conflicts, in the saved form: `cures` of a launch. Left out
// where there are none.
#ifndef BANKRUN_PROFILE_JSON_CURES_H
#define BANKRUN_PROFILE_JSON_CURES_H

#include "profile/json_check.h"
#include "profile/profile.h"

json_t *profile_write_layout(const struct profile_layout *layout); // the caller's
void profile_write_cures(json_t *object, const struct profile_launch *launch);
void profile_write_hints(json_t *object, const struct profile_hints *hints); // of a site
void profile_read_hints(struct profile_reader *reader, const json_t *object,
                        struct profile_hints *hints);
void profile_read_cures(struct profile_reader *reader, const json_t *object,
                        struct profile_launch *launch);

#endif
