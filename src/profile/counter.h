// Inside the profile: what one worker counts of one site on one array. A counter remembers lane
// patterns, so that an event whose pattern is known costs a compare and an increment.
#ifndef BANKRUN_PROFILE_COUNTER_H
#define BANKRUN_PROFILE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "bankrun/banks.h"
#include "event/filter.h"
#include "profile/asked.h"
#include "profile/profile.h"

// How the requests of a site are counted; the same for all its events.
struct counter_rule {
    unsigned arch;
    enum site_space space;
    struct profile_request request; // of global memory only the width; is_copy: no pattern of lanes
                                    // is kept
    uint32_t lanes;                 // that can matter: the first 8, 16 or 32 for matrices
    uint32_t keep;    // address bits that the cost depends on only through differences
    bool is_estimate; // no rule for the access: counted as a store
    uint32_t grid[2]; // x and y, to number blocks
};

struct pattern {
    struct event_shape key;
    uint32_t units, ideal, degree;
    bool is_estimate;
    uint64_t repeats;         // requests since the counts were last flushed
    struct pattern *follower; // what came next the last time
    uint32_t tag;             // of a linear or uniform pattern whose event found it; else 0
};

// A request to show. In equal degree the first in block order wins, whatever the order of events.
// Of global memory one that takes the most sectors, which are its degree: lanes have distances from
// the first one's place, and `linear` is any number that follows from these.
struct candidate {
    uint32_t degree; // 0: none yet
    uint64_t linear; // block number
    uint32_t block[3], warp, mask, offsets[WARP_LANES];
};

// Of blocks that stand for others: all these, and what was counted when the last one ended.
struct counter_scaled {
    struct profile_counts counts, then;
    uint64_t degrees[PROFILE_MAX_DEGREE + 1], degrees_then[PROFILE_MAX_DEGREE + 1];
};

struct counter {
    struct counter *next;            // same site and space, another array
    const struct ir_variable *array; // NULL: none, or global memory
    const struct counter_rule *rule;
    struct profile_counts counts;
    uint64_t degrees[PROFILE_MAX_DEGREE + 1];
    bool is_estimate;
    struct candidate worst;
    // What the first block asks for, which is told of each time until that is enough.
    struct asked_list asked;
    bool is_asked;        // it is, or nobody wants to know
    bool is_immobile;     // the array is accessed in a way that its layout must suit
    struct pattern *last; // NULL: no event yet
    // What need not be told, and the patterns behind its places.
    struct event_memo memo;
    struct pattern *in_memo[EVENT_MEMO_PLACES], *in_shapes[EVENT_MEMO_SHAPES], *in_once;
    unsigned next_shape;      // the place that the next shape takes
    struct pattern *patterns; // a hash table of 1 << pattern_bits, no chains
    unsigned pattern_bits;
    uint32_t evictions;     // since requests were last looked at
    uint64_t requests_then; // how many they were
    uint32_t unremembered;  // so many were to be counted one by one, as patterns did not repeat;
                            // memo.by_degree.left: so many still are
    struct counter_scaled *scaled; // NULL: each block stands for itself
};

// asks: the first block's requests are kept.
struct counter *counter_create(const struct counter_rule *rule, bool asks);
void counter_free(struct counter *counter); // not `next`

void counter_shared(struct counter *counter, const struct event_access *event);
void counter_copy(struct counter *counter, const struct event_access *event);
void counter_global(struct counter *counter, const struct event_access *event);

// Moves what the patterns counted into `counts` and `degrees`.
void counter_flush(struct counter *counter);

// The same, and adds what was counted since the last such call so many times to what is scaled.
void counter_scale(struct counter *counter, uint64_t times);

// Is a better to show than b?
bool candidate_precedes(const struct candidate *a, const struct candidate *b);

#endif
