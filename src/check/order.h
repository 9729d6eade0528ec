// What comes out of a launch in other orders of its warps and blocks than the usual one, as
// findings. Who runs it in these is no part of the room (run/orders.h).
#ifndef BANKRUN_CHECK_ORDER_H
#define BANKRUN_CHECK_ORDER_H

#include "check/check.h"

enum { CHECK_VALUE_BYTES = 16, CHECK_MOST_DIFFERENT = 16 };

// An allocation that holds something else behind the launch.
struct check_different {
    uint64_t address;     // of the first byte that differs
    uint64_t seed;        // of the first order in which one does
    unsigned count, runs; // in how many orders, of how many
    // What is held from `address` rounded down to CHECK_VALUE_BYTES on, where it is the
    // allocation's.
    uint8_t usual[CHECK_VALUE_BYTES], other[CHECK_VALUE_BYTES];
};

// Who writes to these addresses last, in one run of the launch on one worker.
struct check_watch;
struct check_watch *check_watch_begin(const struct check_different *different, size_t count);
const struct event_observer *check_watch_observer(const struct check_watch *watch);
void check_watch_end(struct check_watch *watch);

// The watches are of runs in the usual order and in that of different->seed; `index` is its number
// among those that were watched.
void check_push_different(const struct check_launch *launch,
                          const struct check_different *different, size_t index,
                          const struct check_watch *usual, const struct check_watch *other,
                          struct profile_findings *findings);

// Orders in which the launch faulted, which it does not in the usual one. `message`: of the first.
void check_push_order_fault(uint64_t seed, unsigned count, unsigned runs, const char *message,
                            struct profile_findings *findings);
// Orders in which it ran for so many warp instructions and was given up.
void check_push_order_endless(uint64_t seed, unsigned count, unsigned runs, uint64_t instructions,
                              struct profile_findings *findings);
// It was run in the usual order alone, `why`: "reads a clock".
void check_push_order_untried(const char *why, struct profile_findings *findings);

#endif
