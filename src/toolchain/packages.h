// Inside the toolchain, and for who sets PATH: NVIDIA's compiler and tools as Python's packages
// hold them, site-packages/nvidia/cu13: without the toolkit's folder lib64, and without the name by
// which a program is linked with the CUDA runtime.
#ifndef BANKRUN_TOOLCHAIN_PACKAGES_H
#define BANKRUN_TOOLCHAIN_PACKAGES_H

#include <stdbool.h>

// The packages' folder of programs, the newest, where bankrun itself is a package beside them:
// `own` is the folder that it lies in, site-packages/bankrun/native; or where tools/get-nvcc.sh put
// them into that folder, a build's. Caller frees; NULL: there are none.
char *toolchain_packages_find(const char *own);

// The folder of libraries that a compiler of a package does not look into by itself. Caller frees;
// NULL: it is no compiler of a package, or is not found.
char *toolchain_packages_libraries(const char *compiler);

struct toolchain_packages_link { // a zeroed struct: the compiler finds its libraries by itself
    char *libraries;             // their folder
    char *runtime;               // stands for the runtime's library, in the private folder
};

// What a compiler of a package needs to link a program. `folder`: private, for the name of the
// runtime's library.
void toolchain_packages_link(struct toolchain_packages_link *link, const char *compiler,
                             const char *folder);
void toolchain_packages_unlink(struct toolchain_packages_link *link);

#endif
