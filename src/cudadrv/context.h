// Contexts. A device has one memory, whatever contexts it has: a context is a name that threads
// make current, and the owner of the modules that were loaded in it.
#ifndef BANKRUN_CUDADRV_CONTEXT_H
#define BANKRUN_CUDADRV_CONTEXT_H

#include "cudadrv/cudadrv.h"

struct cudadrv_context {
    struct cuda_handle handle;
    bool is_primary; // of handle.device
    unsigned flags;
    unsigned attached; // how often beyond the first, by cuCtxAttach
    unsigned long long id;
};

// The calling thread's; NULL: none. Lock held.
cu_context cudadrv_current(struct cuda_state *state);
bool cudadrv_is_initialized(const struct cuda_state *state);

#endif
