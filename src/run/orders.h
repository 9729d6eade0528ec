// Runs a launch in other orders of its warps and blocks, and tells what comes out differently.
#ifndef BANKRUN_RUN_ORDERS_H
#define BANKRUN_RUN_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "check/check.h"
#include "sim/sim.h"

enum { RUN_ORDERS = 8, RUN_MOST_ORDERS = 1000 };

struct run_schedule {
    uint64_t seed; // of the first other order; the next ones are those of the numbers behind it
    unsigned runs; // in other orders; 0: none
};

// "SEED" or "SEED:RUNS". False: neither.
bool run_schedule_parse(const char *text, struct run_schedule *schedule);

// sim_launch in the usual order, whose result this is and with whose memory the program goes on;
// and in other orders, if any are wanted and it ended well. What differs is appended.
void run_orders(const struct run_schedule *schedule, struct sim_kernel *kernel,
                const struct sim_launch *launch, const struct check_launch *checked,
                struct sim_result *result, struct profile_findings *findings);

#endif
