// Which launches a device refuses, as data and in words.
#ifndef BANKRUN_RUN_LIMITS_H
#define BANKRUN_RUN_LIMITS_H

#include "bankrun/banks.h"
#include "sim/sim.h"

// What a device allows, and what its user set. run_limits_of fills in all but the last two, with
// everything that a program can opt into allowed.
struct run_limits {
    const struct bankrun_limits *chip;
    uint32_t grid[3], block[3]; // most blocks and threads in each direction
    uint32_t shared_bytes;      // of a block without opt-in
    uint32_t dynamic_bytes;     // most that a launch may ask for
    unsigned cluster_blocks;    // most in a cluster; 0: the architecture has none
    unsigned multiprocessors;   // that share the blocks of a cooperative launch
    uint32_t cluster[3];        // that the kernel was told to have, beside its PTX; 0: none
};

// `arch` is in the bank model's table.
struct run_limits run_limits_of(unsigned arch);

enum run_limit {
    RUN_BLOCK_EXTENT,      // threads in one direction
    RUN_GRID_EXTENT,       // blocks in one direction
    RUN_BLOCK_THREADS,     // in all
    RUN_COOPERATIVE,       // blocks that have to be resident at a time
    RUN_KERNEL_THREADS,    // .maxntid
    RUN_KERNEL_BLOCK,      // .reqntid
    RUN_SHARED,            // static and dynamic bytes of a block
    RUN_DYNAMIC_SHARED,    // bytes of the launch
    RUN_CLUSTER_MISSING,   // .explicitcluster
    RUN_CLUSTER_REQUIRED,  // .reqnctapercluster
    RUN_CLUSTER_BLOCKS,    // in all
    RUN_CLUSTER_REMAINDER, // the grid is no multiple
};

struct run_refusal {
    enum run_limit limit;
    unsigned axis; // 0 to 2, where the limit is about one
    uint64_t asked, most;
};

enum { RUN_MOST_REFUSALS = 8 };

// Why the device refuses to launch a kernel: the number of reasons, 0 where it does not. Reasons of
// one kind come together; what is found wrong first hides the rest.
size_t run_check(const struct run_limits *limits, const struct sim_launch *launch,
                 const struct ir_function *kernel, uint64_t static_shared_bytes,
                 struct run_refusal refusals[RUN_MOST_REFUSALS]);

// In words, in which the kernel is called `name`. Caller frees.
char *run_refusal_text(const struct run_refusal *refusal, const struct run_limits *limits,
                       const char *name);

// The cluster that a launch has when it asks for none: zeros, or all of them at least 1.
void run_required_cluster(const struct run_limits *limits, const struct ir_function *kernel,
                          uint32_t cluster[3]);

// Whether run_check finds nothing wrong with the launch's cluster.
bool run_is_cluster_good(const struct run_limits *limits, const struct sim_launch *launch,
                         const struct ir_function *kernel);

// Most threads that a block of the kernel may have.
unsigned run_block_threads(const struct run_limits *limits, const struct ir_function *kernel);

// Blocks of the kernel on one multiprocessor at a time. Registers are left out: only machine code
// tells how many a kernel takes.
unsigned run_occupancy(const struct run_limits *limits, unsigned threads,
                       uint64_t static_shared_bytes, uint64_t dynamic_shared_bytes);

#endif
