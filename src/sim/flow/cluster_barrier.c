// barrier.cluster: all threads of a cluster arrive, and those that wait go on when the last one
// has. A thread waits once for each arrival, so that at most one phase ends between the two.
#include <assert.h>

#include "sim/flow/cluster.h"
#include "sim/flow/control.h"

static void release_warp(struct sim_warp_flow *flow) {
    flow->cluster_over |= flow->cluster_arrived;
    flow->cluster_arrived = 0;
    for (unsigned s = 0; s < flow->split_count; s++) {
        struct sim_split *split = &flow->splits[s];
        if (split->state != SIM_SPLIT_CLUSTER)
            continue;
        flow->cluster_over &= ~split->mask;
        split->state = SIM_SPLIT_READY;
        split->pc++;
    }
}

static void release_if_complete(struct sim_cluster *cluster) {
    assert(cluster->arrived <= cluster->live_threads);
    if (!cluster->arrived || cluster->arrived != cluster->live_threads)
        return;
    cluster->arrived = 0;
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        for (uint32_t w = 0; w < cluster->blocks[rank]->warp_count; w++)
            release_warp(&cluster->blocks[rank]->flows[w]);
}

void sim_cluster_lanes_ended(struct sim_warp *warp, uint32_t lanes) {
    struct sim_cluster *cluster = warp->block->cluster;
    struct sim_warp_flow *flow = warp->flow;
    assert(cluster->live_threads >= (uint32_t)__builtin_popcount(lanes));
    cluster->live_threads -= (uint32_t)__builtin_popcount(lanes);
    cluster->arrived -= (uint32_t)__builtin_popcount(lanes & flow->cluster_arrived);
    flow->cluster_arrived &= ~lanes;
    flow->cluster_over &= ~lanes;
    release_if_complete(cluster);
}

static const struct sim_instr *run_arrive(struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_warp_flow *flow = warp->flow;
    const uint32_t again = warp->mask & (flow->cluster_arrived | flow->cluster_over);
    if (again)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, (unsigned)__builtin_ctz(again),
                         0,
                         "a thread arrives at the cluster's barrier a second time without a wait "
                         "in between");
    flow->cluster_arrived |= warp->mask;
    warp->block->cluster->arrived += (uint32_t)__builtin_popcount(warp->mask);
    release_if_complete(warp->block->cluster);
    return instr + 1;
}

bool sim_select_control_cluster_arrive(const struct ir_instruction *ir, struct sim_instr *out) {
    (void)ir;
    out->run[0] = out->run[1] = run_arrive;
    return true;
}

static const struct sim_instr *run_wait(struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_warp_flow *flow = warp->flow;
    const uint32_t strangers = warp->mask & ~(flow->cluster_arrived | flow->cluster_over);
    if (strangers)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION,
                         (unsigned)__builtin_ctz(strangers), 0,
                         "a thread waits at the cluster's barrier, at which it has not arrived");
    if (!(warp->mask & flow->cluster_arrived)) {
        flow->cluster_over &= ~warp->mask;
        return instr + 1;
    }
    struct sim_split *split = &flow->splits[flow->current];
    split->state = SIM_SPLIT_CLUSTER;
    split->pc = instr;
    sim_account(warp, instr->ordinal + 1);
    flow->run_start = instr->ordinal + 1;
    const struct sim_instr *next = sim_next_split(warp);
    if (!next)
        warp->stop = SIM_STOP_BARRIER;
    return next;
}

bool sim_select_control_cluster_wait(const struct ir_instruction *ir, struct sim_instr *out) {
    (void)ir;
    out->run[0] = out->run[1] = run_wait;
    return true;
}
