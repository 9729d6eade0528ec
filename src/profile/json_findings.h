// Inside the profile: what checkers found, in the saved form: `findings` of a launch and of the
// whole. Left out where there are none.
#ifndef BANKRUN_PROFILE_JSON_FINDINGS_H
#define BANKRUN_PROFILE_JSON_FINDINGS_H

#include "profile/finding.h"
#include "profile/json_check.h"

void profile_write_findings(json_t *object, const struct profile_findings *findings);
void profile_read_findings(struct profile_reader *reader, const json_t *object,
                           struct profile_findings *findings);

#endif
