// Copies as programs describe them.
#ifndef BANKRUN_CUDA_MEMORY_MEMCPY_H
#define BANKRUN_CUDA_MEMORY_MEMCPY_H

#include "cuda/memory/copy.h"

// Lock held, device made.
enum cuda_error cuda_copy_of_3d(struct cuda_state *state, const struct cuda_memcpy_3d *p,
                                struct cuda_copy *copy);

#endif
