// The PTX inside a registered fat binary.
#ifndef BANKRUN_CUDA_MODULE_IMAGE_H
#define BANKRUN_CUDA_MODULE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda/core/abi.h"
#include "toolchain/fatbin.h"

// The text for an architecture; the caller frees it. NULL: *error says what to tell the program;
// the reason was said on stderr.
char *cuda_image_ptx(const struct toolchain_wrapper *wrapper, unsigned arch, bool is_quiet,
                     enum cuda_error *error);

// The program's own machine code for just this architecture, *length bytes that the caller frees.
// NULL: it has none.
char *cuda_image_code(const struct toolchain_wrapper *wrapper, unsigned arch, size_t *length);

// The PTX that machine code was made of, where it was compiled with line information: as the
// compiler kept it, else as the cubin has it, without lines. Caller frees; NULL: it has none.
char *cuda_image_of_cubin(const void *code, size_t length);

#endif
