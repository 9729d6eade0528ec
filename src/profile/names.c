// Names of arrays as the source has them.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "profile/recorder.h"

// "transpose(float*, int)::tile": what follows the last "::" that is in no brackets.
char *profile_array_name(const char *symbol) {
    char *name = base_demangle_or_null(symbol);
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
