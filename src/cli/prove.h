// Inside bankrun prove: what was asked, what was found, and how it is said.
#ifndef BANKRUN_CLI_PROVE_H
#define BANKRUN_CLI_PROVE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "cli/options.h"
#include "ir/ir.h"
#include "profile/only.h"
#include "profile/profile.h"
#include "prove/races.h"
#include "prove/words.h"
#include "report/build.h"
#include "report/text.h"

// ---- What was found ---------------------------------------------------------------------------

enum { PROVE_COLUMNS = 8 };

// Accesses of one line to one array, by one instruction, of which the same is known; where they may
// conflict also inlined into the same calls.
struct prove_row {
    struct profile_site about; // where, and what: all but the counts
    struct prove_site site;    // of the first of them; its function is gone
    const char *verdict;       // "proved 32-way"
    const char *detail;        // "index loaded from memory at line 12"; NULL: nothing is to be said
    uint32_t reason_line;      // where it comes from; 0: unknown
    const char *bounds, *alignment;       // "stays in tile"; NULL: nothing is to be said
    uint32_t bounds_line, alignment_line; // where that is not proved, as reason_line
    const char *into; // the array that it ends up in, where it leaves its own; NULL: none
    uint32_t count;
    uint32_t columns[PROVE_COLUMNS]; // of the line, that are known and told apart
    uint32_t column_count;
};

struct prove_place {
    const char *file; // NULL: not known
    uint32_t line, column;
};

// Of two accesses that may be a race.
struct prove_race_row {
    struct prove_place place;
    const char *instruction; // as written
    uint32_t thread[3];
    bool is_write;
};

struct prove_race_rows {
    bool is_asked; // the kernel accesses shared memory
    enum prove_freedom freedom;
    struct prove_race_row rows[2];
    unsigned count;
    const char *why; // it is not proved; static
    struct prove_place reason;
};

// Why the kernel was looked at for these blocks.
enum prove_choice {
    PROVE_ASKED,    // --block
    PROVE_REQUIRED, // .reqntid
    PROVE_DECLARED, // .maxntid: __launch_bounds__
    PROVE_USUAL,    // nothing says
};
extern const char *const prove_choice_text[PROVE_USUAL + 1]; // as in the JSON

struct prove_shape {
    uint32_t block[3];
};

// One kernel, for blocks for which the same holds.
struct prove_proof {
    const char *kernel, *symbol;
    enum prove_choice choice;
    VEC(struct prove_shape) shapes;
    bool is_misfit;               // of usual shapes: threads of theirs leave its arrays
    bool is_fitting;              // others were left out for that
    const char *trouble;          // why nothing is proved; NULL: something is
    VEC(struct prove_row) rows;   // those that may conflict first, by degree; then by line
    VEC(struct prove_row) unseen; // accesses to shared memory that no warp reaches
    struct prove_race_rows races;
};

struct prove_report {
    const struct cli_options *options;
    const char *name; // of the file, as the user gave it
    struct arena *arena;
    VEC(struct prove_proof) proofs;
};

// ---- Asking -----------------------------------------------------------------------------------

struct prove_run {
    struct prove_report report;
    bool has_block;
    uint32_t block[3];
    struct profile_kernels kernels; // that are asked for
    bool has_kernel;                // of whatever name
    bool is_source;                 // the file is CUDA
};

// prove_input.c: every module of PTX in a file. False: an error was printed.
bool prove_file(const char *path, struct prove_run *run);

// prove_jobs.c: one kernel for one shape of blocks.
struct prove_job {
    const struct ir_function *kernel;
    struct prove_launch launch; // with its layout
    struct prove_result *result;
    struct prove_races races;
};
// Fills `result`, to be freed with prove_free, and `races` of each; threads 0: one for each
// processor. What is found does not depend on it.
void prove_jobs_run(struct prove_job *jobs, size_t count, int threads);

// prove_module.c: proves the kernels of a PTX module. False: an error was printed.
bool prove_module(const struct source *source, struct prove_run *run);

// prove_shapes.c: the blocks that a kernel is looked at for: the first `wanted`, and while it is
// not made for these one of the others.
enum { PROVE_SHAPES = 8 };
enum prove_choice prove_shapes_of(const struct prove_run *run, const struct ir_function *kernel,
                                  struct prove_shape shapes[PROVE_SHAPES], size_t *wanted,
                                  size_t *count);

// prove_rows.c: the rows of one result, and whether two proofs say the same.
void prove_fill(struct prove_report *report, const struct source *source,
                const struct ir_function *kernel, const struct prove_result *result,
                struct prove_proof *proof);
// prove_races.c
void prove_fill_races(struct prove_report *report, const struct source *source,
                      const uint32_t block[3], const struct prove_races *found,
                      struct prove_proof *proof);
bool prove_races_say_same(const struct prove_race_rows *a, const struct prove_race_rows *b);
void prove_show_races(struct report_page *page, struct view_builder *builder,
                      const struct prove_race_rows *races);
bool prove_says_same(const struct prove_proof *a, const struct prove_proof *b);
void prove_proof_free(struct prove_proof *proof);
void prove_report_free(struct prove_report *report);

// Accesses, and those that are not proved free of conflicts, or to fit into their arrays.
struct prove_sums {
    uint64_t all, excess;
    uint64_t misfits, misaligned;     // some access does not
    uint64_t conditional;             // under a condition
    uint64_t not_placed, not_aligned; // or it is not known
    uint64_t misplaced;               // any of these
    uint64_t no_size;                 // of those not placed: for the size of dynamic memory alone,
    uint64_t wanted_bytes;            // of which these would do
};
// Some access leaves its array, or is misaligned.
bool prove_is_misfit(const struct prove_row *row);
struct prove_sums prove_sums_of(const struct prove_proof *proof);

// ---- Saying -----------------------------------------------------------------------------------

// prove_words.c: "proved 32-way", and what is to be said more; or nothing.
void prove_put_verdict(struct strbuf *out, const struct prove_site *site);
void prove_put_detail(struct strbuf *out, const struct prove_site *site);

// prove_text.c. width: columns, 0: the page's own.
void prove_write_text(const struct prove_report *report, bool color, unsigned width,
                      struct strbuf *out);
// prove_data.c
void prove_write_json(const struct prove_report *report, struct strbuf *out);
void prove_write_csv(const struct prove_report *report, struct strbuf *out);

#endif
