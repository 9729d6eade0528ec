#include "cuda/core/fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "cuda/core/state.h"

// How long fork() waits, in a process that has not used CUDA yet, for another thread's call to end.
// Such calls are short: they register what the program consists of.
enum { PATIENCE_MILLISECONDS = 1000 };

static struct cuda_state *watched;
static _Thread_local bool holds; // this thread forks and has the lock

// A lock that another thread holds would never be free in the child. Once the process uses CUDA
// that does not matter, and launches are not waited for.
static void before_fork(void) {
    const struct timespec moment = {.tv_nsec = 1000 * 1000};
    holds = false;
    for (int i = 0; i < PATIENCE_MILLISECONDS && !watched->is_in_use && !holds; i++) {
        holds = cuda_lock_within(watched, 0);
        if (!holds)
            nanosleep(&moment, NULL);
    }
}

static void in_parent(void) {
    if (holds)
        cuda_unlock(watched);
}

static void in_child(void) {
    if (holds && !watched->is_in_use)
        cuda_unlock(watched);
    else
        watched->is_forked = true;
}

void cuda_watch_forks(struct cuda_state *state) {
    watched = state;
    pthread_atfork(before_fork, in_parent, in_child);
}

void cuda_say_forked(const struct cuda_state *state) {
    static atomic_flag was_said = ATOMIC_FLAG_INIT;
    if (!state->config.is_quiet && !atomic_flag_test_and_set(&was_said))
        cuda_say("calls of CUDA fail in a child of fork() whose parent had used CUDA, as on a GPU "
                 "(cudaErrorInitializationError): fork before the first call, or exec");
}
