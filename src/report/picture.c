// The lanes of one request on their banks.
#include <stdio.h>
#include <string.h>

#include "bankrun/banks.h"
#include "report/parts.h"

enum { MOST_BANKS = 32, GROUP = 4, LABEL = 9 };

// How the request was made, as far as the profile keeps it: enough to find its phases.
static enum bankrun_access access_of(const struct profile_site *site) {
    switch (site->op) {
    case PROFILE_LOAD:
        return BANKRUN_LOAD;
    case PROFILE_STORE:
        return BANKRUN_STORE;
    case PROFILE_MATRIX_LOAD:
        return BANKRUN_MATRIX_LOAD;
    case PROFILE_MATRIX_STORE:
        return BANKRUN_MATRIX_STORE;
    case PROFILE_ASYNC_COPY:
        return BANKRUN_ASYNC_COPY;
    case PROFILE_ATOMIC:
    case PROFILE_OPS:
        break;
    }
    if (strstr(site->instruction, ".cas")) {
        return BANKRUN_ATOMIC_CAS;
    }
    return site->width == 4 ? BANKRUN_ATOMIC : BANKRUN_ATOMIC_LOOP;
}

static struct bankrun_request request_of(const struct profile_site *site) {
    struct bankrun_request request = {
        .access = access_of(site),
        .width = site->width,
        .mask = site->worst_mask,
        .offsets = site->worst_offsets,
    };
    if (site->op == PROFILE_MATRIX_LOAD || site->op == PROFILE_MATRIX_STORE) {
        request.matrices = strstr(site->instruction, ".x4")   ? 4
                           : strstr(site->instruction, ".x2") ? 2
                                                              : 1;
    }
    return request;
}

// Distinct words, and lanes, on each bank.
struct load {
    unsigned words[MOST_BANKS], lanes[MOST_BANKS];
    unsigned most_words, most_lanes;
};

// Has a word (counted in units of a bank's width) been touched by a lane before `lane`, or by an
// earlier word of the same lane?
static bool is_repeated(const struct profile_site *site, uint32_t lanes, unsigned lane,
                        uint32_t word, unsigned bytes) {
    for (unsigned other = 0; other < lane; other++) {
        uint32_t first = site->worst_offsets[other] / bytes;
        uint32_t last = (site->worst_offsets[other] + site->width - 1) / bytes;
        if (lanes >> other & 1 && first <= word && word <= last) {
            return true;
        }
    }
    return false;
}

static struct load load_of(unsigned arch, const struct profile_site *site, uint32_t lanes) {
    struct load load = {0};
    unsigned bytes = bankrun_bank_bytes(arch);
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(lanes >> lane & 1)) {
            continue;
        }
        uint32_t first = site->worst_offsets[lane] / bytes;
        uint32_t last = (site->worst_offsets[lane] + site->width - 1) / bytes;
        for (uint32_t word = first; word <= last; word++) {
            unsigned bank = bankrun_bank(arch, word * bytes);
            load.lanes[bank]++;
            load.words[bank] += !is_repeated(site, lanes, lane, word, bytes);
        }
    }
    for (unsigned bank = 0; bank < MOST_BANKS; bank++) {
        load.most_words = load.words[bank] > load.most_words ? load.words[bank] : load.most_words;
        load.most_lanes = load.lanes[bank] > load.most_lanes ? load.lanes[bank] : load.most_lanes;
    }
    return load;
}

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

static void put_banks(struct report_page *page, size_t indent, unsigned banks, const char *label,
                      const unsigned counts[MOST_BANKS], unsigned most) {
    char number[REPORT_NUMBER];
    report_to(page, indent);
    report_put(page, STYLE_DIM, "bank");
    for (unsigned bank = 0; bank < banks; bank += GROUP) {
        snprintf(number, sizeof number, "%u", bank);
        report_put_right(page, STYLE_DIM, cell_end(indent, bank), number);
    }
    report_newline(page);
    report_to(page, indent);
    report_put(page, STYLE_DIM, label);
    for (unsigned bank = 0; bank < banks; bank++) {
        snprintf(number, sizeof number, counts[bank] ? "%u" : ".", counts[bank]);
        enum report_style style = counts[bank] == 0     ? STYLE_DIM
                                  : counts[bank] < most ? STYLE_PLAIN
                                                        : STYLE_BAD;
        report_put_right(page, style, cell_end(indent, bank), number);
    }
    report_newline(page);
}

// Four lanes a row: lane, word, bank.
static void put_each_lane(struct report_page *page, size_t indent, const struct profile_site *site,
                          uint32_t lanes) {
    enum { EACH = 20 };
    unsigned bytes = bankrun_bank_bytes(page->arch), shown = 0;
    size_t start = indent + LABEL, in_row = (page->width - start) / EACH;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(lanes >> lane & 1)) {
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
        report_putf(page, STYLE_PLAIN, "%2u: word %u, b%u", lane, site->worst_offsets[lane] / bytes,
                    bankrun_bank(page->arch, site->worst_offsets[lane]));
        shown++;
    }
    report_newline(page);
}

void report_picture(struct report_page *page, size_t indent, const struct profile_site *site) {
    unsigned banks = bankrun_banks(page->arch);
    if (site->worst_degree == 0 || site->width == 0 || banks == 0 || banks > MOST_BANKS ||
        cell_end(indent, banks - 1) > page->width) {
        return;
    }
    // The busiest phase stands for the request.
    struct bankrun_request request = request_of(site);
    uint32_t lanes = bankrun_phase_lanes(page->arch, &request, 0), found = lanes;
    struct load worst = load_of(page->arch, site, lanes);
    for (unsigned phase = 1; found != 0; phase++) {
        found = bankrun_phase_lanes(page->arch, &request, phase);
        struct load load = load_of(page->arch, site, found);
        if (load.most_words > worst.most_words) {
            worst = load;
            lanes = found;
        }
    }
    if (lanes == 0) {
        return;
    }
    // An atomic serves lanes of one word after each other, unless their sum is taken first.
    bool by_lane = site->op == PROFILE_ATOMIC && worst.most_words != site->worst_degree;
    put_where(page, indent, site, lanes);
    if (by_lane) {
        put_banks(page, indent, banks, "lanes", worst.lanes, worst.most_lanes);
    } else {
        put_banks(page, indent, banks, "words", worst.words, worst.most_words);
    }
    if (page->options.verbose) {
        put_each_lane(page, indent, site, lanes);
    }
}
