// Inside the simulator: select functions of instructions that change a warp's flow. They hold no
// lane code, so they are compiled once.
#ifndef BANKRUN_SIM_FLOW_CONTROL_H
#define BANKRUN_SIM_FLOW_CONTROL_H

#include "sim/exec.h"

struct sim_jump_table { // brx.idx
    uint32_t count;
    int32_t target[]; // relative to the branch
};

struct sim_call_value {
    uint64_t offset; // in the caller's .param memory
    uint64_t bytes;
};

struct sim_call {
    const struct sim_code *callee;   // NULL: a device function, or through `target`
    const struct sim_device *device; // a function of the device library
    sim_ref target;                  // indirect: 64-bit function addresses
    struct sim_call_value *arguments, *results;
    uint32_t argument_count, result_count;
};

// The select function of rows of isa.def that begin with FLOW.
#define FLOW_SELECT(name)                                                                          \
    bool sim_select_##name(struct sim_decoder *, const struct ir_instruction *,                    \
                           struct sim_instr *);                                                    \
    bool sim_select_##name(struct sim_decoder *decoder __attribute__((unused)),                    \
                           const struct ir_instruction *ir __attribute__((unused)),                \
                           struct sim_instr *out)

const struct sim_instr *sim_run_join(struct sim_warp *warp, const struct sim_instr *instr);
const struct sim_instr *sim_run_reconverge(struct sim_warp *warp, const struct sim_instr *instr);

#endif
