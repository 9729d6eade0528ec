// Any bytes as a module of kernels, which are launched while all checkers listen.
#include "launch_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_launch_all(data, size, true) ? 0 : -1; // others are no good start for more
}
