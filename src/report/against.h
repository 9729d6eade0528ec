// A profile held against what a profiler counted on a GPU.
#ifndef BANKRUN_REPORT_AGAINST_H
#define BANKRUN_REPORT_AGAINST_H

#include "base/arena.h"
#include "report/ncu.h"
#include "report/report.h"

extern const char *const against_text[NCU_HELD]; // "shared loads, wavefronts", ...

// Why both are not the same, as far as it can be told.
enum against_reason {
    AGAINST_EQUAL,
    AGAINST_WAITS,    // the counter by instruction, which has no waits in it, says the same
    AGAINST_MAY_WAIT, // a little more there, and that counter is not in the export
    AGAINST_LOOPS,    // loads and atomics together are the same: loops around compare-and-swap
    AGAINST_MERGED,   // less there, and counted as written
    AGAINST_ESTIMATE, // bankrun says itself that it does not know exactly
    AGAINST_UNKNOWN,
    AGAINST_REASONS
};
extern const char *const against_reason_text[AGAINST_REASONS]; // NULL for AGAINST_EQUAL
extern const char *const against_reason_key[AGAINST_REASONS];  // "equal", "waits", ...

struct against_sum {
    bool is_there; // the export has the counter
    uint64_t here, there;
    enum against_reason reason;
};

struct against_kernel { // of the launches that are on both sides
    const char *name;
    uint64_t launches;
    struct against_sum sums[NCU_HELD];
};

struct against {
    const struct profile *profile;
    struct against_kernel *kernels; // in the order of their first launches
    size_t count;
    // Sums over all kernels. Those agree that are equal, or but for waits and loops.
    uint64_t agreed, held;   // sums, over all kernels
    uint64_t only_here;      // launches of kernels that the export has, too
    uint64_t only_there;     // launches that the profile lacks
    const char *first_there; // the kernel of the first of these; NULL: none
    struct arena *arena;     // of all this
};

// Launches are matched by kernel, shape and order. Both are borrowed.
struct against *against_create(const struct profile *profile, const ncu_launches *there);
void against_free(struct against *against); // NULL is allowed

void against_write_text(const struct against *against, const char *export,
                        const struct report_options *options, struct strbuf *out);
void against_write_csv(const struct against *against, struct strbuf *out);
void against_write_json(const struct against *against, const char *export, struct strbuf *out);

#endif
