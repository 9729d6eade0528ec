// A page of text under construction: styles, columns, and the promise that no line is wider than
// the page. Everything that is put on it is made safe for a terminal first.
#ifndef BANKRUN_REPORT_PAGE_H
#define BANKRUN_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "report/report.h"
#include "report/style.h"

struct report_page {
    struct strbuf *out; // borrowed
    bool color;
    const struct report_options *links; // whose sources places are linked to; NULL: no links
    size_t width;
    size_t column;  // of the current line, 0-based
    size_t pending; // spaces not yet written: a line never ends in them
    size_t number;  // width of a column of numbers, the same on the whole page
    bool is_linked;
};

enum { REPORT_WIDTH = 100, REPORT_LEAST_WIDTH = 60 };

// width: columns, 0: REPORT_WIDTH; at least REPORT_LEAST_WIDTH are used. `largest` is the largest
// number of report_row().
void report_page_begin(struct report_page *page, struct strbuf *out, bool color, size_t width,
                       uint64_t largest);

// What does not fit on the line any more is elided.
void report_put(struct report_page *page, enum report_style style, const char *text);
void report_putf(struct report_page *page, enum report_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// At most `columns` columns, elided in the middle.
void report_put_in(struct report_page *page, enum report_style style, size_t columns,
                   const char *text);
// Right-aligned: the text ends just before column `end`.
void report_put_right(struct report_page *page, enum report_style style, size_t end,
                      const char *text);
// Words over as many lines as it takes, each starting at the current column; '\n' breaks a line. So
// does a word that is longer than a line, unless it takes more than three, and is elided.
void report_wrap(struct report_page *page, enum report_style style, const char *text);
// What is put until report_unlink() is a link to that file, where terminals take them (OSC 8), the
// page has links and the file is there. A NULL file is none.
void report_link(struct report_page *page, const char *file);
void report_unlink(struct report_page *page);
// Goes on at a column, if the line is not past it.
void report_to(struct report_page *page, size_t column);
void report_newline(struct report_page *page);
void report_flush(struct report_page *page); // writes the spaces that were left out so far

// A row of a table: a label from column `indent` on and four right-aligned cells, which stand under
// each other on the whole page. A NULL cell stays empty. A label that is too long for that has a
// line of its own, and is elided only where it is longer than this, too.
struct report_cell {
    enum report_style style;
    const char *text;
};
enum { REPORT_CELLS = 4 };
size_t report_label_columns(const struct report_page *page, size_t indent); // room for a label
void report_row(struct report_page *page, size_t indent, enum report_style style, const char *label,
                const struct report_cell cells[REPORT_CELLS]);

enum { REPORT_NUMBER = 32 }; // bytes that hold any formatted number
// "15,500,000". Returns the buffer.
const char *report_number(char buffer[REPORT_NUMBER], uint64_t number);
// "12 %", "<1 %", ">99 %": never says 0 or 100 of what is not. Half goes to the even neighbour.
const char *report_percent(char buffer[REPORT_NUMBER], uint64_t part, uint64_t whole);
// "32" or "3.5", "-" for a quotient by 0.
const char *report_ratio(char buffer[REPORT_NUMBER], uint64_t part, uint64_t whole);

#endif
