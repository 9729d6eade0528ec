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
// An operand: what all lanes have (NULL: of one lane, or the same as `one`), and what one has where
// all have the same, else NULL. Of the type that the row's parameter has.
struct rows_operand {
    LLVMValueRef all, one;
};
// Appends what the row computes, of so many lanes: 1 or 32. What depends on nothing that lanes have
// of their own is computed once.
LLVMValueRef rows_apply(const struct rows *rows, LLVMModuleRef module, LLVMBuilderRef builder,
                        enum ir_value value, unsigned lanes, const struct rows_operand *operands,
                        unsigned count);
// The same in all lanes.
LLVMValueRef rows_spread(LLVMBuilderRef builder, LLVMValueRef one, unsigned lanes);
// Whether the row's result is the same whichever NaN its operands are.
bool rows_is_nan_blind(const struct rows *rows, enum ir_value value);
// What a value was before one NaN was put in the place of any; NULL: it is no such value.
LLVMValueRef rows_before_nan(LLVMValueRef value);
// Of a parameter.
LLVMTypeRef rows_type(const struct rows *rows, enum ir_value value, unsigned parameter);

#endif
