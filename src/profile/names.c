// Names as the source has them.
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/alloc.h"
#include "profile/recorder.h"

// The demangler's memory is not base's, so that it may run out.
static char *demangle(const char *symbol) {
    return cplus_demangle_v3(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP);
}

char *profile_demangle(const char *symbol) {
    char *name = demangle(symbol);
    return name ? name : base_strdup(symbol);
}

// "transpose(float*, int)::tile": what follows the last "::" that is in no brackets.
char *profile_array_name(const char *symbol) {
    char *name = demangle(symbol);
    if (!name)
        return base_strdup(symbol);
    int depth = 0;
    const char *last = name;
    for (const char *at = name; *at; at++) {
        if (*at == '(' || *at == '<' || *at == '[' || *at == '{')
            depth++;
        else if (*at == ')' || *at == '>' || *at == ']' || *at == '}')
            depth--;
        else if (depth == 0 && at[0] == ':' && at[1] == ':')
            last = at + 2;
    }
    char *array = base_strdup(*last ? last : name);
    free(name);
    return array;
}
