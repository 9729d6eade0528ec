// The lanes of one request on their banks.
#include <stdio.h>

#include "report/parts.h"

enum { GROUP = 4, LABEL = 9 };

// "lanes 0-7, 16". A mask of all lanes is "lanes 0-31".
static void put_lanes(struct strbuf *out, uint32_t mask) {
    const char *separator = "lanes ";
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(mask >> lane & 1)) {
            continue;
        }
        unsigned last = lane;
        while (last + 1 < WARP_LANES && mask >> (last + 1) & 1) {
            last++;
        }
        strbuf_printf(out, "%s%u", separator, lane);
        if (last > lane) {
            strbuf_printf(out, "-%u", last);
        }
        separator = ", ";
        lane = last;
    }
}

static void put_where(struct report_page *page, size_t indent, const struct profile_site *site,
                      uint32_t lanes) {
    struct strbuf text = {0};
    strbuf_printf(&text, "block (%u, %u, %u), warp %u, ", site->worst_block[0],
                  site->worst_block[1], site->worst_block[2], site->worst_warp);
    put_lanes(&text, lanes);
    report_to(page, indent);
    report_put(page, STYLE_DIM, "worst");
    report_to(page, indent + LABEL);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

// Three columns a bank would not fit beside each other: two, with a gap after every four.
static size_t cell_end(size_t indent, unsigned bank) {
    return indent + LABEL + 3 + 2 * (size_t)bank + bank / GROUP;
}

static void put_banks(struct report_page *page, size_t indent, const struct profile_bank_map *map) {
    char number[REPORT_NUMBER];
    report_to(page, indent);
    report_put(page, STYLE_DIM, "bank");
    for (unsigned bank = 0; bank < map->banks; bank += GROUP) {
        snprintf(number, sizeof number, "%u", bank);
        report_put_right(page, STYLE_DIM, cell_end(indent, bank), number);
    }
    report_newline(page);
    report_to(page, indent);
    report_put(page, STYLE_DIM, map->is_by_lane ? "lanes" : "words");
    for (unsigned bank = 0; bank < map->banks; bank++) {
        snprintf(number, sizeof number, map->count[bank] ? "%u" : ".", map->count[bank]);
        enum report_style style = map->count[bank] == 0          ? STYLE_DIM
                                  : map->count[bank] < map->most ? STYLE_PLAIN
                                                                 : STYLE_BAD;
        report_put_right(page, style, cell_end(indent, bank), number);
    }
    report_newline(page);
}

// Four lanes a row: lane, word, bank.
static void put_each_lane(struct report_page *page, size_t indent, const struct profile_site *site,
                          const struct profile_bank_map *map) {
    enum { EACH = 20 };
    unsigned shown = 0;
    size_t start = indent + LABEL, in_row = (page->width - start) / EACH;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(map->lanes >> lane & 1)) {
            continue;
        }
        if (shown > 0 && shown % in_row == 0) {
            report_newline(page);
        }
        report_to(page, indent);
        if (shown == 0) {
            report_put(page, STYLE_DIM, "lanes");
        }
        report_to(page, start + shown % in_row * EACH);
        report_putf(page, STYLE_PLAIN, "%2u: word %u, b%u", lane,
                    site->worst_offsets[lane] / map->bank_bytes,
                    profile_bank_of(page->arch, site->worst_offsets[lane]));
        shown++;
    }
    report_newline(page);
}

void report_picture(struct report_page *page, size_t indent, const struct profile_site *site) {
    struct profile_bank_map map;
    if (!profile_map_banks(page->arch, site, &map) ||
        cell_end(indent, map.banks - 1) > page->width) {
        return;
    }
    put_where(page, indent, site, map.lanes);
    put_banks(page, indent, &map);
    if (page->options.verbose) {
        put_each_lane(page, indent, site, &map);
    }
}
