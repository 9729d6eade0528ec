// Error codes and the last error of each thread.
#ifndef BANKRUN_CUDA_CORE_ERROR_H
#define BANKRUN_CUDA_CORE_ERROR_H

#include <stdbool.h>

#include "cuda/core/abi.h"
#include "sim/sim.h"

void cuda_set_last(enum cuda_error error); // of this thread; cudaSuccess changes nothing

// What a thread's calls of the runtime leave behind. The driver API, which works through them, puts
// it back.
struct cuda_thread {
    enum cuda_error last;
    bool uses_runtime; // the runtime made the primary context current
};
struct cuda_thread cuda_thread_save(void);
void cuda_thread_restore(struct cuda_thread thread);
void cuda_thread_enter(void); // a call of the runtime
// The device that the thread's calls work on; a driver's context that becomes current sets it, too.
unsigned cuda_thread_device(void);
void cuda_thread_use(unsigned device);
// The same for cudaSetDevice: the device's primary context becomes the driver's current one.
void cuda_thread_choose(unsigned device);
// True once after that.
bool cuda_thread_has_chosen(void);

enum cuda_error cuda_fault_error(enum sim_fault fault);

#endif
