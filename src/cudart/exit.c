#define _GNU_SOURCE // pthread_mutex_clocklock
#include "cudart/exit.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cudart/state.h"

// How long a launch gets to stop before the process ends without it.
enum { PATIENCE_SECONDS = 5 };

static sem_t signal_came;
static struct cudart_state *watched; // what the signal handler looks at

// Lock held.
static void write_profile(struct cudart_state *state) {
    if (!state->profile || state->config.owner != getpid())
        return;
    if (state->profiler.left_out && !state->config.is_quiet)
        cudart_say("%llu %s outside of cudaProfilerStart and cudaProfilerStop: not in the report",
                   (unsigned long long)state->profiler.left_out,
                   state->profiler.left_out == 1 ? "launch" : "launches");
    char *json = profile_to_json(state->profile);
    if (!file_write(state->config.profile_path, json, strlen(json)))
        cudart_say("%s: %s", state->config.profile_path, strerror(errno));
    free(json);
    profile_free(state->profile);
    state->profile = NULL;
}

static bool lock_patiently(struct cudart_state *state) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_SECONDS;
    return pthread_mutex_clocklock(&state->lock, CLOCK_MONOTONIC, &until) == 0;
}

// Only sets a flag and wakes the watcher: nothing else is safe here.
static void on_signal(int number) {
    watched->dying = number;
    sem_post(&signal_came);
}

// Without the lock: the launch that is to stop holds it.
static void stop_launch(struct cudart_state *state) {
    pthread_mutex_lock(&state->sim_lock);
    for (unsigned d = 0; d < state->device_count; d++)
        if (state->devices[d].sim)
            sim_interrupt(state->devices[d].sim);
    pthread_mutex_unlock(&state->sim_lock);
}

static void *watch(void *argument) {
    struct cudart_state *state = argument;
    while (sem_wait(&signal_came) != 0)
        continue;
    stop_launch(state);
    if (lock_patiently(state))
        write_profile(state);
    signal(state->dying, SIG_DFL);
    kill(getpid(), state->dying);
    return NULL;
}

static bool is_default(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
           action.sa_handler == SIG_DFL;
}

void cudart_watch_signals(struct cudart_state *state) {
    static const int numbers[] = {SIGINT, SIGTERM};
    pthread_t thread;
    sigset_t all, old;
    sem_init(&signal_came, 0, 0);
    watched = state;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool has_watcher = pthread_create(&thread, NULL, watch, state) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!has_watcher)
        return;
    pthread_detach(thread);
    // A second signal of the kind ends the process at once.
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_default(numbers[i]))
            sigaction(numbers[i], &action, NULL);
}

// Runs after the program's own destructors and atexit functions.
__attribute__((destructor)) static void at_end(void) {
    struct cudart_state *state = cudart_state();
    int fatal = state->dying; // a signal that only cut a sleep of the program short
    if (pthread_mutex_trylock(&state->lock) != 0) {
        // Another thread is in a launch while main returned.
        state->dying = SIGTERM;
        stop_launch(state);
        if (!lock_patiently(state))
            return;
    }
    write_profile(state);
    if (state->config.owner == getpid())
        cudart_free_state(state);
    pthread_mutex_unlock(&state->lock);
    if (fatal) {
        signal(fatal, SIG_DFL);
        raise(fatal);
    }
}
