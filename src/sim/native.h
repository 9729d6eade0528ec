// Inside the simulator: kernels as native code. A kernel that has been compiled is run by it where
// all lanes of a warp are on; the interpreter does all else, and both see the same state: registers
// in the warp's frame, counts where the interpreter keeps them.
#ifndef BANKRUN_SIM_NATIVE_H
#define BANKRUN_SIM_NATIVE_H

#include "sim/sim_internal.h"

struct sim_native;        // a compiled kernel
struct sim_native_worker; // what one worker knows of its accesses, for a launch
struct sim_block_flow;
struct sim_native_job; // a kernel that is being compiled

// ---- engine.c: which kernels are compiled, and when ------------------------------------------

// Before a launch: compiles the kernel where that is asked for.
void sim_native_prepare(struct sim_kernel *kernel, const struct sim_launch *launch);
// So many instructions were run by now. A kernel that is worth it is compiled meanwhile.
void sim_native_heat(struct sim_kernel *kernel, const struct sim_launch *launch,
                     uint64_t instructions);
void sim_native_free(struct sim_kernel *kernel); // waits for a compilation

// ---- cells.c: a launch's worker --------------------------------------------------------------

// Lets the worker use native code from the next block on, once there is some and it can.
void sim_native_begin(struct sim_worker *worker);
// What was counted goes where the observer keeps it: before it is asked for.
void sim_native_flush(struct sim_worker *worker);
void sim_native_end(struct sim_worker *worker);
// Before the observer hears of a request of the site, and when it has.
void sim_native_tell(struct sim_worker *worker, uint32_t site);
void sim_native_told(struct sim_worker *worker, uint32_t site, enum site_space space);

// ---- run.c -----------------------------------------------------------------------------------

// The code that the worker's blocks begin with.
const struct sim_code *sim_native_code(const struct sim_worker *worker);
// A turn of a warp, as far as native code and barriers of the block make it.
enum sim_native_turn {
    SIM_NATIVE_NOTHING, // it was not begun
    SIM_NATIVE_STOPS,   // the warp waits, or a fault was raised
    SIM_NATIVE_GOES_ON, // its split runs, and goes on at *goes_on
};
enum sim_native_turn sim_native_run(struct sim_warp *warp, const struct sim_instr **goes_on);

// ---- move.c ----------------------------------------------------------------------------------

// The block goes on in code that has native code, where there is some by now; none of its warps is
// in the middle of an instruction. Returns where the instruction is then; NULL: nobody asks.
const struct sim_instr *sim_native_move(struct sim_block_flow *flow, const struct sim_instr *instr);

// ---- turns.c ---------------------------------------------------------------------------------

// Turns of all warps of a block, beginning with that of *warp, as long as they go the same way in
// native code. *warp becomes the one whose turn it is then; *goes_on: NULL if it has not begun.
// *moved: whether a warp has ended its turn in the round that *warp belongs to.
enum sim_native_turn sim_native_turns(struct sim_block_flow *flow, uint32_t *warp,
                                      const struct sim_instr **goes_on, bool *moved);

#endif
