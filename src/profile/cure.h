// What would cure the bank conflicts of a shared array: the layouts in which the requests of all
// its accesses together take fewer wavefronts, or why there is none. Found on what the first block
// of a launch asks of the array. Numbers are of elements, so that they are what a source says.
#ifndef BANKRUN_PROFILE_CURE_H
#define BANKRUN_PROFILE_CURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum profile_layout_kind { PROFILE_PAD, PROFILE_SWIZZLE, PROFILE_MIRROR, PROFILE_LAYOUTS };
extern const char *const profile_layout_text[PROFILE_LAYOUTS]; // "pad", "swizzle", "mirror"

struct profile_layout {
    enum profile_layout_kind kind;
    bool is_by_index;  // PAD: i + i / row * pad; false: a declaration with rows does it
    uint32_t row, pad; // PAD: rows of so many elements get so many more
    // SWIZZLE: i ^ (i >> shift & ones(bits)) << base
    // MIRROR: i ^ (i >> shift & 1) * (ones(bits) << base)
    uint32_t bits, base, shift;
    unsigned operations; // that an index takes more
    uint64_t wavefronts; // of the requests that it was tried on
    uint64_t bytes;      // of the array in it
};

// Why no layout is named.
enum profile_no_layout {
    PROFILE_SOME_LAYOUT,
    PROFILE_NO_LAYOUT,   // none takes away half of the excess
    PROFILE_ONE_ELEMENT, // the same, and lanes wait for each other that update one element
    PROFILE_NO_LAYOUTS
};
// NULL, "no layout", "atomics on one element"
extern const char *const profile_no_layout_text[PROFILE_NO_LAYOUTS];

struct profile_cure_line { // of the source, whose requests were among those
    char *file;
    uint32_t line;
};

struct profile_cure {
    char *array; // its name in the source
    bool is_dynamic;
    bool is_part;    // one of several arrays that lie in it, told apart by what accesses touch
    uint64_t offset; // where that begins, in bytes from the start of `array`
    uint64_t bytes;
    unsigned element_bytes;               // the least that a lane accesses
    uint64_t requests, wavefronts, ideal; // as it is
    struct profile_layout *layouts; // none is worse than another in all respects; of those by index
                                    // the best is always there. Fewest wavefronts first
    size_t layout_count;
    enum profile_no_layout reason;   // SOME_LAYOUT: there are some
    struct profile_cure_line *lines; // sorted
    size_t line_count;
};

void profile_free_cure(struct profile_cure *cure); // what it owns
struct profile_cure profile_copy_cure(const struct profile_cure *cure);

// The request as it would be in a layout of the cure, whose array lies `array_offset` bytes behind
// the start of shared memory: fills the offsets of all lanes in `mask`. False: some lane accesses
// something else, or the layout tears its bytes apart.
bool profile_cured_offsets(const struct profile_cure *cure, const struct profile_layout *layout,
                           uint64_t array_offset, uint32_t mask, unsigned width,
                           const uint32_t offsets[32], uint32_t cured[32]);

// "pad rows of 32 elements to 33"
void profile_put_layout(struct strbuf *out, const struct profile_layout *layout);
// In lines of words, for a report. Malloc'd.
char *profile_cure_text(const struct profile_cure *cure);

#endif
