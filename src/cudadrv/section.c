// What no driver has: a program that knows bankrun asks what it has launched so far. The Python
// package's plugin for pytest finds these by name in the process.
#include "cuda/core/section.h"
#include "cuda/core/abi.h"

CUDA_API struct cuda_section *bankrun_section_begin(void) {
    return cuda_section_begin();
}

CUDA_API char *bankrun_section_profile(const struct cuda_section *section) {
    return cuda_section_profile(section);
}

CUDA_API void bankrun_section_end(struct cuda_section *section) {
    cuda_section_end(section);
}
