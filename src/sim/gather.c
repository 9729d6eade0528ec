// Lanes of a warp that wait for each other: shfl.sync, vote.sync, bar.warp.sync and the like.
#include "sim/block.h"
#include "sim/control.h"

static bool waits_here(const struct sim_split *split, const struct sim_instr *instr,
                       const struct sim_frame *frame) {
    return split->state == SIM_SPLIT_GATHER && split->pc == instr && split->frame == frame;
}

// Executes the instruction once for all splits that wait at it, then lets each go on.
static void run_together(struct sim_warp *warp, const struct sim_instr *instr, uint32_t lanes) {
    struct sim_warp_flow *flow = warp->flow;
    const struct sim_frame *frame = flow->splits[flow->current].frame;
    uint32_t own = warp->mask;
    sim_set_mask(warp, lanes);
    instr->run[warp->is_full](warp, instr);
    sim_set_mask(warp, own);
    for (unsigned i = 0; i < flow->split_count; i++) {
        struct sim_split *split = &flow->splits[i];
        if (!waits_here(split, instr, frame) || !(split->mask & lanes))
            continue;
        split->state = SIM_SPLIT_READY;
        split->pc = instr + 1;
    }
}

// Splits that go on at one place and wait at the same token become one.
static void merge_current(struct sim_warp *warp) {
    struct sim_warp_flow *flow = warp->flow;
    for (unsigned i = 0; i < flow->split_count; i++) {
        struct sim_split *split = &flow->splits[flow->current], *other = &flow->splits[i];
        if (i == flow->current || other->state != SIM_SPLIT_READY || other->pc != split->pc ||
            other->frame != split->frame || other->token != split->token)
            continue;
        split->mask |= other->mask;
        sim_remove_split(warp, i);
        i--;
    }
}

bool sim_gather(struct sim_warp *warp, const struct sim_instr *instr, uint32_t members) {
    struct sim_warp_flow *flow = warp->flow;
    struct sim_split *split = &flow->splits[flow->current];
    uint32_t wanted = members & flow->live;
    if (!(wanted & ~warp->mask))
        return true;
    split->state = SIM_SPLIT_GATHER;
    split->members = members;
    split->pc = instr;
    uint32_t here = 0;
    for (unsigned i = 0; i < flow->split_count; i++)
        if (waits_here(&flow->splits[i], instr, split->frame))
            here |= flow->splits[i].mask;
    sim_account(warp, instr->ordinal + 1);
    flow->run_start = instr->ordinal + 1;
    if (!(wanted & ~here)) {
        run_together(warp, instr, here);
        merge_current(warp);
    }
    // The scheduler picks what is ready now: this split, or another one.
    warp->stop = SIM_STOP_SYNC;
    return false;
}

// bar.warp.sync: lanes may wait at different places.
static const struct sim_instr *run_bar_warp(struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_warp_flow *flow = warp->flow;
    const uint32_t *lanes = sim_at(warp, instr->operand[0]);
    uint32_t members = lanes[__builtin_ctz(warp->mask)];
    uint32_t wanted = members & flow->live;
    if (!(wanted & ~warp->mask))
        return instr + 1;
    struct sim_split *split = &flow->splits[flow->current];
    split->state = SIM_SPLIT_GATHER;
    split->members = members;
    split->pc = instr;
    sim_account(warp, instr->ordinal + 1);
    flow->run_start = instr->ordinal + 1;
    uint32_t here = 0;
    for (unsigned i = 0; i < flow->split_count; i++)
        if (flow->splits[i].state == SIM_SPLIT_GATHER && flow->splits[i].pc->run[0] == run_bar_warp)
            here |= flow->splits[i].mask;
    warp->stop = SIM_STOP_SYNC;
    if (wanted & ~here)
        return NULL;
    for (unsigned i = 0; i < flow->split_count; i++) {
        struct sim_split *other = &flow->splits[i];
        if (other->state == SIM_SPLIT_GATHER && other->pc->run[0] == run_bar_warp &&
            (other->mask & wanted)) {
            other->state = SIM_SPLIT_READY;
            other->pc++;
        }
    }
    merge_current(warp);
    return NULL;
}

bool sim_select_control_bar_warp(const struct ir_instruction *ir, struct sim_instr *out) {
    (void)ir;
    out->run[0] = out->run[1] = run_bar_warp;
    return true;
}
