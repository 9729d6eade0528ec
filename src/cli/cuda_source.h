// CUDA sources: what nvcc makes of them as the options say.
#ifndef BANKRUN_CLI_CUDA_SOURCE_H
#define BANKRUN_CLI_CUDA_SOURCE_H

#include "cli/options.h"
#include "patch/tokens.h"
#include "toolchain/compile.h"

// Compiles a source into a program, or into PTX. False: why was printed. The caller passes *build
// on to toolchain_build_remove in any case.
bool cuda_source_compile(const char *path, bool to_ptx, const struct cli_options *options,
                         struct toolchain_build *build);

// The same for PTX, as a text that the caller frees. NULL: why was printed.
char *cuda_source_ptx(const char *path, const struct cli_options *options, size_t *length);

// The compiler that tools/get-nvcc.sh puts beside bankrun. Caller frees; NULL: it is not there.
char *cuda_source_fetched_compiler(void);

// Whether the text defines or calls something called main, outside of comments and strings. Headers
// that it includes are not looked at.
bool cuda_source_has_main(const char *path);
bool cuda_source_names_main(const struct patch_text *source);

#endif
