// What cures conflicts where no layout does: how the work is dealt out to lanes. Each kind is a
// fact of the requests that block 0 makes at a site: what they would take otherwise was counted.
// What global memory is told is a fact of all blocks' requests: see hint_global.h.
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
    PROFILE_HINT_LAUNCH,      // lanes lie a parameter apart: with another number they are free
    PROFILE_HINT_UNCOALESCED, // of global memory: neighbouring lanes have no neighbouring elements
    PROFILE_HINTS
};
// "subword_stores", "one_element", ...: as in the JSON
extern const char *const profile_hint_text[PROFILE_HINTS];

// How the lanes of a request to global memory lie.
struct profile_shape {
    unsigned group;        // lanes that are `inner` apart; 0: no rule is known
    unsigned inner, outer; // bytes from lane to lane, and from group to group
    unsigned bytes;        // that a lane accesses in all instructions of the site together
};

// A parameter of the kernel, as a launch has it and as would be better; or what rows are as long
// as.
struct profile_other {
    unsigned number, byte; // from 1 on; where the number begins in it. 0: blockDim.x
    uint64_t is, free;
};

struct profile_hints {
    uint64_t excess;                // of the site's requests of block 0
                                    // UNCOALESCED: of all sectors of the launch
    uint64_t gains[PROFILE_HINTS];  // so much of it goes away; 0: the fact is none here
    unsigned stride;                // STRUCTURES, UNCOALESCED: bytes from lane to lane; 0: there is
                                    // no single such number
    struct profile_other parameter; // LAUNCH
};

#endif
