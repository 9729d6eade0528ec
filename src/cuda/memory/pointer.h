// Which memory a pointer of the program means.
#ifndef BANKRUN_CUDA_MEMORY_POINTER_H
#define BANKRUN_CUDA_MEMORY_POINTER_H

#include <stdbool.h>

#include "cuda/core/state.h"

// The allocation that holds the pointer; NULL: pageable memory of the host. Lock held.
const struct sim_allocation *cuda_allocation(const struct cuda_state *state, const void *pointer);
// True when an access to [pointer, pointer + bytes) from the host is fine: it stays inside one
// allocation or outside of all; pageable memory only if `takes_pageable`. Lock held.
bool cuda_range_is_good(const struct cuda_state *state, const void *pointer, size_t bytes,
                        bool takes_pageable);
// What lies there was written by the host in the place of the device, and is defined. Lock held.
void cuda_was_written(struct cuda_state *state, const void *pointer, size_t bytes);
// Whether kernels and fills of the device may write there. Lock held.
bool cuda_is_reachable(const struct cuda_state *state, const void *pointer,
                       const struct cuda_device *device);

#endif
