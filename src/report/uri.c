#include "report/uri.h"

#include <string.h>

void report_put_uri(struct strbuf *out, const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/-._~";
    for (; *path; path++)
        if (strchr(plain, *path))
            strbuf_append(out, path, 1);
        else
            strbuf_printf(out, "%%%02X", (unsigned char)*path);
}
