// Warps in native code. See native.h.
#include <string.h>

#include "sim/flow/warp.h"
#include "sim/native/native_internal.h"

// An entry is left to the interpreter once so many visits did less than so much each, or half of it
// in the interpreter: for so many warps, and twice as many where that was so in vain.
enum { VISITS = 256, WORTH = 5, PATIENCE = 1024 };

const struct sim_code *sim_native_code(const struct sim_worker *worker) {
    return worker->native ? &worker->native->native->code : &worker->kernel->codes[0];
}

// Whether the warp's state is such that native code can run it.
static bool is_ready(const struct sim_warp *warp) {
    struct sim_worker *worker = warp->block->worker;
    return worker->native && sim_native_is_together(warp, worker->native) &&
           sim_native_takes_warp(worker, warp);
}

const struct sim_instr *sim_native_body(struct sim_warp *warp, const struct sim_instr *at,
                                        bool is_trusted) {
    struct sim_worker *worker = warp->block->worker;
    struct sim_native_worker *own = worker->native;
    sim_native_renew(own, &worker->memory->generation, warp);
    if (!is_trusted && !sim_native_holds(warp, at))
        return at;
    own->turns.stops = true;
    const struct sim_instr *next =
        own->native->body(warp, at, own->cells, &own->native->links, &own->turns);
    sim_native_leave(warp, next);
    return next;
}

void sim_native_judge(const struct sim_warp *warp, const struct sim_instr *at,
                      const struct sim_instr *next, struct native_since since, uint32_t warps) {
    const struct sim_native_worker *own = warp->block->worker->native;
    struct native_entry *entry = &own->entries[at - own->native->code.instrs];
    uint64_t done = warp->flow->instructions - since.instructions;
    if (next && next > at)
        done += (uint64_t)(next - at);
    // What ends at a barrier may be short: there is no turn of the scheduler behind it.
    entry->done += done * warps;
    entry->least += (uint64_t)warps * (warps > 1 ? 1 : WORTH);
    entry->slow += own->slow - since.slow;
    entry->visits += warps;
    if (entry->visits < VISITS)
        return;
    entry->is_open = (entry->done >= entry->least && entry->slow <= entry->done / 2) ||
                     entry->rounds * warps >= VISITS;
    if (entry->is_open)
        entry->patience /= 2;
    else
        entry->patience = entry->patience ? 2 * entry->patience : PATIENCE;
    entry->done = entry->slow = entry->least = entry->rounds = entry->visits = 0;
}

static const struct sim_instr *run_body(struct sim_warp *warp, const struct sim_instr *at) {
    struct sim_warp_flow *flow = warp->flow;
    const bool is_trusted = flow->native_left == at;
    flow->native_left = NULL;
    const struct native_since since = sim_native_since(warp->block->worker->native, warp);
    const struct sim_instr *next = sim_native_body(warp, at, is_trusted);
    sim_native_judge(warp, at, next, since, 1);
    return next;
}

// What was not worth learning where blocks were at an edge may be now.
static bool is_open(struct sim_native_worker *own, const struct sim_instr *at) {
    struct native_entry *entry = &own->entries[at - own->native->code.instrs];
    if (!entry->is_open && ++entry->passed >= entry->patience) {
        entry->is_open = true;
        entry->passed = 0;
        memset(own->learning, 0, own->native->compiled.segment_count * sizeof *own->learning);
    }
    return entry->is_open;
}

const struct sim_instr *sim_native_enter(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_worker *worker = warp->block->worker;
    const struct sim_native *native = worker->native->native;
    const sim_handler original = native->original[instr - native->code.instrs];
    if (!is_ready(warp) || !is_open(worker->native, instr)) {
        warp->flow->native_left = NULL;
        return original(warp, instr);
    }
    const struct sim_instr *next = run_body(warp, instr);
    return next == instr ? original(warp, instr) : next;
}

// A warp that waits at no token begins a turn at an entry.
static bool may_begin(const struct sim_warp *warp) {
    const struct sim_warp_flow *flow = warp->flow;
    const struct sim_worker *worker = warp->block->worker;
    return flow->splits[0].state == SIM_SPLIT_READY && flow->splits[0].mask == FULL_MASK &&
           !worker->max_instructions && !sim_is_look_due(flow) &&
           sim_native_is_entry(worker, flow->splits[0].pc);
}

enum sim_native_turn sim_native_run(struct sim_warp *warp, const struct sim_instr **goes_on) {
    if (!is_ready(warp) || !may_begin(warp))
        return SIM_NATIVE_NOTHING;
    struct sim_warp_flow *flow = warp->flow;
    const struct sim_worker *worker = warp->block->worker;
    const struct sim_native *native = worker->native->native;
    const struct sim_instr *at = flow->splits[0].pc;
    sim_native_begin_turn(warp, at);
    flow->spin = 0;
    for (;;) {
        warp->stop = SIM_RUNNING;
        *goes_on = run_body(warp, at);
        if (!*goes_on)
            return SIM_NATIVE_STOPS;
        if (*goes_on == at || native->meetings[*goes_on - native->code.instrs] != NATIVE_BARRIER)
            return SIM_NATIVE_GOES_ON;
        flow->native_left = *goes_on + 1;
        *goes_on = (*goes_on)->run[1](warp, *goes_on);
        if (!*goes_on)
            return SIM_NATIVE_STOPS;
        if (!sim_native_is_entry(worker, *goes_on) || sim_is_look_due(flow))
            return SIM_NATIVE_GOES_ON;
        at = *goes_on;
    }
}
