// Inside the room: what a checker is.
#ifndef BANKRUN_CHECK_CHECKER_H
#define BANKRUN_CHECK_CHECKER_H

#include "check/check.h"

// A row of `checkers` in check.c. `state` is what begin returned.
struct check_checker {
    enum profile_check check;
    void *(*begin)(const struct check_launch *launch);
    const struct event_observer *(*observer)(void *state);
    // Appends what it found, and frees the state. All workers have ended.
    void (*end)(void *state, struct profile_findings *findings);
};

extern const struct check_checker check_array;
extern const struct check_checker check_init;
extern const struct check_checker check_race;
extern const struct check_checker check_sync;

#endif
