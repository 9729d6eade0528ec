// See turns.h. The lowest block that has not ended never waits, so that somebody always goes on.
#include "sim/turns.h"

#include <stdlib.h>

#include "base/pool.h"
#include "sim/launch.h"

// Most blocks end soon after each other: looking again is cheaper than sleeping.
enum { LOOKS = 2048, NAP_MILLISECONDS = 50 };

void sim_turns_create(struct sim_turns *turns, unsigned workers) {
    *turns = (struct sim_turns){.workers = workers};
    turns->running = base_alloc(workers * sizeof *turns->running);
    for (unsigned w = 0; w < workers; w++)
        turns->running[w] = UINT64_MAX;
    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->moved, NULL);
}

void sim_turns_free(struct sim_turns *turns) {
    pthread_cond_destroy(&turns->moved);
    pthread_mutex_destroy(&turns->lock);
    free(turns->running);
}

static void wake(struct sim_turns *turns) {
    if (!__atomic_load_n(&turns->sleepers, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&turns->lock);
    pthread_cond_broadcast(&turns->moved);
    pthread_mutex_unlock(&turns->lock);
}

void sim_turns_begin(struct sim_turns *turns, const struct sim_worker *worker, uint64_t number) {
    __atomic_store_n(&turns->running[worker->index], number, __ATOMIC_SEQ_CST);
}

void sim_turns_end(struct sim_turns *turns, const struct sim_worker *worker) {
    __atomic_store_n(&turns->running[worker->index], UINT64_MAX, __ATOMIC_SEQ_CST);
    wake(turns);
}

void sim_turns_open(struct sim_turns *turns) {
    __atomic_store_n(&turns->is_open, true, __ATOMIC_SEQ_CST);
    wake(turns);
}

static bool is_next(const struct sim_turns *turns, uint64_t number) {
    for (unsigned w = 0; w < turns->workers; w++)
        if (__atomic_load_n(&turns->running[w], __ATOMIC_SEQ_CST) < number)
            return __atomic_load_n(&turns->is_open, __ATOMIC_SEQ_CST);
    return true;
}

static void nap(struct sim_turns *turns, uint64_t number) {
    pthread_mutex_lock(&turns->lock);
    __atomic_fetch_add(&turns->sleepers, 1, __ATOMIC_SEQ_CST);
    if (!is_next(turns, number))
        pool_wait(&turns->moved, &turns->lock, NAP_MILLISECONDS);
    __atomic_fetch_sub(&turns->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&turns->lock);
}

// False: the launch stops, or a block before this one has faulted.
static bool wait_for_turn(struct sim_worker *worker) {
    int looks = 0;
    while (!is_next(worker->turns, worker->turn)) {
        if (++looks < LOOKS)
            continue;
        if (sim_worker_check(worker, 0) != SIM_OK || sim_has_fault_before(worker))
            return false;
        nap(worker->turns, worker->turn);
    }
    return !sim_has_fault_before(worker);
}

// Generic addresses may be of the block's own memory, which no other block sees.
static bool is_inside_block(const struct sim_warp *warp, const struct sim_access *access,
                            uint32_t lanes) {
    if (!access || access->space != PTX_SPACE_GENERIC || access->base_is_32)
        return false;
    const uint64_t *base = access->has_base ? sim_at(warp, access->base) : NULL;
    EACH_LANE(l, lanes) {
        const uint64_t address = (base ? base[l] : 0) + access->offset;
        if (!ir_is_in_shared_window(address) && !ir_is_in_local_window(address))
            return false;
    }
    return true;
}

const struct sim_instr *sim_run_turn(struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_worker *worker = warp->block->worker;
    if (!worker->turns || worker->has_turn)
        return instr + 1;
    const uint32_t lanes = sim_lanes_behind(warp, instr);
    if (!lanes || is_inside_block(warp, instr->access, lanes))
        return instr + 1;
    worker->has_turn = wait_for_turn(worker);
    if (worker->has_turn)
        return instr + 1;
    return sim_raise(warp, instr, SIM_FAULT_STOPPED, (unsigned)__builtin_ctz(lanes), 0,
                     "the launch was stopped");
}
