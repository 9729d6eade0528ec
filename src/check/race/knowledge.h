// What a thread knew of the others' accesses at some moment: of each thread of its domain the time
// up to which all that it did is ordered before. Immutable, counted, and shared between domains
// and workers: nothing here needs a lock.
//
// Of threads of other domains it holds one opaque pointer, which who checks races between domains
// gives a meaning, and which goes wherever the knowledge goes.
#ifndef BANKRUN_CHECK_RACE_KNOWLEDGE_H
#define BANKRUN_CHECK_RACE_KNOWLEDGE_H

#include <stdbool.h>
#include <stdint.h>

struct clock_foreign; // opaque, counted, immutable

struct clock_foreign_rules {
    // A new reference to what knows all that either does. Neither is NULL.
    struct clock_foreign *(*join)(void *context, struct clock_foreign *a, struct clock_foreign *b);
    void (*keep)(struct clock_foreign *foreign);
    void (*drop)(struct clock_foreign *foreign);
    void *context;
};

// Threads are numbered block by block, 32 numbers a warp; behind them stand what runs on its own,
// such as the copies that end a phase of an mbarrier.
struct knowledge {
    uint32_t references;                     // atomic
    uint32_t count;                          // of times; 0: the knowledge is what follows
    uint64_t id;                             // unique in its clock
    const struct clock_foreign_rules *rules; // NULL: no foreign
    struct clock_foreign *foreign;           // NULL: none
    // Not flat: the moment at which `thread` released it. Cheap to make; joined when it has to be.
    uint32_t thread, own; // its accesses with stamps up to `own`; own 0: of nobody
    uint32_t base;        // of all threads
    uint32_t block_first, block_last, block_base; // of those of its block: [first, last)
    uint32_t warp_base;
    struct knowledge *held; // flat, or NULL
    uint32_t times[];
};

static inline struct knowledge *knowledge_keep(struct knowledge *k) {
    if (k)
        __atomic_fetch_add(&k->references, 1, __ATOMIC_RELAXED);
    return k;
}

void knowledge_drop(struct knowledge *k); // NULL is allowed

// Up to which stamp the accesses of a thread were known.
static inline uint32_t knowledge_of(const struct knowledge *k, uint32_t thread) {
    if (k->count)
        return thread < k->count ? k->times[thread] : 0;
    uint32_t time = k->base;
    if (thread - k->block_first < k->block_last - k->block_first && k->block_base > time)
        time = k->block_base;
    if (k->own && thread / 32 == k->thread / 32 && k->warp_base > time)
        time = k->warp_base;
    if (k->own && thread == k->thread && k->own > time)
        time = k->own;
    if (k->held && thread < k->held->count && k->held->times[thread] > time)
        time = k->held->times[thread];
    return time;
}

// Whether all that `old` says of its own domain is in `k`, as far as that is cheap to see.
static inline bool knowledge_includes(const struct knowledge *k, const struct knowledge *old) {
    return k == old ||
           (!old->count && old->own && !old->foreign && knowledge_of(k, old->thread) >= old->own);
}

// ---- For clock.c --------------------------------------------------------------------------

struct knowledge *knowledge_flat(uint32_t count, uint64_t id); // zeroed
// times[] becomes what it or `k` knows, thread by thread.
void knowledge_join_into(uint32_t *times, uint32_t count, const struct knowledge *k);
// A new reference to what is known by either; NULL is allowed.
struct clock_foreign *knowledge_join_foreign(const struct clock_foreign_rules *rules,
                                             struct clock_foreign *a, struct clock_foreign *b);

#endif
