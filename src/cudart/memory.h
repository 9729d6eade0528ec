// Allocation, for the families of calls that share it. Lock held, device made.
#ifndef BANKRUN_CUDART_MEMORY_H
#define BANKRUN_CUDART_MEMORY_H

#include <stdint.h>

#include "cudart/state.h"

enum cuda_error cudart_allocate(struct cudart_state *state, void **pointer, size_t bytes,
                                enum sim_allocation_kind kind);
// The pool that counts the allocation; NULL: none.
struct cudart_pool *cudart_pool_of(const struct sim_allocation *allocation);
void cudart_pool_count(struct cudart_pool *pool, int64_t bytes);
// NULL is fine. is_host: what cudaFreeHost takes, else what cudaFree takes.
enum cuda_error cudart_release(struct cudart_state *state, void *pointer, bool is_host);

#endif
