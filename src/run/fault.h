// How a launch ended, as the profile keeps it.
#ifndef BANKRUN_RUN_FAULT_H
#define BANKRUN_RUN_FAULT_H

#include "profile/record.h"
#include "run/launch.h"

// Fills in all that the profile learns of the launch's end. `where` is what result->where points
// to, if there was a fault: free it with run_fault_free after use; its other texts are the
// result's.
void run_describe_end(const struct run_launch *launch, const struct sim_result *ended,
                      struct profile_launch_result *result, struct profile_fault *where);
// The accesses that it let pass, passed_count of them, in the same way. Free with run_free_passed.
struct profile_passed *run_describe_passed(const struct run_launch *launch,
                                           const struct sim_result *ended);
void run_free_passed(struct profile_passed *passed, size_t count);
void run_fault_free(struct profile_fault *where);

#endif
