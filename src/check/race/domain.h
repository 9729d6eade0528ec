// Inside the race checker: a cluster of blocks, or one block where there are none, while it runs.
#ifndef BANKRUN_CHECK_RACE_DOMAIN_H
#define BANKRUN_CHECK_RACE_DOMAIN_H

#include "check/notes.h"
#include "check/race/copies.h"
#include "check/race/flags.h"
#include "check/race/proxy.h"
#include "check/race/shared_log.h"
#include "check/race/visitors.h"

struct race_block {
    uint64_t number;
    uint64_t looked; // entries of the log that were looked at for races
    // Something else than a load of its own threads came to its memory since its last barrier; or
    // ever, where that goes on on its own.
    bool is_written, is_asynchronous;
    struct shared_words words;
    struct shared_log log;
    struct race_visitors visitors;
};

struct race_domain {
    struct clock *clock;
    const struct check_launch *launch;
    struct check_notes *notes; // the worker's
    uint32_t begun;            // of its blocks
    struct race_block *blocks;
    struct race_copies *copies; // of each warp, by its index in the clock
    struct race_flags flags;
    struct race_proxy proxy;
    struct race_tensors *tensors; // of each warpgroup, block by block
    uint32_t groups;              // of a block
    VEC(struct race_bulk) bulk;   // copies of which the mbarrier is not known yet
};

struct race_domain *race_domain_create(const struct check_launch *launch, uint32_t blocks,
                                       uint32_t block_threads,
                                       const struct clock_foreign_rules *rules,
                                       struct check_notes *notes);
void race_domain_free(struct race_domain *domain);
// For the next one of the same shape. False: it has served long enough.
bool race_domain_reset(struct race_domain *domain);
// UINT32_MAX: it is none of them.
uint32_t race_domain_rank(const struct race_domain *domain, uint64_t block_number);

// The event's block has this rank. Synchronisation is told before what waits goes on.
void shared_access(struct race_domain *domain, uint32_t rank, const struct event_access *event);
void shared_sync(struct race_domain *domain, uint32_t rank, const struct event_sync *event);

// What was found of one byte, as a note. Not `counts`: for the threads alone.
void shared_note(struct race_domain *domain, const struct shared_visit *visit, unsigned lane,
                 const struct shared_entry *earlier, unsigned earlier_lane, uint32_t offset,
                 bool counts);
// One thread wrote the word at this offset, and the other reads it by another proxy.
void shared_note_proxy(struct race_domain *domain, uint32_t writer, uint32_t write, uint32_t reader,
                       uint32_t read, uint32_t offset);
// A thread accesses the memory of another block, and that does not know of it when it ends.
void shared_note_ended(struct race_domain *domain, uint32_t thread,
                       const struct race_visitor *visitor);
// A block accessed its memory so often without a barrier that the first accesses are forgotten.
void shared_note_forgotten(struct race_domain *domain);
// The notes as findings.
void shared_report(const struct check_launch *launch, struct check_notes *notes,
                   struct profile_findings *findings);

#endif
