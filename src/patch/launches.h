// Where a source launches kernels with <<< >>>, and how many bytes of dynamic shared memory it
// gives them.
#ifndef BANKRUN_PATCH_LAUNCHES_H
#define BANKRUN_PATCH_LAUNCHES_H

#include "patch/arrays.h"

typedef VEC(struct patch_range) patch_ranges;

// Adds what gives the bytes, of each launch of each kernel that uses the array: of one that gives
// none, nothing. NULL: these are all launches of the kernels; else why they may not be, in words.
const char *patch_find_bytes(const struct patch_text *source, const struct patch_array *array,
                             patch_ranges *bytes);

// Whether another text names a kernel that uses the array, which is one of `source`.
bool patch_names_kernel(const struct patch_text *other, const struct patch_text *source,
                        const struct patch_array *array);

#endif
