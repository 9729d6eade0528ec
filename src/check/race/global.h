// Inside the race checker: races in global memory, between threads of a block as between blocks.
//
// Where no kernel can see how far other blocks are, all blocks of the grid are concurrent: each
// worker looks for races within its blocks (or clusters), and what a block did is summed up word by
// word, so that it does not matter in which order blocks ran. Else all blocks run on one worker in
// the order of their numbers, and what orders them is followed (global_order.h).
#ifndef BANKRUN_CHECK_RACE_GLOBAL_H
#define BANKRUN_CHECK_RACE_GLOBAL_H

#include "check/check.h"
#include "check/race/clock.h"

struct global_race;
struct global_worker;

// `launch` is borrowed until global_end.
struct global_race *global_begin(const struct check_launch *launch);
// For the clocks of domains.
const struct clock_foreign_rules *global_rules(const struct global_race *race);
// Appends what was found, and frees it. All workers have ended.
void global_end(struct global_race *race, struct profile_findings *findings);

struct global_worker *global_worker_begin(struct global_race *race);
void global_worker_end(struct global_worker *worker);
// `clock`: of the event's domain; `rank`: of its block in the domain. Synchronisation is told
// before the clock moves, the end of a domain before the clock is freed.
void global_access(struct global_worker *worker, struct clock *clock, uint32_t rank,
                   const struct event_access *event);
void global_sync(struct global_worker *worker, struct clock *clock, uint32_t rank,
                 const struct event_sync *event);

#endif
