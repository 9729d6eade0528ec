// Inside the race checker: what its parts for global memory share.
#ifndef BANKRUN_CHECK_RACE_GLOBAL_INTERNAL_H
#define BANKRUN_CHECK_RACE_GLOBAL_INTERNAL_H

#include <pthread.h>

#include "check/notes.h"
#include "check/race/global.h"
#include "check/race/global_order.h"
#include "check/race/global_shadow.h"

struct global_race { // of a launch
    const struct check_launch *launch;
    uint32_t block_warps;       // numbers of threads: 32 for each warp of each block of a domain
    struct global_order *order; // NULL: nothing orders domains
    struct global_shadow grid;  // what all domains did; where nothing orders them
    struct global_budget budget;
    bool has_missed;          // atomic: accesses that no shadow can hold
    struct check_notes notes; // merged
    pthread_mutex_t lock;     // of these
};

struct global_worker {
    struct global_race *race;
    struct global_shadow shadow; // of its domains, one after the other; with an order: of them all
    VEC(struct global_page *) pages;
    struct check_notes notes;
    // Of the event that is being looked at.
    struct clock *clock;
    uint32_t domain, rank;
};

// Granules of one line, which one instruction of a warp accesses. `stamp` is of the first one:
// granule n behind it is the thread's (n >> shift) behind.
struct global_run {
    struct global_page *page;
    unsigned line, first, count;
    enum global_class class;
    struct global_stamp stamp;
    const uint8_t *values; // that are written there; NULL: unknown
};

static inline struct global_stamp global_run_at(const struct global_run *run, unsigned n) {
    struct global_stamp stamp = run->stamp;
    stamp.thread = (uint16_t)(stamp.thread + (n >> stamp.shift));
    stamp.shift = 0;
    return stamp;
}

// Classes, as bits, that conflict with this one when nothing orders two threads.
uint32_t global_conflicts(enum global_class class, bool is_across);

// Looks for what the accesses conflict with, and remembers them.
void global_visit_run(struct global_worker *worker, const struct global_run *run);

// What was found about one granule. `earlier` or of the lower domain first.
void global_note(struct check_notes *notes, const struct global_race *race, uint64_t address,
                 enum global_class class, const struct global_stamp *stamp,
                 enum global_class other_class, const struct global_stamp *other);

void global_push_findings(const struct global_race *race, struct profile_findings *findings);

// What the page's domain did becomes part of what the grid did; the page is dropped.
void global_add_to_grid(struct global_worker *worker, struct global_page *page);
// Accesses of different domains that conflict.
void global_search_grid(struct global_race *race);

#endif
