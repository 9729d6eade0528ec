// Functions of the real libraries that bankrun does not have.
#ifndef BANKRUN_CUDA_CORE_REFUSE_H
#define BANKRUN_CUDA_CORE_REFUSE_H

#include <stdatomic.h>

#include "cuda/core/abi.h"

// Says that a function of the runtime or the driver is not supported, and why, if there is a reason
// that will last. Once for each reason.
void cuda_refuse(const char *name);

#endif
