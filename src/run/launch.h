// Runs a launch and records it: the one way in which the command line, the runtime and the C API do
// so.
#ifndef BANKRUN_RUN_LAUNCH_H
#define BANKRUN_RUN_LAUNCH_H

#include <signal.h>
#include <stdio.h>

#include "profile/record.h"
#include "run/orders.h"
#include "sim/sim.h"

struct run_launch;
// Who may run a launch with the help of other processes (spread/spread.h). `run` returns false: it
// is to be run as usual, and nothing has changed.
struct run_spread {
    bool (*run)(void *context, const struct run_launch *launch, struct sim_result *result);
    void *context;
};

struct run_launch {
    struct sim_kernel *kernel;
    struct sim_launch sim;        // checked (run/limits.h); run_launch sets who observes it
    struct profile *profile;      // where the launch is recorded; NULL: nowhere, nothing is counted
    struct run_schedule schedule; // zeroed: in the usual order alone. Nothing without a profile
    unsigned arch;                // by whose bank model, with its bank mode
    unsigned device, devices;     // that it runs on, of how many; 0: one
    bool proves_blocks;           // one block is run of those that are proved to do the same
    uint32_t thread;              // that launches it: 0 for the main one
    struct profile_trace *trace;  // NULL: none
    const struct compiled_code *compiled;          // NULL: counted as PTX has it
    const struct event_observer *const *observers; // hear of everything, too
    unsigned observer_count;
    FILE *progress;                  // where a line about a long launch goes; NULL: nowhere
    const struct run_spread *spread; // NULL: none
    unsigned more_workers;           // that will have counted elsewhere; behind the device's own
    // The launch ends soon when this is not 0, but the number of the signal that ends it, or
    // RUN_STOPPED_BY_EXIT; NULL: never.
    const volatile sig_atomic_t *stop;
};

enum { RUN_STOPPED_BY_EXIT = -1 }; // the program ended while another thread waits for the launch

// Returns when the launch has ended. The result's message and children are the caller's: free them
// with sim_result_free.
void run_launch(const struct run_launch *launch, struct sim_result *result);

#endif
