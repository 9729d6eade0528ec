// How a launch is counted: an observer of its events, which become a launch of a profile.
#ifndef BANKRUN_PROFILE_RECORD_H
#define BANKRUN_PROFILE_RECORD_H

#include <stdio.h>

#include "ir/ir.h"
#include "profile/profile.h"

// ---- Tracing one source line --------------------------------------------------------------

// Prints the first shared-memory requests of a line, in the order in which they happen; that order
// is the same in every run only with one worker. `place` is FILE:LINE or FILE:LINE:N, N of them
// (8 when it is not given) over all launches; FILE is the end of the source's path. NULL: `place`
// is neither. `out` is borrowed.
struct profile_trace;
struct profile_trace *profile_trace_create(const char *place, FILE *out, bool is_csv);
void profile_trace_free(struct profile_trace *trace); // NULL is allowed
bool profile_trace_has_matched(const struct profile_trace *trace);

// ---- Recording one launch -----------------------------------------------------------------

struct profile_recorder;

struct profile_launch_info {
    const struct ir_function *kernel;
    const struct ir_shared_layout *layout;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    unsigned workers; // upper bound of worker numbers
    unsigned arch;
    unsigned device, devices;    // on which one it runs, of how many; 0: one
    uint32_t thread;             // of the program that launches it; see struct profile_launch
    struct profile_trace *trace; // NULL: none
    bool may_sample;             // the launch may leave out blocks
    // The blocks that are run, one after the other, stand for so many each; borrowed. NULL: for
    // one.
    const uint64_t *pieces;
    size_t piece_count;
    uint64_t likeness; // the same for launches of one kernel with equal shapes and arguments; 0:
                       // nothing is known
    // The sites of the events, borrowed until profile_finish. NULL: those of ir_kernel_sites().
    const struct ir_kernel_site *sites;
    uint32_t site_count;
};

// What is known of a site's requests to shared memory in every block of the launch and for every
// input: more than what was counted.
#define PROFILE_LOADED "index loaded from memory" // of `why` below
enum profile_verdict { PROFILE_OBSERVED, PROFILE_BOUNDED, PROFILE_PROVED };
// Of the launch, not of the kernel: lanes lie multiples of a parameter apart, or of blockDim.x.
struct profile_choice {
    bool is_width;       // blockDim.x; else a parameter
    uint64_t offset;     // in the parameters
    unsigned bytes;      // 0: of no parameter that is known
    uint8_t degrees[32]; // the most that requests have, for each number modulo 32
};
struct profile_proof {
    enum profile_verdict verdict;
    uint64_t degrees; // PROVED: bit n - 1: some request has degree n; BOUNDED: 0, or the same of
                      // requests in which all lanes take part
    uint32_t degree;  // BOUNDED, PROVED: no request has more
    const char *why;  // OBSERVED, BOUNDED: why no more is known; static
    uint32_t line;    // of the source, that this is about; 0: none
    struct profile_choice choice;
    bool may_merge;        // see struct profile_site
    uint32_t moved_behind; // the same
    enum profile_fit fit;
    const char *bounds; // where its accesses lie, in words; borrowed. NULL: nobody asked
};
struct profile_race_proof { // of all accesses to shared memory
    enum profile_freedom freedom;
    const char *words; // borrowed; NULL: there is nothing to say
};
struct strbuf;
// "1, 2, 4" of bits 0, 1 and 3.
void profile_put_degrees(struct strbuf *out, uint64_t degrees);

struct profile_recorder *profile_record(const struct profile_launch_info *info);
// Valid until profile_finish.
const struct event_observer *profile_observer(struct profile_recorder *recorder);
// Prints the requests of the traced line, as they are written. NULL: the kernel has none.
const struct event_observer *profile_tracer(struct profile_recorder *recorder);

// What was counted so far, for a recorder of the same launch in another process, which adds it to
// its own. A worker's number that nobody else has there; false: it cannot be read.
struct strbuf;
void profile_write_counted(struct profile_recorder *recorder, struct strbuf *out);
bool profile_read_counted(struct profile_recorder *recorder, unsigned worker, const char *bytes,
                          size_t length);
// The launch is not recorded after all.
void profile_drop(struct profile_recorder *recorder);

struct profile_launch_result {
    uint64_t blocks_run, instructions, thread_instructions, barriers;
    const char *fault;                 // NULL: none
    const struct profile_fault *where; // the same as data, of which the launch keeps a copy; NULL:
                                       // none, or nothing is known
    const struct profile_passed *passed; // of which it keeps copies, too
    size_t passed_count;
    struct profile_findings findings; // the launch's from now on
    enum profile_cut cut;
    int cut_signal;
    bool is_sample;  // not all blocks were to run
    bool may_differ; // from what another number of host threads counts
    // Of each site that was written. NULL: nobody tried. Requests that are counted as they were
    // written are some of those that a proof is about, of all.
    const struct profile_proof *proofs;
    uint32_t proof_count;
    struct profile_race_proof races;
    bool is_as_compiled;       // the machine code of the kernel says which requests were merged
    const uint8_t *parameters; // of the kernel, its `parameter_bytes`; NULL: nothing is known
    struct profile_blocks blocks;
    const char *whole_reason; // see struct profile_launch
    // Of each site: what was counted of global memory was scaled, and is an estimate. NULL:
    // nothing.
    const bool *has_other_sectors;
};

// Merges all workers' counters into a new launch of the profile and frees the recorder.
void profile_finish(struct profile_recorder *recorder, struct profile *profile,
                    const struct profile_launch_result *result);

#endif
