// Relocatable device code (nvcc -rdc=true): a program holds one PTX text for each source file, and
// they name each other's functions and variables. Here they are put together into one text.
#ifndef BANKRUN_TOOLCHAIN_LINK_H
#define BANKRUN_TOOLCHAIN_LINK_H

#include <stdbool.h>
#include <stddef.h>

// texts: NUL-terminated PTX modules, as a compiler writes them. The result is PTX too; the caller
// frees it. What is wrong with a text stays wrong in the result: the parser will say so.
//   - of weak and common definitions of one name the first is kept, or none where a text has
//     another definition;
//   - names that are private to a text are told apart where two texts have the same;
//   - files are numbered anew;
//   - the device runtime library, which nvcc links into every such program, is left out.
char *toolchain_link_ptx(char *const *texts, size_t count);

// Whether a text is the device runtime library.
bool toolchain_is_device_runtime(const char *text);

#endif
