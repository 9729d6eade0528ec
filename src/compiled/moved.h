// Loads that the machine code has behind a branch that PTX has them before: what one side of it
// needs is loaded on that side alone, by fewer warps.
#ifndef BANKRUN_COMPILED_MOVED_H
#define BANKRUN_COMPILED_MOVED_H

#include "compiled/code.h"
#include "ir/ir.h"

// Of each of ir_kernel_sites(): the line of that branch; 0: none is known. Never NULL; caller
// frees.
uint32_t *compiled_moved(const struct compiled_code *code, const struct ir_function *kernel);

#endif
