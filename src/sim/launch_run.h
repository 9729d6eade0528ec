// Inside of launches: one launch while it runs, which its workers share.
#ifndef BANKRUN_SIM_LAUNCH_RUN_H
#define BANKRUN_SIM_LAUNCH_RUN_H

#include "sim/launch.h"

struct sim_output { // what one block printed
    uint64_t block;
    char *text;
};

// One launch. What workers look at for each block, what they take blocks from, and where they tell
// what has ended lie in cache lines of their own: beside what others change, the first alone took
// an eighth of a stencil's time on 16 processors.
struct sim_run {
    struct sim *sim;
    struct sim_kernel *kernel;
    const struct sim_launch *launch;
    uint64_t first, count;
    uint64_t pieces, chosen;    // clusters (or blocks), and how many of them are run
    uint64_t fault_block;       // atomic: order of the first faulting block, UINT64_MAX: none
    uint64_t still_block;       // atomic: of the first one that is known to wait for ever
    uint64_t workers;           // atomic: that have blocks, or may get some
    uint64_t still_workers;     // atomic: of which all blocks wait for ever
    bool stopped;               // atomic: progress() said so
    _Alignas(64) uint64_t next; // atomic: first cluster not yet handed out, relative
    _Alignas(64) uint64_t done; // atomic
    uint64_t instructions;      // atomic: of finished blocks
    _Alignas(64) pthread_mutex_t lock; // of what follows
    struct sim_result *result;
    VEC(struct sim_output) outputs;
    VEC(struct sim_child) children;
    uint8_t *constants, *warp_vectors;
    struct event_fanout *fanout;
    struct sim_turns *turns; // NULL: blocks run in any order
};

static inline uint64_t sim_run_load(const uint64_t *value) {
    return __atomic_load_n(value, __ATOMIC_RELAXED);
}

// Of instructions; 0: there is none.
static inline uint64_t sim_run_limit(const struct sim_run *run) {
    const uint64_t own = run->launch->order.max_instructions;
    return own ? own : run->sim->config.max_instructions;
}

// Blocks wait for others, so that how often they look depends on who runs when.
bool sim_blocks_wait(const struct sim_run *run);
// What the kernel did the last time is not worth what it takes to begin with more.
bool sim_is_short(const struct sim_kernel *kernel, uint64_t blocks);
// A thread of the pool: runs blocks until none are left.
void sim_work(void *run, int index);

// hand_out.c: which cluster a worker runs next. False: none is left for it.
bool sim_take_cluster(struct sim_worker *worker, uint64_t *number);
// Whether blocks may follow each other in one place, by sim_take_follower() (launch.h).
bool sim_may_follow(const struct sim_worker *worker);
// A block of the worker has ended; the launch is told of all that have at once.
struct sim_block_counts;
void sim_note_end(struct sim_worker *worker, struct sim_block_counts counts);
void sim_tell_ended(struct sim_worker *worker);

#endif
