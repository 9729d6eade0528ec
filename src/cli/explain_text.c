// The answers of bankrun explain as text.
#include <string.h>

#include "cli/explain.h"
#include "profile/profile.h"
#include "report/text.h"

static const char *mode_text(unsigned arch) {
    return arch & BANKRUN_EIGHT_BYTE_BANKS ? " with banks of 8 bytes" : "";
}

static void add_lanes(struct strbuf *out, const char *word, uint32_t set) {
    strbuf_printf(out, "%s%s ", word, set & (set - 1) ? "s" : "");
    strbuf_set(out, set);
}

// Ends the line and frees the text.
static void put_text(struct report_page *page, size_t indent, struct strbuf *text) {
    report_to(page, indent);
    report_wrap(page, STYLE_PLAIN, strbuf_string(text));
    report_newline(page);
    strbuf_free(text);
}

static void put_misaligned(struct report_page *page, size_t indent,
                           const struct explain_request *request) {
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        if ((request->mask >> lane & 1) && request->offsets[lane] % request->width) {
            struct strbuf text = {0};
            strbuf_printf(&text, "misaligned: lane %u accesses byte %u, no multiple of %u", lane,
                          request->offsets[lane], request->width);
            put_text(page, indent, &text);
            return;
        }
}

static void put_outside(struct report_page *page, size_t indent,
                        const struct explain_request *request) {
    struct strbuf text = {0};
    unsigned first = (unsigned)__builtin_ctz(request->outside);
    strbuf_puts(&text, "out of bounds: ");
    add_lanes(&text, "lane", request->outside);
    strbuf_printf(&text, "; lane %u accesses byte %lld of ", first,
                  (long long)request->places[first]);
    if (request->array)
        strbuf_printf(&text, "%s, which has %llu", request->array,
                      (unsigned long long)request->array_bytes);
    else
        strbuf_puts(&text, "what is declared");
    put_text(page, indent, &text);
}

// What is wrong with a group's lanes, a line each.
static void put_problems(struct report_page *page, size_t indent,
                         const struct explain_group *group) {
    if (group->status == BANKRUN_MISALIGNED) {
        put_misaligned(page, indent, &group->request);
    } else if (group->status != BANKRUN_OK) {
        report_to(page, indent);
        report_put(page, STYLE_PLAIN, bankrun_status_text(group->status));
        report_newline(page);
    }
    if (group->request.outside)
        put_outside(page, indent, &group->request);
}

static void add_interval(struct strbuf *out, const struct bankrun_cost *cost) {
    strbuf_printf(out, "%u", cost->wavefronts);
    if (cost->min != cost->max)
        strbuf_printf(out, " (%u to %u)", cost->min, cost->max);
}

static enum report_style style_of(const struct bankrun_cost *cost) {
    return cost->wavefronts > cost->ideal ? STYLE_BAD : STYLE_GOOD;
}

// Behind whose it is.
static void put_verdict(struct report_page *page, struct strbuf *text,
                        const struct bankrun_cost *cost) {
    struct strbuf verdict = {0};
    uint32_t excess = cost->wavefronts - cost->ideal;
    add_interval(text, cost);
    strbuf_printf(text, " wavefront%s, ideal %u, degree %u: ", cost->wavefronts == 1 ? "" : "s",
                  cost->ideal, cost->degree);
    if (cost->wavefronts <= cost->ideal)
        strbuf_puts(&verdict, "no conflict");
    else if (cost->degree > 1)
        strbuf_printf(&verdict, "%u-way conflict, %u excess", cost->degree, excess);
    else
        strbuf_printf(&verdict, "%u excess", excess);
    report_wrap(page, STYLE_PLAIN, strbuf_string(text));
    if (page->column + verdict.length > page->width)
        report_newline(page);
    report_put(page, style_of(cost), strbuf_string(&verdict));
    report_newline(page);
    strbuf_free(&verdict);
}

static void put_why(struct report_page *page, unsigned arch,
                    const struct bankrun_request *request) {
    char *why = profile_why(arch, request, false, NULL);
    if (!why)
        return;
    report_to(page, 2);
    report_wrap(page, STYLE_PLAIN, why);
    report_newline(page);
    free(why);
}

// A table has no room for the number.
static void put_compiled(struct report_page *page, unsigned arch, const struct explain_group *group,
                         bool has_number) {
    struct strbuf text = {0};
    uint32_t wavefronts;
    const char *which = explain_compiled(arch, group, &wavefronts);
    if (!which)
        return;
    strbuf_puts(&text, "as compiled: ");
    if (has_number)
        strbuf_printf(&text, "%u wavefront%s", wavefronts, wavefronts == 1 ? "" : "s");
    else
        strbuf_puts(&text, "fewer wavefronts");
    strbuf_printf(&text, " for %s: ", which);
    strbuf_puts(&text, group->request.is_uniform
                           ? "no thread changes the address, so ptxas has the lanes' values "
                             "reduced first, and one lane accesses; so it does for an atomicAdd "
                             "of a full warp whose result is used"
                           : "lanes that want the same word are counted first");
    put_text(page, has_number ? 2 : 0, &text);
}

static void put_group(struct report_page *page, unsigned arch, const struct explain_group *group) {
    struct strbuf who = {0};
    struct bankrun_request request = explain_bank_request(group);
    report_newline(page);
    add_lanes(&who, "warp", group->warps);
    if (group->request.mask != UINT32_MAX) {
        strbuf_puts(&who, ", ");
        add_lanes(&who, "lane", group->request.mask);
    }
    strbuf_puts(&who, ": ");
    if (group->status == BANKRUN_OK) {
        put_verdict(page, &who, &group->cost);
    } else {
        strbuf_puts(&who, "no answer");
        report_wrap(page, STYLE_PLAIN, strbuf_string(&who));
        report_newline(page);
    }
    strbuf_free(&who);
    put_problems(page, 2, group);
    if (group->status != BANKRUN_OK)
        return;
    if (group->cost.wavefronts > group->cost.ideal)
        put_why(page, arch, &request);
    put_compiled(page, arch, group, true);
    report_newline(page);
    text_wavefronts(page, arch, &request);
}

static void put_limit(struct report_page *page, const struct explain_answer *answer,
                      unsigned arch) {
    const struct bankrun_limits *limits = bankrun_limits_of(arch);
    struct strbuf text = {0};
    if (!limits || answer->shared_bytes <= limits->shared_block_bytes)
        return;
    strbuf_printf(&text,
                  "note: %llu bytes of shared memory are declared; sm_%u has %u for one block",
                  (unsigned long long)answer->shared_bytes, explain_plain_arch(arch),
                  limits->shared_block_bytes);
    put_text(page, 0, &text);
}

static void put_heading(struct report_page *page, const struct explain_answer *answer) {
    const struct explain_row *row = &answer->rows.data[0];
    const uint32_t *block = answer->question->launch.block;
    struct strbuf text = {0};
    strbuf_printf(&text, "%s: ", answer->question->expression);
    if (row->group_count)
        strbuf_printf(&text, "%s of %u byte%s a lane (%s), ",
                      explain_access_text(answer->question->access), row->groups[0].request.width,
                      row->groups[0].request.width == 1 ? "" : "s", row->groups[0].request.type);
    strbuf_printf(&text, "block %ux%ux%u", block[0], block[1], block[2]);
    if (answer->question->arch) {
        strbuf_printf(&text, ", sm_%u%s", explain_plain_arch(row->arch), mode_text(row->arch));
        if (row->group_count && row->groups[0].status == BANKRUN_OK)
            strbuf_printf(&text, " (%s)", bankrun_certainty_text(row->groups[0].cost.certainty));
    }
    put_text(page, 0, &text);
    if (answer->question->arch)
        put_limit(page, answer, row->arch);
}

// ---- Tables -------------------------------------------------------------------------------

struct totals { // over the warps of the block
    uint64_t wavefronts, ideal;
    const struct explain_group *worst; // NULL: no group was counted
    bool has_problem;
};

static struct totals sum_up(const struct explain_row *row) {
    struct totals totals = {0};
    for (size_t i = 0; i < row->group_count; i++) {
        const struct explain_group *group = &row->groups[i];
        unsigned warps = (unsigned)__builtin_popcount(group->warps);
        totals.has_problem |= group->status != BANKRUN_OK || group->request.outside != 0;
        if (group->status != BANKRUN_OK)
            continue;
        totals.wavefronts += (uint64_t)group->cost.wavefronts * warps;
        totals.ideal += (uint64_t)group->cost.ideal * warps;
        if (!totals.worst || group->cost.wavefronts > totals.worst->cost.wavefronts)
            totals.worst = group;
    }
    return totals;
}

enum { VALUE = 6, ARCH = 6, CERTAINTY = 56 }; // columns

static size_t sweep_columns(const char *name) {
    size_t length = strlen(name);
    return length > VALUE ? length : VALUE;
}

static size_t table_start(const struct explain_answer *answer) {
    size_t start = answer->question->arch ? 0 : ARCH;
    for (size_t i = 0; i < answer->sweep_count; i++)
        start += sweep_columns(answer->sweeps[i]) + 2;
    return start;
}

static void put_arch(struct report_page *page, size_t start, unsigned arch) {
    report_to(page, start);
    if (arch == 90)
        report_put(page, STYLE_PLAIN, "9.0");
    else
        report_putf(page, STYLE_PLAIN, "%2u.x", explain_plain_arch(arch) / 10);
}

// What ends in which column, from the start of the table on.
static void put_right(struct report_page *page, size_t start, int column, enum report_style style,
                      const char *text) {
    static const size_t ends[] = {16, 23, 31, 43, 54};
    report_put_right(page, style, start + ends[column], text);
}

static void put_totals(struct report_page *page, size_t start, const struct totals *totals) {
    const struct bankrun_cost *cost = &totals->worst->cost;
    uint64_t excess = totals->wavefronts > totals->ideal ? totals->wavefronts - totals->ideal : 0;
    const uint64_t numbers[] = {cost->ideal, cost->degree, totals->wavefronts, excess};
    struct strbuf text = {0};
    add_interval(&text, cost);
    put_right(page, start, 0, style_of(cost), strbuf_string(&text));
    for (int i = 0; i < 4; i++) {
        text.length = 0;
        strbuf_printf(&text, "%llu", (unsigned long long)numbers[i]);
        put_right(page, start, i + 1, STYLE_PLAIN, strbuf_string(&text));
    }
    report_to(page, start + CERTAINTY);
    report_putf(page, STYLE_PLAIN, "%s%s", bankrun_certainty_text(cost->certainty),
                totals->has_problem ? "  out of bounds" : "");
    report_newline(page);
    strbuf_free(&text);
}

static void put_table_row(struct report_page *page, const struct explain_answer *answer,
                          const struct explain_row *row) {
    struct totals totals = sum_up(row);
    size_t start = table_start(answer), end = 0;
    for (size_t i = 0; i < answer->sweep_count; i++) {
        char value[32];
        end += sweep_columns(answer->sweeps[i]) + (i ? 2 : 0);
        snprintf(value, sizeof value, "%lld", (long long)row->values[i]);
        report_put_right(page, STYLE_PLAIN, end, value);
    }
    if (!answer->question->arch)
        put_arch(page, start - ARCH, row->arch);
    if (totals.worst) {
        put_totals(page, start, &totals);
    } else if (row->group_count) {
        put_problems(page, start + 2, &row->groups[0]);
    } else {
        report_to(page, start + 2);
        report_put(page, STYLE_PLAIN, "no lane takes part");
        report_newline(page);
    }
}

// What holds of some row's atomics, once.
static void put_table_note(struct report_page *page, const struct explain_answer *answer) {
    uint32_t wavefronts;
    for (size_t i = 0; i < answer->rows.length; i++) {
        const struct explain_row *row = &answer->rows.data[i];
        for (size_t g = 0; g < row->group_count; g++)
            if (explain_compiled(row->arch, &row->groups[g], &wavefronts)) {
                report_newline(page);
                put_compiled(page, row->arch, &row->groups[g], false);
                return;
            }
    }
}

static void put_table(struct report_page *page, const struct explain_answer *answer) {
    static const char *const headings[] = {"wavefronts", "ideal", "degree", "the block", "excess"};
    size_t start = table_start(answer), end = 0;
    report_newline(page);
    for (size_t i = 0; i < answer->sweep_count; i++) {
        end += sweep_columns(answer->sweeps[i]) + (i ? 2 : 0);
        report_put_right(page, STYLE_PLAIN, end, answer->sweeps[i]);
    }
    if (!answer->question->arch) {
        report_to(page, start - ARCH);
        report_put(page, STYLE_PLAIN, "arch");
    }
    for (int i = 0; i < 5; i++)
        put_right(page, start, i, STYLE_PLAIN, headings[i]);
    report_to(page, start + CERTAINTY);
    report_put(page, STYLE_PLAIN, "certainty");
    report_newline(page);
    for (size_t i = 0; i < answer->rows.length; i++)
        put_table_row(page, answer, &answer->rows.data[i]);
    put_table_note(page, answer);
}

void explain_write_text(const struct explain_answer *answer, bool color, unsigned width,
                        struct strbuf *out) {
    const struct explain_row *row = &answer->rows.data[0];
    bool is_table = answer->rows.length > 1;
    struct report_page page;
    report_page_begin(&page, out, color, width, 0);
    put_heading(&page, answer);
    if (is_table) {
        const size_t widest = table_start(answer) + CERTAINTY + strlen("documented  out of bounds");
        page.width = page.width < widest ? widest : page.width; // a table is not cut
        put_table(&page, answer);
        return;
    }
    for (size_t i = 0; i < row->group_count; i++)
        put_group(&page, row->arch, &row->groups[i]);
    if (row->group_count == 0) {
        report_newline(&page);
        report_put(&page, STYLE_PLAIN, "no lane takes part");
        report_newline(&page);
    }
}
