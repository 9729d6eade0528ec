// Instructions that do nothing here, and fences.
#include "sim/lanes/lanes.h"

static const struct sim_instr *run_nothing(struct sim_warp *warp, const struct sim_instr *instr) {
    (void)warp;
    return instr + 1;
}

LANES_SELECT(nop) {
    out->run[0] = out->run[1] = run_nothing;
    return true;
}

// Blocks run on several host threads.
static const struct sim_instr *run_fence(struct sim_warp *warp, const struct sim_instr *instr) {
    (void)warp;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return instr + 1;
}

LANES_SELECT(fence) {
    out->run[0] = out->run[1] = run_fence;
    return true;
}
