// Inside the spread: who runs which clusters of a launch. Each rank has a part of its own, the same
// one in every launch of as many clusters, so that the memory that it asks for is there already;
// who is done with his own takes from the end of what another one has most of.
#ifndef BANKRUN_SPREAD_DEAL_H
#define BANKRUN_SPREAD_DEAL_H

#include <stdint.h>

struct deal {
    unsigned ranks;
    struct deal_share {
        uint64_t next, end;
        unsigned threads; // 0: not known yet
    } * shares;
    uint64_t least; // in one piece
};

// `shares` of the deal: of so many ranks, zeroed at first; threads are kept.
void deal_begin(struct deal *deal, uint64_t clusters);
// How many clusters from *first on; 0: there are no more.
uint64_t deal_take(struct deal *deal, unsigned rank, uint64_t *first);

#endif
