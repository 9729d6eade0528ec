#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static void leave_last(struct strbuf *path) {
    while (path->length && path->data[--path->length] != '/')
        ;
    if (path->data)
        path->data[path->length] = 0;
}

static void go(struct strbuf *path, const char *way) {
    while (*way) {
        const size_t length = strcspn(way, "/");
        if (length == 2 && !memcmp(way, "..", 2))
            leave_last(path);
        else if (length && !(length == 1 && *way == '.')) {
            strbuf_puts(path, "/");
            strbuf_append(path, way, length);
        }
        way += length + (way[length] == '/');
    }
}

char *path_resolve(const char *folder, const char *path) {
    struct strbuf out = {0};
    if (*path != '/')
        go(&out, folder);
    go(&out, path);
    if (!out.length)
        strbuf_puts(&out, "/");
    return strbuf_take(&out);
}

char *path_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return base_strdup(".");
    return base_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

// Bytes of the folder, of which the path has a slash and more behind it; "/" has none.
static size_t bytes_of(const char *folder) {
    return folder[1] ? strlen(folder) : 0;
}

bool path_is_below(const char *folder, const char *path) {
    const size_t length = bytes_of(folder);
    return !strncmp(path, folder, length) && path[length] == '/' && path[length + 1];
}

char *path_from(const char *folder, const char *path) {
    struct strbuf out = {0};
    char *above = base_strdup(folder);
    while (above[1] && !path_is_below(above, path)) {
        char *next = path_folder(above);
        free(above);
        above = next;
        strbuf_puts(&out, "../");
    }
    strbuf_puts(&out, path + bytes_of(above) + 1);
    free(above);
    return strbuf_take(&out);
}
