// Inside the race checker: what goes through words of shared memory from thread to thread:
// mbarriers, and flags that are written and read strongly.
#ifndef BANKRUN_CHECK_RACE_FLAGS_H
#define BANKRUN_CHECK_RACE_FLAGS_H

#include "check/race/clock.h"

struct race_domain;

struct race_flag {
    uint64_t key;               // offset, rank and what it is; 0: empty
    struct knowledge *over;     // of an mbarrier: its phases that are over; else what was released
    struct clock_gather gather; // of an mbarrier: its phase
    uint32_t extra;             // of an mbarrier: for its copies; 0: none yet
};

struct race_flags { // a hash table
    struct race_flag *list;
    uint32_t count, capacity;
    bool has_released; // by flags: there are fences, or stronger accesses
};

// Made when there is none.
struct race_flag *race_flag(struct race_flags *flags, uint32_t rank, uint32_t offset,
                            bool is_mbarrier);
void race_flags_free(struct race_flags *flags, const struct clock *clock);

// A strong access of lanes of a warp: before what it reads is used, and after it wrote.
void race_flag_access(struct race_domain *domain, uint32_t warp_index, uint32_t rank,
                      const struct event_access *event);
void race_mbarrier(struct race_domain *domain, uint32_t warp_index, uint32_t rank,
                   const struct event_sync *event);
uint32_t race_mbarrier_extra(struct race_domain *domain, struct race_flag *flag);

#endif
