// What a report says, as data: sections, tables and pictures, made of a profile once for every
// writer that shows them. Texts are as the program had them: writers make them safe and cut them to
// fit. All lines and launches are here: how many of them are shown is the writer's choice, too.
#ifndef BANKRUN_REPORT_VIEW_H
#define BANKRUN_REPORT_VIEW_H

#include "report/drawing.h"
#include "report/report.h"
#include "report/style.h"

// ---- Tables -------------------------------------------------------------------------------

enum view_unit {
    VIEW_COUNT,
    VIEW_RATIO,   // value / whole
    VIEW_PERCENT, // the same as a part of 100
};

struct view_cell {
    enum view_unit unit;
    enum report_style style;
    bool is_about; // an estimate
    uint64_t value, whole;
};

enum { VIEW_CELLS = 4 };

struct view_row {
    const char *label;
    struct view_cell cells[VIEW_CELLS];
};

struct view_table {
    const char *label;
    const char *columns[VIEW_CELLS];
    struct view_row *rows;
    size_t count;
};

// Of a table of accesses: "requests", "wavefronts" or "sectors", "ideal", "excess" or "efficient".
extern const char *const view_columns[SITE_SPACES][VIEW_CELLS];

// ---- Pictures -----------------------------------------------------------------------------

// A request on its banks, by word: what each bank serves in the busiest phase.
struct view_banks {
    struct profile_bank_map map;
    struct {
        uint32_t word;
        unsigned bank;
    } of[WARP_LANES]; // of each lane of the phase
};

// ---- Accesses and lines -------------------------------------------------------------------

struct view_place {
    const char *file; // as it is shown; NULL: unknown
    uint32_t line;    // 0: unknown
};

struct view_frame { // that an access was inlined into
    struct view_place at;
    const char *function; // NULL: unknown
};

struct view_site {
    const struct profile_site *site;
    const char *access; // "ld.shared.f32 from tile"
    uint32_t column;    // 0: nothing else of the line needs it to be told apart
    struct view_cell cells[VIEW_CELLS];
    struct view_cell average, ideal; // units of one request
    bool is_uneven;                  // the average says more than the degree does
    struct view_banks *banks;        // of the worst request; NULL: no excess, or no picture of it
    struct view_frame *frames;       // site->inlined_count of them, innermost call first
};

// Accesses of one source line; one without a line is alone.
struct view_line {
    struct view_place at;
    const struct profile_site *first;
    const char *quote; // without the white space around it; NULL: no excess, or it cannot be read
    uint64_t excess;   // wavefronts or sectors beyond the ideal
    double gain;       // how many times as fast the launch is without it; 0: unknown
    bool is_worth;     // a change, as the estimate goes
    uint32_t degree;   // the worst of the accesses with an excess
    enum report_style style;
    struct view_site *sites;
    size_t count;
};

struct view_lines { // those with most excess first, then as sorted in the profile
    struct view_line *data;
    size_t count;
};

// ---- Findings of checkers -----------------------------------------------------------------

#define VIEW_NO_CARET SIZE_MAX

struct view_finding_place {
    const struct profile_place *place;
    struct view_place at;
    const char *quote; // NULL: it cannot be read
    size_t caret;      // the byte of the quote that it is about
};

struct view_finding {
    const struct profile_finding *finding;
    struct view_finding_place places[PROFILE_PLACES];
};

struct view_findings {
    struct view_finding *data;
    size_t count;
};

// ---- Launches -----------------------------------------------------------------------------

enum view_verdict {
    VIEW_UNCOUNTED,
    VIEW_NO_ACCESS,
    VIEW_ONLY_EFFICIENT, // no shared memory, and no sector in vain
    VIEW_ONLY_GLOBAL,
    VIEW_NO_CONFLICT,
    VIEW_CONFLICTS,
};

// What removing all excess of shared memory is worth: an estimate (docs/cost.md).
struct view_worth {
    const char *machine; // that it is about; NULL: nothing is known
    const char *bottleneck;
    double gain; // how many times as fast
    bool is_worth;
};

// Launches of one kernel that counted the same, one after the other or not.
struct view_launch {
    const struct profile_launch *launch; // the first of them
    uint32_t last_index;
    uint64_t count;
    unsigned arch; // in the bank mode of the launch
    struct profile_counts sums[SITE_SPACES];
    enum view_verdict verdict;
    bool is_about;           // the sums are estimates
    struct view_cell excess; // of shared memory: how much of it is in vain
    struct view_worth worth;
    struct view_lines conflicts;           // of shared memory: the accesses with most excess first
    struct view_lines clean;               // of shared memory, the others
    struct view_lines wasteful;            // of global memory: more sectors than needed
    struct view_table totals[SITE_SPACES]; // by operation; no rows: no access
    struct view_findings findings;
    // Of those that differ in size only the one with most excess stands for the others: of these,
    // how many they are, and their sums.
    const struct view_launch *like; // which stands for this one; NULL: it stands for itself
    uint64_t smaller;
    struct profile_counts smaller_shared;
    // The instructions whose rules are that sure, "ld.shared.f32, st.shared.f32"; NULL: none are.
    const char *rules[BANKRUN_UNKNOWN + 1];
};

// A source line with an excess of shared memory in any launch; an access without a line is alone.
struct view_worst {
    const char *kernel;               // without parameters; NULL: of several kernels
    const struct view_launch *launch; // in which it has most
    const struct view_line *line;     // there
    const struct view_launch *last;   // that has it
    struct profile_counts counts;     // of all its accesses in all launches
    uint64_t launches;
    bool is_in_many; // kernels
    bool is_about;   // an estimate
    struct view_cell cells[VIEW_CELLS];
};

struct report_view {
    const struct profile *profile;
    struct view_launch *launches; // in the order of the first of each
    size_t count;
    struct view_table kernels; // sums over all launches; those with most excess first
    struct view_row all;       // kernels
    struct view_table arrays;  // of shared memory, likewise, of each kernel
    struct view_worst *worst;  // lines over all launches; those with most excess first
    size_t worst_count;
    struct view_findings findings; // about what the host does
    struct arena *arena;           // of all this
};

// Reads the source files that the profile names. The profile is borrowed; NULL options: all
// defaults.
struct report_view *report_view_create(const struct profile *profile,
                                       const struct report_options *options);
void report_view_free(struct report_view *view); // NULL is allowed

#endif
