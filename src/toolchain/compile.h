// From a .cu file to a program that runs on our CUDA runtime, or to PTX, with nvcc as a subprocess.
#ifndef BANKRUN_TOOLCHAIN_COMPILE_H
#define BANKRUN_TOOLCHAIN_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

struct toolchain_options {
    const char *source; // the .cu file
    bool to_ptx;        // PTX with line numbers instead of a program: needs no main()
    unsigned arch;      // 90; taken down (or up) to what the compiler knows
    char features;      // 'a': with the features of this architecture alone, compute_90a; else 0
    char *const *flags; // further flags for the compiler, may be NULL
    size_t flag_count;
    const char *compiler;      // NULL: nvcc of PATH, else /usr/local/cuda/bin/nvcc
    const char *last_compiler; // tried when no other is found; NULL: none
    const char *temp_folder;   // where the private folder is made; NULL: /tmp
    const char *cache_folder;  // where compiled programs are kept; NULL: nowhere
};

enum toolchain_status {
    TOOLCHAIN_OK,
    TOOLCHAIN_NO_COMPILER, // diags say how to get one
    TOOLCHAIN_REFUSED,     // the compiler found errors and wrote them to stderr; see exit_code
    TOOLCHAIN_SYSTEM,      // no folder, no process, ...; diags say why
};

struct toolchain_build {
    char *folder;   // private, holds what was made alone
    char *path;     // of the program, or of the PTX
    unsigned arch;  // 90 when PTX for compute_90 was made; from the cache: what was asked for
    bool is_cached; // the compiler did not run
    int exit_code;  // of the compiler; 128 + n: it died by signal n
    bool may_lack;  // REFUSED: the source was read whole, and CUDA's own compiler found no error in
                    // it: what failed came later, as linking does
};

// The compiler's messages go to stderr as it writes them. The caller passes *build on to
// toolchain_build_remove in any case.
enum toolchain_status toolchain_compile(const struct toolchain_options *options,
                                        struct toolchain_build *build, struct diag_list *diags);

// Removes the program and its folder, and frees the strings.
void toolchain_build_remove(struct toolchain_build *build);

// The highest architecture of the list that is not above `arch`, else the lowest one. `list` is
// what nvcc --list-gpu-arch prints: "compute_75\ncompute_80\n...". 0: the list names none.
unsigned toolchain_clamp_arch(const char *list, unsigned arch);

#endif
