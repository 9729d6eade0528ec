// What the code generator may merge, told from PTX alone: where there is no machine code to look
// at.
#ifndef BANKRUN_COMPILED_MERGES_H
#define BANKRUN_COMPILED_MERGES_H

#include "ir/ir.h"

// Of each of ir_kernel_sites(): there is another load (or store) of shared memory beside it, at a
// constant distance from the same base, with no barrier in between. Never NULL; caller frees.
bool *compiled_may_merge(const struct ir_function *kernel);

#endif
