// Inside the race checker: loads of shared memory that are looked at later, if at all. Until
// somebody writes to a block's shared memory its loads conflict with nothing; and a barrier of the
// whole block orders them before all that comes. So they stay in a journal (event/journal.h), which
// the simulator writes for the most part, until something happens that may say otherwise: then they
// are visited, as they would have been, before it is. Clocks do not move meanwhile.
#ifndef BANKRUN_CHECK_RACE_READS_H
#define BANKRUN_CHECK_RACE_READS_H

#include "base/vec.h"
#include "event/journal.h"

struct race_domain;

struct race_reads { // of a worker
    struct event_journal journal;
    struct race_domain *domain; // of the journal's block; NULL: it is for none
    uint32_t site_count;
    struct race_reads_site {
        uint32_t instruction;
        unsigned width;
    } * sites;
    VEC(struct race_reads_shape) shapes;
};

struct race_reads_shape { // as an event_shape
    uint32_t lanes[WARP_LANES];
    uint32_t mask;
};

void race_reads_init(struct race_reads *reads, uint32_t site_count);
void race_reads_free(struct race_reads *reads);

// Visits those of the domain that were not.
void race_reads_settle(struct race_reads *reads, struct race_domain *domain);
// An access of the domain: it is a load that is looked at later; or it is not, and all that have to
// be were visited before it.
bool race_reads_take(struct race_reads *reads, struct race_domain *domain,
                     const struct event_access *event, bool moves_clock);
// Before the clock moves.
void race_reads_sync(struct race_reads *reads, struct race_domain *domain,
                     const struct event_sync *event);

#endif
