// Inside the simulator: clusters of blocks, their barrier, and addresses of shared::cluster.
//
// The blocks of a cluster run on one host thread and take turns. In an ordinary launch each block
// is a cluster of its own.
#ifndef BANKRUN_SIM_FLOW_CLUSTER_H
#define BANKRUN_SIM_FLOW_CLUSTER_H

#include "sim/flow/block.h"

struct sim_cluster {
    struct sim_worker *worker;
    struct sim_block_flow **blocks; // by rank
    uint32_t count;
    uint32_t live_threads; // of all blocks
    uint32_t arrived;      // threads at the barrier that live
    uint64_t state_before; // of its blocks when it last yielded (still.h)
};

// cluster.c
struct sim_cluster *sim_cluster_create(struct sim_worker *worker);
void sim_cluster_free(struct sim_cluster *cluster);
void sim_cluster_start(struct sim_cluster *cluster, uint64_t number);
// Until all blocks have ended (DONE), one faulted (FAULT), or all spin (YIELD).
enum sim_block_status sim_cluster_run(struct sim_cluster *cluster);

static inline uint32_t sim_cluster_blocks(const struct sim_launch *launch) {
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}

static inline uint32_t sim_cluster_size(const struct sim_cluster *cluster) {
    return cluster ? cluster->count : 1;
}

// cluster_barrier.c
void sim_cluster_lanes_ended(struct sim_warp *warp, uint32_t lanes);

// ---- Addresses ----------------------------------------------------------------------------

// What an address without a rank gets so that it means the same to other blocks.
static inline uint32_t sim_cluster_own_tag(const struct sim_block *block) {
    return sim_cluster_size(block->cluster) > 1 ? ir_cluster_tag(block->rank) : 0;
}

// Whether the address is one of the block's own, with or without its rank.
static inline bool sim_cluster_is_own(const struct sim_block *block, uint64_t address) {
    const uint64_t tag = address & ~(uint64_t)IR_CLUSTER_OFFSET;
    return tag == 0 || tag == ir_cluster_tag(block->rank);
}

// The block that an address lies in; NULL: the cluster has none of that rank.
static inline struct sim_block *sim_cluster_target(struct sim_block *block, uint64_t address) {
    if (sim_cluster_is_own(block, address))
        return block;
    const uint64_t rank = (address >> IR_CLUSTER_SHIFT) - 1;
    return rank < sim_cluster_size(block->cluster) ? &block->cluster->blocks[rank]->block : NULL;
}

#endif
