// Error codes and the last error of each thread.
#ifndef BANKRUN_CUDART_ERROR_H
#define BANKRUN_CUDART_ERROR_H

#include <stdbool.h>

#include "cudart/abi.h"
#include "sim/sim.h"

void cudart_set_last(enum cuda_error error); // of this thread; cudaSuccess changes nothing

// What a thread's calls of the runtime leave behind. The driver API, which works through them, puts
// it back.
struct cudart_thread {
    enum cuda_error last;
    bool uses_runtime; // the runtime made the primary context current
};
struct cudart_thread cudart_thread_save(void);
void cudart_thread_restore(struct cudart_thread thread);
void cudart_thread_enter(void); // a call of the runtime
// The device that the thread's calls work on; a driver's context that becomes current sets it, too.
unsigned cudart_thread_device(void);
void cudart_thread_use(unsigned device);
// The same for cudaSetDevice: the device's primary context becomes the driver's current one.
void cudart_thread_choose(unsigned device);
// True once after that.
bool cudart_thread_has_chosen(void);

enum cuda_error cudart_fault_error(enum sim_fault fault);

#endif
