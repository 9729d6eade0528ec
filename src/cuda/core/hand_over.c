#define _GNU_SOURCE // RTLD_DEFAULT
#include "cuda/core/hand_over.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/core/state.h"
#include "handover/handover.h"

static struct handover_writer *writer; // NULL: nobody asked
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t locks_of; // the process: in a fork another thread of the parent may hold it for ever

static void take_lock(void) {
    if (locks_of != getpid())
        pthread_mutex_init(&lock, NULL);
    locks_of = getpid();
    pthread_mutex_lock(&lock);
}

// The program leaves by a side door (_exit, quick_exit), where no destructor is called. What it
// launched so far is all.
static void at_side_door(void) {
    cuda_hand_over_end(0);
}

// The injected library has _exit call this.
static void watch_side_doors(void) {
    void (**on_exit)(void) = dlsym(RTLD_DEFAULT, "bankrun_at_exit");
    if (on_exit)
        *on_exit = at_side_door;
    at_quick_exit(at_side_door);
}

bool cuda_hand_over_set_up(void) {
    if (!handover_is_wanted())
        return true;
    locks_of = getpid();
    writer = handover_open();
    if (writer)
        watch_side_doors();
    if (writer || errno == 0)
        return true;
    cuda_say("what this process counts cannot be handed over to bankrun: %s", strerror(errno));
    return false;
}

bool cuda_hands_over(void) {
    return writer != NULL;
}

bool cuda_hand_over_is_lost(void) {
    return writer && handover_is_orphaned(writer);
}

static void put(enum handover_kind kind, const void *data, size_t length) {
    take_lock();
    handover_write(writer, kind, data, length);
    pthread_mutex_unlock(&lock);
}

static void put_text(enum handover_kind kind, char *text) {
    put(kind, text, strlen(text));
    free(text);
}

static void on_launch(const struct profile *profile, size_t kept, bool is_repeat) {
    const uint32_t number = (uint32_t)kept;
    if (is_repeat)
        put(HANDOVER_REPEAT, &number, sizeof number);
    else
        put_text(HANDOVER_LAUNCH, profile_launch_to_json(&profile->launches[kept]));
}

void cuda_hand_over_head(const struct profile *profile) {
    if (writer && profile)
        put_text(HANDOVER_PROFILE, profile_head_to_json(profile));
}

void cuda_hand_over_profile(struct profile *profile) {
    if (writer) {
        profile->on_launch = on_launch;
        profile->on_failure = cuda_hand_over_head;
    }
    cuda_hand_over_head(profile);
}

void cuda_hand_over_restart(const struct profile *profile) {
    if (writer && profile->launched)
        put(HANDOVER_RESTART, NULL, 0);
}

void cuda_hand_over_launching(const struct run_launch *launch) {
    if (!writer || !launch->profile)
        return;
    struct handover_launch begun = {
        .bank_bytes = bankrun_bank_bytes(launch->arch),
        .is_of_several = launch->devices > 1,
        .device = launch->devices > 1 ? launch->device : 0,
        .shared_bytes =
            ir_shared_bytes(sim_kernel_layout(launch->kernel), launch->sim.dynamic_shared_bytes),
    };
    memcpy(begun.grid, launch->sim.grid, sizeof begun.grid);
    memcpy(begun.block, launch->sim.block, sizeof begun.block);
    take_lock();
    handover_launching(writer, &begun, sim_kernel_function(launch->kernel)->name);
    pthread_mutex_unlock(&lock);
}

void cuda_hand_over_landed(void) {
    if (writer)
        handover_landed(writer);
}

void cuda_hand_over_ending(void) {
    if (writer)
        handover_ending(writer);
}

void cuda_hand_over_end(int signal) {
    if (writer)
        handover_end(writer, signal);
}

void cuda_hand_over_note(const char *text) {
    if (writer)
        put(HANDOVER_NOTE, text, strlen(text));
}

void cuda_hand_over_failure(const char *text) {
    if (writer)
        put(HANDOVER_FAILURE, text, strlen(text));
}
