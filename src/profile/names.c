// Names as the source has them.
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/alloc.h"
#include "profile/recorder.h"

// nvcc puts what is static into a namespace `_INTERNAL_<hash>_<file>_<numbers>` that the source
// does not have, and whose name changes from one compilation to the next.
static void drop_internal_namespaces(char *name) {
    static const char internal[] = "_INTERNAL_";
    char *at = name;
    while ((at = strstr(at, internal)) != NULL) {
        bool starts_name = at == name || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        char *end = at;
        while (isalnum((unsigned char)*end) || *end == '_')
            end++;
        if (starts_name && end[0] == ':' && end[1] == ':')
            memmove(at, end + 2, strlen(end + 2) + 1);
        else
            at = end;
    }
}

// NULL: not a mangled name.
static char *demangle(const char *symbol) {
    char *name = cplus_demangle_v3(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP);
    if (name)
        drop_internal_namespaces(name);
    return name;
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
