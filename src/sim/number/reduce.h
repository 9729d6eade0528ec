// Inside the simulator: reductions that copies make on their way (cp.reduce, red.async).
#ifndef BANKRUN_SIM_NUMBER_REDUCE_H
#define BANKRUN_SIM_NUMBER_REDUCE_H

#include "ptx/ptx.h"

struct sim_reduction {
    enum ptx_modifier op;
    enum ptx_type type;
    unsigned bytes;
    // One element, without interruption by other threads: memory = memory op operand. Both are
    // aligned to its size.
    void (*apply)(void *memory, const void *operand);
};

// NULL: there is no such reduction. .sN types may be asked for where the sign does not matter.
const struct sim_reduction *sim_reduction_find(enum ptx_modifier op, enum ptx_type type);

#endif
