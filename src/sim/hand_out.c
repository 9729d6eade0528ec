// Which blocks of a launch a worker gets, one after the other.
#include "sim/flow/block.h"
#include "sim/flow/cluster.h"
#include "sim/flow/shuffle.h"
#include "sim/launch_run.h"
#include "sim/native.h"
#include "sim/turns.h"

// Short blocks never use up a time slice: the limit is looked at between blocks, too.
static bool is_at_limit(struct sim_run *run) {
    const uint64_t limit = sim_run_limit(run);
    if (!limit || sim_run_load(&run->instructions) < limit)
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

static bool is_stopped(const struct sim_run *run) {
    return run->sim->interrupted || __atomic_load_n(&run->stopped, __ATOMIC_RELAXED);
}

// ---- Claims: several at once --------------------------------------------------------------------

// Most of what it costs to begin a short block is to agree with other threads which one it is. And
// what native code fetches ahead behind the last one of them is another thread's.
enum { MOST_CLAIMED = 256 };

// Warp instructions of blocks that ended at once, until the launch hears of them.
enum { MOST_UNTOLD = 1 << 18 };

static uint64_t claim_size(const struct sim_run *run) {
    const uint64_t next = sim_run_load(&run->next), all = 32 * sim_run_load(&run->workers);
    const uint64_t fair = next < run->chosen ? (run->chosen - next) / all : 0;
    return fair < 1 ? 1 : fair < MOST_CLAIMED ? fair : MOST_CLAIMED;
}

static bool take_claimed(struct sim_worker *worker, uint64_t *number) {
    const struct sim_run *run = worker->run;
    struct sim_followed *followed = &worker->followed;
    if (followed->next == followed->end)
        return false;
    *number = run->first + followed->next++;
    return !is_stopped(run) && *number <= sim_run_load(&run->fault_block);
}

static void claim(struct sim_worker *worker) {
    struct sim_run *run = worker->run;
    struct sim_followed *followed = &worker->followed;
    if (followed->next < followed->end || sim_run_load(&run->fault_block) != UINT64_MAX)
        return;
    const uint64_t size = claim_size(run);
    const uint64_t begin = __atomic_fetch_add(&run->next, size, __ATOMIC_SEQ_CST);
    followed->next = begin < run->chosen ? begin : run->chosen;
    followed->end = begin + size < run->chosen ? begin + size : run->chosen;
}

// ---- One after the other ------------------------------------------------------------------------

bool sim_take_cluster(struct sim_worker *worker, uint64_t *number) {
    struct sim_run *run = worker->run;
    const uint64_t size = sim_cluster_blocks(run->launch);
    if (take_claimed(worker, number))
        return true;
    // After a fault only the blocks before it matter, and those were handed out already.
    if (sim_run_load(&run->fault_block) != UINT64_MAX || is_stopped(run))
        return false;
    if (run->launch->take) {
        const bool is_there =
            !is_at_limit(run) && run->launch->take(run->launch->take_context, number);
        worker->turn = *number;
        return is_there;
    }
    if (sim_run_load(&run->next) < run->chosen && is_at_limit(run))
        return false;
    if (worker->turns) // whoever gets a later one must see this
        sim_turns_begin(worker->turns, worker, sim_run_load(&run->next));
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

// ---- Blocks that follow each other in one place -------------------------------------------------

bool sim_may_follow(const struct sim_worker *worker) {
    const struct sim_run *run = worker->run;
    return !run->turns && !worker->shuffle && !worker->hears_sync && !worker->max_instructions &&
           !run->launch->picks && run->chosen == run->pieces &&
           sim_cluster_blocks(run->launch) == 1 && !run->kernel->uses_cluster &&
           !run->kernel->launches && !sim_blocks_wait(run);
}

void sim_note_end(struct sim_worker *worker, struct sim_block_counts counts) {
    worker->instructions += counts.instructions;
    worker->thread_instructions += counts.thread_instructions;
    worker->followed.instructions += counts.instructions;
    worker->followed.blocks++;
}

void sim_tell_ended(struct sim_worker *worker) {
    struct sim_run *run = worker->run;
    struct sim_followed *followed = &worker->followed;
    const uint64_t all =
        followed->instructions +
        __atomic_fetch_add(&run->instructions, followed->instructions, __ATOMIC_RELAXED);
    sim_native_heat(run->kernel, run->launch, all);
    __atomic_fetch_add(&run->done, followed->blocks, __ATOMIC_RELAXED);
    followed->blocks = followed->instructions = 0;
    sim_report_progress(worker, 0);
}

bool sim_take_follower(const struct sim_block_flow *flow, uint64_t *number) {
    struct sim_worker *worker = flow->block.worker;
    if (!worker->may_follow || flow->output.length)
        return false;
    if (!worker->launch->take)
        claim(worker);
    return sim_take_cluster(worker, number);
}

void sim_begin_follower(struct sim_block_flow *flow, uint64_t number) {
    struct sim_worker *worker = flow->block.worker;
    sim_note_end(worker, flow->kept);
    if (worker->followed.instructions >= MOST_UNTOLD)
        sim_tell_ended(worker);
    sim_cluster_start(flow->block.cluster, number);
    worker->first_order = number;
}
