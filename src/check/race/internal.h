// Inside the clock: what clock.c and barriers.c share.
#ifndef BANKRUN_CHECK_RACE_INTERNAL_H
#define BANKRUN_CHECK_RACE_INTERNAL_H

#include "check/race/clock.h"

struct clock_lanes *clock_lanes(struct clock *clock, uint32_t warp_index);
// Borrowed; NULL: nothing.
struct knowledge *clock_held(const struct clock *clock, uint32_t thread);
void clock_hold(struct clock *clock, uint32_t thread, struct knowledge *k); // keeps it
struct knowledge *clock_new(struct clock *clock);                           // flat, of nothing

#endif
