// Inside the simulator: the order of blocks, for kernels that need one (ir_block_ordered). A thread
// whose block comes to an ordered access waits until all blocks before it have ended. What blocks
// do before their first such access still runs side by side.
#ifndef BANKRUN_SIM_TURNS_H
#define BANKRUN_SIM_TURNS_H

#include <pthread.h>

#include "sim/sim_internal.h"

struct sim_turns { // of a launch
    // Atomic: of each worker, the number of the cluster that it runs, or a smaller one while it
    // takes the next; UINT64_MAX: none. Numbers are those by which clusters are handed out.
    uint64_t *running;
    unsigned workers;
    uint64_t sleepers; // atomic
    bool is_open;      // atomic: nobody waits any longer
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

void sim_turns_create(struct sim_turns *turns, unsigned workers);
void sim_turns_free(struct sim_turns *turns);
// The worker is about to run the cluster of this number, or takes one of at least that number.
void sim_turns_begin(struct sim_turns *turns, const struct sim_worker *worker, uint64_t number);
void sim_turns_end(struct sim_turns *turns, const struct sim_worker *worker);
// A block did not end for so long that it may wait for what blocks behind it do: all go on.
void sim_turns_open(struct sim_turns *turns);

// Placed by the decoder in front of ordered accesses.
const struct sim_instr *sim_run_turn(struct sim_warp *warp, const struct sim_instr *instr);

#endif
