// A block: its warps take turns until all threads have ended.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "event/filter.h"
#include "sim/emit.h"
#include "sim/flow/block.h"
#include "sim/flow/cluster.h"
#include "sim/flow/lost.h"
#include "sim/flow/shuffle.h"
#include "sim/flow/special.h"
#include "sim/launch.h"
#include "sim/native.h"
#include "sim/shadow_frame.h"

// PATIENCE: a split that used its long slice this often in a row is treated as spinning, whatever
// its loop looks like. DOUBT: so is, for the lanes that wait for it, one that used its short slice
// this often and whose registers go on to change.
enum { PATIENCE = 64, DOUBT = 64 };

static uint32_t threads_of(const struct sim_launch *launch) {
    return launch->block[0] * launch->block[1] * launch->block[2];
}

struct sim_block_flow *sim_block_create(struct sim_worker *worker) {
    const struct sim_kernel *kernel = worker->kernel;
    const struct sim_launch *launch = worker->launch;
    const struct sim_code *code = &kernel->codes[0];
    struct sim_block_flow *flow = base_alloc_aligned(64, sizeof *flow);
    assert(threads_of(launch));
    flow->warp_count = (threads_of(launch) + LANES - 1) / LANES;
    flow->warps = base_alloc_aligned(64, flow->warp_count * sizeof *flow->warps);
    flow->flows = base_alloc_aligned(64, flow->warp_count * sizeof *flow->flows);
    size_t parameters = (size_t)code->ir->frame_parameter_bytes * LANES;
    const bool is_tracked = worker->sim->config.tracks_undefined;
    const size_t registers = sim_shadow_frame_bytes(code, is_tracked);
    const size_t frame = (registers + parameters + 63) / 64 * 64;
    flow->register_bytes = flow->warp_count * frame;
    flow->register_memory = base_alloc_aligned(64, flow->register_bytes);

    struct sim_block *block = &flow->block;
    block->worker = worker;
    block->flow = flow;
    uint64_t dynamic = launch->dynamic_shared_bytes;
    block->shared_bytes = (uint32_t)(dynamic ? kernel->layout->dynamic_offset + dynamic
                                             : kernel->layout->static_bytes);
    uint8_t *shared = base_alloc_aligned(SIM_BANK_ROW, block->shared_bytes + 2 * SIM_SHARED_MARGIN);
    block->shared = shared + SIM_SHARED_MARGIN;
    if (kernel->retries && worker->observer && worker->observer->contention)
        block->changers = base_alloc(block->shared_bytes / 4 + 1);
    block->local_bytes = kernel->local_bytes + (kernel->uses_stack ? launch->stack_bytes : 0);
    if (block->local_bytes)
        block->local = base_alloc_aligned(64, block->local_bytes * LANES * flow->warp_count);
    if (is_tracked)
        block->undefined_shared =
            base_alloc_aligned(SIM_BANK_ROW, block->shared_bytes + SIM_BANK_ROW);
    if (is_tracked && block->local_bytes)
        block->undefined_local = base_alloc(block->local_bytes * LANES * flow->warp_count);
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        struct sim_warp *warp = &flow->warps[w];
        warp->flow = &flow->flows[w];
        warp->block = block;
        warp->index = w;
        warp->is_heard = worker->hears_sync;
        warp->flow->root.registers = flow->register_memory + w * frame;
        warp->flow->root.parameters = warp->flow->root.registers + registers;
        warp->base[SIM_BASE_REGISTERS] = warp->flow->root.registers;
        warp->base[SIM_BASE_CONSTANTS] = worker->constants;
        warp->base[SIM_BASE_WARP] = worker->warp_vectors + (size_t)w * SIM_WARP_BYTES;
        warp->base[SIM_BASE_BLOCK] = flow->vectors;
    }
    return flow;
}

void sim_block_free(struct sim_block_flow *flow) {
    if (!flow)
        return;
    for (uint32_t w = 0; w < flow->warp_count; w++)
        sim_warp_finish(&flow->warps[w]);
    strbuf_free(&flow->output);
    sim_device_launches_free(&flow->launches);
    free(flow->block.shared - SIM_SHARED_MARGIN);
    free(flow->block.changers);
    free(flow->block.local);
    free(flow->block.undefined_shared);
    free(flow->block.undefined_local);
    free(flow->block.shared_origins);
    free(flow->register_memory);
    free(flow->flows);
    free(flow->warps);
    free(flow);
}

static uint32_t lanes_of_warp(uint32_t threads, uint32_t warp) {
    uint32_t left = threads - warp * LANES;
    return left >= LANES ? FULL_MASK : (1u << left) - 1;
}

// What the block before left there is no more than what a GPU would have there.
static void fill_memory(struct sim_block_flow *flow) {
    struct sim_block *block = &flow->block;
    const struct sim *sim = block->worker->sim;
    const uint64_t local_bytes = block->worker->kernel->ir->local_bytes;
    block->salt = sim->launches << 32 ^ block->linear << 12;
    sim_fill_bytes(&sim->config.fill, block->salt, block->shared, block->shared_bytes);
    if (block->undefined_shared)
        memset(block->undefined_shared, 0xff, block->shared_bytes);
    free(block->shared_origins);
    block->shared_origins = NULL;
    for (uint32_t w = 0; block->undefined_shared && w < flow->warp_count; w++)
        sim_shadow_begin(&block->worker->kernel->codes[0], flow->flows[w].root.registers);
    for (uint32_t w = 0; local_bytes && w < flow->warp_count; w++)
        sim_fill_local(&flow->warps[w], 0, local_bytes, FULL_MASK);
}

static void find_index(const uint32_t *grid, uint64_t linear, uint32_t *index) {
    index[0] = (uint32_t)linear;
    index[1] = index[2] = 0;
    if (linear < grid[0])
        return;
    index[0] = (uint32_t)(linear % grid[0]);
    index[1] = (uint32_t)(linear / grid[0] % grid[1]);
    index[2] = (uint32_t)(linear / grid[0] / grid[1]);
}

static void start_warps(struct sim_block_flow *flow, uint32_t threads) {
    const struct sim_worker *worker = flow->block.worker;
    const uint32_t moves_after = worker->sim->config.moves_after;
    const struct sim_code *code = moves_after ? &worker->kernel->codes[0] : sim_native_code(worker);
    const bool is_kept = flow->is_kept && flow->flows[0].root.code == code;
    flow->is_fresh = is_kept;
    flow->is_kept = false;
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        flow->warps[w].number = event_warp_number(flow->block.linear, w);
        flow->warps[w].carry = 0;
        flow->warps[w].stop = SIM_RUNNING;
        if (!is_kept)
            sim_warp_start(&flow->warps[w], lanes_of_warp(threads, w), code);
        if (moves_after)
            flow->flows[w].look_at = moves_after;
    }
}

void sim_block_start(struct sim_block_flow *flow, uint64_t linear) {
    struct sim_block *block = &flow->block;
    const struct sim_launch *launch = block->worker->launch;
    const struct sim_kernel *kernel = block->worker->kernel;
    uint32_t threads = threads_of(launch);
    assert(linear < (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]);
    block->linear = linear;
    find_index(launch->grid, linear, block->index);
    sim_fill_block_vectors(flow->vectors, block->index,
                           linear % kernel->module->sim->config.multiprocessors);
    flow->live_threads = threads;
    flow->next_warp = 0;
    flow->has_fault = flow->is_settling = false;
    if (!flow->is_kept)
        memset(flow->barriers, 0, sizeof flow->barriers);
    flow->untold_barriers = flow->waited_barriers = 0;
    fill_memory(flow);
    if (block->changers)
        memset(block->changers, 0, block->shared_bytes / 4 + 1);
    // Registers hold what the block before left there on a GPU, too; zeros keep a program that
    // reads them deterministic.
    if (kernel->ir->reads_unset)
        memset(flow->register_memory, 0, flow->register_bytes);
    start_warps(flow, threads);
}

struct sim_block_counts sim_block_counts(const struct sim_block_flow *flow) {
    struct sim_block_counts all = {0};
    if (flow->is_kept)
        return flow->kept;
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        all.instructions += flow->flows[w].instructions;
        all.thread_instructions += flow->flows[w].thread_instructions;
    }
    return all;
}

uint64_t sim_block_instructions(const struct sim_block_flow *flow) {
    return sim_block_counts(flow).instructions;
}

// ---- Scheduling ---------------------------------------------------------------------------

static void execute(struct sim_warp *warp, const struct sim_instr *pc) {
    if (warp->block->worker->shuffle)
        pc = sim_shuffle_execute(warp, pc);
    if (warp->block->worker->lost) {
        sim_execute_guarded(warp, pc);
        return;
    }
    while (pc)
        pc = pc->run[warp->is_full](warp, pc);
}

// The scheduler looks earlier where the launch's limit of instructions is near.
static void cut_slice(struct sim_block_flow *flow, struct sim_warp *warp) {
    const struct sim_worker *worker = flow->block.worker;
    struct sim_warp_flow *own = warp->flow;
    if (!worker->max_instructions)
        return;
    const uint64_t left = sim_worker_left(worker, sim_block_instructions(flow));
    own->slice = left < SIM_LOOK_SLICE ? left : SIM_LOOK_SLICE;
    if (own->look_at > own->instructions + own->slice)
        own->look_at = own->instructions + own->slice;
}

static bool may_go_on(struct sim_block_flow *flow, struct sim_warp *warp) {
    struct sim_worker *worker = flow->block.worker;
    warp->flow->look_at = warp->flow->instructions + SIM_LOOK_SLICE;
    enum sim_fault fault = sim_worker_check(worker, sim_block_instructions(flow));
    if (fault == SIM_OK)
        return true;
    struct sim_split *split = &warp->flow->splits[warp->flow->current];
    unsigned lane = (unsigned)__builtin_ctz(split->mask);
    if (fault == SIM_FAULT_INSTRUCTION_LIMIT)
        sim_raise(warp, split->pc, fault, lane, 0,
                  "the launch executed %llu warp instructions, which is the limit: it may never "
                  "end",
                  (unsigned long long)worker->sim->config.max_instructions);
    else
        sim_raise(warp, split->pc, fault, lane, 0, "the launch was stopped");
    return false;
}

static uint64_t hash_of_registers(const struct sim_frame *frame) {
    const uint8_t *at = frame->registers, *end = at + frame->code->frame_bytes;
    uint64_t hash = (uintptr_t)frame;
    for (uint64_t word; at < end; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// A split that comes to the same place with the same registers waits for what others write. One
// whose registers change (it counts its tries, or walks along a chain) does so or does not: lanes
// at a reconvergence point go on without it only after a while, as they never do on a GPU.
static bool is_stuck(struct sim_split *split) {
    uint64_t state = hash_of_registers(split->frame) ^ (uintptr_t)split->pc;
    bool is_same = split->pauses && split->state_before == state;
    split->state_before = state;
    return ++split->pauses > DOUBT || is_same;
}

uint64_t sim_block_state(const struct sim_block_flow *flow) {
    uint64_t hash = flow->live_threads;
    for (uint32_t w = 0; w < flow->warp_count; w++)
        for (unsigned s = 0; s < flow->flows[w].split_count; s++) {
            const struct sim_split *split = &flow->flows[w].splits[s];
            const uint64_t place = (uintptr_t)split->pc ^ (uint64_t)split->mask << 32;
            hash = (hash ^ place) * 0x9e3779b97f4a7c15u;
            hash = (hash ^ split->state_before ^ hash >> 29) * 0x9e3779b97f4a7c15u;
        }
    return hash;
}

// The split that spins goes behind the others; lanes that wait for it may be what it waits for.
// True: it is stuck.
static bool rotate(struct sim_warp *warp) {
    struct sim_warp_flow *flow = warp->flow;
    assert(flow->current < flow->split_count);
    struct sim_split spinning = flow->splits[flow->current];
    bool stuck = is_stuck(&spinning);
    memmove(&flow->splits[1], &flow->splits[0], flow->current * sizeof flow->splits[0]);
    flow->splits[0] = spinning;
    bool other_ready = false;
    for (unsigned i = 1; i < flow->split_count; i++)
        other_ready |= flow->splits[i].state == SIM_SPLIT_READY;
    if (!other_ready && stuck)
        sim_open_tokens(warp);
    return stuck;
}

// Until the current split, which goes on at `pc`, leaves the loop for a reason. False: a fault.
static bool run_split(struct sim_block_flow *flow, struct sim_warp *warp,
                      const struct sim_instr *pc) {
    for (;;) {
        if (sim_is_look_due(warp->flow)) {
            if (!may_go_on(flow, warp))
                return false;
            pc = sim_native_move(flow, pc);
        }
        warp->stop = SIM_RUNNING;
        execute(warp, pc);
        if (warp->stop != SIM_STOP_LOOK)
            return !flow->has_fault;
        pc = warp->flow->splits[warp->flow->current].pc;
    }
}

enum warp_result { WARP_WAITS, WARP_SPINS, WARP_SLICE, WARP_FAULT };

// `pc`: where its current split goes on; NULL: it waits for a turn.
static enum warp_result run_warp(struct sim_block_flow *flow, struct sim_warp *warp,
                                 const struct sim_instr *pc) {
    unsigned rounds = 0, spins = 0;
    if (!pc && flow->block.worker->native && sim_native_run(warp, &pc) == SIM_NATIVE_STOPS)
        return flow->has_fault ? WARP_FAULT : WARP_WAITS;
    for (;; pc = NULL) {
        if (!pc)
            pc = sim_next_split(warp);
        if (!pc)
            return WARP_WAITS;
        cut_slice(flow, warp);
        if (!run_split(flow, warp, pc))
            return WARP_FAULT;
        if (warp->stop == SIM_STOP_SLICE)
            return WARP_SLICE;
        if (warp->stop != SIM_STOP_SPIN && warp->stop != SIM_STOP_BUDGET)
            continue;
        if (flow->is_settling)
            return WARP_SPINS;
        if (!may_go_on(flow, warp))
            return WARP_FAULT;
        sim_native_move(flow, NULL);
        if (warp->stop == SIM_STOP_BUDGET && ++rounds < PATIENCE)
            continue;
        bool stuck = rotate(warp);
        if (++spins <= warp->flow->split_count)
            continue;
        // All splits spin: what they wait for may be up to lanes that wait for them.
        if (!stuck || !sim_open_tokens(warp))
            return WARP_SPINS;
        spins = 0;
    }
}

static bool is_of_access(enum sim_fault fault) {
    return fault == SIM_FAULT_ILLEGAL_ADDRESS || fault == SIM_FAULT_MISALIGNED ||
           fault == SIM_FAULT_INVALID_SPACE;
}

// A warp goes on from a barrier that it was the last to reach before the others do. Those below it
// get their turn, so that of the threads that fault at an instruction the lowest is named.
static void settle(struct sim_block_flow *flow) {
    const struct sim_block_fault first = flow->fault;
    flow->is_settling = true;
    for (uint32_t w = 0; w < first.warp; w++) {
        flow->has_fault = false;
        if (run_warp(flow, &flow->warps[w], NULL) != WARP_FAULT)
            continue;
        const bool is_lower =
            flow->fault.instr == first.instr && is_of_access(flow->fault.result.fault);
        free(is_lower ? first.result.message : flow->fault.result.message);
        if (is_lower)
            return;
    }
    flow->fault = first;
    flow->has_fault = true;
}

static bool open_all(struct sim_block_flow *flow) {
    bool opened = false;
    for (uint32_t w = 0; w < flow->warp_count; w++)
        opened |= sim_open_tokens(&flow->warps[w]);
    return opened;
}

static void tell_stuck(const struct sim_block_flow *flow) {
    for (uint32_t w = 0; w < flow->warp_count; w++)
        for (unsigned s = 0; s < flow->flows[w].split_count; s++) {
            const struct sim_split *split = &flow->flows[w].splits[s];
            const bool is_gather = split->state == SIM_SPLIT_GATHER;
            sim_emit_trouble(&flow->warps[w], split->pc->number, split->mask,
                             (struct event_trouble){.kind = EVENT_STUCK,
                                                    .members = is_gather ? split->members : 0});
        }
    sim_emit_trouble(&flow->warps[0], EVENT_NONE, 0,
                     (struct event_trouble){.kind = EVENT_ALL_STUCK});
}

enum sim_block_status sim_block_raise_deadlock(struct sim_block_flow *flow, const char *why) {
    struct strbuf text = {0};
    sim_barrier_tell(flow);
    tell_stuck(flow);
    sim_explain_deadlock(flow, why, &text);
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        struct sim_warp *warp = &flow->warps[w];
        if (!warp->flow->split_count)
            continue;
        warp->flow->current = 0;
        struct sim_split *split = &warp->flow->splits[0];
        sim_set_mask(warp, split->mask);
        sim_raise(warp, split->pc, SIM_FAULT_DEADLOCK, (unsigned)__builtin_ctz(split->mask), 0,
                  "%s", text.data);
        break;
    }
    strbuf_free(&text);
    return SIM_BLOCK_FAULT;
}

// Nobody is left in any warp, and nothing that lanes waited at or were called from.
__attribute__((unused)) static bool is_over(const struct sim_block_flow *flow) {
    if (flow->is_kept)
        return true;
    for (uint32_t w = 0; w < flow->warp_count; w++) {
        const struct sim_warp_flow *warp = &flow->flows[w];
        if (warp->live || warp->split_count || warp->frames.length)
            return false;
        for (size_t i = 0; i < warp->tokens.length; i++)
            if (warp->tokens.data[i].is_used)
                return false;
    }
    return true;
}

struct round {
    bool is_whole; // no warp misses its turn
    bool moved, spun;
};

// A turn of a warp. Native code may take many turns at once; *warp is the one that it ends with.
static enum warp_result take_turn(struct sim_block_flow *flow, uint32_t *warp, bool *moved) {
    const uint64_t before = flow->flows[*warp].instructions;
    const struct sim_instr *pc = NULL;
    if (flow->block.worker->native && sim_native_turns(flow, warp, &pc, moved) == SIM_NATIVE_STOPS)
        return flow->has_fault ? WARP_FAULT : WARP_WAITS;
    if (flow->is_kept) {
        *moved = true;
        return WARP_WAITS;
    }
    struct sim_warp *it = &flow->warps[*warp];
    const enum warp_result result = run_warp(flow, it, pc);
    *moved |= result == WARP_SLICE || (result == WARP_WAITS && it->flow->instructions != before);
    return result;
}

// A turn of each warp. False: a fault.
static bool run_round(struct sim_block_flow *flow, struct round *round) {
    uint8_t order[SIM_MAX_WARPS];
    struct sim_shuffle *shuffle = flow->block.worker->shuffle;
    uint32_t count = flow->warp_count;
    if (shuffle)
        count = sim_shuffle_warps(shuffle, flow, round->is_whole, order);
    round->is_whole = count == flow->warp_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t warp = shuffle ? order[i] : i;
        const enum warp_result result = take_turn(flow, &warp, &round->moved);
        if (result == WARP_FAULT)
            return false;
        if (flow->is_kept)
            return true;
        round->spun |= result == WARP_SPINS;
        if (!shuffle)
            i = warp;
    }
    return true;
}

enum sim_block_status sim_block_run(struct sim_block_flow *flow) {
    struct sim_shuffle *shuffle = flow->block.worker->shuffle;
    for (bool has_stopped = false;;) {
        struct round round = {.is_whole = has_stopped};
        if (!run_round(flow, &round)) {
            if (is_of_access(flow->fault.result.fault) && !shuffle)
                settle(flow);
            return SIM_BLOCK_FAULT;
        }
        if (!flow->live_threads) {
            assert(is_over(flow));
            uint64_t number;
            if (!flow->is_kept || !sim_take_follower(flow, &number))
                return SIM_BLOCK_DONE;
            sim_begin_follower(flow, number);
            continue;
        }
        has_stopped = !round.moved;
        if (round.moved && sim_shuffle_leaves(shuffle))
            return SIM_BLOCK_SLICE;
        if (round.moved || !round.is_whole)
            continue;
        if (round.spun)
            return SIM_BLOCK_YIELD;
        if (!open_all(flow))
            return sim_cluster_size(flow->block.cluster) > 1
                       ? SIM_BLOCK_WAITS
                       : sim_block_raise_deadlock(flow, SIM_ALL_WAIT);
    }
}
