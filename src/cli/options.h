// The options of the command line: one table (option_rows.c) for parsing, help and completions.
#ifndef BANKRUN_CLI_OPTIONS_H
#define BANKRUN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"
#include "explain/ask.h"
#include "profile/only.h"
#include "profile/suppress.h"
#include "report/report.h"
#include "run/orders.h"
#include "sim/fill.h"
#include "sim/sample.h"

// Exit statuses of bankrun's own; otherwise it ends with the program's.
enum cli_status {
    CLI_OK = 0,
    CLI_FAULT = 1,      // a kernel of a .ptx run ended in a fault
    CLI_UNFIXED = 1,    // bankrun fix: conflicts are left
    CLI_UNREADY = 1,    // bankrun doctor: programs cannot be compiled and run
    CLI_USAGE = 2,      // the command line, or an input that cannot be run
    CLI_EXCESS = 3,     // --fail-on excess, and degree
    CLI_FAILED_RUN = 4, // --fail-on: a fault, a refused launch, or an incomplete profile
    CLI_FINDINGS = 5,   // --fail-on check, and bankrun check: a checker found something
    CLI_REGRESSION = 6, // --fail-on regression
};

// What bankrun check looks for, and --check all.
#define CLI_ALL_CHECKS                                                                             \
    (1u << PROFILE_CHECK_RACE | 1u << PROFILE_CHECK_INIT | 1u << PROFILE_CHECK_SYNC |              \
     1u << PROFILE_CHECK_MEMORY)

// Bits: an option may belong to several.
enum cli_command {
    CLI_RUN = 1,
    CLI_REPORT = 2,
    CLI_EXPLAIN = 4,
    CLI_CALIBRATE = 8,
    CLI_NVCC_FLAGS = 16,
    CLI_PROVE = 32,
    CLI_LAYOUT = 64,
    CLI_FIX = 128,
    CLI_DIFF = 256,
    CLI_DOCTOR = 512,
};

enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER };

typedef VEC(const char *) cli_strings;

struct cli_gate { // of --fail-on, beside faults and findings
    enum { CLI_GATE_EXCESS, CLI_GATE_DEGREE, CLI_GATE_REGRESSION } kind;
    uint64_t most;    // that passes; of a regression: of what one line may have more
    bool is_percent;  // it is a part of what the line had
    char *where;      // owned: only there (profile/where.h); NULL: everywhere
    const char *text; // as it was written, and what stands behind it
    int length;       // of the former
};

struct cli_explain { // what only bankrun explain and bankrun layout take
    const char *shared, *block, *grid, *block_index, *condition;
    cli_strings lets;
    enum explain_direction access;
    const char *instruction; // that makes the access (layout); NULL: `access` says
    unsigned width;          // 0: by the type
    uint64_t base;           // offset of the first array
    const char *warp;        // NULL: all
    const char *requests;
    bool keep_going;
    unsigned bank_mode; // 4 or 8: where the banks of 3.x change
};

struct cli_prove {     // what only bankrun prove takes
    const char *block; // NULL: as the kernel says, or the usual ones
    bool has_shared;   // --shared was given
    uint64_t shared;   // bytes of dynamic shared memory
    bool fail_on_bounds, fail_on_race;
};

struct cli_calibrate {       // what only bankrun calibrate takes
    const char *instruction; // NULL: all
    uint64_t patterns;       // 0: the default
    const char *save;        // NULL: nowhere
};

// How accesses to shared memory are counted: as PTX has them, as the machine code does, or like
// that where it can be read.
enum cli_as { CLI_AS_USUAL, CLI_AS_WRITTEN, CLI_AS_COMPILED, CLI_AS_AUTO };

// What runs kernels (sim/sim.h).
enum cli_engine { CLI_ENGINE_USUAL, CLI_ENGINE_AUTO, CLI_ENGINE_INTERPRET, CLI_ENGINE_COMPILE };

struct cli_options {           // strings point into argv
    unsigned arch;             // 90 for 9.0; 0: all (explain), the GPU's (calibrate)
    char arch_features;        // 'a' of sm_90a, else 0
    int devices;               // that a program sees; 0: one
    int threads;               // 0: one for each processor
    uint64_t max_instructions; // 0: no limit
    const char *blocks;        // N, P% or auto; NULL: all blocks of a launch
    struct sim_sample sample;  // the same
    enum cli_engine engine;    // asked for: usual, unless something is
    bool lets_pass;            // --on-fault continue
    bool computes_libraries;   // --libraries cpu
    const char *fill_text;     // zero, pattern or random[:SEED]; NULL: pattern
    struct sim_fill fill;      // the same
    enum cli_as as;            // asked for: usual, unless something is
    bool as_compiled;          // shared memory is counted as the machine code accesses it
    bool may_be_written;       // as_compiled: or as PTX does, where that cannot be read
    const char *as_reason;     // why it is counted as PTX does, though auto; NULL: it is not
    enum report_format format;
    enum cli_color color;
    const char *output;                 // NULL: the command's default stream
    bool fail_on_fault;                 // any --fail-on
    bool fail_on_excess, fail_on_check; // bankrun prove; check
    VEC(struct cli_gate) gates;
    const char *baseline_path;
    const char *against;      // an export of Nsight Compute; NULL: none
    struct profile *baseline; // that --fail-on regression compares with; NULL: none
    const char *launch;
    cli_strings dumps;        // ARG=FILE
    const char *trace;        // FILE:LINE[:N]
    const char *trace_output; // NULL: stderr
    struct profile_only only; // what reports, and bankrun prove, are narrowed to
    bool metrics;
    enum report_by by;
    uint32_t top;     // 0: what is usual
    const char *nvcc; // NULL: look for it
    cli_strings nvcc_flags;
    bool no_cache;                // of compiled programs
    bool no_count;                // run only, no profile
    bool only_checks;             // bankrun check: launches are checked, and not counted
    uint32_t checks;              // profile_check_bit
    const char *schedule_text;    // SEED[:N]; NULL: launches are run in the usual order alone
    struct run_schedule schedule; // the same
    const char *suppressions;     // their file; NULL: .bankrun, if it is there; "": none
    struct profile_suppressions *accepted;                 // of that file; NULL: none are
    bool writes, no_checks;                                // bankrun fix: --write, --no-check
    enum { CLI_ANY_LAYOUT, CLI_PAD, CLI_SWIZZLE } prefers; // --prefer
    bool follow;                // the processes that the program starts, too
    bool no_ranks, shows_ranks; // of mpirun and srun
    bool quiet, verbose, help;
    struct cli_explain explain;
    struct cli_prove prove;
    struct cli_calibrate calibrate;
};

void options_init(struct cli_options *options);
void options_free(struct cli_options *options);

// Reads options from argv[first] on, up to the first argument that is none (or behind `--`), whose
// index is returned; argc when there is none. -1: an error, which was printed.
int options_parse(struct cli_options *options, enum cli_command command, int argc, char **argv,
                  int first);

// The options of a command, one or two lines each.
void options_print_help(enum cli_command command, FILE *out);

// The same for the scripts that complete command lines: a line for each long option, with tabs
// between its name, letter, argument, the words that may be given, and its help; `-` stands for
// what it has not.
void options_print_list(enum cli_command command, FILE *out);

// "bankrun: ..." on stderr.
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The candidate that a typing error most likely meant; NULL: none is near. `candidates` ends in
// NULL.
const char *cli_suggest(const char *word, const char *const *candidates);

// 90 from "sm_90", "compute_90", "sm_90a", "90" or "9.0"; 0: none of these.
unsigned options_arch(const char *text);

// Whether to write colours to this stream: --color, NO_COLOR, TERM, and whether it is a terminal.
bool options_use_color(const struct cli_options *options, FILE *stream);

// Whether to show how far long launches are: stderr is a terminal, and not --quiet.
bool options_show_progress(const struct cli_options *options);

#endif
