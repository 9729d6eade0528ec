// Kernel attributes, for the entry points that differ between versions.
#ifndef BANKRUN_CUDART_FUNCTION_H
#define BANKRUN_CUDART_FUNCTION_H

#include "cudart/abi.h"

// A whole API call: enters and leaves.
enum cuda_error cudart_function_attributes(const void *stub, struct cuda_function_attributes *out);
enum cuda_error cudart_function_set(const void *stub, enum cuda_function_attribute attribute,
                                    int value, int device);

#endif
