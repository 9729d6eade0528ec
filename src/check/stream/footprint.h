// The bytes of memory that an operation touched: sorted ranges, and bitmaps where they have gaps.
#ifndef BANKRUN_CHECK_STREAM_FOOTPRINT_H
#define BANKRUN_CHECK_STREAM_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

// How a byte was touched. Strong accesses (atomics, volatile and relaxed ones) are no races among
// themselves.
enum check_touch {
    CHECK_READ,
    CHECK_WRITE,
    CHECK_STRONG_READ,
    CHECK_STRONG_WRITE, // atomics, too
    CHECK_TOUCHES
};

enum { CHECK_PAGE = 4096, CHECK_PAGE_WORDS = CHECK_PAGE / 64 };

struct check_piece {
    uint64_t begin, end;
    const uint64_t *bits; // NULL: all bytes; else the piece is a page, a bit for each byte. Owned
};

// Zeroed: nothing was touched.
struct check_footprint {
    VEC(struct check_piece) pieces[CHECK_TOUCHES]; // each sorted, without overlap
};

// Bytes behind all that was added before in this way, or anywhere before `sort` is called.
void check_footprint_add(struct check_footprint *footprint, enum check_touch touch, uint64_t begin,
                         uint64_t end);
// The bytes of a page, which lies behind all that was added before. The bits are copied.
void check_footprint_add_page(struct check_footprint *footprint, enum check_touch touch,
                              uint64_t page, const uint64_t bits[CHECK_PAGE_WORDS]);
// Puts ranges (no bitmaps) in order.
void check_footprint_sort(struct check_footprint *footprint);
bool check_footprint_is_empty(const struct check_footprint *footprint);
bool check_footprint_equals(const struct check_footprint *a, const struct check_footprint *b);
uint64_t check_footprint_hash(const struct check_footprint *footprint);
void check_footprint_free(struct check_footprint *footprint);

// The bytes that two footprints touch, at least one writing and not both strongly.
struct check_overlap {
    uint64_t bytes;        // 0: none
    uint64_t first, last;  // addresses
    enum check_touch a, b; // how the first one was touched
};
struct check_overlap check_footprint_conflict(const struct check_footprint *a,
                                              const struct check_footprint *b);
// Whether `b` strongly touches what `a` strongly wrote.
bool check_footprint_meets(const struct check_footprint *a, const struct check_footprint *b);

#endif
