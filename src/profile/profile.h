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
    unsigned width;    // bytes a lane
    struct profile_counts counts;
    // Shared only. degrees[n]: requests whose worst phase took n wavefronts.
    uint64_t degrees[PROFILE_MAX_DEGREE + 1];
    uint32_t worst_degree;
    bool is_estimate; // no exact rule for this access: `counts.units` is an estimate
    bool is_modelled; // by `request`. False: no rule is known, or a saved profile does not name it
    struct profile_request request;
    char *verdict; // "observed", later "proved" or "bounded"
    // The worst request, the first one in block order; valid when worst_degree > 0
    uint32_t worst_block[3], worst_warp, worst_mask;
    uint32_t worst_offsets[WARP_LANES];
    char *why; // in words; NULL when there is no excess
};

struct profile_run { // launches first, first + step, ..., `count` of them
    uint32_t first, count, step;
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
    uint64_t blocks_run, instructions, thread_instructions;
    // Counts of a sample of the blocks, scaled to all: half the widths of the 95 % confidence
    // intervals of the sums of wavefronts and sectors, as parts of these.
    bool is_sample;
    double error[SITE_SPACES];
    char *fault; // message when the launch ended in a fault, else NULL
    struct profile_counts totals[SITE_SPACES][PROFILE_OPS];
    struct profile_site *sites; // sorted by space, file, line, column, instruction
    size_t site_count;
};

struct profile_process { // of several that were followed
    char **program;      // argv
    size_t program_count;
    uint64_t launched; // of the profile's launches: their indices go on from the process before
};

struct profile {
    unsigned arch;
    bool is_as_compiled; // shared memory: what the machine code accesses, not what PTX does
    char **program;      // argv
    size_t program_count;
    struct profile_process *processes;
    size_t process_count;            // 0: the profile is of one process, the program's
    struct profile_launch *launches; // in the order of their indices
    size_t launch_count;
    size_t launch_capacity;
    uint64_t launched; // launches that there were: the sum of all repeats
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

// Appends all launches of a process's profile to those of the command that started it, and frees
// the former.
void profile_append(struct profile *profile, struct profile *process);

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

// What conflicts in one request, in words: "lanes read words 0, 32, 64, ...: stride 32 words, all
// in bank 0". Malloc'd; NULL: there is nothing to say. is_sum: of an atomic, that it adds.
char *profile_why(unsigned arch, const struct bankrun_request *request, bool is_sum);

// ---- Saved profiles: schema bankrun-profile/1, docs/profile.md ----------------------------

// JSON text with sorted keys. Caller frees.
char *profile_to_json(const struct profile *profile);
// NULL: diags say why (no such file, not JSON, wrong schema, totals that are no sums).
struct profile *profile_read(const char *path, struct diag_list *diags);

#endif
