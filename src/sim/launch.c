// Launches: clusters of blocks (of one block in most launches) are handed to the threads of the
// pool in order; each thread keeps a few in flight when they wait for each other.
#include "sim/launch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "event/fanout.h"
#include "sim/decode/decode.h"
#include "sim/emit.h"
#include "sim/flow/block.h"
#include "sim/flow/cluster.h"
#include "sim/flow/lost.h"
#include "sim/flow/shuffle.h"
#include "sim/flow/special.h"
#include "sim/native.h"
#include "sim/parameters.h"
#include "sim/still.h"
#include "sim/turns.h"

// Blocks that one thread keeps in flight when blocks yield, where the launch does not say.
enum { RESIDENT_BLOCKS = 1024 };
enum { WORKSPACE_BYTES = 64 };
// Instructions of a block after which an order of blocks is given up.
enum { PATIENCE = 1 << 30 };

struct output { // what one block printed
    uint64_t block;
    char *text;
};

struct sim_run { // one launch
    struct sim *sim;
    struct sim_kernel *kernel;
    const struct sim_launch *launch;
    uint64_t first, count;
    uint64_t pieces, chosen; // clusters (or blocks), and how many of them are run
    uint64_t next;           // atomic: first cluster not yet handed out, relative
    uint64_t done;           // atomic
    uint64_t instructions;   // atomic: of finished blocks
    uint64_t fault_block;    // atomic: order of the first faulting block, UINT64_MAX: none
    uint64_t still_block;    // atomic: of the first one that is known to wait for ever
    uint64_t workers;        // atomic: that have blocks, or may get some
    uint64_t still_workers;  // atomic: of which all blocks wait for ever
    bool stopped;            // atomic: progress() said so
    pthread_mutex_t lock;    // of what follows
    struct sim_result *result;
    VEC(struct output) outputs;
    VEC(struct sim_child) children;
    uint8_t *constants, *warp_vectors;
    struct event_fanout *fanout;
    struct sim_turns *turns; // NULL: blocks run in any order
};

static uint64_t load(const uint64_t *value) {
    return __atomic_load_n(value, __ATOMIC_RELAXED);
}

static uint64_t limit_of(const struct sim_run *run) {
    const uint64_t own = run->launch->order.max_instructions;
    return own ? own : run->sim->config.max_instructions;
}

uint64_t sim_worker_left(const struct sim_worker *worker, uint64_t instructions) {
    const uint64_t limit = worker->max_instructions;
    const uint64_t done = load(&worker->run->instructions) + instructions;
    return !limit ? UINT64_MAX : done < limit ? limit - done : 0;
}

enum sim_fault sim_worker_check(struct sim_worker *worker, uint64_t instructions) {
    struct sim_run *run = worker->run;
    if (!sim_worker_left(worker, instructions))
        return SIM_FAULT_INSTRUCTION_LIMIT;
    if (worker->sim->interrupted || __atomic_load_n(&run->stopped, __ATOMIC_RELAXED))
        return SIM_FAULT_STOPPED;
    if (worker->index == 0 && !sim_report_progress(worker, instructions))
        return SIM_FAULT_STOPPED;
    return SIM_OK;
}

bool sim_report_progress(struct sim_worker *worker, uint64_t instructions) {
    struct sim_run *run = worker->run;
    const struct sim_launch *launch = run->launch;
    if (!launch->progress || worker->index != 0)
        return true;
    if (launch->progress(launch->progress_context, load(&run->done), run->count,
                         load(&run->instructions) + instructions))
        return true;
    __atomic_store_n(&run->stopped, true, __ATOMIC_RELAXED);
    return false;
}

// ---- Faults -------------------------------------------------------------------------------

void sim_run_fault(struct sim_worker *worker, uint64_t order, struct sim_result *fault) {
    struct sim_run *run = worker->run;
    pthread_mutex_lock(&run->lock);
    if (order < run->fault_block) {
        free(run->result->message);
        struct sim_result *result = run->result;
        result->fault = fault->fault;
        memcpy(result->block, fault->block, sizeof result->block);
        memcpy(result->thread, fault->thread, sizeof result->thread);
        result->location = fault->location;
        result->at = fault->at;
        result->function = fault->function;
        result->instruction = fault->instruction;
        result->address = fault->address;
        result->message = fault->message;
        __atomic_store_n(&run->fault_block, order, __ATOMIC_RELAXED);
    } else {
        free(fault->message);
    }
    pthread_mutex_unlock(&run->lock);
}

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
    uint64_t threads = 0;
    uint64_t instructions = sim_block_instructions(flow, &threads);
    worker->instructions += instructions;
    worker->thread_instructions += threads;
    const uint64_t barriers = worker->barriers - worker->counted_barriers;
    worker->counted_barriers = worker->barriers;
    if (worker->blocks) { // on one worker
        run->result->all_instructions += worker->blocks * instructions;
        run->result->all_thread_instructions += worker->blocks * threads;
        run->result->all_barriers += worker->blocks * barriers;
    }
    const uint64_t all =
        instructions + __atomic_fetch_add(&run->instructions, instructions, __ATOMIC_RELAXED);
    sim_native_heat(run->kernel, run->launch, all);
    __atomic_fetch_add(&run->done, 1, __ATOMIC_RELAXED);
    if (flow->output.length) {
        pthread_mutex_lock(&run->lock);
        struct output output = {flow->block.linear, strbuf_take(&flow->output)};
        vec_push(&run->outputs, output);
        pthread_mutex_unlock(&run->lock);
    }
    take_children(run, &flow->launches);
    sim_report_progress(worker, 0);
}

// Short blocks never use up a time slice: the limit is looked at between blocks, too.
static bool is_at_limit(struct sim_run *run) {
    const uint64_t limit = limit_of(run);
    if (!limit || load(&run->instructions) < limit)
        return false;
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "kernel %s executed %llu warp instructions, which is the limit, and has blocks "
                  "left",
                  run->kernel->ir->name, (unsigned long long)limit);
    pthread_mutex_lock(&run->lock);
    if (run->result->fault == SIM_OK) {
        run->result->fault = SIM_FAULT_INSTRUCTION_LIMIT;
        run->result->function = run->kernel->ir;
        run->result->message = strbuf_take(&text);
    }
    pthread_mutex_unlock(&run->lock);
    strbuf_free(&text);
    return true;
}

static bool take_cluster(struct sim_worker *worker, uint64_t *number) {
    struct sim_run *run = worker->run;
    const uint64_t size = sim_cluster_blocks(run->launch);
    // After a fault only the blocks before it matter, and those were handed out already.
    if (load(&run->fault_block) != UINT64_MAX || run->sim->interrupted ||
        __atomic_load_n(&run->stopped, __ATOMIC_RELAXED))
        return false;
    if (run->launch->take) {
        const bool is_there =
            !is_at_limit(run) && run->launch->take(run->launch->take_context, number);
        worker->turn = *number;
        return is_there;
    }
    if (load(&run->next) < run->chosen && is_at_limit(run))
        return false;
    if (worker->turns) // whoever gets a later one must see this
        sim_turns_begin(worker->turns, worker, load(&run->next));
    uint64_t next = __atomic_fetch_add(&run->next, 1, __ATOMIC_SEQ_CST);
    if (next >= run->chosen)
        return false;
    worker->turn = next;
    worker->has_turn = false;
    if (worker->shuffle)
        next = sim_shuffle_cluster(worker->shuffle, next, run->chosen);
    if (run->launch->picks) {
        worker->blocks = run->launch->picks[next].blocks;
        *number = run->launch->picks[next].block;
        return true;
    }
    if (run->chosen < run->pieces)
        next = sim_sample_pick(next, run->chosen, run->pieces);
    *number = run->first / size + next;
    return true;
}

// The kernel was short the last time: waking other threads takes as long as some thousand
// instructions, and so do the cells of native code.
static bool is_short(const struct sim_kernel *kernel, uint64_t blocks) {
    enum { WORTH_WAKING = 16384 };
    return kernel->block_instructions < WORTH_WAKING / blocks;
}

static bool is_small(const struct sim_kernel *kernel, uint64_t blocks) {
    return blocks == 1 || is_short(kernel, blocks);
}

struct residents {
    VEC(struct sim_cluster *) running, idle;
};

static struct sim_cluster *start_cluster(struct sim_worker *worker, struct residents *residents) {
    uint64_t number;
    if (!take_cluster(worker, &number)) {
        if (worker->turns)
            sim_turns_end(worker->turns, worker);
        return NULL;
    }
    if (worker->turns)
        sim_turns_begin(worker->turns, worker, worker->turn);
    const bool is_asked = worker->sim->config.engine == SIM_ENGINE_COMPILE;
    if (!worker->native && (is_asked || !is_short(worker->run->kernel, worker->run->count)))
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
    return cluster->blocks[0]->block.order > load(&run->fault_block);
}

bool sim_has_fault_before(const struct sim_worker *worker) {
    return worker->first_order > load(&worker->run->fault_block);
}

static uint64_t most_resident(const struct sim_launch *launch) {
    const uint64_t blocks = launch->picks             ? 1
                            : launch->is_cooperative  ? UINT64_MAX
                            : launch->resident_blocks ? launch->resident_blocks
                                                      : RESIDENT_BLOCKS;
    const uint64_t clusters = blocks / sim_cluster_blocks(launch);
    return clusters ? clusters : 1;
}

static bool blocks_wait(const struct sim_run *run) {
    return run->launch->is_cooperative || run->kernel->waits_for_blocks;
}

// Where blocks have an order one that spins goes on: it polls nothing but its own memory. Unless
// that lasts: then it may be up to blocks behind it after all, and the order is given up.
static enum sim_block_status run_cluster(struct sim_run *run, struct sim_cluster *cluster) {
    const uint64_t before = sim_cluster_instructions(cluster);
    for (;;) {
        const enum sim_block_status status = sim_cluster_run(cluster);
        if (status != SIM_BLOCK_YIELD || !run->kernel->is_ordered || blocks_wait(run) ||
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
    uint64_t first = load(&run->still_block);
    while (order < first && !__atomic_compare_exchange_n(&run->still_block, &first, order, false,
                                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    if (!still->is_known)
        __atomic_fetch_add(&run->still_workers, 1, __ATOMIC_SEQ_CST);
    still->is_known = true;
    return load(&run->still_workers) == load(&run->workers) && load(&run->still_block) == order;
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
        if (is_new || load(&worker->run->next) < worker->run->chosen)
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
            !blocks_wait(worker->run) || turns < wanted * PATIENCE_TURNS || count < wanted;
        if (is_patient && status != SIM_BLOCK_YIELD)
            continue;
        wanted += 1 + (is_patient ? 0 : wanted / 4);
        turns = 0;
    }
}

static void work(void *context, int index) {
    struct sim_run *run = context;
    // How often a block looks before it sees what another wrote depends on the threads' speed, and
    // so would the counts: blocks that wait for each other take turns on one thread.
    if (index > 0 && blocks_wait(run)) {
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
    worker->max_instructions = limit_of(run);
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

// ---- Output -------------------------------------------------------------------------------

static int by_block(const void *a, const void *b) {
    const struct output *x = a, *y = b;
    return x->block < y->block ? -1 : x->block > y->block;
}

static void write_output(struct sim_run *run) {
    FILE *out = run->launch->order.is_silent ? NULL : run->sim->config.output;
    if (run->outputs.length)
        qsort(run->outputs.data, run->outputs.length, sizeof *run->outputs.data, by_block);
    for (size_t i = 0; i < run->outputs.length; i++) {
        if (out)
            fputs(run->outputs.data[i].text, out);
        free(run->outputs.data[i].text);
    }
    vec_free(&run->outputs);
}

// ---- Children -----------------------------------------------------------------------------

static void hand_over_children(struct sim_run *run) {
    struct sim_result *result = run->result;
    result->children = run->children.data;
    result->child_count = run->children.length;
    if (result->child_count)
        sim_children_sort(result);
    if (result->fault != SIM_OK)
        sim_children_free(result);
}

// ---- The launch ---------------------------------------------------------------------------

static void run_on_all(struct sim_run *run) {
    struct sim_turns turns;
    const bool is_ordered = run->kernel->is_ordered && !blocks_wait(run);
    if (is_ordered) {
        sim_turns_create(&turns, (unsigned)sim_threads(run->sim));
        run->turns = &turns;
    }
    run->workers = (uint64_t)sim_threads(run->sim);
    pool_run(run->sim->pool, work, run);
    if (is_ordered)
        sim_turns_free(&turns);
}

enum { DEFAULT_STACK = 16 * 1024 };

// Frames and stack of a thread share its local memory.
static uint64_t stack_of(const struct sim_kernel *kernel, uint64_t wanted) {
    const uint64_t left = SIM_MAX_LOCAL_BYTES - kernel->local_bytes;
    const uint64_t bytes = wanted ? wanted : DEFAULT_STACK;
    return (bytes < left ? bytes : left) / 16 * 16;
}

void sim_launch(struct sim_kernel *kernel, const struct sim_launch *launch,
                struct sim_result *result) {
    struct sim *sim = kernel->module->sim;
    memset(result, 0, sizeof *result);
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    struct sim_run run = {.sim = sim,
                          .kernel = kernel,
                          .launch = launch,
                          .first = launch->first_block,
                          .count = launch->block_count ? launch->block_count
                                                       : blocks - launch->first_block,
                          .fault_block = UINT64_MAX,
                          .still_block = UINT64_MAX,
                          .workers = 1,
                          .result = result};
    sim_native_prepare(kernel, launch);
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    assert(blocks && threads && launch->first_block < blocks);
    struct sim_parameters parameters;
    if (!sim_parameters_copy(kernel, launch->parameters, &parameters, result))
        return;
    void *workspace = sim_alloc(sim, WORKSPACE_BYTES, SIM_INTERNAL);
    if (workspace)
        memset(workspace, 0, WORKSPACE_BYTES);
    struct sim_launch copy = *launch;
    copy.parameters = parameters.data;
    copy.stack_bytes = stack_of(kernel, launch->stack_bytes);
    for (int axis = 0; axis < 3; axis++)
        copy.cluster[axis] = launch->cluster[axis] ? launch->cluster[axis] : 1;
    copy.has_cluster = launch->cluster[0] != 0;
    run.launch = &copy;
    run.constants = sim_fill_constants(kernel, &copy, parameters.data, workspace);
    run.warp_vectors = sim_fill_warp_vectors(&copy, (threads + LANES - 1) / LANES);
    run.fanout = event_fanout_create(launch->observers, launch->observer_count);
    pthread_mutex_init(&run.lock, NULL);
    assert(run.first % sim_cluster_blocks(&copy) == 0 &&
           run.count % sim_cluster_blocks(&copy) == 0);
    run.pieces = run.count / sim_cluster_blocks(&copy);
    run.chosen = blocks_wait(&run) || kernel->launches
                     ? run.pieces
                     : sim_sample_size(&sim->config.sample, run.pieces, sim_cluster_blocks(&copy));
    result->is_sample = run.chosen < run.pieces;
    if (launch->picks)
        run.chosen = launch->pick_count;
    run.count = run.chosen * sim_cluster_blocks(&copy);
    if (launch->picks || launch->on_one_worker || launch->order.is_shuffled ||
        (!launch->take && is_small(kernel, run.count)))
        work(&run, 0);
    else
        run_on_all(&run);
    kernel->instructions += result->instructions;
    kernel->block_instructions = run.done ? result->instructions / run.done : UINT64_MAX;
    pthread_mutex_destroy(&run.lock);
    event_fanout_free(run.fanout);
    write_output(&run);
    result->blocks_run = run.done;
    // Blocks behind the one that faulted may have begun, or not.
    result->may_differ |= result->fault != SIM_OK && run.chosen > 1 && !blocks_wait(&run);
    sim->launches++;
    sim->timer += result->instructions * SIM_NANOSECONDS;
    if (result->fault == SIM_OK && (sim->interrupted || run.stopped))
        result->fault = SIM_FAULT_STOPPED;
    hand_over_children(&run);
    sim->interrupted = 0;
    if (workspace)
        sim_free(sim, workspace);
    sim_parameters_free(&parameters);
    free(run.constants);
    free(run.warp_vectors);
}

void sim_result_free(struct sim_result *result) {
    sim_children_free(result);
    sim_free_passed(result);
    free(result->message);
    result->message = NULL;
}
