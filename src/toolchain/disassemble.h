// From PTX to the machine code that a GPU would run, as text: with ptxas and nvdisasm of the CUDA
// toolkit as subprocesses.
#ifndef BANKRUN_TOOLCHAIN_DISASSEMBLE_H
#define BANKRUN_TOOLCHAIN_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

// Are both tools there? False: diags say which is not, and where to get it.
bool toolchain_can_disassemble(struct diag_list *diags);

// What `nvdisasm -gi -c` prints of the code that ptxas makes of `ptx` for sm_<arch><features>
// (features: 'a', 'f' or 0), with its line numbers: the names of kernels, loads and stores of
// shared memory, and where these are from; before it "// by ptxas 13.0". `cache_folder`: where it
// is kept; NULL: nowhere. Caller frees. NULL: diags say why.
char *toolchain_disassemble(const char *ptx, size_t length, unsigned arch, char features,
                            const char *cache_folder, struct diag_list *diags);

// The same of machine code that is there: an ELF file for the GPU.
char *toolchain_disassemble_code(const char *code, size_t length, const char *cache_folder,
                                 struct diag_list *diags);

#endif
