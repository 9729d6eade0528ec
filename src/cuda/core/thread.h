// What belongs to the calling thread.
#ifndef BANKRUN_CUDA_CORE_THREAD_H
#define BANKRUN_CUDA_CORE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

// The thread called the runtime, which makes its device's primary context current.
void cuda_thread_uses_runtime(void);
bool cuda_thread_used_runtime(void);
// Of the program's threads: 0 for the main one, others as they come. Lock held.
uint32_t cuda_thread_number(void);
// The device that the thread's calls work on; a driver's context that becomes current sets it, too.
unsigned cuda_thread_device(void);
void cuda_thread_use(unsigned device);
// The same for cudaSetDevice: the device's primary context becomes the driver's current one.
void cuda_thread_choose(unsigned device);
// True once after that.
bool cuda_thread_has_chosen(void);

#endif
