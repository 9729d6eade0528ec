// What was counted. A profile owns all its strings and can be saved, loaded and merged without
// the program that it came from. Writers of reports know this header and nothing of the simulator.
#ifndef BANKRUN_PROFILE_PROFILE_H
#define BANKRUN_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bankrun/banks.h"
#include "base/diag.h"
#include "event/event.h"
#include "profile/cure.h"
#include "profile/element.h"
#include "profile/finding.h"
#include "profile/hint.h"

enum profile_op {
    PROFILE_LOAD,
    PROFILE_STORE,
    PROFILE_ATOMIC,
    PROFILE_MATRIX_LOAD,
    PROFILE_MATRIX_STORE,
    PROFILE_ASYNC_COPY,
    PROFILE_OPS
};
extern const char *const profile_op_text[PROFILE_OPS]; // "load", "store", ..., as in the JSON

struct profile_counts {
    uint64_t requests;
    uint64_t units; // wavefronts of shared memory, 32-byte sectors of global memory
    uint64_t ideal;
};

// `times` times what `from` counts more.
static inline void profile_add_counts(struct profile_counts *to, const struct profile_counts *from,
                                      uint64_t times) {
    to->requests += times * from->requests;
    to->units += times * from->units;
    to->ideal += times * from->ideal;
}

// Wavefronts or sectors that other addresses would not take. 0: estimates may lie below the ideal.
static inline uint64_t profile_excess_of(const struct profile_counts *counts) {
    return counts->units > counts->ideal ? counts->units - counts->ideal : 0;
}

enum { PROFILE_MAX_DEGREE = 64 }; // atom.cas on one word: 2 x 32 wavefronts

struct profile_frame { // where an inlined site was called from
    char *file;
    uint32_t line;
    char *function; // demangled; NULL: unknown
};

// What the bank model is asked about the requests of a site; see struct bankrun_request.
struct profile_request {
    enum bankrun_access access;
    unsigned width, matrices;
    bool is_scanned; // full warps add up first: theirs is BANKRUN_ATOMIC_CONSTANT
    bool is_copy;    // the addresses of its source matter: bankrun_count_copy is asked
};

// Whether accesses stay in their shared array, and are aligned, in every block and for every input.
enum profile_fit {
    PROFILE_FIT_NONE,    // nobody asked
    PROFILE_FITS,        // proved
    PROFILE_FIT_UNKNOWN, // not proved
    PROFILE_CAN_MISFIT,  // some do not, if a thread comes there; whether it does is not known
    PROFILE_MISFITS,     // some do not
    PROFILE_FITS_COUNT
};
extern const char *const profile_fit_text[PROFILE_FITS_COUNT]; // as in the JSON; NONE: NULL

// Whether threads of a block race in shared memory, in every block and for every input.
enum profile_freedom {
    PROFILE_FREEDOM_NONE, // nobody asked, or there are no accesses
    PROFILE_RACE_FREE,    // proved
    PROFILE_FREEDOM_UNKNOWN,
    PROFILE_RACES, // two threads do, whatever the input is
    PROFILE_FREEDOMS
};
extern const char *const profile_freedom_text[PROFILE_FREEDOMS]; // as in the JSON; NONE: NULL

struct profile_site {
    enum site_space space;
    enum profile_op op;
    char *file;                       // NULL: unknown
    uint32_t line, column;            // column 0: unknown
    struct profile_frame *inlined_at; // innermost call first
    uint32_t inlined_count;
    char *function;    // demangled, whose source the line is in; NULL: unknown
    char *instruction; // "ld.shared.f32"
    char *array;       // source name of the shared array, NULL: unknown or global
    bool knows_array_offset;
    uint64_t array_offset; // of the array that the worst request is about: bytes of the block's
                           // shared memory in front of it
    struct profile_elements elements; // of the array, where the worst request has an excess
    unsigned width;                   // bytes a lane
    struct profile_counts counts;
    // Shared only. degrees[n]: requests whose worst phase took n wavefronts.
    uint64_t degrees[PROFILE_MAX_DEGREE + 1];
    uint32_t worst_degree;
    bool is_estimate;      // no exact rule for this access: `counts.units` is an estimate
    bool may_merge;        // counted as written: the code generator can make it and a neighbour one
    uint32_t moved_behind; // the machine code loads it behind the branch at this line, where PTX
                           // does so before it: an estimate; 0: nothing of that is known
    bool is_modelled; // by `request`. False: no rule is known, or a saved profile does not name it
    struct profile_request request;
    char *verdict;        // "observed", "bounded" or "proved"
    char *proof;          // what is proved, or why nothing is, in words; NULL: nobody tried
    enum profile_fit fit; // shared only
    char *bounds;         // the same in words; NULL: nobody asked
    // The worst request, the first one in block order; valid when worst_degree > 0
    uint32_t worst_block[3], worst_warp, worst_mask;
    uint32_t worst_offsets[WARP_LANES];
    char *why;                  // in words; NULL when there is no excess
    struct profile_shape shape; // global only: of a request that takes the most sectors; not saved
    struct profile_hints hints; // what else would cure it
    uint32_t cure;              // 1 + index in the launch's cures, of its array; 0: none is there
    // What would cure it, in words; NULL: nothing is known, or there is no excess. Of global memory
    // two lines: what, and how much that is worth.
    char *help;
    char *suppressed; // why somebody accepts its excess (suppress.h); NULL: nobody does
};

// ---- What went wrong: a profile with any of it says less than the program did --------------

// A fault of a kernel. Texts are NULL and numbers 0 where nothing is known.
struct profile_fault {
    char *kind;    // "illegal_address", ...: docs/profile.md has them
    char *message; // as the launch's `fault`
    char *file;    // of the program's source
    uint32_t line, column;
    char *function;    // demangled, that the instruction is in
    char *instruction; // "st.global.u32"
    bool has_address, has_thread;
    uint64_t address;
    uint32_t block[3], thread[3], warp, lane; // has_thread
};

// Accesses of one source line beyond their allocation, which went on as on a GPU (--on-fault).
struct profile_passed {
    struct profile_fault first;
    uint64_t count; // of lanes
};

// What ended a launch before its time, beside faults.
enum profile_cut {
    PROFILE_WHOLE,
    PROFILE_CUT_SIGNAL,       // that the process got
    PROFILE_CUT_INSTRUCTIONS, // --max-instructions
    PROFILE_CUT_EXIT,         // the program ended in the midst of it
    PROFILE_CUT_DEATH,        // the process was killed, and its last counts with it
    PROFILE_CUT_CALLER,       // who runs it asked for that
    PROFILE_CUTS
};

struct profile_broken_limit { // one reason for which a launch was refused
    char *limit;              // "block_threads", ...: docs/profile.md has them
    uint64_t asked, most;
    char *text;
    char *cure; // what to write instead; NULL: nothing is known
};

struct profile_refused { // a launch that did not begin
    uint64_t after;      // so many launches had begun before the first such: of its own thread,
                         // until threads are sorted
    uint32_t thread;     // as a launch's
    uint64_t repeats;    // how often it was asked for
    char *kernel, *symbol;
    uint32_t grid[3], block[3], cluster[3]; // cluster: 0: none asked for
    uint64_t dynamic_bytes;
    char *parent; // the kernel that asked; NULL: the host did
    char *error;  // that the program got: "cudaErrorInvalidConfiguration"; NULL: there is none
    struct profile_broken_limit *limits;
    size_t limit_count; // at least one
};

enum profile_gap_kind {
    PROFILE_GAP_UNSUPPORTED, // a call of something that bankrun does not have
    PROFILE_GAP_MODULE,      // a module or a kernel that could not be loaded
    PROFILE_GAP_FAULT,       // of work that is in no launch of the profile
    PROFILE_GAP_LOST,        // a process left no profile, or not all of it
    PROFILE_GAP_UNSEEN,      // a process that uses CUDA in a way that bankrun cannot see
    PROFILE_GAP_LIBRARY,     // a library's call that the user had computed on the CPU: no failure
    PROFILE_GAPS
};

struct profile_gap { // why the profile is not of all that the program does on a GPU
    enum profile_gap_kind kind;
    char *text;
    uint64_t count; // how often that happened
    bool has_process;
    size_t process; // of `processes`, that it is about
};

// ---- Launches -----------------------------------------------------------------------------

struct profile_run { // launches first, first + step, ..., `count` of them
    uint32_t first, count, step;
};

// Whether one block was run of those that are proved to do the same (--blocks auto).
struct profile_blocks {
    bool is_asked;
    bool is_proved;           // the counts are those of all blocks, of which `blocks_run` were run
    bool is_work_estimate;    // is_proved: other blocks may execute other instructions
    bool is_sectors_estimate; // is_proved: they may make other requests to global memory, even
                              // where those that ran made none
    bool has_partial_input; // launches before this one left out blocks, and this one may read what
                            // these would have written
};

struct profile_launch {
    uint32_t index;
    // Launches that counted just the same are kept once: how many they are, and which, in ascending
    // order and this one first.
    uint64_t repeats;
    struct profile_run *runs;
    size_t run_count;
    char *kernel; // demangled, with parameters
    char *symbol;
    uint32_t grid[3], block[3];
    uint64_t shared_bytes; // static + dynamic
    unsigned bank_bytes;   // where its banks changed: 8 in the second mode of 3.x, else 4
    bool is_of_several;    // the process had several devices, and it ran on number `device`
    unsigned device;
    uint32_t thread; // of the host that launched it; 0: the main one, or the only one
    uint64_t blocks_run, instructions, thread_instructions;
    uint64_t barriers; // of a block, at which a warp waited
    // Counts of a sample of the blocks, scaled to all: half the widths of the 95 % confidence
    // intervals of the sums of wavefronts and sectors, as parts of these.
    bool is_sample;
    bool may_differ; // from what another number of host threads counts: its blocks had no order
    double error[SITE_SPACES];
    struct profile_blocks blocks;
    char *whole_reason; // why all blocks were run, where that was asked; NULL: there is nothing to
                        // say
    char *fault;        // message when the launch ended in a fault or was cut short, else NULL
    struct profile_fault *faults; // the same as data, as far as it is known
    size_t fault_count;
    struct profile_passed *passed;
    size_t passed_count;
    struct profile_findings findings;
    enum profile_freedom freedom; // of races
    char *races;                  // the same in words; NULL: there is nothing to say
    enum profile_cut cut;
    int cut_signal; // its number; 0: unknown, or none
    struct profile_counts totals[SITE_SPACES][PROFILE_OPS];
    struct profile_site *sites; // sorted by space, file, line, column, instruction
    size_t site_count;
    struct profile_cure *cures; // of arrays with conflicts, in the order of their first sites
    size_t cure_count;
};

struct profile_process { // of several that were followed
    char **program;      // argv
    size_t program_count;
    uint64_t launched; // of the profile's launches: their indices go on from the process before
};

struct profile_quote { // a source line with accesses, as it was when the profile was made
    char *file;
    uint32_t line;
    char *text; // without the white space around it
};

struct profile {
    unsigned arch;
    bool is_as_compiled; // shared memory: what the machine code accesses, not what PTX does (as.h)
    char *compiled_by;   // who made that code, "ptxas 13.0"; NULL: unknown, or none was read
    char *as_reason;     // why PTX's accesses are counted, of all kernels or some, where the
                         // machine code's could have been; NULL: there is nothing to say
    bool is_uncounted;   // launches have findings, and no sites
    uint32_t checks;     // the checkers that looked on: profile_check_bit
    char *only;          // what it is narrowed to (only.h); NULL: it is whole
    char **program;      // argv
    size_t program_count;
    struct profile_process *processes;
    size_t process_count;            // 0: the profile is of one process, the program's
    struct profile_launch *launches; // in the order of their indices
    size_t launch_count;
    size_t launch_capacity;
    uint64_t launched; // launches that there were: the sum of all repeats
    struct profile_refused *refused;
    size_t refused_count;
    struct profile_gap *gaps; // why it is incomplete
    size_t gap_count;
    struct profile_findings findings; // about what the host does
    struct profile_quote *quotes;     // sorted by file and line (quotes.h)
    size_t quote_count, quote_capacity;
    bool has_left_out_blocks; // some launch has, and what these would have written is not there;
                              // not saved
    // Not saved. NULL: nobody hears of each launch that is recorded, for which `kept` stands, nor
    // of what is new of the rest.
    void (*on_launch)(const struct profile *profile, size_t kept, bool is_repeat);
    void (*on_failure)(const struct profile *profile);
};

// With the bank mode of the launch; see BANKRUN_EIGHT_BYTE_BANKS.
unsigned profile_launch_arch(unsigned arch, const struct profile_launch *launch);

struct profile *profile_create(unsigned arch, char *const *argv, size_t argc);
void profile_free(struct profile *profile); // NULL is allowed

static inline uint32_t profile_last_index(const struct profile_launch *launch) {
    if (launch->run_count == 0)
        return launch->index;
    const struct profile_run *run = &launch->runs[launch->run_count - 1];
    return run->first + (run->count - 1) * run->step;
}

// Wavefronts of shared memory beyond the ideal ones, of all launches.
uint64_t profile_excess(const struct profile *profile);

// Do a report's lines say the same of both? Worst requests may differ.
bool profile_launches_look_alike(const struct profile_launch *a, const struct profile_launch *b);
// Do they say the same but for how much of it there is: blocks, requests, wavefronts? Not of
// launches that faulted, or of which not all blocks were asked for.
bool profile_launches_differ_in_size(const struct profile_launch *a,
                                     const struct profile_launch *b);

// Puts the launches of each host thread of a process together, the main thread's first, and numbers
// threads and launches anew: the same for the same launches, whichever thread was quicker.
void profile_sort_threads(struct profile *profile);

// Appends all launches of a process's profile, or of all its processes, to those of the command
// that started it, or to those of other runs, and frees the former.
void profile_append(struct profile *profile, struct profile *from);

// ---- What went wrong, put into a profile and asked for -------------------------------------

// The launch was cut short; its fault says so, if it has none yet. `signal`: 0: none, or unknown.
void profile_cut_short(struct profile_launch *launch, enum profile_cut why, int signal);
// In words: "cut short by signal 15 (SIGTERM)". Caller frees.
char *profile_cut_text(enum profile_cut why, int signal);

// How many launches a thread has begun.
uint64_t profile_launched_by(const struct profile *profile, uint32_t thread);

// Counts one more where the same thread asked for the same already. Takes over what `refused` owns.
void profile_add_refused(struct profile *profile, struct profile_refused *refused);
void profile_add_gap(struct profile *profile, enum profile_gap_kind kind, const char *text);

// "add(int*): illegal_address at line 18 of add.cu", the same in every run. `kernel` is of a launch
// that the profile does not have. Caller frees.
char *profile_fault_summary(const char *kernel, const struct profile_fault *fault);

// Drops the launches, but not what went wrong.
void profile_forget_launches(struct profile *profile);

// Zeros: all that the program asked for was run to its end, and is in the profile.
struct profile_failures {
    uint64_t faults, passed, cut_short, refused, gaps; // launches four times, reasons
};
struct profile_failures profile_failures(const struct profile *profile);
bool profile_has_failed(const struct profile *profile);
bool profile_is_proved(const struct profile_site *site); // what its requests cost
// Whether no request of the site to shared memory conflicts in any block and for any input: proved,
// not only counted.
bool profile_is_proved_free(const struct profile_site *site);

// ---- Showing a request on its banks -------------------------------------------------------

enum { PROFILE_MAX_BANKS = 32 };

struct profile_bank_map {
    unsigned banks;                      // of the architecture
    uint32_t lanes;                      // the lanes of the phase
    unsigned count[PROFILE_MAX_BANKS];   // what each bank serves one after the other:
    bool is_by_lane;                     // lanes, where an atomic serves those of one word apart;
                                         // otherwise distinct words
    uint32_t meeting[PROFILE_MAX_BANKS]; // the lanes that these are; of equal words the lowest
    unsigned most;                       // over the banks
};

// The busiest phase of a site's worst request. False: there is no such request, or no model of it
// or of the architecture.
bool profile_map_banks(unsigned arch, const struct profile_site *site,
                       struct profile_bank_map *map);
// How sure the rule is by which a shared-memory site was counted.
enum bankrun_certainty profile_certainty(unsigned arch, const struct profile_site *site);

static inline struct bankrun_request profile_bank_request(const struct profile_request *asked,
                                                          uint32_t mask, const uint32_t *offsets) {
    bool is_summed = asked->is_scanned && mask == UINT32_MAX;
    return (struct bankrun_request){.access = is_summed ? BANKRUN_ATOMIC_CONSTANT : asked->access,
                                    .width = asked->width,
                                    .matrices = asked->matrices,
                                    .mask = mask,
                                    .offsets = offsets};
}

unsigned profile_bank_of(unsigned arch, uint32_t offset);

struct profile_named { // the array that a request is about
    const char *array;
    uint64_t offset; // of its first byte
    struct profile_elements elements;
};

// What conflicts in one request, in words: "lanes read tile[0][0], tile[1][0], tile[2][0], ...:
// stride 32 words, all in bank 0". Malloc'd; NULL: there is nothing to say. is_sum: of an atomic,
// that it adds. Without `named` words are counted from the block's first one; where its elements
// are not known, from the array's.
char *profile_why(unsigned arch, const struct bankrun_request *request, bool is_sum,
                  const struct profile_named *named);

// ---- Saved profiles: schema bankrun-profile/1, docs/profile.md ----------------------------

// JSON text with sorted keys. Caller frees.
char *profile_to_json(const struct profile *profile);
// NULL: diags say why (no such file, not JSON, wrong schema, totals that are no sums).
struct profile *profile_read(const char *path, struct diag_list *diags);

// ---- Profiles in pieces, as a running process hands them over -----------------------------

// JSON text in one line: the profile without its launches, and one launch. Caller frees.
char *profile_head_to_json(const struct profile *profile);
char *profile_launch_to_json(const struct profile_launch *launch);
// Reads a profile, or one without its launches. `name` is what messages call it.
struct profile *profile_parse(const char *name, const char *text, size_t length,
                              struct diag_list *diags);
// Adds the next launch. False: diags say why, and the profile is as it was.
bool profile_parse_launch(struct profile *profile, const char *name, const char *text,
                          size_t length, struct diag_list *diags);
// Another launch that counted just the same as the profile's number `kept`. False: there is none.
bool profile_count_repeat(struct profile *profile, size_t kept);
// The next launch, of which nothing is known yet but its index.
struct profile_launch *profile_add_launch(struct profile *profile);

#endif
