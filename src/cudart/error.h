// Error codes and the last error of each thread.
#ifndef BANKRUN_CUDART_ERROR_H
#define BANKRUN_CUDART_ERROR_H

#include "cudart/abi.h"
#include "sim/sim.h"

void cudart_set_last(enum cuda_error error); // of this thread; cudaSuccess changes nothing
enum cuda_error cudart_fault_error(enum sim_fault fault);

#endif
