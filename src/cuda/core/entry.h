// How programs find the driver's functions by name and version.
#ifndef BANKRUN_CUDA_CORE_ENTRY_H
#define BANKRUN_CUDA_CORE_ENTRY_H

#include "cuda/core/abi.h"

enum { CUDA_ENTRY_LEGACY = 1, CUDA_ENTRY_PER_THREAD = 2 }; // flags of cuGetProcAddress

// *status, if asked for, says whether there is one, also of a later version only. Needs no lock.
// cudaErrorSymbolNotFound: there is none.
enum cuda_error cuda_entry_point(const char *name, void **function, int version, uint64_t flags,
                                 int *status);

#endif
