// Modules that a program loads itself: PTX text or fat binaries, from memory or a file. Handles of
// libraries (and of the driver's modules) are the modules themselves.
#ifndef BANKRUN_CUDART_LIBRARY_H
#define BANKRUN_CUDART_LIBRARY_H

#include "cudart/module.h"
#include "cudart/state.h"

struct cudart_jit { // options of the just-in-time compiler: only its logs mean something here
    const int *options;
    void **values;
    unsigned count;
};

// Lock held, device made; all of them.

// `image`: PTX (NUL-terminated), a fat binary, or the wrapper of one. It is copied.
enum cuda_error cudart_library_load(struct cudart_state *state, const void *image,
                                    const struct cudart_jit *jit, struct cudart_module **module);
enum cuda_error cudart_library_load_file(struct cudart_state *state, const char *path,
                                         const struct cudart_jit *jit,
                                         struct cudart_module **module);
// NULL: no module that was loaded so.
struct cudart_module *cudart_library_find(const struct cudart_state *state, const void *handle);
// cudaErrorSymbolNotFound: no such kernel.
enum cuda_error cudart_library_kernel(struct cudart_state *state, struct cudart_module *module,
                                      const char *name, struct cudart_function **function);
// The kernels in the order of their PTX; `most` of them at most. Returns how many there are.
unsigned cudart_library_kernels(struct cudart_state *state, struct cudart_module *module,
                                struct cudart_function **functions, unsigned most);

// The PTX of an image; the caller frees it. NULL: *error, the reason was said.
char *cudart_library_text(struct cudart_state *state, const void *image, enum cuda_error *error);

// Puts a text into the log buffer of errors, or empties the buffers when there is none.
void cudart_jit_log(const struct cudart_jit *jit, const char *errors);

#endif
