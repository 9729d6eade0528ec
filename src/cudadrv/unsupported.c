// One exported function for each name of unsupported.def. A call with arguments reaches a function
// without parameters: both x86-64 and Arm pass them in registers or on the caller's side of the
// stack.
#include "cudadrv/cudadrv.h"

#define X(name)                                                                                    \
    CUDA_API cu_result name(void);                                                                 \
    cu_result name(void) {                                                                         \
        static atomic_flag was_said = ATOMIC_FLAG_INIT;                                            \
        return cudadrv_unsupported(#name, &was_said);                                              \
    }
#include "cudadrv/unsupported.def"
#undef X
