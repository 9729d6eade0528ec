// Searches the layout of a shared array in which the requests of all its accesses together take the
// fewest wavefronts: row padding, XOR swizzles and mirrored rows, every one of them tried on every
// request.
#ifndef BANKRUN_FIX_SEARCH_H
#define BANKRUN_FIX_SEARCH_H

#include <stddef.h>

#include "bankrun/banks.h"
#include "base/vec.h"
#include "fix/layout.h"

// A request of one warp; `banks.offsets` points to 32 offsets from the array's start in bytes. The
// array's start is taken for a multiple of all that matters: it changes no cost that it is not one.
struct fix_request {
    struct bankrun_request banks;
    uint64_t count; // how often it is made
    unsigned site;  // 0, 1, ...: which access makes it
};

// One in which lanes that change the same bytes wait for each other.
bool fix_is_atomic(const struct fix_request *request);

// What an index takes more than it did: a declaration does the padding of rows itself.
enum { FIX_PAD_OPERATIONS = 2, FIX_SWIZZLE_OPERATIONS = 3, FIX_MIRROR_OPERATIONS = 4 };

struct fix_rows { // what may be padded: each so many bytes, by multiples of `step`
    uint64_t pitch, step;
    unsigned operations; // that an index takes more; 0: the declaration does it
};

enum { FIX_MOST_ROWS = 32 };
struct fix_array {
    uint64_t bytes;
    unsigned element_bytes;
    struct fix_rows rows[FIX_MOST_ROWS];
    unsigned row_count;
    bool knows_rows; // those of the declaration are there, if it has any
};

// What is beyond FIX_MOST_ROWS is left out.
void fix_add_rows(struct fix_array *array, struct fix_rows rows);
// The rows that an index without rows can be padded after: 32 bytes, 64, 128, ...
void fix_add_index_rows(struct fix_array *array);

struct fix_problem {
    unsigned arch;
    struct fix_array array;
    const struct fix_request *requests;
    size_t request_count;
    unsigned site_count;
    unsigned least_gain; // percent of the excess that a layout takes away to be of interest
};

struct fix_cost {
    uint64_t requests, wavefronts, ideal;
    unsigned degree;
};

struct fix_answer {
    struct fix_layout layout;
    uint64_t bytes;        // of the array in this layout
    unsigned operations;   // that an index takes more
    struct fix_cost total; // wavefronts and ideal are sums over all requests
    struct fix_cost *sites;
};

typedef VEC(struct fix_answer) fix_answers;

// What the requests cost in a layout. `answer->sites` has room for all sites. False: a request
// would be misaligned or torn apart, or is none that the architecture has.
bool fix_try(const struct fix_problem *problem, const struct fix_layout *layout,
             struct fix_answer *answer);

// The layout as it is and then those than which no other is better: in wavefronts, bytes and
// operations at once. Ordered by wavefronts, the fewest first, but as it is comes first of all.
// False: as it is, the requests have no cost. The caller frees with fix_answers_free. It takes
// about fix_steps() looks at a request, of some 20 ns each.
bool fix_search(const struct fix_problem *problem, fix_answers *answers);
uint64_t fix_steps(const struct fix_problem *problem);
void fix_answers_free(fix_answers *answers);

#endif
