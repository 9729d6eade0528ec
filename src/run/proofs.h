// Inside run: what is proved of a launch's accesses, kept for launches that are alike.
#ifndef BANKRUN_RUN_PROOFS_H
#define BANKRUN_RUN_PROOFS_H

#include <pthread.h>

#include "run/launch.h"

struct run_proving { // a thread that proves while the launch runs
    pthread_t thread;
    bool is_begun;
};
// What holds for any grid and parameters is looked for meanwhile, unless it is known, or the device
// has one thread. The launch stays where it is.
void run_proofs_begin(struct run_proving *proving, const struct run_launch *launch);
void run_proofs_wait(struct run_proving *proving);

// Fills what is known of each site, as ir_kernel_sites() numbers them, and of races.
// `instructions`: that the launch ran, which says what a proof may cost. Valid as long as the
// process lives. Nothing is filled where the kernel has no site that may access shared memory, or
// too much is kept already.
void run_proofs(const struct run_launch *launch, uint64_t instructions,
                struct profile_launch_result *result);

#endif
