// Host memory that goes away while a kernel uses it: unmapped, protected, or its file cut short.
// The system signals the thread in the midst of lane code, which may not be left from there. So a
// page stands in until the instruction has ended, and what it did is a fault then.
#ifndef BANKRUN_SIM_FLOW_LOST_H
#define BANKRUN_SIM_FLOW_LOST_H

#include "sim/flow/warp.h"
#include "sim/memory/stand_in.h"

struct sim_lost { // of one thread of a launch, whose caller hands signals on
                  // (sim_launch.is_guarded)
    // What is being executed; NULL: nothing.
    struct sim_warp *warp;
    const struct sim_instr *instr;
    // What it met; signal 0: nothing.
    int signal, code;
    uint64_t address, allocation;
    uint32_t lanes;    // 0: not known
    size_t page_count; // that stand in
    uint64_t pages[SIM_STAND_INS];
};

// From now on, and until the end, signals of this thread are the worker's.
void sim_lost_begin(struct sim_worker *worker);
void sim_lost_end(struct sim_worker *worker);

// Executes an instruction as its handler does, and looks after it.
const struct sim_instr *sim_step_guarded(struct sim_warp *warp, const struct sim_instr *pc);
// Executes what the warp has to do, as block.c does, in such steps.
void sim_execute_guarded(struct sim_warp *warp, const struct sim_instr *pc);

#endif
