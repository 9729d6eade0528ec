// Edits of a text: what is not named stays as it is, byte by byte.
#ifndef BANKRUN_PATCH_EDITS_H
#define BANKRUN_PATCH_EDITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct patch_edit {
    uint32_t begin, end; // bytes that go
    char *text;          // what comes in their place
};

typedef VEC(struct patch_edit) patch_edits;

// Edits do not overlap; of insertions at one place the one that was added first stands first.
void patch_add(patch_edits *edits, uint32_t begin, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void patch_insert(patch_edits *edits, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The edited text, which the caller frees.
char *patch_apply(const char *text, size_t length, const patch_edits *edits);
void patch_edits_free(patch_edits *edits);

#endif
