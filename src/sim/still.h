// Inside the simulator: launches that never end. Where all blocks that are left spin and see
// nothing new, round after round, and nobody else may write what they look at, no thread can go on.
#ifndef BANKRUN_SIM_STILL_H
#define BANKRUN_SIM_STILL_H

#include "sim/flow/cluster.h"

struct sim_still { // of a worker's blocks; zeroed at first
    bool was_asked, may_be;
    bool is_known;                // the launch knows that this worker's blocks wait for ever
    uint64_t turns, instructions; // since something changed
};

// After a turn of a cluster, which yielded and had executed `before` instructions before it.
// `blocks`: of the worker, all of which take turns; no other block can change what they see. True:
// they wait for ever.
bool sim_is_still(struct sim_still *still, struct sim_cluster *cluster, uint64_t before,
                  size_t blocks);
// Forgets what was seen: a block ended, or began.
static inline void sim_still_moved(struct sim_still *still) {
    still->turns = still->instructions = 0;
}

// Warp instructions of its blocks.
uint64_t sim_cluster_instructions(const struct sim_cluster *cluster);
// Its threads wait for ever, as those of all other blocks that have not ended.
enum sim_block_status sim_cluster_raise_still(struct sim_cluster *cluster);

#endif
