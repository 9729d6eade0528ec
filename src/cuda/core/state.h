// What the whole runtime shares: the simulated devices, modules, the profile, and the locks.
// The CUDA runtime is a process-wide thing, so this is the one room with state of its own.
#ifndef BANKRUN_CUDA_CORE_STATE_H
#define BANKRUN_CUDA_CORE_STATE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/map.h"
#include "base/vec.h"
#include "cuda/core/abi.h"
#include "cuda/core/config.h"
#include "cuda/core/handles.h"
#include "cuda/device/device_model.h"
#include "cuda/module/module.h"
#include "profile/profile.h"
#include "run/trace.h"
#include "sim/sim.h"
#include "spread/spread.h"

// One simulated device, and what a program set for it.
struct cuda_device {
    unsigned number;
    struct sim *sim; // NULL until a call needs the device, and after cudaDeviceReset
    // A fault of a kernel is `pending` until a call that waits for the device sees it; from then
    // on it is `sticky`: every call returns it, on every device, until cudaDeviceReset.
    enum cuda_error pending, sticky;
    VEC(struct cuda_object *) objects; // textures and surfaces by number, NULL: destroyed
    size_t limits[CUDA_LIMITS];
    struct cuda_stream *default_stream;    // NULL: nobody asked for its properties yet
    struct cuda_pool *default_pool, *pool; // NULL: nobody asked for it yet; the current one
    uint32_t peers;                        // the devices whose memory its kernels may touch
    unsigned flags;
    int cache_config, shared_config;
    struct cuda_context *primary; // of the driver API; NULL: nobody asked for it yet
    unsigned retained;            // how often
};

// Functions of the program that wait for the lock to be free.
struct cuda_calls {
    VEC(struct cuda_call {
        void (*function)(void *data);
        void *data;
    })
    list;
};

struct cuda_state {
    pthread_mutex_t lock; // held by every call that touches what follows, launches included
    struct cuda_config config;
    struct device_model device; // what all of them are
    unsigned device_count;
    struct cuda_device devices[SIM_DEVICES];
    struct cuda_device *current;  // the one that the call under way works on
    pthread_mutex_t sim_lock;     // of the devices' `sim`, for who has to stop a launch
    struct profile *profile;      // NULL: nobody asked for one
    struct run_trace trace;       // zeroed: nothing is traced
    struct spread *spread;        // other ranks that run a part of launches; NULL: none
    struct cuda_checker *checker; // of the host's side; NULL: nobody checks it
    const char *call;             // of the API that is under way: "cudaMalloc"
    VEC(struct cuda_module *) modules;
    struct map functions;                      // host address -> struct cuda_function
    struct map variables;                      // host address -> struct cuda_variable
    VEC(struct cuda_variable *) all_variables; // of unregistered modules too: keys of the map
    struct cuda_handles handles;
    unsigned long long streams_made;
    struct cuda_calls calls;        // destructors of objects that nothing refers to any more
    struct cuda_graphs *graphs;     // what graphs share; NULL: there were none yet
    struct cuda_ipc *ipc;           // what other processes may have of this one; NULL: nothing
    struct cuda_ipc_opened *opened; // memory of other processes, a list
    struct {
        bool is_initialized;
        unsigned long long contexts_made;
        struct cuda_virtual *memory; // NULL: no address was reserved yet
    } driver;
    struct {
        bool was_used, is_paused;
        uint64_t left_out; // launches that were not counted
    } profiler;
    VEC(const void *) said_passed; // instructions whose accesses beyond an allocation were told of
    bool cannot_hand_over;         // to the bankrun that waits for the profile
    atomic_bool is_in_use;         // the program called what needs the driver
    bool is_forked;                // a child of a process that used CUDA: see fork.h
    pthread_t holder;              // of the lock, while a call of the API holds it
    volatile sig_atomic_t is_held;
    // Signal that ends the process, or RUN_STOPPED_BY_EXIT; launches are refused.
    volatile sig_atomic_t dying;
};

// Set up on the first call.
struct cuda_state *cuda_state(void);
// There is a device of that number.
bool cuda_is_device(const struct cuda_state *state, int device);
// The calling thread's device. Needs no lock.
struct cuda_device *cuda_this_device(struct cuda_state *state);

// ---- Every API call ---------------------------------------------------------------------------
// A face takes the lock once: between cuda_begin and cuda_end it checks what is its own affair, and
// calls one function of the core, whose error the call returns.

// The lock, with its holder's name on it. Nothing else locks. False: a child of fork() that cannot
// use CUDA.
bool cuda_lock(struct cuda_state *state);
void cuda_unlock(struct cuda_state *state);
// False: another thread kept it so long, or as above.
bool cuda_lock_within(struct cuda_state *state, int seconds);
// The state, locked. NULL: a child of fork() that cannot use CUDA.
struct cuda_state *cuda_begin(void);
// Notes which call it is, and returns the state. NULL is fine.
static inline struct cuda_state *cuda_name_call(struct cuda_state *state, const char *name) {
    if (state)
        state->call = name;
    return state;
}
// The same without the lock, for questions about what never changes.
struct cuda_state *cuda_ask(void);
// Unlocks, and calls what waited for that; returns the error.
enum cuda_error cuda_end(struct cuda_state *state, enum cuda_error error);
// A function of the program's, which may call either API, in the midst of a call: without the lock.
void cuda_call_host(struct cuda_state *state, void (*function)(void *data), void *data);

// How the core's functions begin: the thread's device exists after this, and is the current one.
// The call returns the error, if there is one, at once. Lock held, in all of them.

// For calls that wait for the device, or that nobody can tell from one: a fault shows.
enum cuda_error cuda_enter(struct cuda_state *state);
// The same for a device other than the thread's. cudaErrorInvalidDevice: there is none such.
enum cuda_error cuda_enter_device(struct cuda_state *state, int device);
// Goes on with another device in the same call, whose fault shows.
enum cuda_error cuda_visit(struct cuda_state *state, struct cuda_device *device);
// For calls that only queue work. *is_lost: an earlier kernel faulted and nobody waited for it
// yet, so nothing more is executed and the call returns success.
enum cuda_error cuda_enter_queued(struct cuda_state *state, bool *is_lost);

// One line on stderr, with "bankrun: " before it.
void cuda_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The same for what keeps a program from being simulated: where bankrun follows many processes, it
// also shows this at the end, as a child's stderr may go anywhere.
void cuda_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cuda_say_diags(const struct diag_list *diags);

// There is a profile after this, if one is wanted, and signals do not lose it. Lock held.
void cuda_start_profile(struct cuda_state *state);
// Forgets what was counted, but not what went wrong. Lock held.
void cuda_restart_profile(struct cuda_state *state);

// Frees the current device with all memory, modules' variables, streams and events. Lock held.
void cuda_drop_device(struct cuda_state *state);

// Frees everything, when the library goes. Lock held.
void cuda_free_state(struct cuda_state *state);

// The current device's simulator exists after this. Lock held. False: it could not be made.
bool cuda_make_device(struct cuda_state *state);
// Any device's simulator: they share one address space. NULL: none is made. Lock held.
struct sim *cuda_any_sim(const struct cuda_state *state);

// Memory of the device in all. Lock held, device made.
uint64_t cuda_device_bytes(const struct cuda_state *state);

// Version of the runtime that the program uses: 13000 with libcudart.so.13 or with none, which is
// also the version of the driver that bankrun stands for. The library that is loaded last decides.
enum { CUDA_DRIVER_VERSION = 13000 };
int cuda_version(void);
void cuda_set_version(int version);

#endif
