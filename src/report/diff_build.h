// Inside the comparison of profiles: which of their rows are the same line.
#ifndef BANKRUN_REPORT_DIFF_BUILD_H
#define BANKRUN_REPORT_DIFF_BUILD_H

#include "report/diff.h"

enum { DIFF_NO_MATCH = -1 };

// Which of the rows of a kernel in OLD and in NEW are one line: of[i] becomes the index of the row
// of NEW that old[i] is, or DIFF_NO_MATCH. No row is in two pairs.
void diff_match_rows(const struct report_row *old, size_t old_count, const struct report_row *now,
                     size_t now_count, ptrdiff_t *of);

// The same of kernels: by name, then by the name without parameters where that is one on both
// sides.
void diff_match_kernels(const struct report_rows *old, const struct report_rows *now,
                        ptrdiff_t *of);

// Sets the diff's findings.
void diff_match_findings(struct diff *diff);

#endif
