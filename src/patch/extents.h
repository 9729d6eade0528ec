// The extents of a shared array as its declaration gives them, without a compiler: numbers, macros
// and constants of the same text, and of at most one name that is none of these - a template's
// parameter, a macro of another file - the one number with which the array has its size.
#ifndef BANKRUN_PATCH_EXTENTS_H
#define BANKRUN_PATCH_EXTENTS_H

#include "patch/change.h"

// `bytes`: of the array, as the compiler has it; 0: of dynamic shared memory. False: the
// declaration does not tell, or it tells of another size. `access_bytes`: of an element, where its
// type is not known.
bool patch_read_extents(const struct patch_text *source, const struct patch_array *array,
                        uint64_t bytes, uint64_t access_bytes, struct patch_shape *shape);

#endif
