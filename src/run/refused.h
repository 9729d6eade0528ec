// Launches that did not begin, as the profile keeps them.
#ifndef BANKRUN_RUN_REFUSED_H
#define BANKRUN_RUN_REFUSED_H

#include "profile/profile.h"
#include "run/limits.h"

struct run_refused {
    const char *symbol;               // of the kernel; NULL: there is none
    const struct ir_function *kernel; // NULL: it could not be loaded
    const struct run_limits *limits;
    const struct sim_launch *launch;
    uint64_t dynamic_bytes, static_bytes; // of shared memory: what was asked for, what it has
    uint32_t thread;                      // that asked, as of launches
    const char *parent;                   // the kernel that asked, demangled or not; NULL: the host
    const char *error;                    // "cudaErrorInvalidValue"; NULL: no call was refused
    const char *text;                     // why, where it breaks no limit
    bool is_by_driver;                    // the program uses the driver API for this kernel
};

// Finds out which limits it breaks, and adds it to the profile.
void run_add_refused(struct profile *profile, const struct run_refused *refused);

// What to do about it, if possible as the line to write. Caller frees; NULL: nothing is known.
char *run_refusal_cure(const struct run_refusal *refusal, const struct run_refused *refused);

#endif
