// A limit of registers that is given to a compiler or linker, and not by the kernel: PTX has it
// once it is here.
#ifndef BANKRUN_TOOLCHAIN_REGISTERS_H
#define BANKRUN_TOOLCHAIN_REGISTERS_H

#include <stddef.h>

// The text with `.maxnreg` in each kernel that has no such directive of its own, nor another that
// says how fast it is to be: those count more than the option, as with ptxas. No line moves. Takes
// the text and returns it, or another; the caller frees that. `most` 0: no limit.
char *toolchain_limit_registers(char *text, unsigned most);

// What stands behind `-maxrregcount=` and its like, with one dash or two; 0: another option, or no
// number.
unsigned toolchain_registers_of(const char *option);

// The same of the last such option among `length` bytes of them with spaces between, as a fat
// binary keeps them; the number may be a word of its own.
unsigned toolchain_registers_of_line(const char *line, size_t length);

#endif
