// Warpgroups: see warpgroup.h.
#include "sim/flow/warpgroup.h"

#include "sim/flow/block.h"

static bool waits_at(const struct sim_split *split, const struct sim_instr *instr) {
    return split->state == SIM_SPLIT_WARPGROUP && split->pc == instr;
}

// The warps of the group, NULL where the block has not so many.
static struct sim_warp *first_warp(const struct sim_warp *warp) {
    struct sim_block_flow *block = sim_block_of(warp);
    const uint32_t first = warp->index / SIM_GROUP_WARPS * SIM_GROUP_WARPS;
    return first + SIM_GROUP_WARPS <= block->warp_count ? &block->warps[first] : NULL;
}

// All lanes of the warp wait at the instruction, in one frame: the copy executes it.
static bool is_there(const struct sim_warp *warp, const struct sim_instr *instr,
                     struct sim_warp *copy) {
    const struct sim_warp_flow *flow = warp->flow;
    const struct sim_frame *frame = NULL;
    uint32_t lanes = 0;
    for (unsigned i = 0; i < flow->split_count; i++) {
        const struct sim_split *split = &flow->splits[i];
        if (!waits_at(split, instr))
            continue;
        if (frame && frame != split->frame)
            return false;
        frame = split->frame;
        lanes |= split->mask;
    }
    if (lanes != FULL_MASK)
        return false;
    *copy = *warp;
    copy->base[SIM_BASE_REGISTERS] = frame->registers;
    sim_set_mask(copy, FULL_MASK);
    return true;
}

static bool check_lanes(struct sim_warp *warp, const struct sim_instr *instr,
                        const struct sim_warp *first) {
    const unsigned lane = (unsigned)__builtin_ctz(warp->mask);
    if (!first)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, lane, 0,
                         "the instruction needs the four warps of a warpgroup, but warp %u is not "
                         "in a whole one",
                         warp->index);
    for (unsigned w = 0; w < SIM_GROUP_WARPS; w++)
        if (first[w].flow->live != FULL_MASK)
            return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, lane, 0,
                             "the instruction needs all lanes of its warpgroup, but lanes 0x%08x "
                             "of warp %u have ended",
                             ~first[w].flow->live, first[w].index);
    return true;
}

bool sim_warpgroup_arrive(struct sim_warp *warp, const struct sim_instr *instr,
                          struct sim_warp group[SIM_GROUP_WARPS], const struct sim_instr **next) {
    struct sim_warp_flow *flow = warp->flow;
    const struct sim_warp *first = first_warp(warp);
    *next = NULL;
    if (!check_lanes(warp, instr, first))
        return false;
    struct sim_split *split = &flow->splits[flow->current];
    split->state = SIM_SPLIT_WARPGROUP;
    split->pc = instr;
    bool are_there = true;
    for (unsigned w = 0; w < SIM_GROUP_WARPS; w++)
        are_there = are_there && is_there(&first[w], instr, &group[w]);
    if (are_there)
        return true;
    sim_account(warp, instr->ordinal + 1);
    flow->run_start = instr->ordinal + 1;
    *next = sim_next_split(warp);
    if (!*next)
        warp->stop = SIM_STOP_BARRIER;
    return false;
}

void sim_warpgroup_release(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_warp *first = first_warp(warp);
    for (unsigned w = 0; w < SIM_GROUP_WARPS; w++) {
        struct sim_warp_flow *flow = first[w].flow;
        for (unsigned i = 0; i < flow->split_count; i++) {
            struct sim_split *split = &flow->splits[i];
            if (!waits_at(split, instr))
                continue;
            split->state = SIM_SPLIT_READY;
            split->pc++;
        }
    }
}
