// What a launch takes in time, by what it does, and what would be won if its bank conflicts went:
// pure functions of counts. An estimate; docs/cost.md says how good it is, and where it is not.
//
// Each resource of the machine gives a time that the launch cannot go below. They are joined as
// (a^4 + b^4 + ...)^(1/4): the longest decides, and one nearly as long is felt.
#ifndef BANKRUN_COST_COST_H
#define BANKRUN_COST_COST_H

#include <stdbool.h>

struct cost_machine { // the product that stands for an architecture
    unsigned arch;
    const char *name; // "H200"
    unsigned multiprocessors;
    double clock;    // cycles of a nanosecond
    double memory;   // of device memory: bytes of a nanosecond, by the data sheet
    double l2_bytes; // the size of the second-level cache
};

// NULL: no constants are known for the architecture.
const struct cost_machine *cost_machine_of(unsigned arch);

struct cost_counts { // of one launch, all blocks together
    double blocks;
    unsigned threads;      // of a block
    unsigned registers;    // of a thread; 0: unknown, and they limit nothing
    unsigned shared_bytes; // of a block
    double instructions;   // of warps
    double barriers;       // of a block, at which warps waited
    double shared_requests, shared_wavefronts;
    double global_requests, global_loads; // of them
    double sectors;
};

enum cost_bound {
    COST_SHARED,  // wavefronts of the data path of shared memory, one a cycle
    COST_GLOBAL,  // sectors over the bandwidth of the second-level cache or of device memory
    COST_ISSUE,   // instructions over the slots of the schedulers
    COST_LATENCY, // of a warp's way through the kernel, for the blocks that are resident at once
    COST_BLOCKS,  // the rate at which blocks begin
    COST_LAUNCH,  // of a kernel that does nothing
    COST_BOUNDS
};

struct cost_time { // in nanoseconds
    double all, by[COST_BOUNDS];
    enum cost_bound bottleneck; // the longest
};

// Zeros where there are no blocks, or none fits on a multiprocessor.
struct cost_time cost_time_of(const struct cost_machine *machine, const struct cost_counts *counts);

// The same without `excess` wavefronts of shared memory.
struct cost_time cost_time_without(const struct cost_machine *machine,
                                   const struct cost_counts *counts, double excess);

// How many times as fast it is then, and whether that is worth a change: five percent or more.
double cost_gain(const struct cost_time *now, const struct cost_time *then);
bool cost_is_worth(double gain);

// "shared", "global", ..., and "shared memory", ... for "... is the bottleneck".
extern const char *const cost_bound_key[COST_BOUNDS];
extern const char *const cost_bound_text[COST_BOUNDS];

#endif
