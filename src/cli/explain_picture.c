// The lanes of one request on the banks: a row for each wavefront, a column for each bank.
#include <string.h>

#include "cli/explain.h"

enum { MAX_BANKS = 32, MAX_ROWS = 64, SHOWN_ROWS = 32, SHOWN_WORDS = 4 };

struct picture {
    unsigned arch, banks, rows, words; // words: that one lane covers
    struct bankrun_request request;
    uint8_t row_of[BANKRUN_LANES];
    uint32_t cells[MAX_ROWS][MAX_BANKS]; // lanes
    const char *good, *bad, *dim, *plain;
};

static const char *style(const struct picture *picture, uint32_t lanes, bool is_again) {
    return is_again ? picture->bad : (lanes & (lanes - 1)) ? picture->good : "";
}

static void fill(struct picture *picture) {
    picture->rows = bankrun_schedule(picture->arch, &picture->request, picture->row_of);
    if (picture->rows > MAX_ROWS)
        picture->rows = MAX_ROWS;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        for (unsigned k = 0; k < picture->words && picture->row_of[lane] < MAX_ROWS; k++) {
            unsigned bank = bankrun_bank(picture->arch, picture->request.offsets[lane] + 4 * k);
            picture->cells[picture->row_of[lane]][bank] |= 1u << lane;
        }
}

// Whether an earlier row of the same phase served this bank: lanes waited for each other.
static bool is_again(const struct picture *picture, unsigned row, unsigned bank) {
    uint32_t phase = 0, lanes;
    for (unsigned n = 0;
         (lanes = bankrun_phase_lanes(picture->arch, &picture->request, n)) != 0 && !phase; n++)
        if (lanes & picture->cells[row][bank])
            phase = lanes;
    for (unsigned other = 0; other < picture->rows; other++)
        if (other != row && picture->cells[other][bank] & phase)
            return true;
    return false;
}

static void put_rows(const struct picture *picture, struct strbuf *out) {
    strbuf_printf(out, "%sbank%s", picture->dim, picture->plain);
    for (unsigned bank = 0; bank < picture->banks; bank++)
        strbuf_printf(out, "%s%2u%s%s", picture->dim, bank, picture->plain,
                      bank + 1 < picture->banks ? " " : "\n");
    unsigned shown = picture->rows > SHOWN_ROWS ? SHOWN_ROWS : picture->rows;
    for (unsigned row = 0; row < shown; row++) {
        size_t last = 0;
        for (unsigned bank = 0; bank < picture->banks; bank++)
            last = picture->cells[row][bank] ? bank : last;
        strbuf_printf(out, "%s%3u%s ", picture->dim, row + 1, picture->plain);
        for (unsigned bank = 0; bank <= last; bank++) {
            uint32_t lanes = picture->cells[row][bank];
            if (!lanes) {
                strbuf_printf(out, "%s .%s%s", picture->dim, picture->plain,
                              bank < last ? " " : "");
                continue;
            }
            const char *mark = (lanes & (lanes - 1)) ? "+" : bank < last ? " " : "";
            const char *color = style(picture, lanes, is_again(picture, row, bank));
            strbuf_printf(out, "%s%2d%s%s", color, __builtin_ctz(lanes), mark,
                          *color ? picture->plain : "");
        }
        strbuf_puts(out, "\n");
    }
    if (picture->rows > shown)
        strbuf_printf(out, "    ... %u more wavefronts\n", picture->rows - shown);
}

void explain_put_wrapped(struct strbuf *out, const char *indent, const char *text) {
    enum { WIDTH = 100 };
    size_t column = 0;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column && column + 1 + word > WIDTH) {
            strbuf_puts(out, "\n");
            column = 0;
        }
        strbuf_puts(out, column ? " " : indent);
        column += column ? 1 : strlen(indent);
        strbuf_append(out, text, word);
        column += word;
        text += word + (text[word] == ' ');
    }
    strbuf_puts(out, "\n");
}

static const char *sharing_text(const struct picture *picture) {
    switch (picture->request.access) {
    case BANKRUN_LOAD:
        return picture->banks == 16 ? "one word at a time is a broadcast"
                                    : "a broadcast, which costs nothing";
    case BANKRUN_STORE:
        return "one of them is kept, which costs nothing";
    default:
        return "each is served apart";
    }
}

// "lanes 0-15 at word 0, lanes 16-31 at word 1"
static void put_shared(const struct picture *picture, struct strbuf *out) {
    const struct bankrun_request *request = &picture->request;
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
    if (said) {
        strbuf_printf(&text, " (%s)", sharing_text(picture));
        explain_put_wrapped(out, "", strbuf_string(&text));
    }
    strbuf_free(&text);
}

// "bank 0: lanes 0-31; bank 4: ..."
static void put_collisions(const struct picture *picture, struct strbuf *out) {
    struct strbuf text = {0};
    unsigned said = 0;
    for (unsigned bank = 0; bank < picture->banks; bank++) {
        uint32_t lanes = 0;
        for (unsigned row = 0; row < picture->rows; row++)
            if (picture->cells[row][bank] && is_again(picture, row, bank))
                lanes |= picture->cells[row][bank];
        if (!lanes)
            continue;
        if (said++ == SHOWN_WORDS) {
            strbuf_puts(&text, "; ...");
            break;
        }
        strbuf_printf(&text, "%sbank %u: lanes ", said == 1 ? "collide: " : "; ", bank);
        strbuf_set(&text, lanes);
    }
    if (said)
        explain_put_wrapped(out, "", strbuf_string(&text));
    strbuf_free(&text);
}

void explain_picture(unsigned arch, const struct explain_group *group, bool color,
                     struct strbuf *out) {
    struct picture picture = {.arch = arch,
                              .banks = bankrun_banks(arch),
                              .words = group->request.width > 4 ? group->request.width / 4 : 1,
                              .request = explain_bank_request(group),
                              .good = color ? "\033[32m" : "",
                              .bad = color ? "\033[1;31m" : "",
                              .dim = color ? "\033[2m" : "",
                              .plain = color ? "\033[0m" : ""};
    if (picture.banks == 0 || picture.banks > MAX_BANKS)
        return;
    fill(&picture);
    if (picture.rows == 0)
        return;
    put_rows(&picture, out);
    put_collisions(&picture, out);
    put_shared(&picture, out);
}
