// Splits and tokens: divergence, reconvergence, forward progress. See warp.h.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/emit.h"
#include "sim/flow/block.h"

static struct sim_split *current(struct sim_warp *warp) {
    return &warp->flow->splits[warp->flow->current];
}

void sim_warp_start(struct sim_warp *warp, uint32_t lanes, const struct sim_code *code) {
    struct sim_warp_flow *flow = warp->flow;
    assert(lanes && !flow->frames.length);
    flow->live = flow->started = lanes;
    flow->tokens.length = 0;
    flow->spin_before = 0;
    flow->native_left = NULL;
    flow->slice = flow->look_at = SIM_LOOK_SLICE;
    flow->split_count = 1;
    flow->current = 0;
    memset(flow->arrived, 0, sizeof flow->arrived);
    flow->cluster_arrived = flow->cluster_over = 0;
    if (flow->has_stack)
        memset(flow->stack, 0, sizeof flow->stack);
    flow->has_stack = false;
    flow->root.code = code;
    flow->root.lanes = lanes;
    flow->splits[0] = (struct sim_split){
        .mask = lanes, .pc = code->instrs, .frame = &flow->root, .token = SIM_NO_TOKEN};
    sim_warp_count_again(flow);
    warp->carry = 0;
    warp->stop = SIM_RUNNING;
}

void sim_warp_finish(struct sim_warp *warp) {
    struct sim_warp_flow *flow = warp->flow;
    for (size_t i = 0; i < flow->frames.length; i++)
        free(flow->frames.data[i]);
    vec_free(&flow->frames);
    vec_free(&flow->tokens);
}

void sim_save(struct sim_warp *warp, const struct sim_instr *pc) {
    current(warp)->pc = pc;
}

const struct sim_instr *sim_let_look(struct sim_warp *warp, const struct sim_instr *next) {
    if (!sim_is_look_due(warp->flow))
        return next;
    sim_save(warp, next);
    warp->stop = SIM_STOP_LOOK;
    return NULL;
}

static void add_split(struct sim_warp *warp, struct sim_split split) {
    struct sim_warp_flow *flow = warp->flow;
    // Lanes that come to the same place by different ways go on together.
    for (unsigned i = 0; i < flow->split_count; i++) {
        struct sim_split *other = &flow->splits[i];
        if (i != flow->current && other->state == SIM_SPLIT_READY && other->pc == split.pc &&
            other->frame == split.frame && other->token == split.token) {
            other->mask |= split.mask;
            return;
        }
    }
    assert(split.mask && flow->split_count < LANES);
    flow->splits[flow->split_count++] = split;
}

void sim_remove_split(struct sim_warp *warp, unsigned index) {
    struct sim_warp_flow *flow = warp->flow;
    assert(index < flow->split_count);
    memmove(&flow->splits[index], &flow->splits[index + 1],
            (flow->split_count - index - 1) * sizeof flow->splits[0]);
    flow->split_count--;
    if (flow->current > index)
        flow->current--;
}

static const struct sim_instr *make_current(struct sim_warp *warp, unsigned index) {
    struct sim_warp_flow *flow = warp->flow;
    struct sim_split *split = &flow->splits[index];
    assert(split->mask && !(split->mask & ~flow->live));
    flow->current = index;
    flow->run_start = split->pc->ordinal;
    flow->spin = 0;
    warp->base[SIM_BASE_REGISTERS] = split->frame->registers;
    sim_set_mask(warp, split->mask);
    warp->stop = SIM_RUNNING;
    return split->pc;
}

const struct sim_instr *sim_next_split(struct sim_warp *warp) {
    struct sim_warp_flow *flow = warp->flow;
    for (unsigned i = flow->split_count; i-- > 0;)
        if (flow->splits[i].state == SIM_SPLIT_READY)
            return make_current(warp, i);
    return NULL;
}

// ---- Tokens -------------------------------------------------------------------------------

int sim_push_token(struct sim_warp *warp, const struct sim_instr *at, struct sim_frame *frame,
                   uint32_t expected, int parent) {
    struct sim_warp_flow *flow = warp->flow;
    assert(expected && parent < (int)flow->tokens.length);
    struct sim_token token = {
        .expected = expected, .at = at, .frame = frame, .parent = parent, .is_used = true};
    for (size_t i = 0; i < flow->tokens.length; i++)
        if (!flow->tokens.data[i].is_used) {
            flow->tokens.data[i] = token;
            return (int)i;
        }
    vec_push(&flow->tokens, token);
    return (int)flow->tokens.length - 1;
}

// All lanes that a token still expects have arrived: they become a split.
static void open_token(struct sim_warp *warp, int index) {
    struct sim_token *token = &warp->flow->tokens.data[index];
    assert(token->arrived && !(token->arrived & ~token->expected));
    struct sim_split split = {
        .mask = token->arrived, .pc = token->at, .frame = token->frame, .token = token->parent};
    token->expected &= ~token->arrived;
    token->arrived = 0;
    if (!token->expected)
        token->is_used = false;
    add_split(warp, split);
}

// Nobody waits for these lanes any longer at this token. Returns its parent.
static int forget_at(struct sim_warp *warp, int index, uint32_t lanes) {
    struct sim_token *token = &warp->flow->tokens.data[index];
    int parent = token->parent;
    assert(token->is_used && !(lanes & token->arrived));
    token->expected &= ~lanes;
    if (!token->expected)
        token->is_used = false;
    else if (token->arrived == token->expected)
        open_token(warp, index);
    return parent;
}

static void forget_lanes(struct sim_warp *warp, int index, uint32_t lanes) {
    while (index != SIM_NO_TOKEN)
        index = forget_at(warp, index, lanes);
}

void sim_leave_frame_tokens(struct sim_warp *warp, const struct sim_frame *frame) {
    struct sim_split *split = current(warp);
    uint32_t lanes = split->mask;
    int index = split->token;
    while (index != SIM_NO_TOKEN && warp->flow->tokens.data[index].frame == frame)
        index = forget_at(warp, index, lanes);
    split->token = index;
}

// Lanes that wait for others by name, which wait for them where the paths of both come together.
static void tell_missed(const struct sim_warp *warp) {
    const struct sim_warp_flow *flow = warp->flow;
    for (unsigned s = 0; s < flow->split_count; s++) {
        const struct sim_split *split = &flow->splits[s];
        for (size_t i = 0; split->state == SIM_SPLIT_GATHER && i < flow->tokens.length; i++) {
            const struct sim_token *token = &flow->tokens.data[i];
            if (token->is_used && token->arrived & split->members && token->expected & split->mask)
                sim_emit_trouble(warp, split->pc->number, split->mask,
                                 (struct event_trouble){.kind = EVENT_MISSED,
                                                        .members = split->members,
                                                        .others = token->arrived & split->members,
                                                        .elsewhere = token->at->number});
        }
    }
}

bool sim_open_tokens(struct sim_warp *warp) {
    struct sim_warp_flow *flow = warp->flow;
    bool opened = false;
    if (warp->block->worker->hears_trouble)
        tell_missed(warp);
    flow->current = LANES; // nothing runs: every split may be merged with
    for (size_t i = 0; i < flow->tokens.length; i++) {
        struct sim_token *token = &flow->tokens.data[i];
        if (token->is_used && token->arrived) {
            open_token(warp, (int)i);
            opened = true;
        }
    }
    return opened;
}

static bool is_at_token(const struct sim_warp *warp, const struct sim_split *split,
                        const struct sim_instr *here) {
    if (split->token == SIM_NO_TOKEN)
        return false;
    const struct sim_token *token = &warp->flow->tokens.data[split->token];
    return token->at == here && token->frame == split->frame;
}

static const struct sim_instr *leave_current(struct sim_warp *warp, enum sim_stop stop) {
    struct sim_warp_flow *flow = warp->flow;
    unsigned index = flow->current;
    sim_remove_split(warp, index);
    flow->current = LANES;
    const struct sim_instr *next = sim_next_split(warp);
    if (next)
        return sim_let_look(warp, next);
    warp->stop = flow->split_count || flow->live ? stop : SIM_STOP_EXIT;
    return NULL;
}

const struct sim_instr *sim_reconverge(struct sim_warp *warp, const struct sim_instr *here,
                                       const struct sim_instr *go_on) {
    struct sim_split *split = current(warp);
    if (!is_at_token(warp, split, here))
        return go_on;
    sim_account(warp, here->ordinal);
    warp->flow->run_start = here->ordinal;
    while (is_at_token(warp, split, here)) {
        struct sim_token *token = &warp->flow->tokens.data[split->token];
        assert(!(split->mask & ~token->expected) && !(split->mask & token->arrived));
        token->arrived |= split->mask;
        if (token->arrived != token->expected)
            return leave_current(warp, SIM_STOP_PARKED);
        split->mask = token->arrived;
        split->token = token->parent;
        token->is_used = false;
    }
    sim_set_mask(warp, split->mask);
    return go_on;
}

// ---- Divergence ---------------------------------------------------------------------------

const struct sim_instr *sim_diverge(struct sim_warp *warp, const struct sim_instr *taken,
                                    uint32_t taken_mask, const struct sim_instr *rest,
                                    const struct sim_instr *reconverge) {
    struct sim_warp_flow *flow = warp->flow;
    struct sim_split *split = current(warp);
    uint32_t rest_mask = warp->mask & ~taken_mask;
    assert(taken_mask && rest_mask && !(taken_mask & ~warp->mask) && split->mask == warp->mask);
    if (reconverge && !is_at_token(warp, split, reconverge))
        split->token = sim_push_token(warp, reconverge, split->frame, split->mask, split->token);

    // Lanes that are at the reconvergence point already only arrive.
    uint32_t arrives = 0;
    if (reconverge && taken == reconverge)
        arrives = taken_mask;
    else if (reconverge && rest == reconverge)
        arrives = rest_mask;
    if (arrives) {
        flow->tokens.data[split->token].arrived |= arrives;
        split->mask &= ~arrives;
        split->pc = arrives == taken_mask ? rest : taken;
    } else {
        struct sim_split other = *split;
        other.mask = taken_mask;
        other.pc = taken;
        split->mask = rest_mask;
        split->pc = rest;
        // The new split waits below the current one, so that this one runs on.
        unsigned at = flow->current;
        assert(flow->split_count < LANES);
        memmove(&flow->splits[at + 1], &flow->splits[at],
                (flow->split_count - at) * sizeof flow->splits[0]);
        flow->split_count++;
        flow->splits[at] = other;
        flow->current = at + 1;
    }
    uint64_t spin = flow->spin;
    const struct sim_instr *next = make_current(warp, flow->current);
    flow->spin = spin;
    return next;
}

// Lanes that waited for the ones that ended look again.
static void wake_gathers(struct sim_warp *warp) {
    struct sim_warp_flow *flow = warp->flow;
    for (unsigned i = 0; i < flow->split_count; i++) {
        struct sim_split *split = &flow->splits[i];
        uint32_t here = 0;
        for (unsigned s = 0; s < flow->split_count; s++)
            if (flow->splits[s].state == SIM_SPLIT_GATHER && flow->splits[s].pc == split->pc)
                here |= flow->splits[s].mask;
        if (split->state == SIM_SPLIT_GATHER && !(split->members & flow->live & ~here)) {
            split->state = SIM_SPLIT_READY;
            return;
        }
    }
}

const struct sim_instr *sim_end_lanes(struct sim_warp *warp, const struct sim_instr *here) {
    struct sim_warp_flow *flow = warp->flow;
    struct sim_split *split = current(warp);
    uint32_t lanes = split->mask;
    assert(lanes && !(lanes & ~flow->live));
    if (warp->is_heard) {
        sim_barrier_tell(sim_block_of(warp));
        sim_emit_lanes(warp, here, lanes, (struct event_sync){.kind = EVENT_LANES_EXIT});
    }
    flow->live &= ~lanes;
    for (struct sim_frame *frame = split->frame; frame;) {
        struct sim_frame *caller = frame->caller;
        sim_frame_leave(flow, frame, lanes);
        frame = caller;
    }
    forget_lanes(warp, split->token, lanes);
    wake_gathers(warp);
    sim_barrier_lanes_ended(sim_block_of(warp), warp, lanes);
    return leave_current(warp, SIM_STOP_PARKED);
}
