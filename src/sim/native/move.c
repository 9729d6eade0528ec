// Blocks that have begun in the interpreter go on in code that has native code in it. See native.h.
#include "sim/flow/block.h"
#include "sim/flow/cluster.h"
#include "sim/native/native_internal.h"

// Both codes have the same instructions, and only some handlers differ.
struct move {
    const struct sim_code *from, *to;
};

static const struct sim_instr *moved(const struct move *move, const struct sim_instr *instr) {
    const bool is_of_it =
        instr >= move->from->instrs && instr < move->from->instrs + move->from->instr_count;
    return is_of_it ? move->to->instrs + (instr - move->from->instrs) : instr;
}

// Frames of calls say where in the kernel's code they return to: such blocks stay. So do those in
// which a thread has failed: what others do is compared with where it did.
static bool may_move(const struct sim_block_flow *flow, const struct move *move) {
    bool all =
        !flow->is_settling && sim_cluster_size(flow->block.cluster) == 1 && move->from != move->to;
    for (uint32_t w = 0; all && w < flow->warp_count; w++)
        all = !flow->flows[w].frames.length && flow->flows[w].root.code == move->from;
    return all;
}

static void move_warp(const struct move *move, struct sim_warp_flow *flow) {
    flow->root.code = move->to;
    for (unsigned s = 0; s < flow->split_count; s++) {
        flow->splits[s].pc = moved(move, flow->splits[s].pc);
        flow->splits[s].joins_at = moved(move, flow->splits[s].joins_at);
    }
    for (size_t t = 0; t < flow->tokens.length; t++)
        flow->tokens.data[t].at = moved(move, flow->tokens.data[t].at);
}

const struct sim_instr *sim_native_move(struct sim_block_flow *flow,
                                        const struct sim_instr *instr) {
    struct sim_worker *worker = flow->block.worker;
    if (!worker->native)
        sim_native_begin(worker);
    const struct move move = {&worker->kernel->codes[0], sim_native_code(worker)};
    if (!may_move(flow, &move))
        return instr;
    for (uint32_t w = 0; w < flow->warp_count; w++)
        move_warp(&move, &flow->flows[w]);
    for (unsigned b = 0; b < SIM_BARRIERS; b++)
        flow->barriers[b].untold = moved(&move, flow->barriers[b].untold);
    return moved(&move, instr);
}
