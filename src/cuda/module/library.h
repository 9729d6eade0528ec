// Modules that a program loads itself: PTX text or fat binaries, from memory or a file. Handles of
// libraries (and of the driver's modules) are the modules themselves.
#ifndef BANKRUN_CUDA_MODULE_LIBRARY_H
#define BANKRUN_CUDA_MODULE_LIBRARY_H

#include "cuda/core/state.h"
#include "cuda/module/module.h"

struct cuda_jit { // options of the just-in-time compiler: its logs, and the most registers
    const int *options;
    void **values;
    unsigned count;
};

// Lock held, device made; all of them.

// `image`: PTX (NUL-terminated), a fat binary, or the wrapper of one. It is copied.
enum cuda_error cuda_library_load(struct cuda_state *state, const void *image,
                                  const struct cuda_jit *jit, struct cuda_module **module);
enum cuda_error cuda_library_load_file(struct cuda_state *state, const char *path,
                                       const struct cuda_jit *jit, struct cuda_module **module);
// 0: no limit of registers. Values are read as the call is made.
unsigned cuda_jit_registers(const struct cuda_jit *jit);
// Not where registers are limited to 0.
bool cuda_jit_is_valid(const struct cuda_jit *jit);
// NULL: no module that was loaded so.
struct cuda_module *cuda_library_find(const struct cuda_state *state, const void *handle);
// cudaErrorSymbolNotFound: no such kernel.
enum cuda_error cuda_library_kernel(struct cuda_state *state, struct cuda_module *module,
                                    const char *name, struct cuda_function **function);
// The kernels in the order of their PTX; `most` of them at most. Returns how many there are.
unsigned cuda_library_kernels(struct cuda_state *state, struct cuda_module *module,
                              struct cuda_function **functions, unsigned most);

// The PTX of an image; the caller frees it. NULL: *error, the reason was said.
char *cuda_library_text(struct cuda_state *state, const void *image, enum cuda_error *error);

// Puts a text into the log buffer of errors, or empties the buffers when there is none.
void cuda_jit_log(const struct cuda_jit *jit, const char *errors);

#endif
