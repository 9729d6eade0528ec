// Block barriers: bar.sync, bar.arrive, bar.red. Threads are counted; a warp all of whose threads
// have arrived counts as 32 where a barrier is given a number of threads, as the ISA asks.
#include <assert.h>
#include <string.h>

#include "sim/emit.h"
#include "sim/flow/block.h"
#include "sim/flow/cluster.h"
#include "sim/flow/control.h"

static uint32_t live_arrivals(const struct sim_block_flow *flow, unsigned id) {
    uint32_t threads = 0;
    for (uint32_t w = 0; w < flow->warp_count; w++)
        threads += sim_lane_count(flow->flows[w].arrived[id] & flow->flows[w].live);
    return threads;
}

static uint32_t counted_arrivals(const struct sim_block_flow *flow, unsigned id) {
    uint32_t threads = 0;
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        const struct sim_warp_flow *warp = &flow->flows[w];
        uint32_t arrived = warp->arrived[id];
        bool whole = arrived && !(warp->live & ~arrived);
        threads += whole ? LANES : sim_lane_count(arrived);
    }
    return threads;
}

static bool is_complete(const struct sim_block_flow *flow, unsigned id) {
    const struct sim_barrier *barrier = &flow->barriers[id];
    if (barrier->expected)
        return counted_arrivals(flow, id) >= barrier->expected;
    // Only what came in all is kept up to date; some of these lanes may have ended since.
    return barrier->arrived >= flow->live_threads && live_arrivals(flow, id) == flow->live_threads;
}

static bool is_popc(const struct sim_instr *instr) {
    return instr->immediate == PTX_MOD_popc;
}

// What a waiting split does when it is released: bar.red delivers its result.
static void deliver(struct sim_warp *warp, struct sim_split *split, uint32_t result) {
    const struct sim_instr *instr = split->pc;
    assert(split->state == SIM_SPLIT_BARRIER);
    if (instr->value) { // a reduction
        uint8_t *slot = split->frame->registers + (instr->operand[0] & ~(sim_ref)3);
        if (is_popc(instr)) {
            uint32_t *lanes = (uint32_t *)slot;
            for (int l = 0; l < LANES; l++)
                if (split->mask >> l & 1)
                    lanes[l] = result;
        } else {
            uint32_t *bits = (uint32_t *)slot;
            *bits = (*bits & ~split->mask) | (result ? split->mask : 0);
        }
    }
    split->pc++;
    split->state = SIM_SPLIT_READY;
    (void)warp;
}

static void release(struct sim_block_flow *flow, unsigned id) {
    struct sim_barrier *barrier = &flow->barriers[id];
    if (barrier->untold)
        flow->untold_barriers &= ~(1u << id);
    else if (sim_hears_sync(&flow->block))
        sim_emit_block(&flow->block, (struct event_sync){.kind = EVENT_BARRIER_COMPLETE,
                                                         .id = id,
                                                         .expected = barrier->expected});
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        struct sim_warp_flow *warp = &flow->flows[w];
        warp->arrived[id] = 0;
        for (unsigned s = 0; s < warp->split_count; s++) {
            struct sim_split *split = &warp->splits[s];
            if (split->state == SIM_SPLIT_BARRIER && split->barrier == id)
                deliver(&flow->warps[w], split, barrier->result);
        }
    }
    memset(barrier, 0, sizeof *barrier);
    flow->waited_barriers &= ~(1u << id);
}

static const struct sim_instr *check_operands(struct sim_warp *warp, const struct sim_instr *instr,
                                              uint32_t id, uint32_t count) {
    unsigned lane = (unsigned)__builtin_ctz(warp->mask);
    if (id >= SIM_BARRIERS)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, lane, 0,
                         "barrier %u does not exist: a block has barriers 0 to 15", id);
    if (count % LANES)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, lane, 0,
                         "barrier %u waits for %u threads, which is no multiple of 32", id, count);
    return instr;
}

static uint32_t first_value(const struct sim_warp *warp, sim_ref ref) {
    const uint32_t *lanes = sim_at(warp, ref);
    return lanes[__builtin_ctz(warp->mask)];
}

// Whether observers have to hear of the arrival only if others of the phase are not like it.
static bool is_spared(const struct sim_warp *warp, const struct sim_instr *instr,
                      const struct sim_barrier *barrier, uint32_t count, bool waits) {
    const struct sim_block_flow *flow = sim_block_of(warp);
    return !warp->block->worker->hears_phases && waits && !count && warp->mask == UINT32_MAX &&
           !barrier->is_told && flow->live_threads == flow->warp_count * LANES &&
           (!barrier->untold || barrier->untold == instr);
}

static void tell_untold(struct sim_block_flow *flow, unsigned id) {
    struct sim_barrier *barrier = &flow->barriers[id];
    const struct event_sync event = {.kind = EVENT_BARRIER_SYNC, .id = id};
    for (uint32_t w = 0; barrier->untold && w < flow->warp_count; w++)
        sim_emit_lanes(&flow->warps[w], barrier->untold, flow->flows[w].arrived[id], event);
    barrier->untold = NULL;
    barrier->is_told = true;
    flow->untold_barriers &= ~(1u << id);
}

void sim_barrier_tell(struct sim_block_flow *flow) {
    while (flow->untold_barriers)
        tell_untold(flow, (unsigned)__builtin_ctz(flow->untold_barriers));
}

// Most arrivals are spared, so that no event is made of them.
static void tell_arrival(const struct sim_warp *warp, const struct sim_instr *instr, uint32_t id,
                         uint32_t count, bool waits) {
    struct sim_block_flow *flow = sim_block_of(warp);
    struct sim_barrier *barrier = &flow->barriers[id];
    if (is_spared(warp, instr, barrier, count, waits)) {
        barrier->untold = instr;
        flow->untold_barriers |= 1u << id;
        return;
    }
    tell_untold(flow, id);
    const enum event_kind kind = waits ? EVENT_BARRIER_SYNC : EVENT_BARRIER_ARRIVE;
    sim_emit_lanes(warp, instr, warp->mask,
                   (struct event_sync){.kind = kind, .id = id, .expected = count});
}

// Notes the arrival of warp->mask. True: the barrier is complete and was released.
static bool arrive(struct sim_warp *warp, const struct sim_instr *instr, uint32_t id,
                   uint32_t count, bool waits) {
    if (warp->is_heard)
        tell_arrival(warp, instr, id, count, waits);
    struct sim_block_flow *flow = sim_block_of(warp);
    struct sim_barrier *barrier = &flow->barriers[id];
    assert(id < SIM_BARRIERS && count % LANES == 0);
    barrier->arrived += sim_lane_count(warp->mask & ~warp->flow->arrived[id]);
    warp->flow->arrived[id] |= warp->mask;
    if (count)
        barrier->expected = count;
    if (waits)
        flow->waited_barriers |= 1u << id;
    if (!is_complete(flow, id))
        return false;
    release(flow, id);
    return true;
}

static const struct sim_instr *wait_at(struct sim_warp *warp, const struct sim_instr *instr,
                                       uint32_t id, uint32_t count) {
    struct sim_warp_flow *flow = warp->flow;
    struct sim_split *split = &flow->splits[flow->current];
    split->state = SIM_SPLIT_BARRIER;
    split->barrier = id;
    split->pc = instr;
    warp->block->worker->barriers++;
    // What comes before a barrier is counted at it, whatever comes behind.
    sim_account(warp, instr->ordinal + 1);
    flow->run_start = instr->ordinal + 1;
    if (arrive(warp, instr, id, count, true))
        return instr + 1;
    const struct sim_instr *next = sim_next_split(warp);
    if (!next)
        warp->stop = SIM_STOP_BARRIER;
    return next;
}

static const struct sim_instr *run_bar_sync(struct sim_warp *warp, const struct sim_instr *instr) {
    uint32_t id = first_value(warp, instr->operand[0]);
    uint32_t count = instr->immediate ? first_value(warp, instr->operand[1]) : 0;
    if (!check_operands(warp, instr, id, count))
        return NULL;
    return wait_at(warp, instr, id, count);
}

FLOW_SELECT(bar_sync) {
    out->run[0] = out->run[1] = run_bar_sync;
    out->immediate = ir->operand_count > 1;
    return true;
}

static const struct sim_instr *run_bar_arrive(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    uint32_t id = first_value(warp, instr->operand[0]);
    uint32_t count = first_value(warp, instr->operand[1]);
    if (!check_operands(warp, instr, id, count))
        return NULL;
    arrive(warp, instr, id, count, false);
    return instr + 1;
}

FLOW_SELECT(bar_arrive) {
    out->run[0] = out->run[1] = run_bar_arrive;
    return true;
}

// bar.red d, barrier [, threads], p
static const struct sim_instr *run_bar_red(struct sim_warp *warp, const struct sim_instr *instr) {
    unsigned source = instr->value == 2 ? 3 : 2;
    uint32_t id = first_value(warp, instr->operand[1]);
    uint32_t count = source == 3 ? first_value(warp, instr->operand[2]) : 0;
    if (!check_operands(warp, instr, id, count))
        return NULL;
    struct sim_block_flow *flow = sim_block_of(warp);
    struct sim_barrier *barrier = &flow->barriers[id];
    uint32_t bits = sim_predicate(warp, instr, (int)source) & warp->mask;
    bool first = true;
    for (uint32_t w = 0; w < flow->warp_count; w++)
        first &= !flow->flows[w].arrived[id];
    if (is_popc(instr))
        barrier->result += sim_lane_count(bits);
    else if (instr->immediate == PTX_MOD_or)
        barrier->result |= bits != 0;
    else
        barrier->result = (first || barrier->result) && bits == warp->mask;
    return wait_at(warp, instr, id, count);
}

// value: 1 without, 2 with a number of threads; never 0, which marks bar.sync.
FLOW_SELECT(bar_red) {
    out->run[0] = out->run[1] = run_bar_red;
    out->immediate = ptx_modifier_of(ir->ptx, PTX_GROUP_op);
    out->value = ir->operand_count > 3 ? 2 : 1;
    return true;
}

void sim_barrier_lanes_ended(struct sim_block_flow *flow, struct sim_warp *warp, uint32_t lanes) {
    flow->live_threads -= sim_lane_count(lanes);
    sim_cluster_lanes_ended(warp, lanes);
    if (!flow->live_threads) {
        sim_emit_block(&flow->block, (struct event_sync){.kind = EVENT_BLOCK_END});
        if (sim_cluster_size(flow->block.cluster) > 1 && !flow->block.cluster->live_threads)
            sim_emit_block(&flow->block.cluster->blocks[0]->block,
                           (struct event_sync){.kind = EVENT_CLUSTER_END});
        return;
    }
    EACH_LANE(id, flow->waited_barriers) {
        if (is_complete(flow, id))
            release(flow, id);
    }
}

// ---- Deadlock -----------------------------------------------------------------------------

static void explain_place(const struct sim_split *split, struct strbuf *out) {
    const struct ir_function *function = split->frame->code->ir;
    const struct ir_instruction *ir = &function->instructions[split->pc->ir];
    if (split->state == SIM_SPLIT_READY) { // its place is where the next round begins
        strbuf_puts(out, " in a loop");
    } else {
        strbuf_puts(out, " at ");
        ptx_print_mnemonic(ir->ptx, out);
    }
    if (split->state == SIM_SPLIT_BARRIER)
        strbuf_printf(out, " (barrier %u)", split->barrier);
    const struct ptx_location *location = &function->locations[ir->location];
    while (location->inlined_at) // where the programmer looks first
        location = &function->locations[location->inlined_at];
    if (ir->location && location->line)
        strbuf_printf(out, ", line %u", location->line);
}

static void explain_place_once(struct sim_block_flow *flow, const struct sim_split *here,
                               uint32_t warp, unsigned index, struct strbuf *out) {
    uint32_t threads = 0;
    for (uint32_t w = 0; w < flow->warp_count; w++)
        for (unsigned s = 0; s < flow->flows[w].split_count; s++) {
            const struct sim_split *split = &flow->flows[w].splits[s];
            if (split->pc != here->pc)
                continue;
            if (w < warp || (w == warp && s < index))
                return; // told already
            threads += sim_lane_count(split->mask);
        }
    strbuf_printf(out, "\n  %u thread%s %s%s", threads, threads == 1 ? "" : "s",
                  here->state == SIM_SPLIT_READY ? "spin" : "wait", threads == 1 ? "s" : "");
    explain_place(here, out);
    const struct sim_barrier *barrier = &flow->barriers[here->barrier];
    if (here->state == SIM_SPLIT_BARRIER)
        strbuf_printf(out, " for %u threads, of which %u came",
                      barrier->expected ? barrier->expected : flow->live_threads,
                      barrier->expected ? counted_arrivals(flow, here->barrier)
                                        : live_arrivals(flow, here->barrier));
    else if (here->state == SIM_SPLIT_CLUSTER)
        strbuf_printf(out, " for %u threads of the cluster, of which %u came",
                      flow->block.cluster->live_threads, flow->block.cluster->arrived);
    else if (here->state == SIM_SPLIT_WARPGROUP)
        strbuf_puts(out, " for the other warps of its warpgroup");
    else if (here->state == SIM_SPLIT_GATHER)
        strbuf_printf(out, " for lanes 0x%08x of its warp", here->members);
}

void sim_explain_deadlock(struct sim_block_flow *flow, const char *why, struct strbuf *out) {
    strbuf_puts(out, why);
    for (uint32_t w = 0; w < flow->warp_count; w++)
        for (unsigned s = 0; s < flow->flows[w].split_count; s++)
            explain_place_once(flow, &flow->flows[w].splits[s], w, s, out);
}
