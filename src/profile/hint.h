// What cures conflicts where no layout does: how the work is dealt out to lanes. Each kind is a
// fact of the requests that block 0 makes at a site: what they would take otherwise was counted.
#ifndef BANKRUN_PROFILE_HINT_H
#define BANKRUN_PROFILE_HINT_H

#include <stdint.h>

enum profile_hint {
    PROFILE_HINT_SUBWORD,     // several lanes store into one word; one of them could store it all
    PROFILE_HINT_ONE_ELEMENT, // several lanes update one element; one of them could
    PROFILE_HINT_INTERLEAVED, // strides that double, as in reductions; neighbours could do
    PROFILE_HINT_STRUCTURES,  // each lane has members of its own side by side; arrays could hold
                              // them apart
    PROFILE_HINT_ORDER,       // the same places, in the order of lanes, meet less
    PROFILE_HINT_RANDOM,      // the index is loaded from memory, and lanes go everywhere
    PROFILE_HINTS
};
// "subword_stores", "one_element", ...: as in the JSON
extern const char *const profile_hint_text[PROFILE_HINTS];

struct profile_hints {
    uint64_t excess;               // of the site's requests of block 0
    uint64_t gains[PROFILE_HINTS]; // so much of it goes away; 0: the fact is none here
    unsigned stride;               // STRUCTURES: bytes from lane to lane
};

#endif
