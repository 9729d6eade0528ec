// Inside the profile: the requests of one source line, one by one.
#ifndef BANKRUN_PROFILE_TRACE_H
#define BANKRUN_PROFILE_TRACE_H

#include "profile/recorder.h"

// A launch starts. Which sites are of the line: one flag for each; NULL when none is. Caller frees.
bool *profile_trace_begin(struct profile_trace *trace, const struct profile_recorder *recorder);

// A shared-memory request of such a site.
void profile_trace_request(struct profile_trace *trace, const struct profile_recorder *recorder,
                           const struct event_access *event);

#endif
