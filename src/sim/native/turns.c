// The warps of a block in native code, from barrier to barrier: what the scheduler would do by
// turns, in the same order, without them. See native.h.
#include "sim/flow/block.h"
#include "sim/flow/cluster.h"
#include "sim/launch.h"
#include "sim/native/native_internal.h"

// All warps go the same way: some still have to, and the others wait at the barrier behind it.
// While it is silent, what a warp's state says is out of date, as everybody's is the same.
struct phase {
    struct sim_block_flow *flow;
    struct sim_native_worker *own;
    const uint64_t *generation;      // of memory
    const struct sim_instr *at;      // where the pending warps go on
    const struct sim_instr *barrier; // where the others wait, or end; NULL: nowhere yet
    uint32_t pending, all;           // a bit for each warp
    uint64_t slow;                   // what the interpreter ran in segments since `at`
    bool is_trusted;                 // native code has left the registers of pending warps
    bool are_left;                   // and of those that wait at the barrier
    bool is_silent;
    bool goes_on;   // behind a barrier that was silent: up to there nothing has been counted yet
    bool is_end;    // `barrier` is where threads end
    bool is_whole;  // of the block, from its beginning on
    bool is_fresh;  // sim_block_flow.is_fresh, while the first round is run
    uint32_t now;   // the warp whose turn it is
    uint32_t start; // the first instruction that it has not counted when it begins,
    struct native_since since; // and what it has done until then
    bool has_started;          // it came to the barrier in the same turn
};

// No warp has run: all are where the kernel begins.
static bool find_start(struct phase *phase) {
    phase->at = phase->own->native->code.instrs;
    phase->pending = phase->all = UINT32_MAX >> (SIM_MAX_WARPS - phase->flow->warp_count);
    phase->is_whole = phase->are_left = true;
    return true;
}

// False: the warps are not at one place, or wait for something else.
static bool find_phase(struct phase *phase) {
    const struct sim_native *native = phase->flow->block.worker->native->native;
    if (phase->is_fresh)
        return find_start(phase);
    phase->is_whole = phase->is_trusted = phase->are_left = true;
    for (uint32_t w = 0; w < phase->flow->warp_count; w++) {
        const struct sim_warp *warp = &phase->flow->warps[w];
        const struct sim_split *split = &warp->flow->splits[0];
        if (!sim_native_is_together(warp, phase->own) || split->mask != FULL_MASK ||
            (split->state != SIM_SPLIT_READY && split->state != SIM_SPLIT_BARRIER))
            return false;
        const bool is_pending = split->state == SIM_SPLIT_READY;
        const struct sim_instr **place = is_pending ? &phase->at : &phase->barrier;
        if (*place && *place != split->pc)
            return false;
        *place = split->pc;
        phase->pending |= (uint32_t)is_pending << w;
        phase->all |= 1u << w;
        phase->is_whole &= !warp->flow->instructions && !split->pauses;
        phase->is_trusted &= !is_pending || warp->flow->native_left == split->pc;
        phase->are_left &= is_pending || warp->flow->native_left == split->pc + 1;
    }
    phase->is_whole &= phase->at == native->code.instrs;
    return phase->pending >> phase->now & 1 &&
           (!phase->barrier ||
            native->meetings[phase->barrier - native->code.instrs] == NATIVE_BARRIER);
}

// Arrivals that make no event (is_spared() in flow/barrier.c), of warps that all come.
static bool may_be_silent(const struct sim_block_flow *flow) {
    return !flow->block.worker->hears_phases && flow->live_threads == flow->warp_count * LANES;
}

// Nobody hears of each thread's end, and no other block waits for it.
static bool ends_at_once(const struct sim_block_flow *flow) {
    return !flow->block.worker->hears_sync && sim_cluster_size(flow->block.cluster) == 1;
}

static bool may_begin(const struct phase *phase, const struct sim_warp *warp,
                      const struct sim_warp_flow *flow) {
    return sim_native_takes_warp(phase->flow->block.worker, warp) && !sim_is_look_due(flow);
}

// Counts what was left uncounted in front of a silent barrier.
static uint32_t count_before(const struct phase *phase, struct sim_warp_flow *flow,
                             uint32_t start) {
    const uint32_t count = phase->at->ordinal - start;
    flow->instructions += count;
    flow->thread_instructions += (uint64_t)count * LANES;
    return count;
}

static void begin_turn(struct sim_warp *warp, struct sim_warp_flow *flow,
                       const struct sim_instr *at) {
    sim_native_begin_turn(warp, at);
    flow->native_left = NULL;
    warp->stop = SIM_RUNNING;
}

// Bits of the warps from `first` around to `now`, which is not among them.
static uint32_t row_of(const struct phase *phase, uint32_t first, uint32_t now) {
    const uint64_t below_now = (1ull << now) - 1, below_first = (1ull << first) - 1;
    return first <= now ? (uint32_t)(below_now & ~below_first)
                        : phase->all & (uint32_t)(below_now | ~below_first);
}

// With whom the phase began.
static uint32_t first_of(const struct phase *phase) {
    if (phase->pending == phase->all) // mostly, and bits are counted by a call
        return phase->now;
    const uint32_t count = phase->flow->warp_count;
    const uint32_t came = count - (uint32_t)__builtin_popcount(phase->pending);
    return phase->now >= came ? phase->now - came : phase->now + count - came;
}

// Whether the warps that are still to come may follow in native code: those that came did so one
// after the other, and nobody hears of it.
static bool may_follow(const struct phase *phase) {
    return phase->is_silent && (!phase->is_end || ends_at_once(phase->flow)) &&
           row_of(phase, first_of(phase), phase->now) == (phase->all & ~phase->pending);
}

// Native code has just written these, one by one: a processor waits where two are read at once.
static uint64_t read_alone(const uint64_t *count) {
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

// What all warps, of which all lanes are on, have executed goes to the block, and they count from
// the beginning.
static void keep(struct sim_block_flow *flow, uint32_t end) {
    struct sim_block_counts all = {0};
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        struct sim_warp_flow *own = &flow->flows[w];
        const uint64_t count = end - own->run_start;
        all.instructions += read_alone(&own->instructions) + count;
        all.thread_instructions += read_alone(&own->thread_instructions) + count * LANES;
        sim_warp_count_again(own);
    }
    flow->kept = all;
    flow->is_kept = true;
}

// Of a block that native code alone has run the next one need not be made anew.
static bool keeps_block(const struct phase *phase) {
    return phase->is_whole && phase->is_silent && !phase->flow->block.worker->kernel->uses_stack;
}

// The interpreter ran most of what the block did, which is taken to be what the last one that was
// kept did: entries are judged before the next one begins.
static bool is_slow(const struct sim_block_flow *flow, const struct sim_native_worker *own) {
    return own->slow - own->turns.slow > flow->kept.instructions / 2;
}

// As compiled_turns.next_block.
static const struct sim_instr *begin_block(struct compiled_turns *turns) {
    struct sim_block_flow *flow = turns->now->block->flow;
    struct sim_worker *worker = flow->block.worker;
    const struct sim_instr *instrs = worker->native->native->code.instrs;
    uint64_t number;
    if (is_slow(flow, worker->native) || !sim_take_follower(flow, &number))
        return instrs + turns->to;
    keep(flow, instrs[turns->to].ordinal + 1);
    turns->slow = worker->native->slow;
    turns->entries[turns->at].rounds++;
    sim_begin_follower(flow, number);
    flow->is_fresh = false;
    turns->blocks++;
    turns->first = turns->now = flow->warps;
    turns->at = 0;
    turns->to = COMPILED_NOWHERE;
    turns->ordinal = instrs[0].ordinal;
    turns->instructions = turns->run_start = 0;
    sim_native_renew(worker->native, &worker->memory->generation, flow->warps);
    turns->begin = sim_native_takes_warp(worker, flow->warps) ? flow->warps : NULL;
    const bool goes_on = turns->begin && turns->entries->is_open && !sim_is_look_due(flow->flows);
    return goes_on ? NULL : instrs;
}

static uint64_t number_of(const struct phase *phase, const struct sim_instr *instr) {
    return instr ? (uint64_t)(instr - phase->own->native->code.instrs) : COMPILED_NOWHERE;
}

static void say_who_follows(const struct phase *phase, bool follows) {
    const struct sim_block_flow *flow = phase->flow;
    struct sim_native_worker *own = phase->own;
    own->turns = (struct compiled_turns){
        .stops = !follows,
        .may_end = ends_at_once(flow),
        .begin = sim_native_takes_warp(flow->block.worker, &flow->warps[0]) ? flow->warps : NULL,
        .end = flow->warps + flow->warp_count,
        .entries = own->entries,
        .meetings = own->native->meetings,
        .first = &flow->warps[follows ? first_of(phase) : phase->now],
        .at = number_of(phase, phase->at),
        .to = number_of(phase, phase->barrier),
        .ordinal = phase->at->ordinal,
        .rounds = 0, // as all are told the compiler does not clear them first
        .blocks = 0,
        .slow = own->slow,
        .next_block = follows && keeps_block(phase) && ends_at_once(flow) ? begin_block : NULL,
        .now = &flow->warps[phase->now],
        .instructions = flow->flows[phase->now].instructions,
        .run_start = flow->flows[phase->now].run_start,
    };
}

// Where the warps are that ran in native code.
static void take_over(struct phase *phase, bool *moved) {
    const struct compiled_turns *turns = &phase->own->turns;
    const struct sim_instr *instrs = phase->own->native->code.instrs;
    struct sim_block_flow *flow = phase->flow;
    const uint32_t now = (uint32_t)(turns->now - flow->warps);
    const uint32_t first = (uint32_t)(turns->first - flow->warps);
    const bool moves_on = turns->rounds || turns->blocks;
    if (moves_on) {
        flow->block.worker->barriers += turns->rounds * flow->warp_count;
        phase->at = instrs + turns->at;
        phase->barrier = NULL;
        phase->pending = phase->all;
        phase->goes_on = phase->is_trusted = true;
        phase->slow = 0;
    }
    if (turns->to != COMPILED_NOWHERE && !phase->barrier) {
        phase->barrier = instrs + turns->to;
        phase->is_end = turns->meetings[turns->to] == NATIVE_END;
    }
    if (moves_on || now != phase->now) {
        // Behind a barrier: nothing is in front of where the kernel begins.
        phase->has_started = now == first && turns->at;
        *moved = now > 0;
    }
    phase->pending &= ~row_of(phase, first, now);
    phase->now = now;
    phase->start = turns->run_start;
    phase->since = (struct native_since){turns->instructions, turns->slow};
}

// Whether native code may take the registers of some warps for what it left.
static bool holds(const struct phase *phase, uint32_t warps) {
    EACH_LANE(w, phase->is_trusted ? 0 : warps) {
        if (!sim_native_holds(&phase->flow->warps[w], phase->at))
            return false;
    }
    return true;
}

static const struct sim_instr *run(struct phase *phase, bool *moved) {
    struct sim_block_flow *flow = phase->flow;
    struct sim_native_worker *own = phase->own;
    const bool follows = may_follow(phase) && holds(phase, phase->pending);
    const uint32_t runs = follows ? phase->pending : 1u << phase->now;
    phase->is_trusted |= follows;
    EACH_LANE(w, phase->goes_on || phase->is_fresh ? 0 : runs) {
        begin_turn(&flow->warps[w], &flow->flows[w], phase->at);
    }
    // What it did before this turn, and is counted in it, does not count as done in it.
    if (!phase->has_started)
        flow->flows[phase->now].spin =
            (uint64_t)flow->flows[phase->now].run_start - phase->at->ordinal;
    sim_native_renew(own, phase->generation, &flow->warps[phase->now]);
    say_who_follows(phase, follows);
    if (!holds(phase, runs)) {
        take_over(phase, moved);
        return phase->at;
    }
    const struct sim_instr *next = own->native->body(&flow->warps[phase->now], phase->at,
                                                     own->cells, &own->native->links, &own->turns);
    take_over(phase, moved);
    sim_native_leave(&flow->warps[phase->now], next);
    return next;
}

// Warps are where they are said to be, and those that came to the barrier arrive.
static void speak(struct phase *phase) {
    for (uint32_t w = 0; phase->is_silent && w < phase->flow->warp_count; w++) {
        struct sim_warp *warp = &phase->flow->warps[w];
        const bool is_pending = phase->pending >> w & 1;
        if (is_pending) {
            const uint32_t count =
                phase->goes_on ? count_before(phase, warp->flow, warp->flow->run_start) : 0;
            if (w == phase->now && phase->has_started)
                warp->flow->spin += count;
            warp->flow->run_start = phase->at->ordinal;
            warp->flow->splits[0].pc = phase->at;
            warp->flow->native_left = phase->is_trusted ? phase->at : NULL;
        } else if (w != phase->now && (!phase->is_end || ends_at_once(phase->flow))) {
            warp->flow->native_left = phase->is_end ? NULL : phase->barrier + 1;
            phase->barrier->run[1](warp, phase->barrier);
        }
    }
    phase->is_silent = false;
}

// The warp comes to the barrier. True: as the last one.
static bool arrive(const struct phase *phase, struct sim_warp *warp, struct sim_warp_flow *flow) {
    if (phase->is_end && !ends_at_once(phase->flow))
        phase->barrier->run[1](warp, phase->barrier);
    if (phase->is_silent)
        return !phase->pending;
    flow->native_left = phase->barrier + 1;
    return phase->barrier->run[1](warp, phase->barrier) && !phase->pending;
}

static void end_warps(struct sim_block_flow *flow, uint32_t end) {
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        struct sim_warp_flow *own = &flow->flows[w];
        sim_account(&flow->warps[w], end);
        own->run_start = end;
        own->live = own->root.lanes = 0;
        own->split_count = 0;
        own->current = LANES;
        flow->warps[w].stop = SIM_STOP_EXIT;
    }
}

// All threads of the block end.
static void end(struct phase *phase) {
    struct sim_block_flow *flow = phase->flow;
    const uint32_t behind = phase->barrier->ordinal + 1;
    if (!ends_at_once(flow))
        return;
    if (keeps_block(phase))
        keep(flow, behind);
    else
        end_warps(flow, behind);
    flow->live_threads = flow->block.cluster->live_threads = 0;
    phase->is_silent = false;
}

// All go on, first the one that came last. False: not in native code.
static bool begin_next(struct phase *phase) {
    if (phase->is_silent)
        phase->flow->block.worker->barriers += phase->flow->warp_count;
    phase->is_fresh = false;
    phase->at = phase->barrier + 1;
    phase->barrier = NULL;
    phase->pending = phase->all;
    phase->is_trusted = phase->are_left;
    phase->are_left = true;
    phase->goes_on = phase->is_silent;
    phase->is_silent = may_be_silent(phase->flow);
    return sim_native_is_entry(phase->flow->block.worker, phase->at);
}

// The next round begins with the first warp.
static void next_warp(struct phase *phase, bool *moved) {
    do {
        phase->now = phase->now + 1 < phase->flow->warp_count ? phase->now + 1 : 0;
        *moved &= phase->now > 0;
    } while (!(phase->pending >> phase->now & 1));
}

// Whether the warp, which native code was left by at `next`, waits or ends with the others there.
static bool is_regular(struct phase *phase, const struct sim_instr *next) {
    const struct sim_native *native = phase->own->native;
    if (next == phase->barrier || phase->barrier || !next || next == phase->at)
        return next && next == phase->barrier;
    const enum native_meeting meeting = native->meetings[next - native->code.instrs];
    if (meeting == NATIVE_NOWHERE || (meeting == NATIVE_END && !phase->is_silent))
        return false;
    phase->barrier = next;
    phase->is_end = meeting == NATIVE_END;
    return true;
}

// Where nothing was counted since, what came before the barrier is: the interpreter counts it
// there.
static void leave(const struct phase *phase, struct sim_warp_flow *flow) {
    if (flow->instructions != phase->since.instructions || flow->run_start != phase->start)
        return;
    flow->spin += count_before(phase, flow, phase->start);
    flow->run_start = phase->at->ordinal;
}

// All warps did as the last one.
static void judge_phase(struct phase *phase, const struct sim_warp *warp) {
    const struct native_since since = {phase->since.instructions, phase->own->slow - phase->slow};
    sim_native_judge(warp, phase->at, phase->barrier, since, phase->flow->warp_count);
    phase->slow = 0;
}

// Until a warp does something else. Returns where it does; NULL: it has not begun, or has failed.
static const struct sim_instr *take_turns(struct phase *phase, bool *moved, bool *failed) {
    struct sim_block_flow *flow = phase->flow;
    while (may_begin(phase, &flow->warps[phase->now], &flow->flows[phase->now])) {
        const struct sim_instr *next = run(phase, moved);
        struct sim_warp *warp = &flow->warps[phase->now];
        phase->pending &= ~(1u << phase->now);
        if (!is_regular(phase, next)) {
            leave(phase, warp->flow);
            sim_native_judge(warp, phase->at, next, phase->since, 1);
            *failed = !next;
            return next;
        }
        phase->slow += phase->own->slow - phase->since.slow;
        if (!phase->pending)
            judge_phase(phase, warp);
        phase->has_started = arrive(phase, warp, warp->flow);
        if (!phase->has_started) {
            *moved = true;
            next_warp(phase, moved);
        } else if (phase->is_end) {
            end(phase);
            break;
        } else if (!begin_next(phase)) {
            return phase->at;
        }
    }
    return NULL;
}

// Native code is not entered by the warp, so that the others need not be looked at.
static bool stays_out(const struct sim_block_flow *flow, uint32_t warp) {
    struct sim_worker *worker = flow->block.worker;
    const struct sim_warp *it = &flow->warps[warp];
    return !sim_native_takes_warp(worker, it) ||
           (!flow->is_fresh && (!sim_native_is_together(it, worker->native) ||
                                !sim_native_is_entry(worker, it->flow->splits[0].pc)));
}

enum sim_native_turn sim_native_turns(struct sim_block_flow *flow, uint32_t *warp,
                                      const struct sim_instr **goes_on, bool *moved) {
    const struct sim_worker *worker = flow->block.worker;
    if (stays_out(flow, *warp)) {
        flow->is_fresh = false;
        return SIM_NATIVE_NOTHING;
    }
    struct phase phase = {.flow = flow,
                          .own = worker->native,
                          .generation = &worker->memory->generation,
                          .now = *warp,
                          .is_fresh = flow->is_fresh};
    flow->is_fresh = false;
    if (worker->max_instructions || !find_phase(&phase) || !sim_native_is_entry(worker, phase.at) ||
        !may_begin(&phase, &flow->warps[*warp], &flow->flows[*warp]))
        return SIM_NATIVE_NOTHING;
    bool failed = false;
    phase.is_silent = !phase.barrier && may_be_silent(flow);
    *goes_on = take_turns(&phase, moved, &failed);
    *warp = phase.now;
    speak(&phase);
    return failed ? SIM_NATIVE_STOPS : SIM_NATIVE_GOES_ON;
}
