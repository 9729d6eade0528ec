// Inside the profile: the requests that the first block makes of a site on one array, by where they
// are in it. What is found on them (the layout that would suit them) is found on all of a site's
// requests where every block makes the same.
#ifndef BANKRUN_PROFILE_ASKED_H
#define BANKRUN_PROFILE_ASKED_H

#include <stdbool.h>

#include "base/vec.h"
#include "event/event.h"

struct asked_request {
    uint32_t mask;
    uint32_t offsets[WARP_LANES]; // bytes from the array's start; 0 for lanes that are off
    uint64_t count;
};

enum { ASKED_MOST = 512, ASKED_SLOTS = 1 << 10 }; // of one site, of which no more are looked at

struct asked_list {
    VEC(struct asked_request) requests; // different ones
    uint32_t total;                     // all; at most ASKED_MOST
    uint16_t slots[ASKED_SLOTS];        // 1 + index of a request; 0: free
};

// `base`: where the array starts. False: it is the last one that is looked at.
bool asked_add(struct asked_list *list, uint32_t mask, const uint32_t *offsets, uint32_t base);

#endif
