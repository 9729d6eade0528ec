// barrier.cluster: all threads of a cluster arrive, and those that wait go on when the last one
// has. A thread waits once for each arrival, so that at most one phase ends between the two.
#include <assert.h>

#include "sim/emit.h"
#include "sim/flow/cluster.h"
#include "sim/flow/control.h"
#include "sim/order.h"

static void tell(const struct sim_warp *warp, const struct sim_instr *instr, uint32_t lanes,
                 enum event_kind kind) {
    sim_emit_lanes(warp, instr, lanes,
                   (struct event_sync){.kind = kind,
                                       .order = (enum event_order)instr->immediate,
                                       .scope = EVENT_CLUSTER});
}

static void release_warp(const struct sim_warp *warp) {
    struct sim_warp_flow *flow = warp->flow;
    flow->cluster_over |= flow->cluster_arrived;
    flow->cluster_arrived = 0;
    for (unsigned s = 0; s < flow->split_count; s++) {
        struct sim_split *split = &flow->splits[s];
        if (split->state != SIM_SPLIT_CLUSTER)
            continue;
        flow->cluster_over &= ~split->mask;
        tell(warp, split->pc, split->mask, EVENT_CLUSTER_WAIT);
        split->state = SIM_SPLIT_READY;
        split->pc++;
    }
}

static void release_if_complete(struct sim_cluster *cluster) {
    assert(cluster->arrived <= cluster->live_threads);
    if (!cluster->arrived || cluster->arrived != cluster->live_threads)
        return;
    cluster->arrived = 0;
    sim_emit_block(&cluster->blocks[0]->block, (struct event_sync){.kind = EVENT_CLUSTER_COMPLETE});
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        for (uint32_t w = 0; w < cluster->blocks[rank]->warp_count; w++)
            release_warp(&cluster->blocks[rank]->warps[w]);
}

void sim_cluster_lanes_ended(struct sim_warp *warp, uint32_t lanes) {
    struct sim_cluster *cluster = warp->block->cluster;
    struct sim_warp_flow *flow = warp->flow;
    assert(cluster->live_threads >= sim_lane_count(lanes));
    cluster->live_threads -= sim_lane_count(lanes);
    cluster->arrived -= sim_lane_count(lanes & flow->cluster_arrived);
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
    tell(warp, instr, warp->mask, EVENT_CLUSTER_ARRIVE);
    flow->cluster_arrived |= warp->mask;
    warp->block->cluster->arrived += sim_lane_count(warp->mask);
    release_if_complete(warp->block->cluster);
    return instr + 1;
}

FLOW_SELECT(cluster_arrive) {
    out->run[0] = out->run[1] = run_arrive;
    out->immediate = sim_order_of(ir->ptx, EVENT_RELEASE);
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
        tell(warp, instr, warp->mask, EVENT_CLUSTER_WAIT);
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

FLOW_SELECT(cluster_wait) {
    out->run[0] = out->run[1] = run_wait;
    out->immediate = sim_order_of(ir->ptx, EVENT_ACQUIRE);
    return true;
}
