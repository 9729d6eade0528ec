// Inside the simulator: four warps that execute an instruction together, wgmma's warpgroup. The
// first one's number is a multiple of four.
//
// On a GPU the four warps issue the instruction on their own, but it is done when it is done for
// all of them: one thread may tell the others that shared memory is free when only its own warp has
// waited. So here they come together, and the last one to come computes for all.
#ifndef BANKRUN_SIM_FLOW_WARPGROUP_H
#define BANKRUN_SIM_FLOW_WARPGROUP_H

#include "sim/flow/warp.h"

enum { SIM_GROUP_WARPS = 4 };

// The current split comes to an instruction of its warpgroup. True: all lanes of the four warps are
// there now, and `group` holds the warps as they would execute it, all lanes on; the caller does it
// and releases them. False: the handler returns *next.
bool sim_warpgroup_arrive(struct sim_warp *warp, const struct sim_instr *instr,
                          struct sim_warp group[SIM_GROUP_WARPS], const struct sim_instr **next);
// The lanes that wait at the instruction go on behind it.
void sim_warpgroup_release(struct sim_warp *warp, const struct sim_instr *instr);

#endif
