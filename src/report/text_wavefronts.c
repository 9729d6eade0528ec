// A request on its banks by wavefront, as text: a row for each wavefront, a column for each bank.
#include <stdio.h>

#include "report/text.h"

enum { SHOWN_ROWS = 32, SHOWN_WORDS = 4, CELL = 3, HALF = 16 };

struct layout {
    unsigned in_row; // banks
    size_t label;    // columns before them
};

// All banks in a row where they fit, else half of them.
static struct layout layout_of(const struct report_page *page,
                               const struct view_wavefronts *picture) {
    const struct layout whole = {picture->banks, 4}, half = {HALF, 5};
    return whole.label + (size_t)CELL * picture->banks <= page->width ? whole : half;
}

static size_t cell_end(const struct layout *layout, unsigned bank) {
    return layout->label + 2 + (size_t)CELL * (bank % layout->in_row);
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
                     const struct layout *layout, unsigned first) {
    unsigned end = first + layout->in_row;
    char number[REPORT_NUMBER];
    report_put(page, STYLE_DIM, "bank");
    for (unsigned bank = first; bank < end; bank++) {
        snprintf(number, sizeof number, "%u", bank);
        report_put_right(page, STYLE_DIM, cell_end(layout, bank), number);
    }
    report_newline(page);
    for (unsigned row = 0; row < picture->count && row < SHOWN_ROWS; row++) {
        unsigned last = first;
        for (unsigned bank = first; bank < end; bank++)
            last = picture->lanes[row][bank] ? bank : last;
        snprintf(number, sizeof number, "%u", row + 1);
        report_put_right(page, STYLE_DIM, layout->label - 1, number);
        for (unsigned bank = first; bank <= last; bank++)
            put_cell(page, picture, row, bank, cell_end(layout, bank));
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
    struct layout layout = layout_of(page, &picture);
    for (unsigned first = 0; first < picture.banks; first += layout.in_row)
        put_rows(page, &picture, &layout, first);
    if (picture.count > SHOWN_ROWS) {
        report_to(page, layout.label);
        report_putf(page, STYLE_PLAIN, "... %u more wavefronts", picture.count - SHOWN_ROWS);
        report_newline(page);
    }
    put_collisions(page, &picture);
    put_shared_words(page, request, picture.banks);
}
