// Links of a page, which a click opens: "\\e]8;;file://host/path\\e\\" before a text, and an empty
// one behind it.
#include <stdlib.h>
#include <unistd.h>

#include "report/page.h"
#include "report/uri.h"

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
    report_put_uri(page->out, host);
    report_put_uri(page->out, path);
    strbuf_puts(page->out, "\033\\");
    page->is_linked = true;
    free(path);
}

void report_unlink(struct report_page *page) {
    if (page->is_linked)
        strbuf_puts(page->out, "\033]8;;\033\\");
    page->is_linked = false;
}
