// Vector clocks: how far each timeline was when something happened. A timeline is what runs one
// operation after the other: a stream, or a branch of a graph that runs in it.
#ifndef BANKRUN_CHECK_STREAM_CLOCK_H
#define BANKRUN_CHECK_STREAM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

// Zeroed: before everything.
struct check_clock {
    VEC(uint32_t) counts; // of operations, by timeline; what lies behind the end is 0
};

// The operation that is the count-th of its timeline, from 1 on.
struct check_stamp {
    uint32_t timeline, count;
};

// Whether the operation comes before what the clock stands for, or is it.
bool check_clock_knows(const struct check_clock *clock, struct check_stamp stamp);
void check_clock_learn(struct check_clock *clock, struct check_stamp stamp);
// Afterwards all that `from` knows is known.
void check_clock_join(struct check_clock *to, const struct check_clock *from);
void check_clock_copy(struct check_clock *to, const struct check_clock *from);
void check_clock_free(struct check_clock *clock);

#endif
