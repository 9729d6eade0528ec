// Inside run: who hears of a launch. What looks at every launch (counts it, traces it, checks it)
// is named in observers.c.
#ifndef BANKRUN_RUN_OBSERVERS_H
#define BANKRUN_RUN_OBSERVERS_H

#include "base/vec.h"
#include "check/check.h"
#include "compiled/stream.h"
#include "run/every_block.h"
#include "run/launch.h"
#include "run/proofs.h"

struct run_observers {
    VEC(const struct event_observer *) list; // NULL among them: nobody
    struct compiled_stream *stream;          // NULL: accesses are counted as PTX has them
    struct profile_recorder *recorder;       // NULL: nothing is recorded
    struct check *check;                     // NULL: nothing is checked
    struct check_launch checked;
    bool wants_order;                // of blocks, on one worker
    struct profile_findings ordered; // of other orders (run/orders.h)
    struct run_proving proving;
};

void run_observers_begin(struct run_observers *observers, const struct run_launch *launch,
                         const struct run_every_block *every);
// The launch is run again, in another way: what they heard is forgotten.
void run_observers_drop(struct run_observers *observers);
// What they found goes into the profile, which is the launch's.
void run_observers_end(struct run_observers *observers, const struct run_launch *launch,
                       const struct run_every_block *every, const struct sim_result *result);

#endif
