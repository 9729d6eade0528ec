#include "report/columns.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

enum { TAB_STOP = 4 };

// The ranges that matter for names and comments, after Unicode's East Asian Width: not complete,
// and a miss costs one column of alignment only.
static unsigned width_of(uint32_t code) {
    if ((code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200d) ||
        (code >= 0xfe00 && code <= 0xfe0f))
        return 0;
    bool is_wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                   (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                   (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
                   (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd);
    return is_wide ? 2 : 1;
}

void report_clean(struct strbuf *out, const char *text) {
    size_t column = 0;
    while (*text) {
        uint32_t code;
        size_t length = utf8_decode(text, &code);
        if (code == '\t') {
            do {
                strbuf_append(out, " ", 1);
            } while (++column % TAB_STOP != 0);
        } else if (utf8_is_unsafe(code)) {
            strbuf_append(out, "?", 1);
            column++;
        } else {
            strbuf_append(out, text, length);
            column += width_of(code);
        }
        text += length;
    }
}

size_t report_columns(const char *text) {
    size_t columns = 0;
    while (*text) {
        uint32_t code;
        text += utf8_decode(text, &code);
        columns += width_of(code);
    }
    return columns;
}

// The longest prefix of at most `columns` columns; *used says how many it takes.
static size_t prefix_bytes(const char *text, size_t columns, size_t *used) {
    size_t bytes = 0;
    *used = 0;
    while (text[bytes]) {
        uint32_t code;
        size_t length = utf8_decode(text + bytes, &code);
        if (*used + width_of(code) > columns)
            break;
        *used += width_of(code);
        bytes += length;
    }
    return bytes;
}

size_t report_prefix(const char *text, size_t columns) {
    size_t used;
    const size_t bytes = prefix_bytes(text, columns, &used);
    uint32_t code;
    return bytes || !*text ? bytes : utf8_decode(text, &code);
}

size_t report_elide(struct strbuf *out, const char *text, size_t columns) {
    static const char gap[] = "...";
    size_t total = report_columns(text), used;
    if (total <= columns) {
        strbuf_puts(out, text);
        return total;
    }
    if (columns < 8) { // too narrow to show two ends
        strbuf_append(out, text, prefix_bytes(text, columns, &used));
        return used;
    }
    size_t room = columns - (sizeof gap - 1), head;
    strbuf_append(out, text, prefix_bytes(text, room - room / 2, &head));
    strbuf_puts(out, gap);
    // The tail starts after as many columns as must go, rounded up to a whole character.
    size_t skip = total - room / 2, at = 0, passed = 0;
    while (text[at] && passed < skip) {
        uint32_t code;
        at += utf8_decode(text + at, &code);
        passed += width_of(code);
    }
    strbuf_puts(out, text + at);
    return head + (sizeof gap - 1) + (total - passed);
}
