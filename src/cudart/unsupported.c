// One exported function for each name of unsupported.def, compiled once for each version. A call
// with arguments reaches a function without parameters: both x86-64 and Arm pass them in registers
// or on the caller's side of the stack.
#include "cudart/call.h"

#define X(name)                                                                                    \
    CUDA_API enum cuda_error name(void);                                                           \
    enum cuda_error name(void) {                                                                   \
        static atomic_flag was_said = ATOMIC_FLAG_INIT;                                            \
        return cudart_unsupported(#name, &was_said);                                               \
    }
#include "cudart/unsupported.def"
#undef X
