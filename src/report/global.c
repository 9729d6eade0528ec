// The global-memory lines of a launch, and the sums by operation of both spaces.
#include <stdio.h>
#include <string.h>

#include "report/parts.h"

enum { MOST_LINES = 6 };

// Under half of what was moved was asked for.
static enum report_style efficiency_style(const struct profile_counts *counts) {
    if (counts->units <= counts->ideal) {
        return STYLE_GOOD;
    }
    return counts->ideal * 2 < counts->units ? STYLE_BAD : STYLE_WARN;
}

static void put_site(struct report_page *page, const struct report_line *line,
                     const struct profile_site *site) {
    char sectors[REPORT_NUMBER], ideal[REPORT_NUMBER], percent[REPORT_NUMBER];
    struct strbuf place = {0}, rest = {0};
    report_place(&place, page, site->file, site->line);
    report_column(&place, ":", line, site);
    strbuf_printf(&rest, ": %s: %s sectors a request, ideal %s: ", site->instruction,
                  report_ratio(sectors, site->counts.units, site->counts.requests),
                  report_ratio(ideal, site->counts.ideal, site->counts.requests));
    report_percent(percent, site->counts.ideal, site->counts.units);
    size_t taken = 2 + strlen(strbuf_string(&rest)) + strlen(percent) + strlen(" efficient");
    report_to(page, 2);
    report_put_in(page, STYLE_BOLD, page->width > taken + 24 ? page->width - taken : 24,
                  strbuf_string(&place));
    report_put(page, STYLE_PLAIN, strbuf_string(&rest));
    report_putf(page, efficiency_style(&site->counts), "%s efficient", percent);
    report_newline(page);
    strbuf_free(&place);
    strbuf_free(&rest);
}

void report_global(struct report_page *page, const struct report_launches *run) {
    struct report_lines lines = report_lines_of(run->first, SITE_GLOBAL, true);
    size_t shown = lines.length;
    if (shown > MOST_LINES + 1 && !page->options.verbose) {
        shown = MOST_LINES;
    }
    for (size_t i = 0; i < shown; i++) {
        const struct report_line *line = &lines.data[i];
        report_newline(page);
        for (size_t s = 0; s < line->count; s++) {
            if (report_excess(&line->sites[s].counts) > 0) {
                put_site(page, line, &line->sites[s]);
            }
        }
        report_quote(page, 2, line->sites->file, line->sites->line);
    }
    if (shown < lines.length) {
        char number[REPORT_NUMBER];
        report_newline(page);
        report_to(page, 2);
        report_putf(page, STYLE_DIM,
                    "... and %s more lines that move more sectors than they need "
                    "(--verbose shows all)",
                    report_number(number, lines.length - shown));
        report_newline(page);
    }
    free(lines.data);
}

static const char *op_label(enum profile_op op) {
    static const char *const labels[PROFILE_OPS] = {
        [PROFILE_LOAD] = "loads",
        [PROFILE_STORE] = "stores",
        [PROFILE_ATOMIC] = "atomics",
        [PROFILE_MATRIX_LOAD] = "matrix loads",
        [PROFILE_MATRIX_STORE] = "matrix stores",
        [PROFILE_ASYNC_COPY] = "asynchronous copies",
    };
    return labels[op];
}

static bool is_estimated(const struct profile_launch *launch, enum site_space space,
                         enum profile_op op) {
    for (size_t i = 0; i < launch->site_count; i++) {
        const struct profile_site *site = &launch->sites[i];
        if (site->space == space && site->op == op && site->is_estimate) {
            return true;
        }
    }
    return false;
}

static void put_total(struct report_page *page, const struct report_launches *run,
                      enum site_space space, enum profile_op op) {
    const struct profile_counts *counts = &run->first->totals[space][op];
    if (counts->requests == 0) {
        return;
    }
    char requests[REPORT_NUMBER], units[REPORT_NUMBER + 1], ideal[REPORT_NUMBER];
    char last[REPORT_NUMBER + 1], number[REPORT_NUMBER];
    const char *about = is_estimated(run->first, space, op) ? "~" : "";
    snprintf(units, sizeof units, "%s%s", about, report_number(number, counts->units));
    enum report_style style;
    if (space == SITE_SHARED) {
        snprintf(last, sizeof last, "%s%s", about, report_number(number, report_excess(counts)));
        style = report_excess_style(report_excess(counts), run->shared.units);
    } else {
        report_percent(last, counts->ideal, counts->units);
        style = efficiency_style(counts);
    }
    report_row(
        page, 4, STYLE_PLAIN, op_label(op),
        (struct report_cell[REPORT_CELLS]){{STYLE_PLAIN, report_number(requests, counts->requests)},
                                           {STYLE_PLAIN, units},
                                           {STYLE_PLAIN, report_number(ideal, counts->ideal)},
                                           {style, last}});
}

bool report_has_nothing_to_win(const struct report_launches *run) {
    return run->shared.requests == 0 && report_excess(&run->global) == 0;
}

void report_totals(struct report_page *page, const struct report_launches *run) {
    if (report_has_nothing_to_win(run) && !page->options.verbose) {
        return; // the verdict says it all
    }
    for (int space = 0; space < SITE_SPACES; space++) {
        bool is_shared = space == SITE_SHARED;
        if ((is_shared ? run->shared : run->global).requests == 0) {
            continue;
        }
        report_newline(page);
        report_row(
            page, 2, STYLE_DIM, is_shared ? "shared memory" : "global memory",
            (struct report_cell[REPORT_CELLS]){{STYLE_DIM, "requests"},
                                               {STYLE_DIM, is_shared ? "wavefronts" : "sectors"},
                                               {STYLE_DIM, "ideal"},
                                               {STYLE_DIM, is_shared ? "excess" : "efficient"}});
        for (int op = 0; op < PROFILE_OPS; op++) {
            put_total(page, run, (enum site_space)space, (enum profile_op)op);
        }
    }
}
