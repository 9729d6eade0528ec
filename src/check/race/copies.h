// Inside the race checker: asynchronous copies that are under way, of cp.async and of bulk copies
// in groups. What they read or write in shared memory happens at some time until their thread has
// waited for the group; then it is the thread's own, for others to be ordered behind.
#ifndef BANKRUN_CHECK_RACE_COPIES_H
#define BANKRUN_CHECK_RACE_COPIES_H

#include "base/vec.h"
#include "event/event.h"

enum { RACE_COPY_KINDS = 2 }; // cp.async, bulk

struct race_domain;
struct shared_visit;

struct race_copy {
    uint32_t rank; // of the block whose memory it is
    uint32_t instruction, issue, lanes, group;
    uint32_t offsets[WARP_LANES];
    uint32_t width, bulk; // bulk: bytes of the one lane
    uint32_t *pieces;     // owned; NULL: none
    bool is_read;
};

struct race_copies { // of a warp
    VEC(struct race_copy) list[RACE_COPY_KINDS];
    uint32_t commits[RACE_COPY_KINDS][WARP_LANES];
    // An mbarrier that the lanes' copies were given to last, and when; who waits for their groups
    // knows these, too. 0: none.
    uint32_t given_to[WARP_LANES], given_at[WARP_LANES];
};

// A bulk copy of which an EVENT_MBARRIER_COMPLETE_TX is told next.
struct race_bulk {
    struct event_access event; // with its offsets and pieces, which are owned
    uint32_t offsets[WARP_LANES];
    uint32_t *pieces;
    uint32_t rank; // of the block whose memory it is
    uint32_t left; // lanes that are not done
};

// Asynchronous copies of wgmma, in groups of a warpgroup.
struct race_tensors {
    uint32_t extra;           // 0: none yet
    VEC(uint32_t) commits[4]; // times, by warp of the warpgroup
};

void race_copy_begin(struct race_domain *domain, uint32_t warp_index, uint32_t rank,
                     const struct event_access *event);
void race_copy_commit(struct race_domain *domain, uint32_t warp_index,
                      const struct event_sync *event);
void race_copy_wait(struct race_domain *domain, uint32_t warp_index,
                    const struct event_sync *event);
// The mbarrier's extra has the lane's copies so far.
void race_copy_give(struct race_domain *domain, uint32_t warp_index, unsigned lane, uint32_t extra);
void race_copies_free(struct race_copies *copies);

#endif
