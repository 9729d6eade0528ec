// Inside the race checker: what orders the threads of different domains. A thread that writes a
// word strongly behind a fence of the right scope releases what it knew at the fence; who reads the
// word strongly later acquires that. No fence is asked of the reader: published last-block
// reductions and scans have none, and no GPU has shown them wrong.
//
// What a thread knows of other domains goes with its knowledge of its own (clock_foreign): how far
// it has read the releases of which words. Whether that includes an access is looked up when
// somebody asks.
#ifndef BANKRUN_CHECK_RACE_GLOBAL_ORDER_H
#define BANKRUN_CHECK_RACE_GLOBAL_ORDER_H

#include "check/race/clock.h"
#include "check/race/global_shadow.h"

struct global_order; // of a launch all of whose blocks run on one worker

struct global_order *global_order_create(void);
void global_order_free(struct global_order *order);
const struct clock_foreign_rules *global_order_rules(struct global_order *order);

// Lanes of a warp are about to do this fence.
void global_order_fence(struct global_order *order, const struct clock *clock, uint32_t domain,
                        uint32_t warp_index, uint32_t mask, enum event_scope scope);

// What one thread does to a word. Reads come before what they order, writes after it.
struct global_visit {
    struct clock *clock;
    uint32_t domain, thread;
    uint64_t address;
    enum event_order order; // EVENT_WEAK: a plain write that may be a flag
    enum event_scope scope;
};
void global_order_acquire(struct global_order *order, const struct global_visit *visit);
void global_order_release(struct global_order *order, const struct global_visit *visit);

// Whether `thread` knows the access through what it read.
bool global_order_knows(struct global_order *order, const struct clock *clock, uint32_t thread,
                        const struct global_stamp *stamp);
// Whether a plain write of the word released something: a flag, for who reads it strongly.
bool global_order_is_flag(const struct global_order *order, uint64_t address,
                          const struct global_stamp *stamp);

#endif
