// The logical clock of one domain: a cluster, or one block where there are none. It says of two
// accesses of the domain's threads whether they are ordered, exactly, by what synchronised them:
// happens-before at the granularity of threads.
//
// Each access has a stamp: its thread, and the time of its warp. A thread releases what it did so
// far, and what it knows; who acquires that knows it, too. Times grow with each release, so that a
// stamp is at most the time at which it was released. What all threads of a block or a warp know
// of each other is one number; only irregular synchronisation (parts of a block, mbarriers, flags)
// makes vectors, which threads share (knowledge.h).
//
// A clock is one worker's. Knowledge that it gave away may be read by others.
#ifndef BANKRUN_CHECK_RACE_CLOCK_H
#define BANKRUN_CHECK_RACE_CLOCK_H

#include <stddef.h>

#include "check/race/knowledge.h"
#include "event/event.h"

enum { CLOCK_EXTRAS = 64 }; // numbers behind those of the threads
enum { CLOCK_SCOPES = 3 };  // of fences: block, cluster, beyond
enum { CLOCK_BARRIERS = 16 };
enum { CLOCK_JOINS = 4 };
// Where time ends all is known: a domain that came so far has no more races. No stamp is later.
#define CLOCK_END (UINT32_MAX - 8)

// What most warps never need.
struct clock_lanes {
    struct knowledge *held[WARP_LANES];        // flat; beside the bases; NULL: nothing
    struct knowledge *pending[WARP_LANES];     // was read by strong accesses; a fence acquires it
    uint32_t fenced[CLOCK_SCOPES][WARP_LANES]; // the last fence's time; 0: none
    // known[t][u]: what lane t knows of lane u beyond the warp's base. Only if `is_parted`.
    bool is_parted;
    uint32_t known[WARP_LANES][WARP_LANES];
};

struct clock_warp {
    uint32_t now;              // the stamp of its accesses
    uint32_t base;             // lanes know each other's accesses up to here
    uint32_t live;             // lanes that have not left
    struct clock_lanes *lanes; // NULL: all of it is empty
};

// Threads that arrived at a barrier, or at something like it: what all of them knew.
struct clock_gather {
    uint32_t *times; // NULL: nobody
    struct clock_foreign *foreign;
    // Whose knowledge was added last: another lane of this warp that knows the same adds but its
    // own time.
    uint64_t last_held;
    uint32_t last_warp, last_warp_base, last_block_base, last_base;
};

struct clock_barrier {
    uint32_t *waiting;         // lanes, by warp of the block; NULL: unused so far
    struct clock_gather early; // of those that arrived and went on
    bool is_early;
};

struct clock_block {
    uint32_t base;
    bool is_irregular; // some thread released other than to all of its block, or its warp
    struct clock_barrier barriers[CLOCK_BARRIERS];
};

struct clock {
    uint32_t now, base;
    uint32_t blocks, block_threads, block_warps,
        threads;      // threads: the domain's numbers, without the extras
    uint32_t holders; // threads that hold something
    uint32_t extras;  // that were given out
    uint64_t next_id;
    const struct clock_foreign_rules *rules;
    struct clock_warp *warps;
    struct clock_block *block;
    struct clock_gather cluster;
    struct knowledge *cluster_over; // of the phase that is over
    struct clock_join {
        uint64_t a, b;
        struct knowledge *sum;
    } joins[CLOCK_JOINS];
    unsigned next_join;
    struct knowledge *last_foreign; // what one lane reads, the next reads, too
};

// `rules` may be NULL: no foreign knowledge. They are borrowed.
struct clock *clock_create(uint32_t blocks, uint32_t block_threads,
                           const struct clock_foreign_rules *rules);
void clock_free(struct clock *clock);
// For the next domain of the same shape: what the last one's threads did lies below the base.
// False: time has come so far that stamps have to start again, with another clock.
bool clock_reset(struct clock *clock);

// ---- Threads and stamps -------------------------------------------------------------------

// `rank`: of the block in the domain.
static inline uint32_t clock_warp_index(const struct clock *c, uint32_t rank, uint32_t warp) {
    return rank * c->block_warps + warp;
}

static inline uint32_t clock_thread(uint32_t warp_index, unsigned lane) {
    return warp_index * WARP_LANES + lane;
}

static inline uint32_t clock_rank(const struct clock *c, uint32_t warp_index) {
    return warp_index / c->block_warps;
}

// The stamp of what a lane of the warp does now. Never 0.
static inline uint32_t clock_stamp(const struct clock *c, uint32_t warp_index) {
    return c->warps[warp_index].now;
}

// All threads of the warp know all of their own block up to here.
static inline uint32_t clock_block_floor(const struct clock *c, uint32_t rank) {
    const uint32_t base = c->block[rank].base;
    return base > c->base ? base : c->base;
}

// Whether an access of thread `other` with this stamp is ordered before what `thread` does now.
static inline bool clock_knows(const struct clock *c, uint32_t thread, uint32_t other,
                               uint32_t stamp) {
    const uint32_t w = thread / WARP_LANES, v = other / WARP_LANES;
    if (thread == other || stamp <= c->base)
        return true;
    const struct clock_warp *warp = &c->warps[w];
    if (other < c->threads && clock_rank(c, w) == clock_rank(c, v) &&
        stamp <= c->block[clock_rank(c, w)].base)
        return true;
    if (w == v && stamp <= warp->base)
        return true;
    const struct clock_lanes *lanes = warp->lanes;
    if (!lanes)
        return false;
    if (w == v && lanes->is_parted &&
        stamp <= lanes->known[thread % WARP_LANES][other % WARP_LANES])
        return true;
    const struct knowledge *held = lanes->held[thread % WARP_LANES];
    return held && other < held->count && stamp <= held->times[other];
}

// ---- Between any threads ------------------------------------------------------------------

// What a thread does and knows so far. The caller drops it. Later accesses have later stamps.
struct knowledge *clock_release(struct clock *c, uint32_t thread);
// The same as of its last fence of at least this scope, which a strong access behind the fence
// releases; NULL: there was none.
struct knowledge *clock_release_fenced(struct clock *c, uint32_t thread, enum event_scope scope);
// The thread knows it from now on; its stamp is another one, if that is new to it. `k` is of this
// domain, or of nobody (clock_foreign_knowledge).
void clock_acquire(struct clock *c, uint32_t thread, struct knowledge *k);
// It does so from its next fence on.
void clock_acquire_at_fence(struct clock *c, uint32_t thread, struct knowledge *k);
// The lanes know what an extra did up to this time.
void clock_know_extra(struct clock *c, uint32_t warp_index, uint32_t mask, uint32_t extra,
                      uint32_t time);
void clock_fence(struct clock *c, uint32_t warp_index, uint32_t mask, enum event_scope scope);
// A new reference to what is known to either of two of the domain; `a` may be NULL.
struct knowledge *clock_join(struct clock *c, struct knowledge *a, struct knowledge *b);

// Of other domains: what it knows (borrowed, may be NULL), and knowledge of nobody of this domain
// that carries `foreign`, of which it takes the reference.
static inline struct clock_foreign *clock_foreign(const struct clock *c, uint32_t thread) {
    const struct clock_lanes *lanes = c->warps[thread / WARP_LANES].lanes;
    const struct knowledge *held = lanes ? lanes->held[thread % WARP_LANES] : NULL;
    return held ? held->foreign : NULL;
}
struct knowledge *clock_foreign_knowledge(struct clock *c, struct clock_foreign *foreign);

// The time of a release by lanes of the warp, whose later accesses have a later stamp.
uint32_t clock_tick(struct clock *c, uint32_t warp_index);

// ---- Barriers -----------------------------------------------------------------------------

// The lanes of `mask` named each other.
void clock_warp_barrier(struct clock *c, uint32_t warp_index, uint32_t mask);
void clock_barrier_arrive(struct clock *c, uint32_t warp_index, uint32_t mask, unsigned id,
                          bool waits);
// Whether all threads of the block wait for it.
bool clock_barrier_is_whole(struct clock *c, uint32_t rank, unsigned id);
void clock_barrier_complete(struct clock *c, uint32_t rank, unsigned id);
// `releases`: the arrival is not a relaxed one.
void clock_cluster_arrive(struct clock *c, uint32_t warp_index, uint32_t mask, bool releases);
void clock_cluster_complete(struct clock *c);
void clock_cluster_wait(struct clock *c, uint32_t warp_index, uint32_t mask);
// What they did is taken to be ordered before the next barrier of the whole block.
void clock_exit(struct clock *c, uint32_t warp_index, uint32_t mask);

// ---- What runs on its own -----------------------------------------------------------------

// A number for it. There are but CLOCK_EXTRAS: what shares one is ordered rather more than it is.
uint32_t clock_extra(struct clock *c);
uint32_t clock_next(struct clock *c); // time goes on: what it does later has a later stamp
// The stamp of what it does now.
static inline uint32_t clock_extra_stamp(const struct clock *c) {
    return c->now;
}

// Gathers: what several threads, or extras, release to one phase of an mbarrier.
void clock_gather_add(struct clock *c, struct clock_gather *g, uint32_t thread);
void clock_gather_extra(struct clock *c, struct clock_gather *g, uint32_t extra);
// All of it, as knowledge; the gather is empty then. `earlier` is included; NULL: nothing.
struct knowledge *clock_gather_end(struct clock *c, struct clock_gather *g,
                                   struct knowledge *earlier);
void clock_gather_free(const struct clock *c, struct clock_gather *g);

#endif
