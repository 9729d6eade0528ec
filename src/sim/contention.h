// Inside the simulator: words of shared memory that several warps of a block change by loops of
// compare-and-swap. Observers hear of them (event_observer.contention).
#ifndef BANKRUN_SIM_CONTENTION_H
#define BANKRUN_SIM_CONTENTION_H

#include "sim/sim_internal.h"

// Placed by the decoder in front of such atomics (ir_site.is_retried).
const struct sim_instr *sim_run_contention(struct sim_warp *warp, const struct sim_instr *instr);

#endif
