// Machine code that carries the PTX that it was made of. Compilers that are asked for line
// information (ptxas -lineinfo) put the text into the cubin, for debuggers.
#ifndef BANKRUN_TOOLCHAIN_CUBIN_H
#define BANKRUN_TOOLCHAIN_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

// How long the cubin in memory is, by its own tables. 0: it is none.
size_t toolchain_cubin_bytes(const void *image);

// Whether a file of so many bytes holds all of a cubin; true of what is no ELF file.
bool toolchain_cubin_is_whole(const void *image, size_t length);

// The PTX in a cubin of so many bytes: one module, without .file and .loc. Caller frees; NULL: it
// has none, or that of several modules.
char *toolchain_cubin_ptx(const void *image, size_t length);

// Whether both texts of PTX are the same but for comments, blanks at the ends of lines, empty
// lines, .file and .loc: what a cubin's text is of the one that was compiled.
bool toolchain_same_ptx(const char *left, const char *right);

#endif
