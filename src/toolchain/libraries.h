// The toolkit's libraries of functions that a program calls from the host.
#ifndef BANKRUN_TOOLCHAIN_LIBRARIES_H
#define BANKRUN_TOOLCHAIN_LIBRARIES_H

#include <stdbool.h>

// Does the path name a library, like cuBLAS, whose kernels exist as machine code alone?
bool library_is_machine_code(const char *path);
// --libraries cpu has it computed on the CPU.
bool library_is_computed(const char *path);
// Does it lie in a Python package, which its user did not build?
bool library_is_of_python(const char *path);
// What its user can do where such a library holds the static CUDA runtime without symbols: the end
// of a message.
const char *library_way_out(const char *path);

#endif
