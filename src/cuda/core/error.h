// Error codes: those of the runtime, which the driver's are a part of.
#ifndef BANKRUN_CUDA_CORE_ERROR_H
#define BANKRUN_CUDA_CORE_ERROR_H

#include "cuda/core/abi.h"
#include "sim/sim.h"

// As cudaGetErrorName and cudaGetErrorString say it.
const char *cuda_error_name(enum cuda_error error);
const char *cuda_error_text(enum cuda_error error);

enum cuda_error cuda_fault_error(enum sim_fault fault);

#endif
