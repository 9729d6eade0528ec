// Allocation, for the families of calls that share it. Lock held, device made.
#ifndef BANKRUN_CUDART_MEMORY_H
#define BANKRUN_CUDART_MEMORY_H

#include "cudart/state.h"

enum cuda_error cudart_allocate(struct cudart_state *state, void **pointer, size_t bytes,
                                enum sim_allocation_kind kind);
// NULL is fine. is_host: what cudaFreeHost takes, else what cudaFree takes.
enum cuda_error cudart_release(struct cudart_state *state, void *pointer, bool is_host);

#endif
