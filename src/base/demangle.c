// Names as the source has them.
#include "base/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/alloc.h"
#include "base/strbuf.h"

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

// numba puts a version and its flags behind the name of a kernel, as tags of an ABI.
static void drop_tags(char *name) {
    static const char tag[] = "[abi:";
    char *at = name;
    while ((at = strstr(at, tag)) != NULL) {
        char *end = strchr(at, ']');
        if (!end)
            return;
        memmove(at, end + 1, strlen(end + 1) + 1);
    }
}

static void put(const char *text, size_t length, void *name) {
    strbuf_append(name, text, length);
}

// Piece by piece: cplus_demangle_v3 says of memory that it cannot get what it says of no symbol.
char *base_demangle_or_null(const char *symbol) {
    struct strbuf name = {0};
    if (!cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP, put, &name)) {
        strbuf_free(&name);
        return NULL;
    }
    char *text = strbuf_take(&name);
    drop_internal_namespaces(text);
    drop_tags(text);
    return text;
}

char *base_demangle(const char *symbol) {
    char *name = base_demangle_or_null(symbol);
    return name ? name : base_strdup(symbol);
}

char *base_drop_parameters(char *name) {
    size_t length = strlen(name);
    if (length == 0 || name[length - 1] != ')')
        return name;
    int depth = 0;
    for (size_t at = length; at-- > 0;) {
        depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
        if (depth == 0) {
            name[at] = '\0';
            break;
        }
    }
    return name;
}
