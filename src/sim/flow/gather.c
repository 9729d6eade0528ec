// Lanes of a warp that wait for each other: shfl.sync, vote.sync, bar.warp.sync and the like.
#include "sim/emit.h"
#include "sim/flow/block.h"
#include "sim/flow/control.h"

static const struct sim_instr *run_bar_warp(struct sim_warp *warp, const struct sim_instr *instr);

// bar.warp.sync: lanes may wait at different places.
static bool waits_with(const struct sim_split *split, const struct sim_instr *instr,
                       const struct sim_frame *frame) {
    if (split->state != SIM_SPLIT_GATHER)
        return false;
    if (instr->run[0] == run_bar_warp)
        return split->pc->run[0] == run_bar_warp;
    return split->pc == instr && split->frame == frame;
}

// Of the lanes that wait at the current split's instruction those whose members all wait there
// too. Several groups of lanes with members of their own may wait at one instruction.
static uint32_t complete_lanes(const struct sim_warp_flow *flow, const struct sim_instr *instr) {
    const struct sim_frame *frame = flow->splits[flow->current].frame;
    uint32_t lanes = 0;
    for (unsigned i = 0; i < flow->split_count; i++)
        if (waits_with(&flow->splits[i], instr, frame))
            lanes |= flow->splits[i].mask;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < flow->split_count; i++) {
            const struct sim_split *split = &flow->splits[i];
            if (!waits_with(split, instr, frame) || !(split->mask & lanes) ||
                !(split->members & flow->live & ~lanes))
                continue;
            lanes &= ~split->mask;
            changed = true;
        }
    }
    return lanes;
}

// The lanes go on behind where they wait.
static void release(struct sim_warp_flow *flow, const struct sim_instr *instr, uint32_t lanes) {
    const struct sim_frame *frame = flow->splits[flow->current].frame;
    for (unsigned i = 0; i < flow->split_count; i++) {
        struct sim_split *split = &flow->splits[i];
        if (!waits_with(split, instr, frame) || !(split->mask & lanes))
            continue;
        split->state = SIM_SPLIT_READY;
        split->pc++;
    }
}

// Executes the instruction once for all splits that wait at it, then lets each go on.
static void run_together(struct sim_warp *warp, const struct sim_instr *instr, uint32_t lanes) {
    uint32_t own = warp->mask;
    sim_set_mask(warp, lanes);
    instr->run[warp->is_full](warp, instr);
    sim_set_mask(warp, own);
    release(warp->flow, instr, lanes);
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
    sim_account(warp, instr->ordinal + 1);
    flow->run_start = instr->ordinal + 1;
    uint32_t lanes = complete_lanes(flow, instr);
    if (lanes & split->mask) {
        run_together(warp, instr, lanes);
        merge_current(warp);
    }
    // The scheduler picks what is ready now: this split, or another one.
    warp->stop = SIM_STOP_SYNC;
    return false;
}

// Lanes that name what this one names.
static uint32_t same_as(const uint32_t *members, unsigned lane) {
    uint32_t same = 0;
    EACH_LANE(l, FULL_MASK) {
        same |= (uint32_t)(members[l] == members[lane]) << l;
    }
    return same;
}

bool sim_raise_stranger(struct sim_warp *warp, const struct sim_instr *instr,
                        const uint32_t *members, uint32_t strangers) {
    unsigned lane = (unsigned)__builtin_ctz(strangers);
    sim_emit_trouble(warp, instr->number, strangers & same_as(members, lane),
                     (struct event_trouble){.kind = EVENT_STRANGER, .members = members[lane]});
    sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, lane, 0,
              "lane %u names the member mask 0x%08x, in which it is not itself", lane,
              members[lane]);
    return false;
}

// The lanes may wait at several places, whose operands say what they name.
static void tell_barrier(const struct sim_warp *warp, const struct sim_instr *instr,
                         uint32_t lanes) {
    const struct sim_warp_flow *flow = warp->flow;
    uint32_t named[LANES];
    for (unsigned i = 0; warp->is_heard && i < flow->split_count; i++) {
        const struct sim_split *split = &flow->splits[i];
        if (split->state != SIM_SPLIT_GATHER || !(split->mask & lanes))
            continue;
        struct sim_warp there = *warp;
        there.base[SIM_BASE_REGISTERS] = split->frame->registers;
        const uint32_t *masks = sim_at(&there, split->pc->operand[0]);
        EACH_LANE(l, split->mask) {
            named[l] = masks[l];
        }
    }
    if (warp->is_heard)
        sim_emit_members(warp, instr, EVENT_WARP_BARRIER, lanes, named);
}

// Each lane brings its own members: waits for all that any lane names.
static const struct sim_instr *run_bar_warp(struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_warp_flow *flow = warp->flow;
    const uint32_t *named = sim_at(warp, instr->operand[0]);
    uint32_t members = 0, strangers = 0;
    for (int l = 0; l < LANES; l++) {
        members |= warp->lanes[l] ? named[l] : 0;
        strangers |= warp->lanes[l] ? ~named[l] & 1u << l : 0;
    }
    if (strangers) {
        sim_raise_stranger(warp, instr, named, strangers);
        return NULL;
    }
    if (!(members & flow->live & ~warp->mask)) {
        sim_emit_members(warp, instr, EVENT_WARP_BARRIER, warp->mask, named);
        return instr + 1;
    }
    struct sim_split *split = &flow->splits[flow->current];
    split->state = SIM_SPLIT_GATHER;
    split->members = members;
    split->pc = instr;
    sim_account(warp, instr->ordinal + 1);
    flow->run_start = instr->ordinal + 1;
    warp->stop = SIM_STOP_SYNC;
    uint32_t lanes = complete_lanes(flow, instr);
    if (lanes & split->mask) {
        tell_barrier(warp, instr, lanes);
        release(flow, instr, lanes);
        merge_current(warp);
    }
    return NULL;
}

FLOW_SELECT(bar_warp) {
    out->run[0] = out->run[1] = run_bar_warp;
    return true;
}
