// Paths that join before their post-dominator (ir/joins.c): lanes that come there wait for those
// that may still come, as those of a GPU do, and go on together.
#include <assert.h>
#include <string.h>

#include "sim/flow/block.h"

static const struct ir_block *block_of(const struct sim_code *code, const struct sim_instr *at) {
    uint32_t index = (uint32_t)(at - code->instrs), low = 0, high = code->ir->block_count - 1;
    assert(at >= code->instrs && index < code->instr_count);
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (code->block_start[middle] <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return &code->ir->blocks[low];
}

static bool is_within(const struct sim_warp_flow *flow, int token, int outer) {
    while (token != outer && token != SIM_NO_TOKEN)
        token = flow->tokens.data[token].parent;
    return token == outer;
}

// Where a split is in the function that `frame` runs: at the call that it is in. NULL: elsewhere.
static const struct sim_instr *place_in(const struct sim_split *split,
                                        const struct sim_frame *frame) {
    const struct sim_instr *at = split->pc;
    const struct sim_frame *in = split->frame;
    for (; in && in != frame; in = in->caller)
        at = in->call;
    return in ? at : NULL;
}

// It has the way to `here` before it, in the round of the loop that the current split is in.
static bool may_come(const struct sim_warp_flow *flow, const struct sim_split *other,
                     const struct sim_split *split, const struct ir_block *join,
                     const struct sim_instr *here) {
    if (other->state != SIM_SPLIT_READY || !is_within(flow, other->token, split->token))
        return false;
    const struct sim_instr *at = place_in(other, split->frame);
    if (!at)
        return false;
    const struct ir_block *block = block_of(split->frame->code, at);
    if (block == join)
        return at < here;
    return block->order < join->order || block->order <= join->loop_end;
}

static void take_waiting(struct sim_warp *warp, const struct sim_instr *here) {
    struct sim_warp_flow *flow = warp->flow;
    for (unsigned i = flow->split_count; i-- > 0;) {
        const struct sim_split *split = &flow->splits[flow->current], *other = &flow->splits[i];
        if (other == split || other->state != SIM_SPLIT_READY || other->pc != here ||
            other->frame != split->frame || other->token != split->token)
            continue;
        flow->splits[flow->current].mask |= other->mask;
        sim_remove_split(warp, i);
    }
}

// The current split becomes the one to run last.
static const struct sim_instr *let_others_go(struct sim_warp *warp, const struct sim_instr *here) {
    struct sim_warp_flow *flow = warp->flow;
    sim_account(warp, here->ordinal);
    struct sim_split split = flow->splits[flow->current];
    split.pc = split.joins_at = here;
    memmove(&flow->splits[1], &flow->splits[0], flow->current * sizeof flow->splits[0]);
    flow->splits[0] = split;
    uint64_t spin = flow->spin; // loops of several splits can spin together
    const struct sim_instr *next = sim_next_split(warp);
    flow->spin = spin;
    return next;
}

const struct sim_instr *sim_join(struct sim_warp *warp, const struct sim_instr *here) {
    struct sim_warp_flow *flow = warp->flow;
    take_waiting(warp, here);
    struct sim_split *split = &flow->splits[flow->current];
    if (split->mask != warp->mask) {
        sim_account(warp, here->ordinal);
        flow->run_start = here->ordinal;
        sim_set_mask(warp, split->mask);
    }
    const struct ir_block *join = block_of(split->frame->code, here);
    for (unsigned i = 0; split->joins_at != here && i < flow->split_count; i++)
        if (i != flow->current && may_come(flow, &flow->splits[i], split, join, here))
            return let_others_go(warp, here);
    split->joins_at = NULL;
    return here + 1;
}
