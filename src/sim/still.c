#include "sim/still.h"

#include "sim/launch.h"
#include "sim/memory/memory.h"

// A loop may change memory that nobody has looked at yet: only after so many turns of each block,
// and so many instructions, is it taken for endless.
enum { TURNS = 256, INSTRUCTIONS = 1 << 25 };

uint64_t sim_cluster_instructions(const struct sim_cluster *cluster) {
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        sum += sim_block_instructions(cluster->blocks[rank]);
    return sum;
}

static void find_others(struct sim_allocation *allocation, void *context) {
    bool *found = context;
    *found |=
        allocation->kind == SIM_HOST || allocation->kind == SIM_MANAGED || allocation->is_shared;
}

// Host threads may write their own memory while a kernel runs, other processes what they share, and
// time goes on by itself.
static bool may_be_still(const struct sim_worker *worker) {
    bool others_write = false;
    if (!worker->kernel->reads_clock)
        sim_space_visit(worker->memory->space, find_others, &others_write);
    return !worker->kernel->reads_clock && !others_write;
}

static uint64_t state_of(const struct sim_cluster *cluster) {
    uint64_t state = 0;
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        state = state * 31 + sim_block_state(cluster->blocks[rank]);
    return state;
}

bool sim_is_still(struct sim_still *still, struct sim_cluster *cluster, uint64_t before,
                  size_t blocks) {
    const uint64_t state = state_of(cluster);
    const bool is_same = state == cluster->state_before;
    cluster->state_before = state;
    if (!is_same) {
        sim_still_moved(still);
        return false;
    }
    still->turns++;
    still->instructions += sim_cluster_instructions(cluster) - before;
    if (still->turns < TURNS * blocks || still->instructions < INSTRUCTIONS)
        return false;
    if (!still->was_asked)
        still->may_be = may_be_still(cluster->worker);
    still->was_asked = true;
    sim_still_moved(still);
    return still->may_be;
}

enum sim_block_status sim_cluster_raise_still(struct sim_cluster *cluster) {
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        if (cluster->blocks[rank]->live_threads)
            return sim_block_raise_deadlock(
                cluster->blocks[rank],
                "deadlock: all threads that are left wait, or spin and see nothing new, and nobody "
                "can release them; of this block");
    return SIM_BLOCK_FAULT;
}
