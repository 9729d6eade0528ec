// Which memory a pointer of the program means.
#ifndef BANKRUN_CUDART_POINTER_H
#define BANKRUN_CUDART_POINTER_H

#include <stdbool.h>

#include "cudart/state.h"

// The allocation that holds the pointer; NULL: pageable memory of the host. Lock held.
const struct sim_allocation *cudart_allocation(const struct cudart_state *state,
                                               const void *pointer);
// True when an access to [pointer, pointer + bytes) from the host is fine: it stays inside one
// allocation or outside of all; pageable memory only if `takes_pageable`. Lock held.
bool cudart_range_is_good(const struct cudart_state *state, const void *pointer, size_t bytes,
                          bool takes_pageable);
// Whether kernels and fills of the device may write there. Lock held.
bool cudart_is_reachable(const struct cudart_state *state, const void *pointer,
                         const struct cudart_device *device);

#endif
