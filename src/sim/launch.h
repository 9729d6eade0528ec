// Inside the simulator: what blocks tell the launch that they belong to.
#ifndef BANKRUN_SIM_LAUNCH_H
#define BANKRUN_SIM_LAUNCH_H

#include <stdarg.h>

#include "sim/sim_internal.h"

struct sim_block_flow;

// How many instructions a block that has executed so many may execute yet. Those of blocks that
// have not ended on other threads are not known.
uint64_t sim_worker_left(const struct sim_worker *worker, uint64_t instructions);
// Whether a block that has run long may go on: SIM_OK, or why not.
enum sim_fault sim_worker_check(struct sim_worker *worker, uint64_t instructions);
// False: the caller wants to stop.
bool sim_report_progress(struct sim_worker *worker, uint64_t instructions);
// Whether a block before those of the cluster that the worker runs has faulted: it is dropped.
bool sim_has_fault_before(const struct sim_worker *worker);
// A block that native code alone has run has ended: which one begins in its place, without all that
// is done for blocks in general. False: that has to be done, or there is none.
bool sim_take_follower(const struct sim_block_flow *flow, uint64_t *number);
// It begins, once the other one is kept (sim_block_flow.is_kept).
void sim_begin_follower(struct sim_block_flow *flow, uint64_t number);
// Takes over fault->message. The fault of the first block, in the order in which blocks are handed
// out, is the launch's.
void sim_run_fault(struct sim_worker *worker, uint64_t order, struct sim_result *fault);

// What a fault says of itself, but for what comes behind the thread.
struct sim_result sim_describe(struct sim_warp *warp, const struct sim_instr *instr,
                               enum sim_fault fault, unsigned lane, uint64_t address,
                               const char *format, va_list arguments);

// Adds what the worker noted to the launch's, by source line. Its lock is held.
void sim_take_passed(struct sim_worker *worker, struct sim_result *result);
void sim_free_passed(struct sim_result *result);

// children.c: by the block that asked; none are left.
void sim_children_sort(struct sim_result *result);
void sim_children_free(struct sim_result *result);

#endif
