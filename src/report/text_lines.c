// The lines of a launch as text: those of shared memory, then those of global memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/columns.h"
#include "report/text.h"

enum {
    MOST_CONFLICTS = 20,
    MOST_CLEAN = 8,
    MOST_GLOBAL = 6,
    MOST_DEGREES = 6,
    LABEL = 9,
    INDENT = 6,
};

// How many lines are shown; one more than `most` is worth its own line where it costs just one.
static size_t shown_of(const struct view_lines *lines, size_t most, bool is_short,
                       bool is_verbose) {
    return lines->count > most + is_short && !is_verbose ? most : lines->count;
}

static bool has_excess(const struct view_site *site) {
    return site->site->counts.units > site->site->counts.ideal;
}

static void put_label(struct report_page *page, const char *label) {
    report_to(page, INDENT);
    report_put(page, STYLE_DIM, label);
    report_to(page, INDENT + LABEL);
}

// On the same line, or on one of its own where that has no room.
static void put_behind(struct report_page *page, enum report_style style, const char *text) {
    if (page->column + report_columns(text) > page->width) {
        report_newline(page);
        report_to(page, INDENT);
        text += strspn(text, ": ");
    }
    report_wrap(page, style, text);
}

// "32 in every request", or how many requests had which degree, the worst first.
static void put_degrees(struct strbuf *out, const struct profile_site *site) {
    char number[REPORT_NUMBER];
    unsigned shown = 0;
    for (unsigned degree = PROFILE_MAX_DEGREE; degree > 0; degree--) {
        if (site->degrees[degree] == 0)
            continue;
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
    if (shown == 0)
        strbuf_printf(out, "%u at worst", site->worst_degree);
}

static void put_degree(struct report_page *page, const struct profile_site *site) {
    struct strbuf text = {0};
    put_degrees(&text, site);
    strbuf_printf(&text, " (%s)",
                  profile_is_proved(site) ? "proved for every block"
                  : site->verdict         ? site->verdict
                                          : "observed");
    put_label(page, "degree");
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

static void put_average(struct report_page *page, const struct view_site *site) {
    char units[REPORT_NUMBER + 1], ideal[REPORT_NUMBER + 1];
    if (!site->is_uneven)
        return;
    put_label(page, "average");
    report_putf(page, STYLE_PLAIN, "%s wavefronts a request, ideal %s",
                text_cell(units, &site->average), text_cell(ideal, &site->ideal));
    report_newline(page);
}

// What is known beyond this run, or why nothing is.
static void put_proof(struct report_page *page, const struct profile_site *site, bool is_verbose) {
    const bool is_bounded = site->verdict && !strcmp(site->verdict, "bounded");
    if (!site->proof || !(is_verbose || is_bounded))
        return;
    put_label(page, "proof");
    report_wrap(page, STYLE_PLAIN, site->proof);
    report_newline(page);
}

// What leaves its array is said in front of all lines.
static void put_bounds(struct report_page *page, const struct profile_site *site, bool is_verbose) {
    if (!site->bounds || !is_verbose || site->fit >= PROFILE_CAN_MISFIT)
        return;
    put_label(page, "bounds");
    report_wrap(page, STYLE_PLAIN, site->bounds);
    report_newline(page);
}

static void put_estimate(struct report_page *page, const struct profile_site *site) {
    struct strbuf text = {0};
    if (!site->is_estimate)
        return;
    if (site->moved_behind)
        strbuf_printf(&text,
                      "~ marks an estimate: the machine code loads this behind the branch at "
                      "line %u, which fewer warps may reach",
                      site->moved_behind);
    else
        strbuf_puts(&text, "~ marks an estimate: the cost of this access is not known exactly");
    put_label(page, "note");
    report_wrap(page, STYLE_WARN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
}

// What was said above of another access to the array is not said once more.
static void put_help(struct report_page *page, const char *help, const char **said) {
    struct strbuf text = {0};
    if (said && *said && !strcmp(*said, help))
        strbuf_printf(&text, "as above: %.*s", (int)strcspn(help, "\n"), help);
    else
        strbuf_puts(&text, help);
    put_label(page, "help");
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
    if (said)
        *said = help;
}

static void put_site_details(struct report_page *page, const struct view_site *shown,
                             bool is_verbose, const char **said) {
    const struct profile_site *site = shown->site;
    if (site->why) {
        put_label(page, "why");
        report_wrap(page, STYLE_PLAIN, site->why);
        report_newline(page);
    }
    put_degree(page, site);
    put_proof(page, site, is_verbose);
    put_bounds(page, site, is_verbose);
    put_average(page, shown);
    put_estimate(page, site);
    text_banks(page, INDENT, shown, is_verbose);
    if (site->suppressed) {
        put_label(page, "accepted");
        report_wrap(page, STYLE_PLAIN, site->suppressed);
        report_newline(page);
    } else if (site->help) {
        put_help(page, site->help, said);
    }
}

// Takes the text over.
static void put_alike(struct report_page *page, char *text) {
    put_label(page, "alike");
    report_wrap(page, STYLE_PLAIN, text);
    report_newline(page);
    free(text);
}

static void put_inlining(struct report_page *page, const struct view_site *site) {
    const char *function = site->site->function;
    for (uint32_t i = 0; i < site->site->inlined_count; i++) {
        const struct view_frame *frame = &site->frames[i];
        struct strbuf text = {0};
        text_place(&text, frame->at);
        if (frame->function)
            strbuf_printf(&text, " in %s", frame->function);
        put_label(page, i == 0 ? "inlined" : "");
        report_putf(page, STYLE_PLAIN, "%s%sat %s", i == 0 && function ? function : "",
                    i == 0 && function ? " " : "", strbuf_string(&text));
        report_newline(page);
        strbuf_free(&text);
    }
}

static void put_line_heading(struct report_page *page, const struct view_line *line) {
    char what[64];
    if (line->degree > 1)
        snprintf(what, sizeof what, ": %u-way bank conflict", line->degree);
    else
        snprintf(what, sizeof what, ": bank conflict");
    struct strbuf place = {0};
    text_place(&place, line->at);
    report_newline(page);
    report_to(page, 2);
    report_link(page, line->first->file);
    report_wrap(page, STYLE_BOLD, strbuf_string(&place));
    report_unlink(page);
    put_behind(page, line->style, what);
    report_newline(page);
    strbuf_free(&place);
    text_quote(page, 2, line->at.line, line->quote, NULL, 0);
    report_newline(page);
}

// Where one line alone conflicts, the launch's heading says it.
static void put_gain(struct report_page *page, const struct view_line *line,
                     const struct view_launch *launch) {
    if (line->gain == 0 || launch->conflicts.count < 2 || !launch->worth.is_worth)
        return;
    put_label(page, "worth");
    report_putf(page, STYLE_PLAIN, "%s%.1f times as fast without (an estimate)",
                line->is_worth ? "about " : "hardly anything: ", line->gain);
    report_newline(page);
}

void text_conflict(struct report_page *page, const struct view_line *line,
                   const struct view_launch *launch, bool is_verbose, const char **said) {
    put_line_heading(page, line);
    text_columns(page, 4, "", view_columns[SITE_SHARED]);
    for (size_t i = 0; i < line->count; i++) {
        const struct view_site *site = &line->sites[i];
        struct strbuf access = {0};
        if (i > 0 && has_excess(site - 1))
            report_newline(page); // after the details of the one before
        strbuf_puts(&access, site->access);
        if (site->column)
            strbuf_printf(&access, ", column %u", site->column);
        text_row(page, 4, strbuf_string(&access), site->cells);
        strbuf_free(&access);
        if (has_excess(site)) {
            put_site_details(page, site, is_verbose, said);
            put_inlining(page, site);
        }
    }
    put_gain(page, line, launch);
}

static void put_conflicts(struct report_page *page, const struct view_launch *launch,
                          bool is_verbose) {
    const struct view_lines *lines = &launch->conflicts;
    char more[64] = "", number[REPORT_NUMBER];
    const size_t most = is_verbose ? lines->count : MOST_CONFLICTS;
    size_t shown = 0;
    uint64_t rest = 0;
    const char *said = NULL;
    for (size_t told = 0, alike; told < most && shown < lines->count; told++, shown += alike) {
        alike = is_verbose ? 1 : text_lines_alike(lines, shown);
        text_conflict(page, &lines->data[shown], launch, is_verbose, &said);
        if (alike > 1)
            put_alike(page, text_alike_lines(lines, shown, alike));
    }
    if (shown == lines->count)
        return;
    for (size_t i = shown; i < lines->count; i++)
        rest += lines->data[i].excess;
    snprintf(more, sizeof more, " with %s excess wavefronts", report_number(number, rest));
    report_newline(page);
    text_rest(page, 2, lines->count - shown, "line", more);
}

// A row stands for itself: to name one more takes as much room.
static size_t rows_alike(size_t alike) {
    return alike > 2 ? alike : 1;
}

static void put_clean_line(struct report_page *page, const struct view_line *line,
                           bool is_verbose) {
    for (size_t i = 0; i < line->count; i++) {
        const struct view_site *site = &line->sites[i];
        struct strbuf place = {0}, label = {0};
        text_place(&place, line->at);
        strbuf_puts(&label, text_file_name(strbuf_string(&place)));
        if (site->column)
            strbuf_printf(&label, ":%u", site->column);
        strbuf_printf(&label, "  %s", site->access);
        text_row(page, 4, strbuf_string(&label), site->cells);
        if (site->site->moved_behind)
            put_estimate(page, site->site);
        put_bounds(page, site->site, is_verbose);
        strbuf_free(&place);
        strbuf_free(&label);
    }
}

void text_shared(struct report_page *page, const struct view_launch *launch, bool is_verbose) {
    const struct view_lines *clean = &launch->clean;
    const size_t most = shown_of(clean, MOST_CLEAN, true, is_verbose);
    size_t shown = 0;
    put_conflicts(page, launch, is_verbose);
    if (most > 0) {
        report_newline(page);
        text_columns(page, 2, "lines without conflicts", view_columns[SITE_SHARED]);
    }
    for (size_t told = 0, alike; told < most && shown < clean->count; told++, shown += alike) {
        alike = is_verbose ? 1 : rows_alike(text_lines_alike(clean, shown));
        put_clean_line(page, &clean->data[shown], is_verbose);
        if (alike > 1)
            put_alike(page, text_alike_lines(clean, shown, alike));
    }
    if (shown < clean->count)
        text_rest(page, 4, clean->count - shown, "line", "");
}

// ---- Global memory ------------------------------------------------------------------------

static void put_global_site(struct report_page *page, const struct view_line *line,
                            const struct view_site *site) {
    const struct view_cell *efficiency = &site->cells[VIEW_CELLS - 1];
    char sectors[REPORT_NUMBER + 1], ideal[REPORT_NUMBER + 1], percent[REPORT_NUMBER + 1];
    struct strbuf place = {0}, rest = {0};
    text_place(&place, line->at);
    if (site->column)
        strbuf_printf(&place, ":%u", site->column);
    strbuf_printf(&rest, ": %s: %s sectors a request, ideal %s: ", site->access,
                  text_cell(sectors, &site->average), text_cell(ideal, &site->ideal));
    text_cell(percent, efficiency);
    report_to(page, 2);
    report_link(page, site->site->file);
    report_wrap(page, STYLE_BOLD, strbuf_string(&place));
    report_unlink(page);
    put_behind(page, STYLE_PLAIN, strbuf_string(&rest));
    strbuf_free(&rest);
    strbuf_printf(&rest, "%s efficient", percent);
    put_behind(page, efficiency->style, strbuf_string(&rest));
    report_newline(page);
    strbuf_free(&place);
    strbuf_free(&rest);
}

// Of the access with most excess that has some; of a column of accesses with the same one, what is
// new of it. `said`: the help before.
static void put_global_help(struct report_page *page, const struct view_line *line,
                            const char **said) {
    const struct profile_site *most = NULL;
    for (size_t s = 0; s < line->count; s++) {
        const struct profile_site *site = line->sites[s].site;
        if (site->help &&
            (!most || profile_excess_of(&site->counts) > profile_excess_of(&most->counts)))
            most = site;
    }
    if (!most)
        return;
    const size_t words = strcspn(most->help, "\n");
    const bool is_again = *said && strcspn(*said, "\n") == words &&
                          strncmp(*said, most->help, words) == 0 && most->help[words];
    put_label(page, "help");
    if (is_again)
        report_putf(page, STYLE_PLAIN, "the same; %s", most->help + words + 1);
    else
        report_wrap(page, STYLE_PLAIN, most->help);
    report_newline(page);
    *said = most->help;
}

void text_global(struct report_page *page, const struct view_launch *launch, bool is_verbose) {
    const struct view_lines *lines = &launch->wasteful;
    const size_t most = shown_of(lines, MOST_GLOBAL, true, is_verbose);
    const char *said = NULL;
    size_t shown = 0;
    for (size_t told = 0, alike; told < most && shown < lines->count; told++, shown += alike) {
        const struct view_line *line = &lines->data[shown];
        alike = is_verbose ? 1 : text_lines_alike(lines, shown);
        report_newline(page);
        for (size_t s = 0; s < line->count; s++)
            if (has_excess(&line->sites[s]))
                put_global_site(page, line, &line->sites[s]);
        text_quote(page, 2, line->at.line, line->quote, NULL, 0);
        put_global_help(page, line, &said);
        if (alike > 1)
            put_alike(page, text_alike_lines(lines, shown, alike));
    }
    if (shown < lines->count) {
        report_newline(page);
        text_rest(page, 2, lines->count - shown, "line", " that move more sectors than they need");
    }
}
