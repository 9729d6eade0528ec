// The files that a CUDA source includes, and what makes it harmless to include it twice.
#ifndef BANKRUN_PATCH_INCLUDES_H
#define BANKRUN_PATCH_INCLUDES_H

#include "patch/tokens.h"

struct patch_include { // #include "name"
    char *name;        // NULL: a macro gives it
    size_t at;         // the token that is the word
    uint32_t line;
    bool is_inside; // of braces that are not those of a namespace or of extern "C"
};

typedef VEC(struct patch_include) patch_includes;

// Those with <> are left out.
void patch_find_includes(const struct patch_text *source, patch_includes *includes);
void patch_includes_free(patch_includes *includes);

// Whether the compiler reads it once, however often it is included: it says #pragma once, or all of
// it is in an #ifndef whose macro it defines. *macro: that one, which the caller frees, or NULL.
bool patch_is_guarded(const struct patch_text *source, char **macro);
// Whether a line says #undef of the macro.
bool patch_undefines(const struct patch_text *source, const char *macro);

#endif
