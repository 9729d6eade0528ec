// Links of a page, which a click opens: "\\e]8;;file://host/path\\e\\" before a text, and an empty
// one behind it.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/page.h"

// What means something in an address, or on a terminal, as %XX.
static void put_encoded(struct strbuf *out, const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/-._~";
    for (; *path; path++) {
        if (strchr(plain, *path))
            strbuf_append(out, path, 1);
        else
            strbuf_printf(out, "%%%02X", (unsigned char)*path);
    }
}

void report_link(struct report_page *page, const char *file) {
    char host[256] = "", *path;
    struct strbuf name = {0};
    if (!page->links || !file)
        return;
    if (file[0] != '/' && page->links->source_root)
        strbuf_printf(&name, "%s/", page->links->source_root);
    strbuf_puts(&name, file);
    path = realpath(strbuf_string(&name), NULL);
    strbuf_free(&name);
    if (!path)
        return;
    gethostname(host, sizeof host - 1); // none is this one, too
    report_flush(page);
    strbuf_puts(page->out, "\033]8;;file://");
    put_encoded(page->out, host);
    put_encoded(page->out, path);
    strbuf_puts(page->out, "\033\\");
    page->is_linked = true;
    free(path);
}

void report_unlink(struct report_page *page) {
    if (page->is_linked)
        strbuf_puts(page->out, "\033]8;;\033\\");
    page->is_linked = false;
}
