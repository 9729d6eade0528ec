// The shared arrays that a CUDA source declares, and every place that names one.
#ifndef BANKRUN_PATCH_ARRAYS_H
#define BANKRUN_PATCH_ARRAYS_H

#include "patch/tokens.h"

enum { PATCH_MOST_RANK = 4 };

struct patch_range { // tokens first, ..., last
    size_t first, last;
};

struct patch_use {
    size_t at; // the token that names the array
    // What stands in its brackets, of which there are as many as the array has.
    struct patch_range indices[PATCH_MOST_RANK];
};

struct patch_array {
    char *name;
    size_t text; // whose it is, by its number
    uint32_t line;
    size_t at;              // the token of its declaration that is the name
    size_t statement_begin; // the first token of the declaration
    size_t statement_end;   // the token that is its ;
    size_t scope_end;       // the token that ends its scope
    unsigned rank;
    bool is_dynamic;                             // extern __shared__ T name[]
    bool is_at_file_scope;                       // in no function
    uint32_t macro_line;                         // of a # line that names it; 0: none
    struct patch_range extents[PATCH_MOST_RANK]; // empty (last < first) for []
    VEC(struct patch_use) uses;
    // Why its layout cannot be changed by edits: something that is not understood. NULL: nothing.
    const char *problem; // in words, static
    size_t problem_text; // the number of the text that the line is of
    uint32_t problem_line;
};

typedef VEC(struct patch_array) patch_arrays;

void patch_find_arrays(const struct patch_text *source, patch_arrays *arrays);
// Adds what another text, that is compiled together with the array's, does with its name: in
// macros, and anywhere if the array is at file scope.
void patch_find_elsewhere(const struct patch_text *other, struct patch_array *array);
void patch_arrays_free(patch_arrays *arrays);

#endif
