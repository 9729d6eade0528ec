// Inside the race checker: accesses to the shared memory of another block of the cluster, which has
// to be there: its block may not have ended.
#ifndef BANKRUN_CHECK_RACE_VISITORS_H
#define BANKRUN_CHECK_RACE_VISITORS_H

#include <stdbool.h>

#include "event/event.h"

struct race_domain;

struct race_visitor { // its last access; stamp 0: none
    uint32_t stamp, instruction, offset;
};

struct race_visitors {       // of a block
    struct race_visitor *of; // each thread of the domain; NULL: nobody came
    bool has_ended;          // the block
};

// Lanes of a warp of another block access the memory of the block of this rank.
void race_visit_block(struct race_domain *domain, uint32_t rank, uint32_t warp_index,
                      const struct event_access *event);
// All threads of the block have ended.
void race_end_block(struct race_domain *domain, uint32_t rank);

#endif
