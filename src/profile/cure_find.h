// Inside the profile: how cures are found. What block 0 asks of an array is collected site by site
// and searched for a layout; what was found is kept for launches that are alike.
#ifndef BANKRUN_PROFILE_CURE_FIND_H
#define BANKRUN_PROFILE_CURE_FIND_H

#include "base/vec.h"
#include "profile/recorder.h"

// ---- cure_parts.c: arrays in one block of memory --------------------------------------------

// One `extern __shared__` block often holds several arrays, and nothing declares where they lie.
// The accesses of one place in the source belong to one array: the bytes from the lowest to the
// highest that they touch are of it, also those in between that they leave out. Places whose bytes
// overlap are of one array, too, and so on. What no place reaches across is a border; the array
// behind it begins at the roundest number of bytes up to its lowest byte that is touched. Where not
// all requests of a place are known, no border is.
struct asked_site {
    const struct recorded_site *site;
    uint32_t number;     // of the site
    size_t first, count; // of the requests
    uint64_t low, high;  // bytes, from the array's start
    bool is_whole;       // all requests of block 0 are known
    uint32_t part;       // that it is in
};

struct array_part {
    uint64_t first, end; // bytes, from the array's start
};

typedef VEC(struct asked_site) asked_sites;
typedef VEC(struct array_part) array_parts;

// Fills `part` of the sites. The parts cover the array, in ascending order.
void cure_split(asked_sites *sites, uint64_t bytes, array_parts *parts);

// ---- cure_kept.c: what was found before, and the time for more -----------------------------

struct cure_key {
    uint64_t likeness;
    const struct ir_variable *variable; // NULL: the launch itself, whose block 0 was asked
};

// True: somebody looked. *cures is a copy of what was found.
bool cure_recall(struct cure_key key, struct profile_cures *cures);
void cure_keep(struct cure_key key, const struct profile_cures *cures); // a copy

// Whether a search may take so many steps. Whatever may not be repeated is not asked for.
bool cure_may_search(uint64_t steps);

#endif
