#include "report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/columns.h"

void report_page_begin(struct report_page *page, struct strbuf *out, bool color, size_t width,
                       uint64_t largest) {
    enum { MOST = 18 };
    *page = (struct report_page){.out = out, .color = color, .width = width ? width : REPORT_WIDTH};
    if (page->width < REPORT_LEAST_WIDTH)
        page->width = REPORT_LEAST_WIDTH;
    // Columns of numbers are as wide as the largest number, and comfortable where the page has the
    // room.
    char buffer[REPORT_NUMBER];
    size_t gap = page->width < REPORT_WIDTH ? 2 : 3, least = 10 + gap;
    page->number = strlen(report_number(buffer, largest)) + gap;
    page->number = page->number < least ? least : page->number > MOST ? MOST : page->number;
}

static const char *style_code(enum report_style style) {
    switch (style) {
    case STYLE_PLAIN:
        return "";
    case STYLE_BOLD:
        return "\033[1m";
    case STYLE_DIM:
        return "\033[2m";
    case STYLE_BAD:
        return "\033[1;31m";
    case STYLE_WARN:
        return "\033[33m";
    case STYLE_GOOD:
        return "\033[32m";
    }
    return "";
}

void report_flush(struct report_page *page) {
    for (; page->pending > 0; page->pending--)
        strbuf_append(page->out, " ", 1);
}

// `clean` is safe and holds no leading or trailing space that matters.
static void put_clean(struct report_page *page, enum report_style style, size_t columns,
                      const char *clean) {
    size_t left = page->width > page->column ? page->width - page->column : 0;
    if (columns > left)
        columns = left;
    if (*clean == '\0' || columns == 0)
        return;
    report_flush(page);
    bool is_colored = page->color && style != STYLE_PLAIN;
    if (is_colored)
        strbuf_puts(page->out, style_code(style));
    page->column += report_elide(page->out, clean, columns);
    if (is_colored)
        strbuf_puts(page->out, "\033[0m");
}

void report_put_in(struct report_page *page, enum report_style style, size_t columns,
                   const char *text) {
    struct strbuf clean = {0};
    report_clean(&clean, text);
    put_clean(page, style, columns, strbuf_string(&clean));
    strbuf_free(&clean);
}

void report_put(struct report_page *page, enum report_style style, const char *text) {
    report_put_in(page, style, page->width, text);
}

void report_putf(struct report_page *page, enum report_style style, const char *format, ...) {
    struct strbuf text = {0};
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    report_put(page, style, strbuf_string(&text));
    strbuf_free(&text);
}

void report_put_right(struct report_page *page, enum report_style style, size_t end,
                      const char *text) {
    size_t columns = report_columns(text);
    report_to(page, columns < end ? end - columns : 0);
    report_put(page, style, text);
}

void report_to(struct report_page *page, size_t column) {
    if (column > page->column) {
        page->pending += column - page->column;
        page->column = column;
    }
}

void report_newline(struct report_page *page) {
    struct strbuf *out = page->out;
    while (page->column > 0 && out->length > 0 && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0'; // a name may end in spaces
    page->pending = 0;
    page->column = 0;
    strbuf_append(out, "\n", 1);
}

// Puts clean[0..length) on the page.
static void put_word(struct report_page *page, enum report_style style, const char *clean,
                     size_t length) {
    char *word = base_strndup(clean, length);
    put_clean(page, style, page->width, word);
    free(word);
}

// So much of a word that is longer than a line as goes on one, of a path whole folders; all of it
// where that would take too many lines.
static size_t part_of(const char *word, size_t length, size_t columns) {
    enum { MOST_LINES = 3 };
    char *copy = base_strndup(word, length);
    const bool is_elided = report_columns(copy) > MOST_LINES * columns;
    free(copy);
    if (is_elided)
        return length;
    const size_t prefix = report_prefix(word, columns);
    for (size_t at = prefix; at > 1; at--)
        if (word[at - 1] == '/')
            return at;
    return prefix;
}

// One paragraph, already clean, from column `indent` on.
static void wrap_paragraph(struct report_page *page, enum report_style style, size_t indent,
                           const char *at) {
    while (*at) {
        size_t left = page->width - indent, fits = 0;
        // The longest run of whole words that fits.
        while (at[fits]) {
            size_t end = fits + strspn(at + fits, " ");
            end += strcspn(at + end, " ");
            char *run = base_strndup(at, end);
            bool is_too_long = report_columns(run) > left;
            free(run);
            if (is_too_long && fits > 0)
                break;
            fits = is_too_long ? part_of(at, end, left) : end;
            if (is_too_long)
                break;
        }
        put_word(page, style, at, fits);
        at += fits;
        at += strspn(at, " ");
        if (*at) {
            report_newline(page);
            report_to(page, indent);
        }
    }
}

void report_wrap(struct report_page *page, enum report_style style, const char *text) {
    size_t indent = page->column;
    for (;;) {
        size_t length = strcspn(text, "\n");
        char *line = base_strndup(text, length);
        struct strbuf clean = {0};
        report_clean(&clean, line);
        wrap_paragraph(page, style, indent, strbuf_string(&clean));
        strbuf_free(&clean);
        free(line);
        if (text[length] == '\0' || text[length + 1] == '\0')
            return;
        text += length + 1;
        report_newline(page);
        report_to(page, indent);
    }
}

size_t report_label_columns(const struct report_page *page, size_t indent) {
    size_t taken = REPORT_CELLS * page->number + indent;
    return page->width > taken ? page->width - taken : 0;
}

void report_row(struct report_page *page, size_t indent, enum report_style style, const char *label,
                const struct report_cell cells[REPORT_CELLS]) {
    size_t columns = report_label_columns(page, indent), end = indent + columns;
    struct strbuf clean = {0};
    report_clean(&clean, label);
    report_to(page, indent);
    report_put(page, style, label);
    if (report_columns(strbuf_string(&clean)) > columns)
        report_newline(page);
    strbuf_free(&clean);
    for (int i = 0; i < REPORT_CELLS; i++) {
        end += page->number;
        if (cells[i].text)
            report_put_right(page, cells[i].style, end, cells[i].text);
    }
    report_newline(page);
}
