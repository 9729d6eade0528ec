// Clusters: blocks that are on the device together.
#include "sim/flow/cluster.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/emit.h"
#include "sim/flow/special.h"

struct sim_cluster *sim_cluster_create(struct sim_worker *worker) {
    struct sim_cluster *cluster = base_alloc(sizeof *cluster);
    cluster->worker = worker;
    cluster->count = sim_cluster_blocks(worker->launch);
    cluster->blocks = base_alloc(cluster->count * sizeof(struct sim_block_flow *));
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        cluster->blocks[rank] = sim_block_create(worker);
        cluster->blocks[rank]->block.cluster = cluster;
        cluster->blocks[rank]->block.rank = rank;
    }
    return cluster;
}

void sim_cluster_free(struct sim_cluster *cluster) {
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        sim_block_free(cluster->blocks[rank]);
    free(cluster->blocks);
    free(cluster);
}

static void tell_begin(const struct sim_cluster *cluster) {
    const struct sim_block *first = &cluster->blocks[0]->block;
    if (!sim_hears_sync(first))
        return;
    if (cluster->count > 1)
        sim_emit_block(
            first, (struct event_sync){.kind = EVENT_CLUSTER_BEGIN, .expected = cluster->count});
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        sim_emit_block(&cluster->blocks[rank]->block,
                       (struct event_sync){.kind = EVENT_BLOCK_BEGIN,
                                           .expected = cluster->blocks[rank]->live_threads});
}

void sim_cluster_start(struct sim_cluster *cluster, uint64_t number) {
    const struct sim_launch *launch = cluster->worker->launch;
    const uint32_t *size = launch->cluster, *grid = launch->grid;
    if (cluster->count == 1 && !cluster->worker->kernel->uses_cluster) {
        cluster->blocks[0]->block.order = number;
        sim_block_start(cluster->blocks[0], number);
        cluster->live_threads = cluster->blocks[0]->live_threads;
        cluster->arrived = 0;
        tell_begin(cluster);
        return;
    }
    assert(grid[0] % size[0] == 0 && grid[1] % size[1] == 0 && grid[2] % size[2] == 0);
    const uint64_t wide = grid[0] / size[0], high = grid[1] / size[1];
    const uint32_t place[3] = {(uint32_t)(number % wide), (uint32_t)(number / wide % high),
                               (uint32_t)(number / wide / high)};
    cluster->live_threads = cluster->arrived = 0;
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        struct sim_block_flow *flow = cluster->blocks[rank];
        const uint32_t inside[3] = {rank % size[0], rank / size[0] % size[1],
                                    rank / size[0] / size[1]};
        const uint64_t x = place[0] * (uint64_t)size[0] + inside[0];
        const uint64_t y = place[1] * (uint64_t)size[1] + inside[1];
        const uint64_t z = place[2] * (uint64_t)size[2] + inside[2];
        flow->block.order = number * cluster->count + rank;
        sim_block_start(flow, x + grid[0] * (y + grid[1] * z));
        cluster->live_threads += flow->live_threads;
        if (cluster->worker->kernel->uses_cluster)
            sim_fill_cluster_vectors(flow->vectors, place, inside, rank);
    }
    tell_begin(cluster);
}

// One turn of each block that has not ended.
static enum sim_block_status run_round(struct sim_cluster *cluster, bool *moved) {
    enum sim_block_status all = SIM_BLOCK_DONE;
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        struct sim_block_flow *flow = cluster->blocks[rank];
        if (!flow->live_threads)
            continue;
        const uint64_t before = sim_block_instructions(flow);
        const enum sim_block_status status = sim_block_run(flow);
        if (status == SIM_BLOCK_FAULT)
            return status;
        *moved |= status != SIM_BLOCK_YIELD && sim_block_instructions(flow) != before;
        if (status > all)
            all = status;
    }
    return all;
}

enum sim_block_status sim_cluster_run(struct sim_cluster *cluster) {
    if (cluster->count == 1)
        return sim_block_run(cluster->blocks[0]);
    for (;;) {
        bool moved = false;
        const enum sim_block_status status = run_round(cluster, &moved);
        if (status != SIM_BLOCK_WAITS && (status != SIM_BLOCK_YIELD || !moved))
            return status;
        if (moved)
            continue;
        for (uint32_t rank = 0; rank < cluster->count; rank++)
            if (cluster->blocks[rank]->live_threads)
                return sim_block_raise_deadlock(cluster->blocks[rank], SIM_ALL_WAIT);
    }
}
