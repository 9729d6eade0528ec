// Inside the simulator: special registers that hold a warp's place, and those that change on their
// own.
#ifndef BANKRUN_SIM_FLOW_SPECIAL_H
#define BANKRUN_SIM_FLOW_SPECIAL_H

#include "sim/sim_internal.h"

// Writes 32 lanes of `width` bytes, 4 or 8, of one value.
void sim_broadcast(uint8_t *at, uint64_t value, unsigned width);

// The vectors behind SIM_BASE_WARP, for all warps of a block. Caller frees.
uint8_t *sim_fill_warp_vectors(const struct sim_launch *launch, uint32_t warps);
// Those behind SIM_BASE_BLOCK, which begin as zeros: of the block, and of its place in a cluster.
void sim_fill_block_vectors(uint8_t *vectors, const uint32_t *index, uint64_t smid);
void sim_fill_cluster_vectors(uint8_t *vectors, const uint32_t *cluster, const uint32_t *inside,
                              uint32_t rank);

// Registers that no vector holds, since each reading gives another value: clocks and timers.
bool sim_is_changing_sreg(enum ptx_sreg sreg);
uint64_t sim_changing_sreg(const struct sim_warp *warp, enum ptx_sreg sreg);

#endif
