// Quoting source lines.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "report/page.h"

// A path as the compiler wrote it, seen from the source root.
static char *resolve(const struct report_page *page, const char *file) {
    struct strbuf path = {0};
    if (file[0] != '/' && page->options.source_root) {
        strbuf_printf(&path, "%s/", page->options.source_root);
    }
    strbuf_puts(&path, file);
    return strbuf_take(&path);
}

// Each file is read once. NULL: it cannot be read.
static const char *text_of(struct report_page *page, const char *file) {
    for (size_t i = 0; i < page->sources.length; i++) {
        if (strcmp(page->sources.data[i].name, file) == 0) {
            return page->sources.data[i].text;
        }
    }
    struct report_source source = {.name = base_strdup(file)};
    char *path = resolve(page, file);
    size_t length;
    if (!file_read(path, &source.text, &length)) {
        source.text = NULL;
    }
    free(path);
    vec_push(&page->sources, source);
    return source.text;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

char *report_source_line(struct report_page *page, const char *file, uint32_t line) {
    const char *text = file && line > 0 ? text_of(page, file) : NULL;
    for (uint32_t i = 1; text && i < line; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text) {
        return NULL;
    }
    size_t length = strcspn(text, "\n");
    while (length > 0 && is_blank(text[0])) {
        text++;
        length--;
    }
    while (length > 0 && is_blank(text[length - 1])) {
        length--;
    }
    return length > 0 ? base_strndup(text, length) : NULL;
}
