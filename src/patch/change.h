// Gives a declared array another layout, as few edits as that takes: of its declaration, and where
// its elements move, of each index expression.
#ifndef BANKRUN_PATCH_CHANGE_H
#define BANKRUN_PATCH_CHANGE_H

#include "patch/arrays.h"
#include "patch/edits.h"

// What the compiler says of an array.
struct patch_shape {
    uint64_t bytes;                    // 0: of dynamic shared memory
    uint64_t extents[PATCH_MOST_RANK]; // elements; extents[0] of dynamic memory is 0
    uint64_t element_bytes;
};

enum patch_change_kind {
    PATCH_PAD_ROWS,  // the last extent gets so many elements more
    PATCH_PAD_INDEX, // i + i / row * pad
    PATCH_SWIZZLE,   // i ^ (i >> shift & ones(bits)) << base
    PATCH_MIRROR,    // i ^ (i >> shift & 1) * (ones(bits) << base)
};

// In elements as declared.
struct patch_change {
    enum patch_change_kind kind;
    uint64_t row, pad;
    unsigned bits, base, shift;
};

// Whether the array takes more bytes.
bool patch_is_padding(const struct patch_change *change);

struct strbuf;
// Where a padded index or a swizzle puts an element: "i ^ (i >> 5 & 31)" of "i" and "i". `flat` is
// its number, of which `last` is what the last index has.
void patch_put_index(struct strbuf *out, const struct patch_change *change, const char *last,
                     const char *flat);

// Adds the edits. NULL: it did; else why it cannot, in words, and nothing was added.
const char *patch_make(const struct patch_text *source, const struct patch_array *array,
                       const struct patch_shape *shape, const struct patch_change *change,
                       patch_edits *edits);

#endif
