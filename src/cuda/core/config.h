// What the `bankrun` command says to the runtime through the environment.
#ifndef BANKRUN_CUDA_CORE_CONFIG_H
#define BANKRUN_CUDA_CORE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/orders.h"
#include "sim/fill.h"
#include "sim/sample.h"

struct cuda_config {
    char *profile_path;        // BANKRUN_PROFILE: a file for the JSON, which is written when the
                               // process ends; NULL: none. bankrun's own way: hand_over.h
    pid_t owner;               // the process that uses the device and writes the profile;
                               // children that it forks do not
    unsigned arch;             // BANKRUN_ARCH=sm_90
    int devices;               // BANKRUN_DEVICES: how many there are
    int threads;               // BANKRUN_THREADS; 0: one for each processor
    uint64_t max_instructions; // BANKRUN_MAX_INSTRUCTIONS of one launch; 0: no limit
    struct sim_sample
        sample;             // BANKRUN_BLOCKS=N, P% or auto: which part of a launch's blocks is run
    char *trace_path;       // BANKRUN_TRACE_OUTPUT; NULL: stderr
    char *trace;            // BANKRUN_TRACE=FILE:LINE[:N]; NULL: nothing is traced
    bool shows_progress;    // BANKRUN_PROGRESS=1
    struct sim_fill fill;   // BANKRUN_FILL=zero, pattern or random[:SEED]: see sim/fill.h
    enum sim_engine engine; // BANKRUN_ENGINE
    bool lets_pass;         // BANKRUN_ON_FAULT=continue: what a GPU would let pass is no fault
    bool as_compiled;       // BANKRUN_AS=compiled: what the machine code accesses is counted
    bool may_be_written; // BANKRUN_AS=auto: the same, and where it cannot be read what PTX accesses
    char *cache_folder; // BANKRUN_CACHE: where what was read of machine code is kept; NULL: nowhere
    uint32_t checks;    // BANKRUN_CHECK: the checkers that look on, profile_check_bit
    struct run_schedule schedule; // BANKRUN_SCHEDULE: other orders in which launches are run, too
    bool is_uncounted;            // BANKRUN_COUNT=0: launches are checked only
    bool is_quiet;                // BANKRUN_QUIET=1: no notes; errors are still said
};

// Reads the environment once. Takes BANKRUN_PROFILE and BANKRUN_TRACE out of it: programs that this
// one starts must not write to the same files.
void cuda_config_read(struct cuda_config *config);

#endif
