// Files of the source tree, wherever a test is started.
#ifndef BANKRUN_TESTS_SOURCE_PATH_H
#define BANKRUN_TESTS_SOURCE_PATH_H

#include <stdlib.h>

#include "base/strbuf.h"

// The caller frees it.
static inline char *source_path(const char *name) {
    const char *root = getenv("BANKRUN_SOURCE");
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s", root ? root : ".", name);
    return strbuf_take(&path);
}

#endif
