// Tables and other small pieces as text.
#include <stdio.h>
#include <string.h>

#include "report/text.h"

const char *text_cell(char buffer[REPORT_NUMBER + 1], const struct view_cell *cell) {
    char *figure = buffer;
    if (cell->is_about)
        *figure++ = '~';
    switch (cell->unit) {
    case VIEW_COUNT:
        report_number(figure, cell->value);
        break;
    case VIEW_RATIO:
        report_ratio(figure, cell->value, cell->whole);
        break;
    case VIEW_PERCENT:
        report_percent(figure, cell->value, cell->whole);
        break;
    }
    return buffer;
}

void text_row(struct report_page *page, size_t indent, const char *label,
              const struct view_cell cells[VIEW_CELLS]) {
    char buffers[VIEW_CELLS][REPORT_NUMBER + 1];
    struct report_cell texts[REPORT_CELLS];
    for (int i = 0; i < VIEW_CELLS; i++)
        texts[i] = (struct report_cell){cells[i].style, text_cell(buffers[i], &cells[i])};
    report_row(page, indent, STYLE_PLAIN, label, texts);
}

void text_columns(struct report_page *page, size_t indent, const char *label,
                  const char *const columns[VIEW_CELLS]) {
    struct report_cell texts[REPORT_CELLS];
    for (int i = 0; i < VIEW_CELLS; i++)
        texts[i] = (struct report_cell){STYLE_DIM, columns[i]};
    report_row(page, indent, STYLE_DIM, label, texts);
}

void text_place(struct strbuf *out, struct view_place place) {
    if (place.file)
        strbuf_printf(out, "%s:%u", place.file, place.line);
    else
        strbuf_puts(out, "no known line");
}

// In the order in which they stand.
static void put_carets(struct report_page *page, size_t start, const size_t *carets, size_t count) {
    for (;;) {
        size_t next = VIEW_NO_CARET;
        for (size_t i = 0; i < count; i++)
            if (carets[i] < next && start + carets[i] >= page->column)
                next = carets[i];
        if (next == VIEW_NO_CARET || start + next >= page->width)
            break;
        if (!page->column) {
            report_to(page, start - 2);
            report_put(page, STYLE_DIM, "|");
        }
        report_to(page, start + next);
        report_put(page, STYLE_GOOD, "^");
    }
    if (page->column)
        report_newline(page);
}

void text_quote(struct report_page *page, size_t indent, uint32_t line, const char *quote,
                const size_t *carets, size_t count) {
    enum { DIGITS = 6 };
    char number[REPORT_NUMBER];
    if (!quote)
        return;
    snprintf(number, sizeof number, "%u", line);
    report_put_right(page, STYLE_DIM, indent + DIGITS, number);
    report_put(page, STYLE_DIM, " | ");
    const size_t start = page->column;
    report_put(page, STYLE_PLAIN, quote);
    report_newline(page);
    put_carets(page, start, carets, count);
}

void text_rest(struct report_page *page, size_t indent, size_t count, const char *noun,
               const char *more) {
    char number[REPORT_NUMBER];
    report_to(page, indent);
    report_putf(page, STYLE_DIM, "... and %s more %s%s%s (--verbose shows all)",
                report_number(number, count), noun, count == 1 ? "" : "s", more);
    report_newline(page);
}
