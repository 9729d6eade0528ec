// One exported function for each name of unsupported.def: what a simulated device does not have.
// Packages are used to such answers, since real devices lack things, too. A call with arguments
// reaches a function without parameters: both x86-64 and Arm pass them in registers or on the
// caller's side of the stack.
#include "nvml/nvml.h"

#define X(name)                                                                                    \
    CUDA_API enum nvml_result name(void);                                                          \
    enum nvml_result name(void) {                                                                  \
        return nvml_is_ready() ? NVML_NOT_SUPPORTED : NVML_UNINITIALIZED;                          \
    }
#include "nvml/unsupported.def"
#undef X
