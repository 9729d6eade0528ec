// Managed memory, for the entry points that differ between versions.
#ifndef BANKRUN_CUDA_MEMORY_MANAGED_H
#define BANKRUN_CUDA_MEMORY_MANAGED_H

#include "cuda/core/abi.h"

// Whole API calls: they enter and leave. `device` is one that must exist, or below 0: the host.
enum cuda_error cuda_prefetch(const void *pointer, size_t bytes, int device, cuda_stream stream);
enum cuda_error cuda_advise(const void *pointer, size_t bytes, int advice, int device);
enum cuda_error cuda_pointer_attributes(struct cuda_pointer_attributes *out, const void *pointer);

#endif
