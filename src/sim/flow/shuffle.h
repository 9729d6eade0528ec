// Inside the simulator: another legal order of a launch's warps and blocks, made from a seed.
//
// The programming model promises little: threads make progress, and barriers and atomics do what
// they say. So a warp may stop before any instruction, its lanes may part there, and whatever may
// go on may go on next. A shuffle picks one such order, in one of a few manners: what a race needs
// in order to show is now a block or a warp that is far ahead of the others, now a switch between
// two neighbouring instructions.
#ifndef BANKRUN_SIM_FLOW_SHUFFLE_H
#define BANKRUN_SIM_FLOW_SHUFFLE_H

#include "sim/flow/block.h"

struct sim_shuffle { // of a launch, which runs on one thread
    uint64_t seed, state;
    uint64_t step, start;   // of the order in which blocks are handed out
    uint32_t slice;         // a warp goes on for 1 to so many instructions; 0: until it waits
    uint32_t parts;         // of 256 slices: after how many the lanes of a warp part
    bool has_slow_warps;    // that miss most turns
    bool is_backwards;      // warps and blocks from the last to the first
    bool keeps_block_order; // blocks may wait for those before them
};

// `clusters`: that are handed out.
void sim_shuffle_begin(struct sim_shuffle *shuffle, uint64_t seed, uint64_t clusters,
                       bool keeps_block_order);
// A number below `below`, which is not 0.
uint32_t sim_shuffle_chance(struct sim_shuffle *shuffle, uint32_t below);
// Which cluster is handed out as the n-th.
uint64_t sim_shuffle_cluster(const struct sim_shuffle *shuffle, uint64_t n, uint64_t clusters);
// The warps that have a turn now, in their order; returns how many. `all`: none misses it.
uint32_t sim_shuffle_warps(struct sim_shuffle *shuffle, const struct sim_block_flow *flow, bool all,
                           uint8_t order[SIM_MAX_WARPS]);
// Whether other blocks go on first. NULL is allowed: no.
bool sim_shuffle_leaves(struct sim_shuffle *shuffle);
// Executes the current split until its slice is used up, or it leaves the loop for a reason of its
// own. Not NULL: where it goes on without an end of its slice.
const struct sim_instr *sim_shuffle_execute(struct sim_warp *warp, const struct sim_instr *pc);

#endif
