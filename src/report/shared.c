// The shared-memory lines of a launch.
#include <stdio.h>
#include <string.h>

#include "report/parts.h"

enum { MOST_CONFLICTS = 20, MOST_CLEAN = 8, MOST_DEGREES = 6, LABEL = 9, INDENT = 6 };

static void put_label(struct report_page *page, const char *label) {
    report_to(page, INDENT);
    report_put(page, STYLE_DIM, label);
    report_to(page, INDENT + LABEL);
}

static void put_headings(struct report_page *page, size_t indent, const char *label) {
    report_row(page, indent, STYLE_DIM, label,
               (struct report_cell[REPORT_CELLS]){{STYLE_DIM, "requests"},
                                                  {STYLE_DIM, "wavefronts"},
                                                  {STYLE_DIM, "ideal"},
                                                  {STYLE_DIM, "excess"}});
}

static void put_numbers(struct report_page *page, size_t indent, const char *label,
                        const struct profile_site *site, uint64_t launch_units) {
    char requests[REPORT_NUMBER], units[REPORT_NUMBER + 1], ideal[REPORT_NUMBER];
    char excess[REPORT_NUMBER + 1], number[REPORT_NUMBER];
    const char *about = site->is_estimate ? "~" : "";
    uint64_t wasted = report_excess(&site->counts);
    snprintf(units, sizeof units, "%s%s", about, report_number(number, site->counts.units));
    snprintf(excess, sizeof excess, "%s%s", about, report_number(number, wasted));
    report_row(page, indent, STYLE_PLAIN, label,
               (struct report_cell[REPORT_CELLS]){
                   {STYLE_PLAIN, report_number(requests, site->counts.requests)},
                   {STYLE_PLAIN, units},
                   {STYLE_PLAIN, report_number(ideal, site->counts.ideal)},
                   {report_excess_style(wasted, launch_units), excess}});
}

// "32 in every request", or how many requests had which degree, the worst first.
static void put_degrees(struct strbuf *out, const struct profile_site *site) {
    char number[REPORT_NUMBER];
    unsigned shown = 0;
    for (unsigned degree = PROFILE_MAX_DEGREE; degree > 0; degree--) {
        if (site->degrees[degree] == 0) {
            continue;
        }
        if (site->degrees[degree] == site->counts.requests) {
            strbuf_printf(out, "%u in every request", degree);
            return;
        }
        if (++shown > MOST_DEGREES) {
            strbuf_puts(out, ", ...");
            return;
        }
        strbuf_printf(out, "%s%u in %s", shown > 1 ? ", " : "", degree,
                      report_number(number, site->degrees[degree]));
    }
    if (shown == 0) {
        strbuf_printf(out, "%u at worst", site->worst_degree);
    }
}

static void put_degree(struct report_page *page, const struct profile_site *site) {
    struct strbuf text = {0};
    put_degrees(&text, site);
    strbuf_printf(&text, " (%s)", site->verdict ? site->verdict : "observed");
    put_label(page, "degree");
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

// Says nothing new when each request took as many wavefronts as its degree, and could take one.
static void put_average(struct report_page *page, const struct profile_site *site) {
    const struct profile_counts *counts = &site->counts;
    char units[REPORT_NUMBER], ideal[REPORT_NUMBER];
    if (counts->ideal == counts->requests &&
        counts->units == counts->requests * site->worst_degree) {
        return;
    }
    put_label(page, "average");
    report_putf(page, STYLE_PLAIN, "%s%s wavefronts a request, ideal %s",
                site->is_estimate ? "~" : "", report_ratio(units, counts->units, counts->requests),
                report_ratio(ideal, counts->ideal, counts->requests));
    report_newline(page);
}

static void put_site_details(struct report_page *page, const struct profile_site *site) {
    if (site->why) {
        put_label(page, "why");
        report_wrap(page, STYLE_PLAIN, site->why);
        report_newline(page);
    }
    put_degree(page, site);
    put_average(page, site);
    if (site->is_estimate) {
        put_label(page, "note");
        report_wrap(page, STYLE_WARN,
                    "~ marks an estimate: the cost of this access is not known exactly");
        report_newline(page);
    }
    report_picture(page, INDENT, site);
}

static void put_inlining(struct report_page *page, const struct profile_site *site) {
    for (uint32_t i = 0; i < site->inlined_count; i++) {
        const struct profile_frame *frame = &site->inlined_at[i];
        struct strbuf text = {0};
        report_place(&text, page, frame->file, frame->line);
        if (frame->function) {
            strbuf_printf(&text, " in %s", frame->function);
        }
        put_label(page, i == 0 ? "inlined" : "");
        report_putf(page, STYLE_PLAIN, "%s%sat %s", i == 0 && site->function ? site->function : "",
                    i == 0 && site->function ? " " : "", strbuf_string(&text));
        report_newline(page);
        strbuf_free(&text);
    }
}

static void put_line_heading(struct report_page *page, const struct report_line *line,
                             enum report_style style) {
    uint32_t degree = 0;
    for (size_t i = 0; i < line->count; i++) {
        if (report_excess(&line->sites[i].counts) > 0 && line->sites[i].worst_degree > degree) {
            degree = line->sites[i].worst_degree;
        }
    }
    char what[64];
    if (degree > 1) {
        snprintf(what, sizeof what, ": %u-way bank conflict", degree);
    } else {
        snprintf(what, sizeof what, ": bank conflict");
    }
    struct strbuf place = {0};
    report_place(&place, page, line->sites->file, line->sites->line);
    report_newline(page);
    report_to(page, 2);
    report_put_in(page, STYLE_BOLD, page->width - 2 - strlen(what), strbuf_string(&place));
    report_put(page, style, what);
    report_newline(page);
    strbuf_free(&place);
    report_quote(page, 2, line->sites->file, line->sites->line);
    report_newline(page);
}

static int by_excess(const void *left, const void *right) {
    const struct profile_site *a = *(const struct profile_site *const *)left;
    const struct profile_site *b = *(const struct profile_site *const *)right;
    uint64_t x = report_excess(&a->counts), y = report_excess(&b->counts);
    return x != y ? (x < y ? 1 : -1) : a < b ? -1 : a > b;
}

static void put_conflict(struct report_page *page, const struct report_line *line,
                         uint64_t launch_units) {
    const struct profile_site **sites = base_alloc(line->count * sizeof(struct profile_site *));
    for (size_t i = 0; i < line->count; i++) {
        sites[i] = &line->sites[i];
    }
    qsort(sites, line->count, sizeof *sites, by_excess);
    put_line_heading(page, line, report_excess_style(line->excess, launch_units));
    put_headings(page, 4, "");
    for (size_t i = 0; i < line->count; i++) {
        if (i > 0 && report_excess(&sites[i - 1]->counts) > 0) {
            report_newline(page); // after the details of the one before
        }
        struct strbuf access = {0};
        report_access(&access, sites[i]);
        report_column(&access, ", column ", line, sites[i]);
        put_numbers(page, 4, strbuf_string(&access), sites[i], launch_units);
        strbuf_free(&access);
        if (report_excess(&sites[i]->counts) > 0) {
            put_site_details(page, sites[i]);
            put_inlining(page, sites[i]);
        }
    }
    free(sites);
}

// "... and 3 more lines"; `excess`: of those lines, said when it is not 0.
static void put_rest(struct report_page *page, size_t indent, size_t count, uint64_t excess) {
    char number[REPORT_NUMBER], wasted[REPORT_NUMBER];
    report_to(page, indent);
    report_putf(page, STYLE_DIM, "... and %s more %s", report_number(number, count),
                count == 1 ? "line" : "lines");
    if (excess > 0) {
        report_putf(page, STYLE_DIM, " with %s excess wavefronts", report_number(wasted, excess));
    }
    report_put(page, STYLE_DIM, " (--verbose shows all)");
    report_newline(page);
}

static void put_conflicts(struct report_page *page, const struct report_launches *run) {
    struct report_lines lines = report_lines_of(run->first, SITE_SHARED, true);
    size_t shown = lines.length;
    if (shown > MOST_CONFLICTS && !page->options.verbose) {
        shown = MOST_CONFLICTS;
    }
    for (size_t i = 0; i < shown; i++) {
        put_conflict(page, &lines.data[i], run->shared.units);
    }
    uint64_t rest = 0;
    for (size_t i = shown; i < lines.length; i++) {
        rest += lines.data[i].excess;
    }
    if (shown < lines.length) {
        report_newline(page);
        put_rest(page, 2, lines.length - shown, rest);
    }
    free(lines.data);
}

static void put_clean(struct report_page *page, const struct report_launches *run) {
    struct report_lines lines = report_lines_of(run->first, SITE_SHARED, false);
    size_t shown = lines.length;
    if (shown > MOST_CLEAN + 1 && !page->options.verbose) { // "and 1 more" is worth its own line
        shown = MOST_CLEAN;
    }
    if (shown > 0) {
        report_newline(page);
        put_headings(page, 2, "lines without conflicts");
    }
    for (size_t i = 0; i < shown; i++) {
        for (size_t s = 0; s < lines.data[i].count; s++) {
            const struct profile_site *site = &lines.data[i].sites[s];
            struct strbuf label = {0};
            report_site_label(&label, page, &lines.data[i], site);
            put_numbers(page, 4, strbuf_string(&label), site, run->shared.units);
            strbuf_free(&label);
        }
    }
    if (shown < lines.length) {
        put_rest(page, 4, lines.length - shown, 0);
    }
    free(lines.data);
}

void report_shared(struct report_page *page, const struct report_launches *run) {
    put_conflicts(page, run);
    put_clean(page, run);
}
