// One exported function for each name of a list, compiled once for each library: it says so once,
// and returns the library's status for that. A call with arguments reaches a function without
// parameters: both x86-64 and Arm pass them in registers or on the caller's side of the stack.
#include <stdatomic.h>

#include "cuda/core/abi.h"
#include "cudalibs/call.h"

#define X(name)                                                                                    \
    CUDA_API int name(void);                                                                       \
    int name(void) {                                                                               \
        static atomic_flag was_said = ATOMIC_FLAG_INIT;                                            \
        lib_refuse_name(#name, !atomic_flag_test_and_set(&was_said));                              \
        return CUDALIBS_NOT_SUPPORTED;                                                             \
    }
#include CUDALIBS_LIST
#undef X
