// The warps of a block in native code, from barrier to barrier: what the scheduler would do by
// turns, in the same order, without them. See native.h.
#include "sim/flow/block.h"
#include "sim/native/native_internal.h"

// All warps go the same way: some still have to, and the others wait at the barrier behind it.
// While it is silent, what a warp's state says is out of date, as everybody's is the same.
struct phase {
    struct sim_block_flow *flow;
    const struct sim_instr *at;      // where the pending warps go on
    const struct sim_instr *barrier; // where the others wait; NULL: nowhere yet
    uint32_t pending, all;           // a bit for each warp
    bool is_trusted;                 // native code has left the registers of pending warps
    bool is_silent;
    uint32_t now;     // the warp whose turn it is
    bool has_started; // it came to the barrier in the same turn
};

static bool is_together(const struct sim_warp *warp) {
    const struct sim_warp_flow *flow = warp->flow;
    return flow->split_count == 1 && flow->splits[0].token == SIM_NO_TOKEN &&
           flow->splits[0].frame == &flow->root && flow->splits[0].mask == FULL_MASK &&
           flow->root.code == &warp->block->worker->native->native->code;
}

// False: the warps are not at one place, or wait for something else.
static bool find_phase(struct phase *phase) {
    const struct sim_native *native = phase->flow->block.worker->native->native;
    phase->is_trusted = true;
    for (uint32_t w = 0; w < phase->flow->warp_count; w++) {
        const struct sim_warp *warp = &phase->flow->warps[w];
        const struct sim_split *split = &warp->flow->splits[0];
        if (!is_together(warp) ||
            (split->state != SIM_SPLIT_READY && split->state != SIM_SPLIT_BARRIER))
            return false;
        const bool is_pending = split->state == SIM_SPLIT_READY;
        const struct sim_instr **place = is_pending ? &phase->at : &phase->barrier;
        if (*place && *place != split->pc)
            return false;
        *place = split->pc;
        phase->pending |= (uint32_t)is_pending << w;
        phase->all |= 1u << w;
        phase->is_trusted &= !is_pending || warp->flow->native_left == split->pc;
    }
    return phase->pending >> phase->now & 1 &&
           (!phase->barrier || native->is_barrier[phase->barrier - native->code.instrs]);
}

// Arrivals that make no event (is_spared() in flow/barrier.c), of warps that all come.
static bool may_be_silent(const struct sim_block_flow *flow) {
    return !flow->block.worker->hears_phases && flow->live_threads == flow->warp_count * LANES;
}

static bool may_begin(const struct phase *phase) {
    const struct sim_warp *warp = &phase->flow->warps[phase->now];
    const struct sim_worker *worker = warp->block->worker;
    return warp->number >= worker->native->told_number && !sim_is_look_due(warp->flow) &&
           sim_native_is_entry(worker, phase->at);
}

static const struct sim_instr *run(struct phase *phase) {
    struct sim_warp *warp = &phase->flow->warps[phase->now];
    struct sim_warp_flow *flow = warp->flow;
    flow->current = 0;
    flow->run_start = phase->at->ordinal;
    if (!phase->has_started)
        flow->spin = 0;
    flow->native_left = NULL;
    warp->base[SIM_BASE_REGISTERS] = flow->root.registers;
    if (!warp->is_full)
        sim_set_mask(warp, FULL_MASK);
    warp->stop = SIM_RUNNING;
    return sim_native_body(warp, phase->at, phase->is_trusted);
}

// Warps are where they are said to be, and those that came to the barrier arrive.
static void speak(struct phase *phase) {
    for (uint32_t w = 0; phase->is_silent && w < phase->flow->warp_count; w++) {
        struct sim_warp *warp = &phase->flow->warps[w];
        const bool is_pending = phase->pending >> w & 1;
        if (is_pending) {
            warp->flow->splits[0].pc = phase->at;
            warp->flow->native_left = phase->is_trusted ? phase->at : NULL;
        } else if (w != phase->now) {
            warp->flow->native_left = phase->barrier + 1;
            phase->barrier->run[1](warp, phase->barrier);
        }
    }
    phase->is_silent = false;
}

// The warp whose turn it is comes to the barrier. True: as the last one.
static bool arrive(struct phase *phase) {
    struct sim_warp *warp = &phase->flow->warps[phase->now];
    if (!phase->is_silent) {
        warp->flow->native_left = phase->barrier + 1;
        if (!phase->barrier->run[1](warp, phase->barrier))
            return false;
    }
    sim_account(warp, phase->barrier->ordinal + 1);
    warp->flow->run_start = phase->barrier->ordinal + 1;
    return !phase->pending;
}

// All go on, first the one that came last.
static void begin_next(struct phase *phase) {
    if (phase->is_silent)
        phase->flow->block.worker->barriers += phase->flow->warp_count;
    phase->at = phase->barrier + 1;
    phase->barrier = NULL;
    phase->pending = phase->all;
    phase->is_trusted = true;
    phase->is_silent = may_be_silent(phase->flow);
}

static void next_warp(struct phase *phase) {
    do
        phase->now = phase->now + 1 < phase->flow->warp_count ? phase->now + 1 : 0;
    while (!(phase->pending >> phase->now & 1));
}

// Where the warp, which native code was left by at `next`, waits with the others. False: elsewhere.
static bool is_regular(struct phase *phase, const struct sim_instr *next) {
    const struct sim_native *native = phase->flow->block.worker->native->native;
    if (!next || next == phase->at || !native->is_barrier[next - native->code.instrs])
        return false;
    if (!phase->barrier)
        phase->barrier = next;
    return phase->barrier == next;
}

enum sim_native_turn sim_native_turns(struct sim_block_flow *flow, uint32_t *warp,
                                      const struct sim_instr **goes_on, bool *moved) {
    const struct sim_worker *worker = flow->block.worker;
    struct phase phase = {.flow = flow, .now = *warp};
    *goes_on = NULL;
    if (worker->max_instructions || !find_phase(&phase) || !may_begin(&phase))
        return SIM_NATIVE_NOTHING;
    phase.is_silent = !phase.barrier && may_be_silent(flow);
    for (;;) {
        if (!may_begin(&phase)) {
            speak(&phase);
            break;
        }
        const uint64_t before = flow->flows[phase.now].instructions;
        const struct sim_instr *next = run(&phase);
        phase.pending &= ~(1u << phase.now);
        if (!is_regular(&phase, next)) {
            sim_native_judge(&flow->warps[phase.now], phase.at, next, before);
            speak(&phase);
            *goes_on = next;
            *warp = phase.now;
            return next ? SIM_NATIVE_GOES_ON : SIM_NATIVE_STOPS;
        }
        phase.has_started = arrive(&phase);
        if (phase.has_started) {
            begin_next(&phase);
        } else {
            *moved = true;
            next_warp(&phase);
        }
    }
    *warp = phase.now;
    return SIM_NATIVE_GOES_ON;
}
