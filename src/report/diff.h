// What changed between two profiles, as data: by kernel and source line, which are found again
// where they moved to.
#ifndef BANKRUN_REPORT_DIFF_H
#define BANKRUN_REPORT_DIFF_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/rows.h"

enum diff_change { // in the order in which they are shown
    DIFF_WORSE,    // more excess, or as much and more wavefronts or sectors
    DIFF_BETTER,
    DIFF_NEW, // NEW alone has such a line
    DIFF_GONE,
    DIFF_SAME,
    DIFF_CHANGES
};
extern const char *const diff_change_text[DIFF_CHANGES]; // "worse", ...

struct diff_line {
    enum diff_change change;
    bool is_edited;                     // the line is not what it was, but makes the same accesses
    const struct report_row *old, *now; // one of them may be NULL
};

struct diff_finding {        // of a checker that both runs had
    enum diff_change change; // NEW or GONE
    const char *kernel;      // NULL: it is about what the host does
    const struct profile_finding *finding;
};

struct diff_kernel {
    const char *name;     // as NEW has it, where it does
    uint64_t launches[2]; // of OLD and NEW
    struct profile_counts sums[2][SITE_SPACES];
};

struct diff {
    const struct profile *old, *now;
    struct diff_line *lines; // by change, then those that changed most first
    size_t count;
    size_t counts[DIFF_CHANGES];
    struct diff_finding *findings; // what is new, then what is gone
    size_t finding_count, same_findings;
    struct diff_kernel *kernels; // in the order of NEW, those that are gone behind
    size_t kernel_count;
    struct diff_kernel all;
    struct arena *arena; // of all this
};

// Why the counts of both cannot be compared: "are of other architectures". NULL: they can.
const char *diff_problem(const struct profile *old, const struct profile *now);

// Both profiles are borrowed, and have no diff_problem().
struct diff *diff_create(const struct profile *old, const struct profile *now);
void diff_free(struct diff *diff); // NULL is allowed

// 0 of NULL, which is no such line.
static inline uint64_t diff_excess(const struct report_row *row) {
    return row ? report_row_excess(row) : 0;
}
// The row of NEW, or of OLD where it is gone.
static inline const struct report_row *diff_row_of(const struct diff_line *line) {
    return line->now ? line->now : line->old;
}

// ---- Writers; names are what messages call the two ---------------------------------------------

struct diff_names {
    const char *old, *now;
};
void diff_text(const struct diff *diff, const struct diff_names *names,
               const struct report_options *options, struct strbuf *out);
void diff_json(const struct diff *diff, const struct diff_names *names, struct strbuf *out);
void diff_csv(const struct diff *diff, struct strbuf *out);

#endif
