// The report as text: which program, its launches, a summary.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/columns.h"
#include "report/text.h"

// The words of a command. Of very many, as of an xargs or of a report on all profiles of a folder,
// those that take some two lines, and how many more there are.
static void add_command(struct strbuf *text, char *const *words, size_t count, size_t width) {
    size_t shown = 0;
    while (shown < count && (shown < 2 || report_columns(strbuf_string(text)) < 2 * width)) {
        strbuf_printf(text, "%s%s", shown ? " " : "", words[shown]);
        shown++;
    }
    if (shown < count)
        strbuf_printf(text, " ... and %zu more", count - shown);
}

static void put_accesses(struct report_page *page, const struct profile *profile,
                         const struct report_options *options) {
    char *text = report_accesses(profile, options);
    if (text) {
        report_to(page, 2);
        report_wrap(page, profile->as_reason ? STYLE_WARN : STYLE_DIM, text);
        report_newline(page);
    }
    free(text);
}

static void put_program(struct report_page *page, const struct profile *profile,
                        const struct report_options *options) {
    struct strbuf text = {0};
    add_command(&text, profile->program, profile->program_count, page->width);
    report_put(page, STYLE_BOLD, "bankrun");
    report_put(page, STYLE_PLAIN, ": ");
    strbuf_printf(&text, "%ssm_%u", text.length ? " on " : "", profile->arch);
    report_wrap(page, STYLE_PLAIN, strbuf_string(&text));
    report_newline(page);
    strbuf_free(&text);
    put_accesses(page, profile, options);
    if (profile->only) {
        struct strbuf only = {0};
        strbuf_printf(&only, "only %s", profile->only);
        report_to(page, 2);
        report_wrap(page, STYLE_WARN, strbuf_string(&only));
        report_newline(page);
        strbuf_free(&only);
    }
}

// The processes of a command, and which launches each of them made.
static void put_processes(struct report_page *page, const struct profile *profile) {
    enum { LAUNCHES_COLUMN = 2, PROGRAM_COLUMN = 24 };
    uint64_t before = 0;
    if (!profile->process_count)
        return;
    report_newline(page);
    report_putf(page, STYLE_PLAIN, "%zu %s used CUDA", profile->process_count,
                profile->process_count == 1 ? "process" : "processes");
    report_newline(page);
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        struct strbuf program = {0};
        add_command(&program, process->program, process->program_count, page->width);
        report_to(page, LAUNCHES_COLUMN);
        if (process->launched == 0)
            report_put(page, STYLE_DIM, "no launch");
        else if (process->launched == 1)
            report_putf(page, STYLE_DIM, "launch %llu", (unsigned long long)before + 1);
        else
            report_putf(page, STYLE_DIM, "launches %llu to %llu", (unsigned long long)before + 1,
                        (unsigned long long)(before + process->launched));
        before += process->launched;
        report_to(page, PROGRAM_COLUMN);
        report_wrap(page, STYLE_PLAIN, strbuf_string(&program));
        report_newline(page);
        strbuf_free(&program);
    }
}

static int by_excess(const void *left, const void *right) {
    const struct view_launch *a = *(const struct view_launch *const *)left;
    const struct view_launch *b = *(const struct view_launch *const *)right;
    uint64_t x = a->excess.value, y = b->excess.value;
    return x != y ? (x < y ? 1 : -1) : a < b ? -1 : a > b;
}

static bool has_shown_finding(const struct view_launch *launch, bool is_verbose) {
    for (size_t i = 0; i < launch->findings.count; i++)
        if (is_verbose || !launch->findings.data[i].finding->suppressed)
            return true;
    return false;
}

// How launches are shown.
struct manner {
    enum report_by by;
    size_t most;
    bool folds; // one for all that differ in size only
    bool is_verbose;
};

// Which launches are among those with the most excess, ended in a fault, or have findings. Caller
// frees.
static bool *choose(const struct report_view *view, const struct manner *manner) {
    const size_t most = manner->most;
    const bool is_verbose = manner->is_verbose;
    bool *is_shown = base_alloc(view->count + 1);
    const struct view_launch **order = base_alloc((view->count + 1) * sizeof *order);
    size_t count = 0;
    for (size_t i = 0; i < view->count; i++)
        if (!manner->folds || !view->launches[i].like)
            order[count++] = &view->launches[i];
    qsort(order, count, sizeof *order, by_excess);
    for (size_t i = 0; i < count; i++)
        is_shown[order[i] - view->launches] =
            (i < most && order[i]->verdict != VIEW_UNCOUNTED) || order[i]->launch->fault ||
            order[i]->launch->passed_count || has_shown_finding(order[i], is_verbose);
    free(order);
    return is_shown;
}

static void put_launch(struct report_page *page, const struct view_launch *launch,
                       const struct profile *profile, const struct manner *manner) {
    const bool is_verbose = manner->is_verbose;
    report_newline(page);
    text_heading(page, launch, profile);
    if (manner->folds)
        text_smaller(page, launch);
    text_safety(page, launch, is_verbose);
    text_findings(page, &launch->findings, is_verbose);
    text_shared(page, launch, is_verbose);
    text_global(page, launch, is_verbose);
    text_totals(page, launch, is_verbose);
    if (is_verbose)
        text_rules(page, launch);
}

static void put_launches(struct report_page *page, const struct report_view *view,
                         const struct manner *manner) {
    bool *is_shown = choose(view, manner);
    size_t hidden = 0;
    for (size_t i = 0; i < view->count; i++)
        if (is_shown[i])
            put_launch(page, &view->launches[i], view->profile, manner);
        else if (!manner->folds || !view->launches[i].like)
            hidden += view->launches[i].count;
    if (hidden > 0 && !view->profile->is_uncounted) {
        char number[REPORT_NUMBER];
        report_newline(page);
        if (manner->most)
            report_putf(page, STYLE_DIM,
                        "... and %s more %s with less excess (--verbose shows all)",
                        report_number(number, hidden), hidden == 1 ? "launch" : "launches");
        else
            report_putf(page, STYLE_DIM, "%s %s (--by launch shows each)",
                        report_number(number, hidden), hidden == 1 ? "launch" : "launches");
        report_newline(page);
    }
    free(is_shown);
}

// ---- The summary --------------------------------------------------------------------------

enum { MOST_ROWS = 10, MOST_LAUNCHES = 24 };

// Launches beyond `most` have no section of their own, beside those with faults and findings.
static struct manner manner_of(const struct report_view *view,
                               const struct report_options *options) {
    struct manner manner = {.by = options->by, .is_verbose = options->verbose};
    if (manner.by == REPORT_AS_FITS && (options->verbose || view->count <= MOST_LAUNCHES))
        manner.by = REPORT_BY_LAUNCH;
    manner.folds = manner.by != options->by && !options->verbose;
    if (manner.by == REPORT_BY_LAUNCH)
        manner.most = options->verbose ? view->count : options->top ? options->top : MOST_LAUNCHES;
    return manner;
}

static void put_summary(struct report_page *page, const struct report_view *view,
                        const struct report_options *options, enum report_by by) {
    const size_t most = options->top ? options->top : MOST_ROWS;
    // What one section says need not be said again.
    const bool has_lines = view->worst_count > (by == REPORT_BY_LAUNCH) && by != REPORT_BY_KERNEL &&
                           by != REPORT_BY_ARRAY;
    report_newline(page);
    text_rule(page, "all launches", "");
    if (has_lines) {
        text_worst(page, view, most, options->verbose);
        report_newline(page);
    }
    if (by == REPORT_BY_ARRAY)
        text_table(page, &view->arrays, most, options->verbose);
    else if (by != REPORT_BY_LINE || !has_lines)
        text_kernels(page, view, most, options->verbose);
    if (has_lines && by != REPORT_BY_LAUNCH)
        text_worst_line(page, view, options->verbose);
}

// ---- All of it ------------------------------------------------------------------------------

static uint64_t largest_of(const struct profile *profile) {
    uint64_t largest = 0;
    for (size_t i = 0; i < profile->launch_count; i++)
        for (size_t t = 0; t < SITE_SPACES * PROFILE_OPS; t++) {
            uint64_t units = profile->launches[i].totals[t / PROFILE_OPS][t % PROFILE_OPS].units;
            largest = units > largest ? units : largest;
        }
    return largest;
}

void report_text(const struct profile *profile, const struct report_options *options,
                 struct strbuf *out) {
    static const struct report_options defaults;
    struct report_page page;
    options = options ? options : &defaults;
    struct report_view *view = report_view_create(profile, options);
    report_page_begin(&page, out, options->color, options->width, largest_of(profile));
    page.links = options->links ? options : NULL;
    put_program(&page, profile, options);
    put_processes(&page, profile);
    if (profile->launch_count == 0) {
        report_put(&page, STYLE_PLAIN,
                   profile->refused_count ? "No launch began." : "No kernel was launched.");
        report_newline(&page);
    }
    const struct manner manner = manner_of(view, options);
    put_launches(&page, view, &manner);
    text_host_findings(&page, view, options->verbose);
    text_failures(&page, profile, options->verbose);
    if ((profile->launched > 1 || manner.by != REPORT_BY_LAUNCH) && !profile->is_uncounted)
        put_summary(&page, view, options, manner.by);
    text_next(&page, profile);
    text_checked(&page, profile);
    report_view_free(view);
}
