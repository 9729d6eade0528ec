// Inside the room: who writes to some addresses last.
#ifndef BANKRUN_CHECK_SCHEDULE_WATCH_H
#define BANKRUN_CHECK_SCHEDULE_WATCH_H

#include "check/order.h"

struct check_write { // the last one
    bool is_known, is_atomic;
    bool is_only_atomic; // all others were atomic, too
    uint32_t instruction, thread;
    uint64_t block;
    uint64_t begin; // address of what the lane wrote
};

const struct check_write *check_watched(const struct check_watch *watch, size_t index);

#endif
