#define _GNU_SOURCE // pthread_mutex_clocklock
#include "cuda/core/state.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/say.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cuda/checks/check.h"
#include "cuda/core/error.h"
#include "cuda/core/exit.h"
#include "cuda/core/fork.h"
#include "cuda/core/hand_over.h"
#include "cuda/core/ipc.h"
#include "cuda/core/orphan.h"
#include "cuda/core/thread.h"
#include "cuda/graph/graph.h"
#include "cuda/texture/texture.h"

static const size_t default_limits[CUDA_LIMITS] = {
    [CUDA_LIMIT_STACK] = 1024,   [CUDA_LIMIT_PRINTF] = 8650752,
    [CUDA_LIMIT_HEAP] = 8388608, [CUDA_LIMIT_PENDING_LAUNCHES] = 2048,
    [CUDA_LIMIT_L2_FETCH] = 64,
};

enum { CANNOT_HAND_OVER = 2 }; // the process's exit status, as of every error of bankrun

static struct cuda_state the_state;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void cuda_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_list(stderr, format, arguments);
    va_end(arguments);
}

void cuda_note(const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cuda_say("%s", text);
    cuda_state(); // which knows whether bankrun is there
    cuda_hand_over_note(text);
}

// Whether the message was given out before in this process: what holds for one module, as that its
// PTX is newer than what is known, holds for all that one compiler makes.
static bool was_said(const char *message) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static VEC(char *) messages;
    bool was = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < messages.length && !was; i++)
        was = strcmp(messages.data[i], message) == 0;
    if (!was)
        vec_push(&messages, base_strdup(message));
    pthread_mutex_unlock(&lock);
    return was;
}

void cuda_say_diags(const struct diag_list *diags) {
    VEC(struct diag) items = {0};
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity != DIAG_WARNING || !was_said(diags->items[i].message))
            vec_push(&items, diags->items[i]);
    const struct diag_list left = {.items = items.data, .count = items.length};
    if (left.count)
        diag_print(&left, stderr, false);
    vec_free(&items);
}

static atomic_int runtime_version = CUDA_DRIVER_VERSION;

int cuda_version(void) {
    return runtime_version;
}

void cuda_set_version(int version) {
    runtime_version = version;
}

uint64_t cuda_device_bytes(const struct cuda_state *state) {
    uint64_t left, total;
    sim_memory_info(state->current->sim, &left, &total);
    return total;
}

static void set_defaults(const struct cuda_state *state, struct cuda_device *device) {
    for (int i = 0; i < CUDA_LIMITS; i++)
        device->limits[i] = default_limits[i];
    device->limits[CUDA_LIMIT_PERSISTING_L2] = (size_t)state->device.persisting_l2_bytes * 3 / 10;
    device->shared_config = 1; // banks of 4 bytes
}

// The other ranks are the first process's that uses CUDA.
static struct spread *find_ranks(void) {
    const char *name = getenv(RANKS_VARIABLE), *all = getenv("BANKRUN_RANKS_ALL");
    struct ranks_channel *channel = name && *name ? ranks_channel_open(name) : NULL;
    return channel ? spread_create(channel, all && strcmp(all, "1") == 0) : NULL;
}

static void set_up(void) {
    struct cuda_state *state = &the_state;
    pthread_mutex_init(&state->lock, NULL);
    pthread_mutex_init(&state->sim_lock, NULL);
    cuda_config_read(&state->config);
    state->cannot_hand_over = !cuda_hand_over_set_up();
    state->spread = find_ranks();
    state->device = device_model_of(state->config.arch);
    state->device_count = (unsigned)state->config.devices;
    state->current = state->devices;
    for (unsigned d = 0; d < state->device_count; d++) {
        state->devices[d].number = d;
        set_defaults(state, &state->devices[d]);
    }
    cuda_check_begin(state);
    cuda_watch_forks(state);
}

struct cuda_state *cuda_state(void) {
    pthread_once(&once, set_up);
    return &the_state;
}

bool cuda_is_device(const struct cuda_state *state, int device) {
    return device >= 0 && (unsigned)device < state->device_count;
}

struct cuda_device *cuda_this_device(struct cuda_state *state) {
    return &state->devices[cuda_thread_device()];
}

struct sim *cuda_any_sim(const struct cuda_state *state) {
    for (unsigned d = 0; d < state->device_count; d++)
        if (state->devices[d].sim)
            return state->devices[d].sim;
    return NULL;
}

// The program's arguments, as the C library hands them to constructors.
static int argument_count;
static char **argument_list;

__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
    argument_count = argc;
    argument_list = argv;
}

// The arguments as the system keeps them, since programs change their lists; if they cannot be
// read, the list.
static void start_profile(struct cuda_state *state) {
    char *text;
    size_t length;
    VEC(char *) arguments = {0};
    bool is_read = file_read("/proc/self/cmdline", &text, &length);
    for (char *at = text; is_read && at < text + length; at += strlen(at) + 1)
        vec_push(&arguments, at);
    for (int i = 0; !is_read && i < argument_count; i++)
        vec_push(&arguments, argument_list[i]);
    state->profile = profile_create(state->config.arch, arguments.data, arguments.length);
    state->profile->is_as_compiled = state->config.as_compiled;
    state->profile->is_uncounted = state->config.is_uncounted;
    state->profile->checks = state->config.checks;
    vec_free(&arguments);
    free(text);
    cuda_hand_over_profile(state->profile);
}

void cuda_restart_profile(struct cuda_state *state) {
    cuda_hand_over_restart(state->profile);
    profile_forget_launches(state->profile);
    cuda_hand_over_head(state->profile);
}

static void fail_trace(const struct cuda_state *state, const char *why) {
    const char *path = state->config.trace_path;
    cuda_say("%s: %s", path ? path : "the trace", why);
    cuda_hand_over_failure(why);
}

static void start_trace(struct cuda_state *state) {
    if (!run_trace_open(&state->trace, state->config.trace, state->config.trace_path))
        fail_trace(state, strerror(errno));
}

static void end_trace(struct cuda_state *state) {
    if (state->trace.trace && !profile_trace_has_matched(state->trace.trace))
        cuda_say("--trace %s: no shared-memory access of that line was made", state->config.trace);
    if (!run_trace_close(&state->trace))
        fail_trace(state, "not all of the trace could be written");
    free(state->config.trace);
    free(state->config.trace_path);
    state->config.trace = state->config.trace_path = NULL;
}

void cuda_start_profile(struct cuda_state *state) {
    const bool is_wanted = state->config.profile_path || cuda_hands_over();
    if (!is_wanted)
        cuda_watch_bankrun();
    if (!is_wanted || state->profile)
        return;
    state->is_in_use = true;
    state->config.owner = getpid();
    start_profile(state);
    if (state->config.trace)
        start_trace(state);
    cuda_watch_signals(state);
    cuda_watch_bankrun();
}

bool cuda_make_device(struct cuda_state *state) {
    if (state->current->sim)
        return true;
    state->is_in_use = true;
    if (state->cannot_hand_over) { // an end with status 0 would say that nothing is wrong
        fflush(NULL);
        _exit(CANNOT_HAND_OVER);
    }
    state->config.owner = getpid(); // which may be a child of the process that was started
    struct sim_config config = {
        .arch = state->config.arch,
        .threads = state->config.threads,
        .max_instructions = state->config.max_instructions,
        .engine = state->config.engine,
        .lets_pass = state->config.lets_pass,
        .fill = state->config.fill,
        .tracks_undefined = state->config.checks & profile_check_bit(PROFILE_CHECK_INIT),
        .output = stdout,
        .sample = state->config.sample,
        .place = state->spread ? SPREAD_PLACE : 0,
        .neighbour = cuda_any_sim(state),
        .device = state->current->number,
        .devices = state->device_count,
    };
    state->current->sim = sim_create(&config);
    if (!state->current->sim)
        return false;
    cuda_start_profile(state);
    return true;
}

void cuda_drop_device(struct cuda_state *state) {
    for (size_t i = state->modules.length; i > 0; i--) {
        struct cuda_module *module = state->modules.data[i - 1];
        if (module->context && module->device == state->current->number)
            cuda_module_free(state, module);
        else
            cuda_module_unload(state, module, state->current->number);
    }
    cuda_check_drop(state);
    cuda_graphs_drop(state);
    cuda_handles_drop(state, CUDA_STREAM);
    cuda_handles_drop(state, CUDA_EVENT);
    cuda_handles_drop(state, CUDA_POOL);
    cuda_handles_drop(state, CUDA_ARRAY);
    cuda_handles_drop(state, CUDA_MIPMAP);
    cuda_objects_drop(state);
    cuda_ipc_drop(state);
    pthread_mutex_lock(&state->sim_lock);
    sim_destroy(state->current->sim);
    state->current->sim = NULL;
    pthread_mutex_unlock(&state->sim_lock);
    state->current->pending = state->current->sticky = cudaSuccess;
    state->current->peers = 0;
    for (unsigned d = 0; d < state->device_count; d++)
        state->devices[d].peers &= ~(1u << state->current->number);
}

void cuda_free_state(struct cuda_state *state) {
    cuda_check_end(state);
    for (unsigned d = 0; d < state->device_count; d++) {
        state->current = &state->devices[d];
        cuda_drop_device(state);
    }
    while (state->modules.length)
        cuda_module_free(state, state->modules.data[0]);
    vec_free(&state->modules);
    for (size_t i = 0; i < state->all_variables.length; i++)
        free(state->all_variables.data[i]);
    vec_free(&state->all_variables);
    map_free(&state->functions);
    map_free(&state->variables);
    vec_free(&state->said_passed);
    cuda_graphs_free(state);
    cuda_ipc_free(state);
    vec_free(&state->calls.list);
    cuda_handles_free(state);
    for (unsigned d = 0; d < state->device_count; d++) {
        state->devices[d].default_stream = NULL;
        state->devices[d].default_pool = state->devices[d].pool = NULL;
        state->devices[d].primary = NULL;
    }
    free(state->config.profile_path);
    state->config.profile_path = NULL;
    end_trace(state);
}

// As on real devices, what broke one keeps the process from using the others, too.
static enum cuda_error use(struct cuda_state *state, struct cuda_device *device) {
    state->current = device;
    for (unsigned d = 0; d < state->device_count; d++)
        if (state->devices[d].sticky != cudaSuccess)
            return state->devices[d].sticky;
    return cuda_make_device(state) ? cudaSuccess : cudaErrorInitializationError;
}

enum cuda_error cuda_visit(struct cuda_state *state, struct cuda_device *device) {
    enum cuda_error error = use(state, device);
    if (error == cudaSuccess && device->pending != cudaSuccess) {
        error = device->sticky = device->pending;
        device->pending = cudaSuccess;
    }
    return error;
}

static void note_holder(struct cuda_state *state) {
    state->holder = pthread_self();
    state->is_held = 1;
}

bool cuda_lock(struct cuda_state *state) {
    if (state->is_forked)
        return false;
    pthread_mutex_lock(&state->lock);
    note_holder(state);
    return true;
}

bool cuda_lock_within(struct cuda_state *state, int seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    if (state->is_forked)
        return false;
    if (pthread_mutex_trylock(&state->lock) != 0 &&
        (!seconds || pthread_mutex_clocklock(&state->lock, CLOCK_MONOTONIC, &until) != 0))
        return false;
    note_holder(state);
    return true;
}

void cuda_unlock(struct cuda_state *state) {
    state->is_held = 0;
    pthread_mutex_unlock(&state->lock);
}

struct cuda_state *cuda_begin(void) {
    struct cuda_state *state = cuda_ask();
    if (!state || !cuda_lock(state))
        return NULL;
    state->current = cuda_this_device(state);
    return state;
}

struct cuda_state *cuda_ask(void) {
    struct cuda_state *state = cuda_state();
    if (!state->is_forked)
        return state;
    cuda_say_forked(state);
    return NULL;
}

enum cuda_error cuda_end(struct cuda_state *state, enum cuda_error error) {
    struct cuda_calls calls = state->calls;
    state->calls = (struct cuda_calls){0};
    cuda_unlock(state);
    while (state->dying) // a signal ends the process; the program is not to see a failed launch
        pause();
    for (size_t i = 0; i < calls.list.length; i++)
        calls.list.data[i].function(calls.list.data[i].data);
    vec_free(&calls.list);
    return error;
}

void cuda_call_host(struct cuda_state *state, void (*function)(void *data), void *data) {
    struct cuda_device *device = state->current;
    cuda_unlock(state);
    function(data);
    cuda_lock(state);
    state->current = device;
}

enum cuda_error cuda_enter(struct cuda_state *state) {
    return cuda_visit(state, cuda_this_device(state));
}

enum cuda_error cuda_enter_device(struct cuda_state *state, int device) {
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    return cuda_visit(state, &state->devices[device]);
}

enum cuda_error cuda_enter_queued(struct cuda_state *state, bool *is_lost) {
    enum cuda_error error = use(state, cuda_this_device(state));
    *is_lost = error == cudaSuccess && state->current->pending != cudaSuccess;
    return error;
}
