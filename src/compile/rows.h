// Rows of value.def in LLVM's code, of one lane or of all 32. See rows.c.
#ifndef BANKRUN_COMPILE_ROWS_H
#define BANKRUN_COMPILE_ROWS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "ir/value.h"

struct rows; // parsed once

struct rows *rows_load(LLVMContextRef context);
// Whether the row can be computed for the whole warp at once: it has no jumps and calls no
// functions.
bool rows_has(const struct rows *rows, enum ir_value value);
// Appends what the row computes. `lanes`: 1 or 32; arguments have that many, of the types that the
// row's parameters have. `ones`: the same for one lane where all have the same, else NULL; what
// depends on nothing else is computed once.
LLVMValueRef rows_apply(const struct rows *rows, LLVMModuleRef module, LLVMBuilderRef builder,
                        enum ir_value value, unsigned lanes, LLVMValueRef *arguments,
                        LLVMValueRef *ones, unsigned count);
// Whether the row's result is the same whichever NaN its operands are.
bool rows_is_nan_blind(const struct rows *rows, enum ir_value value);
// What a value was before one NaN was put in the place of any; NULL: it is no such value.
LLVMValueRef rows_before_nan(LLVMValueRef value);
// Of a parameter.
LLVMTypeRef rows_type(const struct rows *rows, enum ir_value value, unsigned parameter);

#endif
