// Functions of the real libraries that bankrun does not have.
#ifndef BANKRUN_CUDA_CORE_REFUSE_H
#define BANKRUN_CUDA_CORE_REFUSE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cuda/core/abi.h"

// A function of the runtime or the driver that is not supported was called: says so the first time,
// and why, if there is a reason that will last, once for each reason. The profile is incomplete
// from then on, unless the program only asked what there is. Without the lock.
void cuda_refuse(const char *name, bool is_first);

#endif
