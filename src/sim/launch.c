// Launches: what one is given, and what becomes of it. Its blocks are run by blocks.c.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "event/fanout.h"
#include "sim/decode/decode.h"
#include "sim/flow/cluster.h"
#include "sim/flow/special.h"
#include "sim/launch_run.h"
#include "sim/native.h"
#include "sim/parameters.h"
#include "sim/turns.h"

enum { WORKSPACE_BYTES = 64 };

uint64_t sim_worker_left(const struct sim_worker *worker, uint64_t instructions) {
    const uint64_t limit = worker->max_instructions;
    const uint64_t done = sim_run_load(&worker->run->instructions) + instructions;
    return !limit ? UINT64_MAX : done < limit ? limit - done : 0;
}

enum sim_fault sim_worker_check(struct sim_worker *worker, uint64_t instructions) {
    struct sim_run *run = worker->run;
    if (!sim_worker_left(worker, instructions))
        return SIM_FAULT_INSTRUCTION_LIMIT;
    sim_native_heat(run->kernel, run->launch, sim_run_load(&run->instructions) + instructions);
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
    if (launch->progress(launch->progress_context, sim_run_load(&run->done), run->count,
                         sim_run_load(&run->instructions) + instructions))
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

// ---- Output -------------------------------------------------------------------------------

static int by_block(const void *a, const void *b) {
    const struct sim_output *x = a, *y = b;
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
    const bool is_ordered = run->kernel->is_ordered && !sim_blocks_wait(run);
    if (is_ordered) {
        sim_turns_create(&turns, (unsigned)sim_threads(run->sim));
        run->turns = &turns;
    }
    run->workers = (uint64_t)sim_threads(run->sim);
    pool_run(run->sim->pool, sim_work, run);
    if (is_ordered)
        sim_turns_free(&turns);
}

static bool is_small(const struct sim_kernel *kernel, uint64_t blocks) {
    return blocks == 1 || sim_is_short(kernel, blocks);
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
    run.chosen = sim_blocks_wait(&run) || kernel->launches
                     ? run.pieces
                     : sim_sample_size(&sim->config.sample, run.pieces, sim_cluster_blocks(&copy));
    result->is_sample = run.chosen < run.pieces;
    if (launch->picks)
        run.chosen = launch->pick_count;
    run.count = run.chosen * sim_cluster_blocks(&copy);
    if (launch->picks || launch->on_one_worker || launch->order.is_shuffled ||
        (!launch->take && is_small(kernel, run.count)))
        sim_work(&run, 0);
    else
        run_on_all(&run);
    kernel->instructions += result->instructions;
    kernel->block_instructions = run.done ? result->instructions / run.done : UINT64_MAX;
    pthread_mutex_destroy(&run.lock);
    event_fanout_free(run.fanout);
    write_output(&run);
    result->blocks_run = run.done;
    // Blocks behind the one that faulted may have begun, or not.
    result->may_differ |= result->fault != SIM_OK && run.chosen > 1 && !sim_blocks_wait(&run);
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
