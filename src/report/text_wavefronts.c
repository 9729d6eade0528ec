// A request on its banks by wavefront, as text: a row for each wavefront, a column for each bank.
#include <stdio.h>

#include "report/text.h"

enum { SHOWN_ROWS = 32, SHOWN_WORDS = 4, LABEL = 4, CELL = 3, HALF = 16 };

static size_t cell_end(unsigned bank, unsigned first) {
    return LABEL + 2 + (size_t)CELL * (bank - first);
}

// The lowest lane of those that a wavefront serves from a bank, and "+" when there are more.
static void put_cell(struct report_page *page, const struct view_wavefronts *picture, unsigned row,
                     unsigned bank, size_t end) {
    uint32_t lanes = picture->lanes[row][bank];
    bool is_shared = lanes & (lanes - 1), has_waited = picture->waited[row] >> bank & 1;
    char text[16];
    if (!lanes) {
        report_put_right(page, STYLE_DIM, end, ".");
        return;
    }
    snprintf(text, sizeof text, "%d%s", __builtin_ctz(lanes), is_shared ? "+" : "");
    report_put_right(page,
                     has_waited  ? STYLE_BAD
                     : is_shared ? STYLE_GOOD
                                 : STYLE_PLAIN,
                     end + is_shared, text);
}

static void put_rows(struct report_page *page, const struct view_wavefronts *picture,
                     unsigned first, unsigned end) {
    char number[REPORT_NUMBER];
    report_put(page, STYLE_DIM, "bank");
    for (unsigned bank = first; bank < end; bank++) {
        snprintf(number, sizeof number, "%u", bank);
        report_put_right(page, STYLE_DIM, cell_end(bank, first), number);
    }
    report_newline(page);
    for (unsigned row = 0; row < picture->count && row < SHOWN_ROWS; row++) {
        unsigned last = first;
        for (unsigned bank = first; bank < end; bank++)
            last = picture->lanes[row][bank] ? bank : last;
        snprintf(number, sizeof number, "%u", row + 1);
        report_put_right(page, STYLE_DIM, LABEL - 1, number);
        for (unsigned bank = first; bank <= last; bank++)
            put_cell(page, picture, row, bank, cell_end(bank, first));
        report_newline(page);
    }
    if (picture->count > SHOWN_ROWS) {
        report_to(page, LABEL);
        report_putf(page, STYLE_PLAIN, "... %u more wavefronts", picture->count - SHOWN_ROWS);
        report_newline(page);
    }
}

static void put_paragraph(struct report_page *page, struct strbuf *text) {
    if (text->length > 0) {
        report_wrap(page, STYLE_PLAIN, strbuf_string(text));
        report_newline(page);
    }
    strbuf_free(text);
}

// "collide: bank 0: lanes 0-31; bank 4: ..."
static void put_collisions(struct report_page *page, const struct view_wavefronts *picture) {
    struct strbuf text = {0};
    unsigned said = 0;
    for (unsigned bank = 0; bank < picture->banks; bank++) {
        uint32_t lanes = 0;
        for (unsigned row = 0; row < picture->count; row++)
            if (picture->waited[row] >> bank & 1)
                lanes |= picture->lanes[row][bank];
        if (!lanes)
            continue;
        if (said++ == SHOWN_WORDS) {
            strbuf_puts(&text, "; ...");
            break;
        }
        strbuf_printf(&text, "%sbank %u: lanes ", said == 1 ? "collide: " : "; ", bank);
        strbuf_set(&text, lanes);
    }
    put_paragraph(page, &text);
}

static const char *sharing_text(enum bankrun_access access, unsigned banks) {
    switch (access) {
    case BANKRUN_LOAD:
        return banks == 16 ? "one word at a time is a broadcast"
                           : "a broadcast, which costs nothing";
    case BANKRUN_STORE:
        return "one of them is kept, which costs nothing";
    default:
        return "each is served apart";
    }
}

// "share a word: lanes 0-15 at word 0; lanes 16-31 at word 1"
static void put_shared_words(struct report_page *page, const struct bankrun_request *request,
                             unsigned banks) {
    struct strbuf text = {0};
    unsigned said = 0;
    for (uint32_t left = request->mask; left != 0;) {
        uint32_t lanes = 0, word = request->offsets[__builtin_ctz(left)] / 4;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1)
            if (request->offsets[__builtin_ctz(rest)] / 4 == word)
                lanes |= rest & -rest;
        left &= ~lanes;
        if (!(lanes & (lanes - 1)))
            continue;
        if (said++ == SHOWN_WORDS) {
            strbuf_puts(&text, "; ...");
            break;
        }
        strbuf_puts(&text, said == 1 ? "share a word: lanes " : "; lanes ");
        strbuf_set(&text, lanes);
        strbuf_printf(&text, " at word %u", word);
    }
    if (said)
        strbuf_printf(&text, " (%s)", sharing_text(request->access, banks));
    put_paragraph(page, &text);
}

void text_wavefronts(struct report_page *page, unsigned arch,
                     const struct bankrun_request *request) {
    struct view_wavefronts picture;
    if (!view_wavefronts_of(arch, request, &picture))
        return;
    // One row of banks where they fit, else two.
    bool fits = cell_end(picture.banks, 0) < page->width + CELL;
    unsigned in_row = fits ? picture.banks : HALF;
    for (unsigned first = 0; first < picture.banks; first += in_row)
        put_rows(page, &picture, first, first + in_row);
    put_collisions(page, &picture);
    put_shared_words(page, request, picture.banks);
}
