// Copies as programs describe them.
#ifndef BANKRUN_CUDART_MEMCPY_H
#define BANKRUN_CUDART_MEMCPY_H

#include "cudart/copy.h"

// Lock held, device made.
enum cuda_error cudart_copy_of_3d(struct cudart_state *state, const struct cuda_memcpy_3d *p,
                                  struct cudart_copy *copy);

#endif
