// Pictures of requests on their banks, as text: by word, and by wavefront.
#include <stdio.h>

#include "report/text.h"

enum { GROUP = 4, LABEL = 9 };

static void put_where(struct report_page *page, size_t indent, const struct profile_site *site,
                      uint32_t lanes) {
    struct strbuf text = {0};
    strbuf_printf(&text, "block (%u, %u, %u), warp %u, ", site->worst_block[0],
                  site->worst_block[1], site->worst_block[2], site->worst_warp);
    strbuf_puts(&text, "lanes ");
    strbuf_set(&text, lanes);
    report_to(page, indent);
    report_put(page, STYLE_DIM, "worst");
    report_to(page, indent + LABEL);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

// A cell of two columns a bank, with a gap after every four, lets 32 banks stand in a row. Where
// numbers of two digits would touch each other, cells are of four columns and rows of 16 banks.
struct layout {
    unsigned in_row, cell, gap_every;
};

static struct layout layout_of(const struct profile_bank_map *map) {
    for (unsigned bank = 1; bank < map->banks; bank++)
        if (map->count[bank] >= 10 && map->count[bank - 1] > 0 && bank % GROUP != 0)
            return (struct layout){.in_row = 16, .cell = 4, .gap_every = 16};
    return (struct layout){.in_row = 32, .cell = 2, .gap_every = GROUP};
}

static size_t cell_end(const struct layout *layout, size_t indent, unsigned bank) {
    unsigned at = bank % layout->in_row;
    return indent + LABEL + 3 + (size_t)layout->cell * at + at / layout->gap_every;
}

// One row of banks, from `first` on, and under it what each serves.
static void put_banks(struct report_page *page, size_t indent, const struct profile_bank_map *map,
                      const struct layout *layout, unsigned first) {
    char number[REPORT_NUMBER];
    unsigned end = first + layout->in_row < map->banks ? first + layout->in_row : map->banks;
    report_to(page, indent);
    report_put(page, STYLE_DIM, "bank");
    for (unsigned bank = first; bank<end; bank += layout->cell> 2 ? 1 : GROUP) {
        snprintf(number, sizeof number, "%u", bank);
        report_put_right(page, STYLE_DIM, cell_end(layout, indent, bank), number);
    }
    report_newline(page);
    report_to(page, indent);
    report_put(page, STYLE_DIM, map->is_by_lane ? "lanes" : "words");
    for (unsigned bank = first; bank < end; bank++) {
        unsigned count = map->count[bank];
        snprintf(number, sizeof number, count ? "%u" : ".", count);
        enum report_style style = count == 0          ? STYLE_DIM
                                  : count < map->most ? STYLE_PLAIN
                                                      : STYLE_BAD;
        report_put_right(page, style, cell_end(layout, indent, bank), number);
    }
    report_newline(page);
}

// " 3: tile[3][0], b0"; of an array that is not known " 3: word 96, b0".
static void put_lane(struct strbuf *out, const struct profile_site *site,
                     const struct view_banks *banks, unsigned lane) {
    const uint32_t offset = site->worst_offsets[lane];
    const bool is_in_array = site->knows_array_offset && offset >= site->array_offset;
    strbuf_printf(out, "%2u: ", lane);
    if (is_in_array && site->elements.rank)
        profile_put_element(out, site->array, &site->elements, offset - site->array_offset);
    else
        strbuf_printf(out, "word %llu",
                      banks->of[lane].word -
                          (unsigned long long)(is_in_array ? site->array_offset / 4 : 0));
    strbuf_printf(out, ", b%u", banks->of[lane].bank);
}

// In columns: lane, element, bank.
static void put_each_lane(struct report_page *page, size_t indent, const struct profile_site *site,
                          const struct view_banks *banks) {
    enum { LEAST = 20 };
    struct strbuf texts[WARP_LANES] = {0};
    size_t shown = 0, each = LEAST;
    for (uint32_t rest = banks->map.lanes; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        put_lane(&texts[lane], site, banks, lane);
        each = texts[lane].length + 2 > each ? texts[lane].length + 2 : each;
    }
    const size_t start = indent + LABEL, room = page->width - start;
    const size_t in_row = room > each ? room / each : 1;
    report_to(page, indent);
    report_put(page, STYLE_DIM, "lanes");
    for (uint32_t rest = banks->map.lanes; rest != 0; rest &= rest - 1, shown++) {
        struct strbuf *text = &texts[__builtin_ctz(rest)];
        if (shown > 0 && shown % in_row == 0)
            report_newline(page);
        report_to(page, start + shown % in_row * each);
        report_put(page, STYLE_PLAIN, strbuf_string(text));
        strbuf_free(text);
    }
    report_newline(page);
}

void text_banks(struct report_page *page, size_t indent, const struct view_site *site,
                bool is_verbose) {
    if (!site->banks)
        return;
    const struct profile_bank_map *map = &site->banks->map;
    struct layout layout = layout_of(map);
    while (layout.in_row > GROUP && cell_end(&layout, indent, layout.in_row - 1) > page->width)
        layout.in_row /= 2;
    put_where(page, indent, site->site, map->lanes);
    for (unsigned first = 0; first < map->banks; first += layout.in_row)
        put_banks(page, indent, map, &layout, first);
    if (is_verbose)
        put_each_lane(page, indent, site->site, site->banks);
}
