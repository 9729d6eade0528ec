// Allocation, for the families of calls that share it. Lock held, device made.
#ifndef BANKRUN_CUDA_MEMORY_MEMORY_H
#define BANKRUN_CUDA_MEMORY_MEMORY_H

#include <stdint.h>

#include "cuda/core/state.h"

enum cuda_error cuda_allocate(struct cuda_state *state, void **pointer, size_t bytes,
                              enum sim_allocation_kind kind);
// The pool that counts the allocation; NULL: none.
struct cuda_pool *cuda_pool_of(struct cuda_state *state, const struct sim_allocation *allocation);
void cuda_pool_count(struct cuda_pool *pool, int64_t bytes);
// NULL is fine. is_host: what cudaFreeHost takes, else what cudaFree takes.
enum cuda_error cuda_release(struct cuda_state *state, void *pointer, bool is_host);

#endif
