// What a profile says of each kernel and source line, over all launches.
#ifndef BANKRUN_REPORT_ROWS_H
#define BANKRUN_REPORT_ROWS_H

#include "base/arena.h"
#include "profile/profile.h"

// All accesses of one source line to one space in all launches of a kernel.
struct report_row {
    enum site_space space;
    const char *kernel;   // with its parameters
    const char *file;     // NULL: unknown
    uint32_t line;        // 0: unknown
    const char *text;     // of the line; NULL: the profile does not keep it
    const char *accesses; // "ld.shared.f32 from tile, ..."
    struct profile_counts counts;
    uint32_t degree; // the worst
    bool is_estimate;
    const struct profile_site *worst; // that has most excess in one launch
    bool is_accepted;                 // all of its excess is (profile/suppress.h)
};

struct report_kernel {
    const char *name;
    uint64_t launches;
    struct profile_counts sums[SITE_SPACES];
};

struct report_rows {
    struct report_row *data; // sorted by kernel (in the order of `kernels`), space, file and line
    size_t *begins;          // of each kernel, and the end
    struct report_kernel *kernels; // in the order of their first launches
    size_t count, kernel_count;
};

// Lies in the arena; texts are the profile's.
struct report_rows report_rows_of(struct arena *arena, const struct profile *profile);

static inline uint64_t report_row_excess(const struct report_row *row) {
    return profile_excess_of(&row->counts);
}

#endif
