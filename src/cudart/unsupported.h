// Calls of the real runtime that bankrun does not have yet.
#ifndef BANKRUN_CUDART_UNSUPPORTED_H
#define BANKRUN_CUDART_UNSUPPORTED_H

#include <stdatomic.h>

#include "cudart/abi.h"

// Says so on stderr the first time, and returns cudaErrorNotSupported.
enum cuda_error cudart_unsupported(const char *name, atomic_flag *was_said);

#endif
