#include "cuda/core/exit.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cuda/checks/check.h"
#include "cuda/core/hand_over.h"
#include "cuda/core/own_thread.h"
#include "cuda/core/state.h"
#include "run/launch.h"

// How long a launch gets to stop before the process ends without it.
enum { PATIENCE_SECONDS = 5 };

static sem_t signal_came;
static struct cuda_state *watched; // what the signal handlers look at
static volatile sig_atomic_t has_crashed, holds_lock, is_written;

static void write_file(const struct cuda_state *state) {
    char *json = profile_to_json(state->profile);
    if (!file_write(state->config.profile_path, json, strlen(json)))
        cuda_say("%s: %s", state->config.profile_path, strerror(errno));
    free(json);
}

// `signal` ends the process; 0: none does. Lock held.
static void write_profile(struct cuda_state *state, int signal) {
    if (!state->profile || state->config.owner != getpid())
        return;
    if (state->profiler.left_out && !state->config.is_quiet)
        cuda_say("%llu %s outside of cudaProfilerStart and cudaProfilerStop: not in the report",
                 (unsigned long long)state->profiler.left_out,
                 state->profiler.left_out == 1 ? "launch" : "launches");
    if (!signal)
        cuda_check_end(state);
    cuda_hand_over_head(state->profile);
    if (state->config.profile_path)
        write_file(state);
    cuda_hand_over_end(signal);
    profile_free(state->profile);
    state->profile = NULL;
}

static void die_of(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

// Only sets a flag and wakes the watcher, nothing else is safe here. A child that the program
// forked has no watcher.
static bool wake_watcher(int number) {
    if (watched->config.owner != getpid())
        return false;
    watched->dying = number;
    return sem_post(&signal_came) == 0;
}

// bankrun hands on what it gets, and who signals a whole group (timeout) sends it to both: what
// comes while the process is ending asks for nothing new. A second one from the keyboard does.
static void on_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    if (watched->dying && watched->config.owner == getpid() && info->si_code != SI_KERNEL)
        return;
    cuda_hand_over_ending();
    if (watched->dying || !wake_watcher(number))
        die_of(number);
}

// The thread that crashed may hold any lock, malloc's too: the watcher writes, and is waited for
// with patience. In a call of ours (a copy to a bad host pointer) it holds our lock, and stands
// still.
static void on_crash(int number, siginfo_t *info, void *context) {
    (void)info, (void)context;
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    has_crashed = 1;
    holds_lock = watched->is_held && pthread_equal(watched->holder, pthread_self());
    if (wake_watcher(number))
        for (int i = 0; i < PATIENCE_SECONDS * 100 && !is_written; i++)
            nanosleep(&moment, NULL);
    die_of(number);
}

// Without the lock: the launch that is to stop holds it.
static void stop_launch(struct cuda_state *state) {
    pthread_mutex_lock(&state->sim_lock);
    for (unsigned d = 0; d < state->device_count; d++)
        if (state->devices[d].sim)
            sim_interrupt(state->devices[d].sim);
    pthread_mutex_unlock(&state->sim_lock);
}

static void *watch(void *argument) {
    struct cuda_state *state = argument;
    while (sem_wait(&signal_came) != 0)
        continue;
    stop_launch(state);
    if (holds_lock || cuda_lock_within(state, PATIENCE_SECONDS))
        write_profile(state, state->dying);
    else
        cuda_hand_over_end(state->dying);
    is_written = 1;
    if (!has_crashed) {
        signal(state->dying, SIG_DFL);
        kill(getpid(), state->dying);
    }
    return NULL;
}

static bool is_default(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
           action.sa_handler == SIG_DFL;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction action = {.sa_sigaction = handler,
                               .sa_flags = SA_SIGINFO | SA_RESTART | flags};
    sigemptyset(&action.sa_mask);
    if (is_default(number))
        sigaction(number, &action, NULL);
}

void cuda_watch_signals(struct cuda_state *state) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    sem_init(&signal_came, 0, 0);
    watched = state;
    if (!cuda_own_thread(POOL_THREADS "signals", watch, state))
        return;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        handle(ends[i], on_signal, 0);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        handle(crashes[i], on_crash, SA_RESETHAND);
}

// Runs after the program's own destructors and atexit functions.
__attribute__((destructor)) static void at_end(void) {
    struct cuda_state *state = cuda_state();
    if (state->is_forked)
        return;
    int fatal = state->dying; // a signal that only cut a sleep of the program short
    if (!cuda_lock_within(state, 0)) {
        // Another thread is in a launch while main returned.
        state->dying = fatal ? fatal : RUN_STOPPED_BY_EXIT;
        stop_launch(state);
        if (!cuda_lock_within(state, PATIENCE_SECONDS)) {
            cuda_hand_over_end(fatal);
            return;
        }
    }
    write_profile(state, fatal);
    if (state->config.owner == getpid())
        cuda_free_state(state);
    cuda_unlock(state);
    if (fatal)
        die_of(fatal);
}
