// What a program file is, as far as CUDA goes.
#ifndef BANKRUN_TOOLCHAIN_ELF_INFO_H
#define BANKRUN_TOOLCHAIN_ELF_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "toolchain/fatbin.h"

enum toolchain_program_kind {
    TOOLCHAIN_NOT_ELF,        // another kind of file: a script, a text, ...
    TOOLCHAIN_NO_CUDA,        // an ELF file without device code and without the CUDA runtime
    TOOLCHAIN_SHARED_RUNTIME, // can run: linked with the shared CUDA runtime
    TOOLCHAIN_DRIVER,         // can run: uses the driver alone
    TOOLCHAIN_STATIC_RUNTIME, // can run: the CUDA runtime is inside, and symbols say where
    TOOLCHAIN_STRIPPED,       // the CUDA runtime is inside, and nothing says where
    TOOLCHAIN_NO_PTX,         // a runtime, but only machine code and no PTX
    TOOLCHAIN_OBJECT,         // an object file, not linked yet
};

struct toolchain_program {
    enum toolchain_program_kind kind;
    char runtime[64];             // "libcudart.so.13"; "" when not needed
    bool has_rpath;               // LD_LIBRARY_PATH does not decide which runtime it loads
    size_t ptx_count, code_count; // images of each kind
    unsigned code_arch;           // of some machine code image, 0: none
};

// False: the file cannot be read, or it is damaged; diags say how.
bool toolchain_inspect(const char *path, struct toolchain_program *program,
                       struct diag_list *diags);
// The same for a file in memory, aligned to 8 bytes.
bool toolchain_inspect_memory(const char *data, size_t length, const char *name,
                              struct toolchain_program *program, struct diag_list *diags);

// All images of an ELF file in memory (executable, shared object, object file) or of a bare
// .fatbin file. They point into `data`. False: diags say what is wrong.
bool toolchain_images_of_file(const char *data, size_t length, const char *name,
                              struct toolchain_images *images, struct diag_list *diags);

// Why the program cannot be run and what to do, without its name: "holds machine code only: rebuild
// it with ...". NULL: it can.
const char *toolchain_program_problem(enum toolchain_program_kind kind);

#endif
