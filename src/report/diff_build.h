// Inside the comparison of profiles: their rows, and which of them are the same line.
#ifndef BANKRUN_REPORT_DIFF_BUILD_H
#define BANKRUN_REPORT_DIFF_BUILD_H

#include "report/diff.h"

struct diff_rows {
    struct diff_row *data; // sorted by kernel (in the order of `kernels`), space, file and line
    size_t *begins;        // of each kernel, and the end
    struct diff_kernel *kernels;
    size_t count, kernel_count;
};

// side: which sums of the kernels to fill.
struct diff_rows diff_rows_of(struct arena *arena, const struct profile *profile, int side);

enum { DIFF_NO_MATCH = -1 };

// Which of the rows of a kernel in OLD and in NEW are one line: of[i] becomes the index of the row
// of NEW that old[i] is, or DIFF_NO_MATCH. No row is in two pairs.
void diff_match_rows(const struct diff_row *old, size_t old_count, const struct diff_row *now,
                     size_t now_count, ptrdiff_t *of);

// The same of kernels: by name, then by the name without parameters where that is one on both
// sides.
void diff_match_kernels(const struct diff_rows *old, const struct diff_rows *now, ptrdiff_t *of);

#endif
