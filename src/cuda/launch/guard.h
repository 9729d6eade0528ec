// Signals while kernels run: host memory that the program takes away in the midst of a launch is
// the kernel's fault. All other signals are the program's, as if nobody stood in front of its
// handlers.
#ifndef BANKRUN_CUDA_LAUNCH_GUARD_H
#define BANKRUN_CUDA_LAUNCH_GUARD_H

#include <stdbool.h>

#include "sim/sim.h"

// Where kernels may use host memory that can go away. True: cuda_guard_end is due after the launch.
// One launch at a time.
// `spreads`: or where other ranks may run a part of the launch.
bool cuda_guard_begin(const struct sim *sim, bool spreads);
void cuda_guard_end(void);

#endif
