// Texts that may be missing.
#ifndef BANKRUN_BASE_TEXT_H
#define BANKRUN_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

// Two NULLs are the same, too.
static inline bool text_is_same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

#endif
