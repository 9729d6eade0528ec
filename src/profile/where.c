#include "profile/where.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/strbuf.h"

bool where_is_line(const char *pattern, const char *path, uint32_t line) {
    bool found = false;
    for (const char *at = path; at && !found; at = strchr(at, '/')) {
        at += *at == '/';
        struct strbuf text = {0};
        strbuf_printf(&text, "%s:%u", at, line);
        found = fnmatch(pattern, strbuf_string(&text), 0) == 0;
        strbuf_free(&text);
    }
    return found;
}

bool where_is_function(const char *pattern, const char *function) {
    if (!function)
        return false;
    char *name = base_drop_parameters(base_strdup(function));
    const bool found = fnmatch(pattern, name, 0) == 0;
    free(name);
    return found;
}

bool where_is_site(const char *pattern, const char *kernel, const struct profile_site *site) {
    return where_is_line(pattern, site->file, site->line) ||
           where_is_function(pattern, site->function) || where_is_function(pattern, kernel);
}
