// Small questions about texts, which may be missing.
#ifndef BANKRUN_BASE_TEXT_H
#define BANKRUN_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

// Two NULLs are the same, too.
static inline bool text_is_same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

// "b.c" of "a/b.c"; NULL of NULL.
static inline const char *text_file_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

#endif
