// What changed between two profiles, for reading.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/build.h"
#include "report/columns.h"
#include "report/diff.h"
#include "report/text.h"

struct diff_page {
    struct report_page page;
    const struct diff *diff;
    struct view_builder builder;
    bool is_verbose;
};

enum { INDENT = 2, DEEPER = 6, MOST_LINES = 20 };

// ---- The heading ----------------------------------------------------------------------------

static void put_program(struct report_page *page, const char *what, const struct profile *profile) {
    struct strbuf text = {0};
    for (size_t i = 0; i < profile->program_count; i++)
        strbuf_printf(&text, "%s%s", i ? " " : "", profile->program[i]);
    report_to(page, INDENT);
    report_put(page, STYLE_DIM, what);
    report_put(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

static bool are_same_programs(const struct profile *a, const struct profile *b) {
    bool are_same = a->program_count == b->program_count;
    for (size_t i = 0; are_same && i < a->program_count; i++)
        are_same = text_is_same(a->program[i], b->program[i]);
    return are_same;
}

static void put_heading(struct report_page *page, const struct diff *diff,
                        const struct diff_names *names) {
    report_put(page, STYLE_BOLD, "bankrun diff");
    report_putf(page, STYLE_PLAIN, ": %s -> %s on sm_%u%s", names->old, names->now, diff->now->arch,
                diff->now->is_as_compiled ? " as compiled" : "");
    report_newline(page);
    if (are_same_programs(diff->old, diff->now))
        return;
    put_program(page, "was ", diff->old);
    put_program(page, "is  ", diff->now);
}

static void put_incomplete(struct report_page *page, const char *name,
                           const struct profile *profile) {
    if (!profile_has_failed(profile))
        return;
    report_putf(page, STYLE_WARN, "%s is of a run that did not come to its end, or is incomplete.",
                name);
    report_newline(page);
}

// ---- Lines ----------------------------------------------------------------------------------

static const char *number_or_none(char buffer[REPORT_NUMBER], bool is_there, uint64_t number) {
    return is_there ? report_number(buffer, number) : "-";
}

static void put_cells(struct report_page *page, size_t indent, const char *label,
                      enum report_style style, const struct profile_counts *old,
                      const struct profile_counts *now) {
    char texts[REPORT_CELLS][REPORT_NUMBER];
    const uint64_t before = old ? profile_excess_of(old) : 0,
                   after = now ? profile_excess_of(now) : 0;
    report_row(page, indent, STYLE_PLAIN, label,
               (struct report_cell[REPORT_CELLS]){
                   {STYLE_PLAIN, number_or_none(texts[0], old, old ? old->units : 0)},
                   {STYLE_PLAIN, number_or_none(texts[1], now, now ? now->units : 0)},
                   {STYLE_PLAIN, number_or_none(texts[2], old, before)},
                   {style, number_or_none(texts[3], now, after)}});
}

static void put_columns(struct report_page *page, const char *label, enum site_space space) {
    report_row(page, INDENT, STYLE_DIM, label,
               (struct report_cell[REPORT_CELLS]){
                   {STYLE_DIM, space == SITE_SHARED ? "wavefronts" : "sectors"},
                   {STYLE_DIM, "now"},
                   {STYLE_DIM, "excess"},
                   {STYLE_DIM, "now"}});
}

static void add_place(struct diff_page *page, struct strbuf *label, const struct diff_line *line) {
    const struct report_row *row = diff_row_of(line);
    const struct view_place at = view_place_of(&page->builder, row->file, row->line);
    text_place(label, at);
    if (!line->old || !line->now || !line->old->line)
        return;
    const bool is_same_file =
        text_is_same(text_file_name(line->old->file), text_file_name(row->file));
    if (is_same_file && line->old->line == row->line)
        return;
    strbuf_puts(label, " (was ");
    if (is_same_file)
        strbuf_printf(label, "line %u)", line->old->line);
    else {
        text_place(label, view_place_of(&page->builder, line->old->file, line->old->line));
        strbuf_puts(label, ")");
    }
}

static void put_text(struct report_page *page, const char *what, const struct report_row *row) {
    if (!row || !row->text)
        return;
    report_to(page, DEEPER);
    report_put(page, STYLE_DIM, what);
    report_put(page, STYLE_PLAIN, row->text);
    report_newline(page);
}

static void put_accesses(struct report_page *page, const struct diff_line *line) {
    const struct report_row *row = diff_row_of(line);
    struct strbuf text = {0};
    strbuf_printf(&text, "%s", row->accesses);
    if (row->space == SITE_SHARED && line->old && line->now && line->old->degree != row->degree)
        strbuf_printf(&text, ", degree %u -> %u", line->old->degree, row->degree);
    else if (row->space == SITE_SHARED && diff_excess(row))
        strbuf_printf(&text, ", degree %u", row->degree);
    if (row->is_estimate || (line->old && line->old->is_estimate))
        strbuf_puts(&text, ", an estimate");
    char *kernel = text_kernel_label(row->kernel);
    strbuf_printf(&text, "; in %s", kernel);
    free(kernel);
    report_to(page, DEEPER);
    report_put(page, STYLE_DIM, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

static enum report_style style_of(const struct diff_line *line) {
    const uint64_t before = diff_excess(line->old), after = diff_excess(line->now);
    return after > before ? STYLE_BAD : after < before ? STYLE_GOOD : STYLE_PLAIN;
}

static void put_line(struct diff_page *page, const struct diff_line *line) {
    struct strbuf label = {0};
    add_place(page, &label, line);
    put_cells(&page->page, INDENT, strbuf_string(&label), style_of(line),
              line->old ? &line->old->counts : NULL, line->now ? &line->now->counts : NULL);
    strbuf_free(&label);
    if (line->is_edited)
        put_text(&page->page, "was ", line->old);
    put_text(&page->page, line->is_edited ? "is  " : "", diff_row_of(line));
    put_accesses(&page->page, line);
}

// The lines first to end, of one change, those of shared memory first.
static void put_lines(struct diff_page *page, size_t first, size_t end) {
    const size_t most = page->is_verbose ? end : first + MOST_LINES;
    const struct diff_line *lines = page->diff->lines;
    char note[32];
    snprintf(note, sizeof note, "%zu %s", end - first, end - first == 1 ? "line" : "lines");
    report_newline(&page->page);
    text_rule(&page->page, diff_change_text[lines[first].change], note);
    for (size_t i = first; i < end && i < most; i++) {
        const enum site_space space = diff_row_of(&lines[i])->space;
        if (i == first || space != diff_row_of(&lines[i - 1])->space)
            put_columns(&page->page, space == SITE_SHARED ? "shared memory" : "global memory",
                        space);
        put_line(page, &lines[i]);
    }
    if (end > most)
        text_rest(&page->page, INDENT, end - most, "line", "");
}

// ---- Sums -----------------------------------------------------------------------------------

static bool has_changed_in(const struct diff_kernel *kernel, enum site_space space) {
    const struct profile_counts *old = &kernel->sums[0][space], *now = &kernel->sums[1][space];
    return kernel->launches[0] != kernel->launches[1] || old->units != now->units ||
           old->ideal != now->ideal || old->requests != now->requests;
}

static bool has_changed(const struct diff_kernel *kernel) {
    return has_changed_in(kernel, SITE_SHARED) || has_changed_in(kernel, SITE_GLOBAL);
}

static enum report_style sum_style(const struct diff_kernel *kernel, enum site_space space) {
    const uint64_t before = profile_excess_of(&kernel->sums[0][space]);
    const uint64_t after = profile_excess_of(&kernel->sums[1][space]);
    return after > before ? STYLE_BAD : after < before ? STYLE_GOOD : STYLE_PLAIN;
}

static void put_sum(struct report_page *page, const struct diff_kernel *kernel,
                    enum site_space space) {
    char *label = text_kernel_label(kernel->name);
    put_cells(page, INDENT, label, sum_style(kernel, space),
              kernel->launches[0] ? &kernel->sums[0][space] : NULL,
              kernel->launches[1] ? &kernel->sums[1][space] : NULL);
    free(label);
    if (kernel->launches[0] == kernel->launches[1])
        return;
    char numbers[2][REPORT_NUMBER];
    report_to(page, DEEPER);
    report_putf(page, STYLE_DIM, "launches: %s -> %s",
                report_number(numbers[0], kernel->launches[0]),
                report_number(numbers[1], kernel->launches[1]));
    report_newline(page);
}

static void put_sums(struct diff_page *page, enum site_space space) {
    const struct diff *diff = page->diff;
    size_t shown = 0, hidden = 0;
    put_columns(&page->page,
                space == SITE_SHARED ? "kernel, shared memory" : "kernel, global memory", space);
    for (size_t i = 0; i < diff->kernel_count; i++) {
        if (!has_changed_in(&diff->kernels[i], space) && !page->is_verbose)
            continue;
        if (shown == MOST_LINES && !page->is_verbose)
            hidden++;
        else
            put_sum(&page->page, &diff->kernels[i], space), shown++;
    }
    if (hidden)
        text_rest(&page->page, INDENT, hidden, "kernel", "");
    put_sum(&page->page, &diff->all, space);
}

static bool has_any(const struct diff *diff, enum site_space space) {
    return diff->all.sums[0][space].requests || diff->all.sums[1][space].requests;
}

static void put_same(struct report_page *page, const struct diff *diff) {
    const size_t same = diff->counts[DIFF_SAME];
    report_newline(page);
    if (same == diff->count && !has_changed(&diff->all))
        report_putf(page, STYLE_GOOD, "Nothing changed: %zu %s of %zu %s.", same,
                    same == 1 ? "line" : "lines", diff->kernel_count,
                    diff->kernel_count == 1 ? "kernel" : "kernels");
    else
        report_putf(page, STYLE_PLAIN, "%zu %s as %s.", same, same == 1 ? "line is" : "lines are",
                    same == 1 ? "it was" : "they were");
    report_newline(page);
}

// ---- Findings -------------------------------------------------------------------------------

static void put_finding_place(struct diff_page *page, const struct profile_place *place) {
    struct strbuf text = {0};
    if (!place->file || !place->line)
        return;
    text_place(&text, view_place_of(&page->builder, place->file, place->line));
    if (place->role)
        strbuf_printf(&text, ": %s", place->role);
    report_to(&page->page, DEEPER);
    report_put(&page->page, STYLE_DIM, strbuf_string(&text));
    report_newline(&page->page);
    strbuf_free(&text);
}

static void put_finding(struct diff_page *page, const struct diff_finding *found) {
    const struct profile_finding *finding = found->finding;
    struct strbuf text = {0};
    strbuf_printf(&text, "%s/%s: %s", profile_check_text[finding->check], finding->kind,
                  finding->message);
    if (finding->object)
        strbuf_printf(&text, ": %s", finding->object);
    if (found->kernel)
        strbuf_printf(&text, "; in %s", found->kernel);
    if (finding->suppressed)
        strbuf_printf(&text, " (accepted: %s)", finding->suppressed);
    report_to(&page->page, INDENT);
    report_wrap(&page->page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(&page->page);
    for (size_t i = 0; i < finding->place_count; i++)
        put_finding_place(page, &finding->places[i]);
    strbuf_free(&text);
}

// Those from `first` on with the same change. Returns the next one.
static size_t put_findings(struct diff_page *page, size_t first) {
    const struct diff *diff = page->diff;
    const enum diff_change change = diff->findings[first].change;
    size_t end = first;
    while (end < diff->finding_count && diff->findings[end].change == change)
        end++;
    const size_t most = page->is_verbose ? end : first + MOST_LINES;
    char note[32];
    snprintf(note, sizeof note, "%zu", end - first);
    report_newline(&page->page);
    text_rule(&page->page, change == DIFF_NEW ? "new findings" : "findings that are gone", note);
    for (size_t i = first; i < end && i < most; i++)
        put_finding(page, &diff->findings[i]);
    if (end > most)
        text_rest(&page->page, INDENT, end - most, "finding", "");
    return end;
}

static void put_same_findings(struct report_page *page, const struct diff *diff) {
    if (!(diff->old->checks & diff->now->checks))
        return;
    report_putf(page, STYLE_PLAIN, "%zu %s as before.", diff->same_findings,
                diff->same_findings == 1 ? "finding is" : "findings are");
    report_newline(page);
}

static uint64_t largest_of(const struct diff *diff) {
    uint64_t largest = 0;
    for (int i = 0; i < 2 * SITE_SPACES; i++) {
        const uint64_t units = diff->all.sums[i / SITE_SPACES][i % SITE_SPACES].units;
        largest = units > largest ? units : largest;
    }
    return largest;
}

void diff_text(const struct diff *diff, const struct diff_names *names,
               const struct report_options *options, struct strbuf *out) {
    static const struct report_options defaults;
    options = options ? options : &defaults;
    struct diff_page page = {
        .diff = diff,
        .builder = {.arena = diff->arena, .source_root = options->source_root},
        .is_verbose = options->verbose,
    };
    report_page_begin(&page.page, out, options->color, options->width, largest_of(diff));
    put_heading(&page.page, diff, names);
    put_incomplete(&page.page, names->old, diff->old);
    put_incomplete(&page.page, names->now, diff->now);
    for (size_t i = 0, end; i < diff->count && diff->lines[i].change != DIFF_SAME; i = end) {
        for (end = i + 1; end < diff->count; end++)
            if (diff->lines[end].change != diff->lines[i].change)
                break;
        put_lines(&page, i, end);
    }
    for (size_t i = 0; i < diff->finding_count;)
        i = put_findings(&page, i);
    if (!diff->now->is_uncounted)
        put_same(&page.page, diff);
    else
        report_newline(&page.page);
    put_same_findings(&page.page, diff);
    if (diff->now->is_uncounted)
        return;
    if (diff->counts[DIFF_SAME] == diff->count && !has_changed(&diff->all))
        return;
    text_rule(&page.page, "all launches", "");
    for (int space = 0; space < SITE_SPACES; space++)
        if (has_any(diff, (enum site_space)space))
            put_sums(&page, (enum site_space)space);
}
