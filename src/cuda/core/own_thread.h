// Threads that the runtime makes beside those of the pool (base/pool.h).
#ifndef BANKRUN_CUDA_CORE_OWN_THREAD_H
#define BANKRUN_CUDA_CORE_OWN_THREAD_H

#include <stdbool.h>

#include "base/pool.h"

// Starts one that nobody joins; signals are for the program's threads. `name`: POOL_THREADS and one
// word. False: there is none.
bool cuda_own_thread(const char *name, void *(*work)(void *context), void *context);

#endif
