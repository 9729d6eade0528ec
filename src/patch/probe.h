// Asks the compiler for the extents of shared arrays, which a source may give as macros, constants
// or template parameters: a comment that stands in the PTX behind each declaration.
#ifndef BANKRUN_PATCH_PROBE_H
#define BANKRUN_PATCH_PROBE_H

#include "patch/change.h"

// Adds the questions about those of the arrays that are the text's.
void patch_ask(const struct patch_text *source, const patch_arrays *arrays, patch_edits *edits);

typedef VEC(struct patch_shape) patch_shapes;

// The answers in the PTX of the edited source: the shapes that the array, number `n` of `arrays`,
// has in the instances of its function, each of them once.
void patch_read_shapes(const char *ptx, const patch_arrays *arrays, size_t n, patch_shapes *shapes);

#endif
