// Kernel attributes, for the entry points that differ between versions.
#ifndef BANKRUN_CUDA_MODULE_FUNCTION_H
#define BANKRUN_CUDA_MODULE_FUNCTION_H

#include "cuda/core/abi.h"

// A whole API call: enters and leaves.
enum cuda_error cuda_function_attributes(const void *stub, struct cuda_function_attributes *out);
enum cuda_error cuda_function_set(const void *stub, enum cuda_function_attribute attribute,
                                  int value, int device);

#endif
