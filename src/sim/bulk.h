// Inside the simulator: large copies and fills by the host, on all threads of the device. Most of
// what they take is the system's, which hands out memory as it is written.
#ifndef BANKRUN_SIM_BULK_H
#define BANKRUN_SIM_BULK_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

// `pool`: nobody else uses it meanwhile; NULL: the caller alone does it. Places do not overlap.
void bulk_copy(struct pool *pool, void *to, const void *from, size_t bytes);
// The low `element` bytes of the value, 1, 2 or 4 of them, again and again; `bytes` is a multiple.
void bulk_fill(struct pool *pool, void *to, size_t bytes, uint32_t value, unsigned element);

#endif
