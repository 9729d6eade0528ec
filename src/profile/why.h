// Inside the profile: what is to be said about one request.
#ifndef BANKRUN_PROFILE_WHY_H
#define BANKRUN_PROFILE_WHY_H

#include "base/strbuf.h"
#include "profile/profile.h"

enum { WHY_BANKS = 32 };

// The busiest phase of a request, bank by bank.
struct why_phase {
    uint32_t lanes;              // of the phase
    unsigned lane_count, banks;  // banks of the architecture
    unsigned count[WHY_BANKS];   // what the bank serves one after the other: words, or lanes
    unsigned words[WHY_BANKS];   // distinct ones
    uint32_t meeting[WHY_BANKS]; // the lanes that `count` counts; of equal words the lowest lane
    unsigned most, busiest;      // highest count, and the lowest bank that has it
    uint32_t fullest;            // the banks that have it, bit n = bank n
    bool by_lane;                // `count` is of lanes: an atomic serves equal words apart
};

void why_find_phase(unsigned arch, const struct bankrun_request *request, struct why_phase *phase);

// How the addresses go with the lane number: first + inner * (i % group) + outer * (i / group),
// where i is the lane's distance from the first of the phase.
struct why_shape {
    enum { WHY_IRREGULAR, WHY_STRIDE, WHY_GROUPS } kind;
    int64_t inner, outer; // bytes; WHY_STRIDE has only `inner`
    unsigned group;       // WHY_GROUPS: lanes
};

struct why_shape why_find_shape(uint32_t lanes, const uint32_t *offsets);

#endif
