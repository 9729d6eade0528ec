// Inside bankrun fix: one source, the runs of it as it is and with edits, and what became of each
// of its arrays.
#ifndef BANKRUN_CLI_REPAIR_H
#define BANKRUN_CLI_REPAIR_H

#include "base/strbuf.h"
#include "cli/options.h"
#include "patch/change.h"
#include "patch/probe.h"
#include "profile/profile.h"

// ---- A run ----------------------------------------------------------------------------------

struct repair_returned { // see cuda/memory/returned.h
    uint64_t copies, bytes, sum;
};

struct repair_run {
    int status;   // the program's
    char *output; // its stdout
    size_t output_length;
    struct repair_returned returned;
    struct profile *profile; // NULL: there is none, and `said` tells why
    char *said;              // stderr
};

// A wavefront count of all launches of one kernel.
struct repair_count {
    const char *kernel, *array; // borrowed from the profile
    uint64_t requests, wavefronts, ideal;
};
typedef VEC(struct repair_count) repair_counts;

// ---- A source -------------------------------------------------------------------------------

enum repair_outcome {
    REPAIR_REFUSED, // why is in words
    REPAIR_FIXED,   // the edits are part of the result
};

// Which declaration an array of a kernel has. Lines are those of the source as it is.
struct repair_place {
    char *kernel, *array;
    size_t number; // of the repair's arrays; SIZE_MAX: none of this source
};

// What was tried on one array of a kernel.
struct repair_result {
    const struct patch_array *array; // NULL: the source does not declare it
    char *kernel, *name;
    enum repair_outcome outcome;
    char *why;     // REFUSED
    uint32_t line; // of the source, that this is about; 0: none
    char *done;    // FIXED: what was done, in words
    struct profile_layout layout;
    uint64_t wavefronts[2], ideal; // before and after, of all launches
    uint64_t bytes[2];             // of the array, before and after
    unsigned resident[2];          // blocks on a multiprocessor, as far as shared memory and
                                   // threads decide; 0: unknown
    bool is_foretold;              // exactly what was foretold from the first block's requests
    bool is_proved;                // no conflicts in any block, whatever the input
};

struct repair {
    const struct cli_options *options;
    char **argv;         // FILE and its arguments, NULL at the end
    char *folder;        // private, for what is tried
    char *source_folder; // of FILE
    struct patch_text source;
    char *text; // that `source` borrows
    size_t length;
    patch_arrays arrays;
    patch_shapes *shapes;                   // of each array
    struct repair_run before, again, after; // with the edits that are good; as it is, once more;
                                            // with those that are tried
    VEC(struct repair_place) places;
    unsigned runs;     // so far
    patch_edits edits; // that are good so far
    VEC(struct repair_result) results;
};

// repair_run.c: compiles and runs a text of the source, counting and checking. False: bankrun
// itself failed, which was printed.
bool repair_measure(struct repair *repair, const char *text, size_t length, struct repair_run *run);
void repair_run_free(struct repair_run *run);
// The PTX of a text of the source. Caller frees; NULL: it does not compile.
char *repair_ptx(struct repair *repair, const char *text, size_t length);
// Writes it into the private folder, under the name of FILE. Caller frees the path. NULL: it cannot
// be, which was printed.
char *repair_write(struct repair *repair, const char *text, size_t length);

// repair_compare.c: what differs between the runs that must not. NULL: nothing does. `counted`:
// whose wavefronts may be others. Caller frees.
char *repair_difference(struct repair *repair, const struct repair_result *counted);
void repair_count_arrays(const struct profile *profile, repair_counts *counts);
const struct repair_count *repair_find_count(const repair_counts *counts, const char *kernel,
                                             const char *array);

// repair_plan.c: tries what would cure each array, the one with the most excess first. False:
// bankrun itself failed, which was printed.
bool repair_all(struct repair *repair);

// repair_text.c: the answer.
void repair_write_text(const struct repair *repair, struct strbuf *out);
void repair_write_json(const struct repair *repair, const char *fixed, struct strbuf *out);

#endif
