// Blocks of a launch: clusters (of one block in most launches) are handed to the threads of the
// pool in order; each thread keeps a few in flight when they wait for each other.
#include <stdlib.h>

#include "event/fanout.h"
#include "sim/emit.h"
#include "sim/flow/block.h"
#include "sim/flow/cluster.h"
#include "sim/flow/lost.h"
#include "sim/flow/shuffle.h"
#include "sim/launch_run.h"
#include "sim/native.h"
#include "sim/still.h"
#include "sim/turns.h"

// Blocks that one thread keeps in flight when blocks yield, where the launch does not say.
enum { RESIDENT_BLOCKS = 1024 };
// Instructions of a block after which an order of blocks is given up.
enum { PATIENCE = 1 << 30 };

// ---- Blocks -------------------------------------------------------------------------------

static void take_children(struct sim_run *run, struct sim_device_launches *launches) {
    if (launches->children.length) {
        pthread_mutex_lock(&run->lock);
        for (size_t i = 0; i < launches->children.length; i++)
            vec_push(&run->children, launches->children.data[i]);
        pthread_mutex_unlock(&run->lock);
        launches->children.length = 0;
    }
    launches->wishes.length = 0; // what was never launched
}

static void finish_block(struct sim_worker *worker, struct sim_block_flow *flow) {
    struct sim_run *run = worker->run;
    const struct sim_block_counts own = sim_block_counts(flow);
    const uint64_t barriers = worker->barriers - worker->counted_barriers;
    worker->counted_barriers = worker->barriers;
    if (worker->blocks) { // on one worker
        run->result->all_instructions += worker->blocks * own.instructions;
        run->result->all_thread_instructions += worker->blocks * own.thread_instructions;
        run->result->all_barriers += worker->blocks * barriers;
    }
    sim_note_end(worker, own);
    if (flow->output.length) {
        pthread_mutex_lock(&run->lock);
        struct sim_output output = {flow->block.linear, strbuf_take(&flow->output)};
        vec_push(&run->outputs, output);
        pthread_mutex_unlock(&run->lock);
    }
    take_children(run, &flow->launches);
    sim_tell_ended(worker);
}

// The kernel was short the last time: waking other threads takes as long as some thousand
// instructions, and so do the cells of native code.
bool sim_is_short(const struct sim_kernel *kernel, uint64_t blocks) {
    enum { WORTH_WAKING = 16384 };
    return kernel->block_instructions < WORTH_WAKING / blocks;
}

struct residents {
    VEC(struct sim_cluster *) running, idle;
};

static struct sim_cluster *start_cluster(struct sim_worker *worker, struct residents *residents) {
    uint64_t number;
    if (!sim_take_cluster(worker, &number)) {
        if (worker->turns)
            sim_turns_end(worker->turns, worker);
        return NULL;
    }
    if (worker->turns)
        sim_turns_begin(worker->turns, worker, worker->turn);
    const bool is_asked = worker->sim->config.engine == SIM_ENGINE_COMPILE;
    if (!worker->native && (is_asked || !sim_is_short(worker->run->kernel, worker->run->count)))
        sim_native_begin(worker);
    struct sim_cluster *cluster;
    if (residents->idle.length)
        cluster = residents->idle.data[--residents->idle.length];
    else
        cluster = sim_cluster_create(worker);
    sim_cluster_start(cluster, number);
    worker->first_order = cluster->blocks[0]->block.order;
    return cluster;
}

// After a fault the blocks behind it are dropped; those before it may fault first, and are run.
static bool is_dropped(const struct sim_run *run, const struct sim_cluster *cluster) {
    return cluster->blocks[0]->block.order > sim_run_load(&run->fault_block);
}

bool sim_has_fault_before(const struct sim_worker *worker) {
    return worker->first_order > sim_run_load(&worker->run->fault_block);
}

static uint64_t most_resident(const struct sim_launch *launch) {
    const uint64_t blocks = launch->picks             ? 1
                            : launch->is_cooperative  ? UINT64_MAX
                            : launch->resident_blocks ? launch->resident_blocks
                                                      : RESIDENT_BLOCKS;
    const uint64_t clusters = blocks / sim_cluster_blocks(launch);
    return clusters ? clusters : 1;
}

bool sim_blocks_wait(const struct sim_run *run) {
    return run->launch->is_cooperative || run->kernel->waits_for_blocks;
}

// Where blocks have an order one that spins goes on: it polls nothing but its own memory. Unless
// that lasts: then it may be up to blocks behind it after all, and the order is given up.
static enum sim_block_status run_cluster(struct sim_run *run, struct sim_cluster *cluster) {
    const uint64_t before = sim_cluster_instructions(cluster);
    for (;;) {
        const enum sim_block_status status = sim_cluster_run(cluster);
        if (status != SIM_BLOCK_YIELD || !run->kernel->is_ordered || sim_blocks_wait(run) ||
            run->launch->order.is_shuffled ||
            __atomic_load_n(&run->result->may_differ, __ATOMIC_RELAXED))
            return status;
        if (sim_cluster_instructions(cluster) - before < PATIENCE)
            continue;
        __atomic_store_n(&run->result->may_differ, true, __ATOMIC_RELAXED);
        if (run->turns)
            sim_turns_open(run->turns);
        return status;
    }
}

static void report_faults(const struct sim_cluster *cluster) {
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        if (cluster->blocks[rank]->has_fault)
            sim_report_fault(cluster->blocks[rank]);
}

static void end_cluster(struct sim_worker *worker, struct residents *residents, size_t at,
                        bool may_idle) {
    struct sim_run *run = worker->run;
    struct sim_cluster *cluster = residents->running.data[at];
    report_faults(cluster);
    if (run->turns)
        sim_turns_end(run->turns, worker);
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        finish_block(worker, cluster->blocks[rank]);
    if (run->chosen < run->pieces && worker->observer && worker->observer->piece_end) {
        sim_native_flush(worker);
        worker->observer->piece_end(worker->observer_state);
    }
    residents->running.data[at] = residents->running.data[--residents->running.length];
    if (may_idle)
        vec_push(&residents->idle, cluster);
    else
        sim_cluster_free(cluster);
}

// A turn of a cluster, which may end in it.
static enum sim_block_status run_turn(struct sim_worker *worker, struct residents *residents,
                                      size_t at) {
    struct sim_cluster *cluster = residents->running.data[at];
    worker->may_follow = residents->running.length == 1 && sim_may_follow(worker);
    const enum sim_block_status status =
        is_dropped(worker->run, cluster) ? SIM_BLOCK_FAULT : run_cluster(worker->run, cluster);
    if (status != SIM_BLOCK_YIELD && status != SIM_BLOCK_SLICE)
        end_cluster(worker, residents, at, status == SIM_BLOCK_DONE);
    return status;
}

static struct sim_cluster *add_cluster(struct sim_worker *worker, struct residents *residents) {
    struct sim_cluster *cluster = start_cluster(worker, residents);
    if (cluster)
        vec_push(&residents->running, cluster);
    return cluster;
}

static size_t first_of(const struct residents *residents) {
    size_t first = 0;
    for (size_t i = 1; i < residents->running.length; i++)
        if (residents->running.data[i]->blocks[0]->block.order <
            residents->running.data[first]->blocks[0]->block.order)
            first = i;
    return first;
}

// Whether all blocks of the launch that are left wait for ever, and this is the first of them:
// which one is told does not depend on the number of workers.
static bool is_first_still(struct sim_run *run, const struct sim_cluster *cluster,
                           struct sim_still *still) {
    const uint64_t order = cluster->blocks[0]->block.order;
    uint64_t first = sim_run_load(&run->still_block);
    while (order < first && !__atomic_compare_exchange_n(&run->still_block, &first, order, false,
                                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    if (!still->is_known)
        __atomic_fetch_add(&run->still_workers, 1, __ATOMIC_SEQ_CST);
    still->is_known = true;
    return sim_run_load(&run->still_workers) == sim_run_load(&run->workers) &&
           sim_run_load(&run->still_block) == order;
}

// A turn of a cluster where none is left to begin: whether somebody will ever go on shows then.
static void run_late_turn(struct sim_worker *worker, struct residents *residents, size_t at,
                          struct sim_still *still) {
    struct sim_cluster *cluster = residents->running.data[at];
    const uint64_t before = sim_cluster_instructions(cluster);
    if (run_turn(worker, residents, at) != SIM_BLOCK_YIELD) {
        sim_still_moved(still);
        return;
    }
    if (!sim_is_still(still, cluster, before, residents->running.length))
        return;
    at = first_of(residents);
    if (!is_first_still(worker->run, residents->running.data[at], still))
        return;
    sim_cluster_raise_still(residents->running.data[at]);
    end_cluster(worker, residents, at, false);
}

static void run_blocks(struct sim_worker *worker, struct residents *residents) {
    const uint64_t most = most_resident(worker->run->launch);
    struct sim_still still = {0};
    size_t turn = 0;
    for (;;) {
        // Blocks that yielded wait while new ones start, so that none waits for ever.
        const bool is_new =
            residents->running.length < most && add_cluster(worker, residents) != NULL;
        if (!residents->running.length)
            return;
        if (is_new || sim_run_load(&worker->run->next) < worker->run->chosen)
            run_turn(worker, residents,
                     is_new ? residents->running.length - 1 : turn++ % residents->running.length);
        else
            run_late_turn(worker, residents, turn++ % residents->running.length, &still);
    }
}

// A few blocks at once, so that they meet; more where they wait for others.
static void run_blocks_shuffled(struct sim_worker *worker, struct residents *residents) {
    enum { FEW = 8, PATIENCE_TURNS = 16 };
    const uint64_t most = most_resident(worker->run->launch);
    uint64_t wanted = 2 + sim_shuffle_chance(worker->shuffle, FEW), turns = 0;
    for (;;) {
        while (residents->running.length < wanted && residents->running.length < most &&
               add_cluster(worker, residents))
            continue;
        const uint32_t count = (uint32_t)residents->running.length;
        if (!count)
            return;
        const enum sim_block_status status =
            run_turn(worker, residents, sim_shuffle_chance(worker->shuffle, count));
        const bool has_ended = status != SIM_BLOCK_YIELD && status != SIM_BLOCK_SLICE;
        turns = has_ended ? 0 : turns + 1;
        const bool is_patient =
            !sim_blocks_wait(worker->run) || turns < wanted * PATIENCE_TURNS || count < wanted;
        if (is_patient && status != SIM_BLOCK_YIELD)
            continue;
        wanted += 1 + (is_patient ? 0 : wanted / 4);
        turns = 0;
    }
}

void sim_work(void *context, int index) {
    struct sim_run *run = context;
    // How often a block looks before it sees what another wrote depends on the threads' speed, and
    // so would the counts: blocks that wait for each other take turns on one thread.
    if (index > 0 && sim_blocks_wait(run)) {
        __atomic_fetch_sub(&run->workers, 1, __ATOMIC_SEQ_CST);
        return;
    }
    struct sim_worker *worker = base_alloc_aligned(64, sizeof *worker);
    struct residents residents = {0};
    worker->sim = run->sim;
    worker->run = run;
    worker->kernel = run->kernel;
    worker->launch = run->launch;
    worker->index = (unsigned)index;
    worker->turns = run->turns;
    worker->max_instructions = sim_run_limit(run);
    worker->memory = run->sim->memory;
    worker->constants = run->constants;
    worker->warp_vectors = run->warp_vectors;
    worker->cache = base_alloc((run->kernel->site_count + 1) * sizeof *worker->cache);
    sim_listen(worker, event_fanout_observer(run->fanout));
    if (run->launch->is_guarded)
        sim_lost_begin(worker);
    const struct sim_order *order = &run->launch->order;
    struct sim_shuffle shuffle;
    if (order->is_shuffled) {
        sim_shuffle_begin(&shuffle, order->seed, run->chosen,
                          run->kernel->waits_for_blocks && !run->launch->is_cooperative);
        worker->shuffle = &shuffle;
        run_blocks_shuffled(worker, &residents);
    } else {
        run_blocks(worker, &residents);
    }
    __atomic_fetch_sub(&run->workers, 1, __ATOMIC_SEQ_CST);
    sim_native_end(worker);
    if (run->launch->is_guarded)
        sim_lost_end(worker);
    if (worker->observer && worker->observer->worker_end)
        worker->observer->worker_end(worker->observer_state);
    pthread_mutex_lock(&run->lock);
    run->result->instructions += worker->instructions;
    run->result->thread_instructions += worker->thread_instructions;
    run->result->barriers += worker->barriers;
    sim_take_passed(worker, run->result);
    pthread_mutex_unlock(&run->lock);
    for (size_t i = 0; i < residents.idle.length; i++)
        sim_cluster_free(residents.idle.data[i]);
    vec_free(&residents.idle);
    vec_free(&residents.running);
    free(worker->cache);
    free(worker->scratch);
    free(worker);
}
