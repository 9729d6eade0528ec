// The report as text: which program, its launches, a summary.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "report/columns.h"
#include "report/text.h"

static void put_program(struct report_page *page, const struct profile *profile) {
    struct strbuf text = {0};
    for (size_t i = 0; i < profile->program_count; i++)
        strbuf_printf(&text, "%s%s", i ? " " : "", profile->program[i]);
    report_put(page, STYLE_BOLD, "bankrun");
    report_put(page, STYLE_PLAIN, ": ");
    report_put_in(page, STYLE_PLAIN, page->width - page->column - strlen(" on sm_999 as compiled"),
                  strbuf_string(&text));
    report_putf(page, STYLE_PLAIN, "%ssm_%u%s", text.length ? " on " : "", profile->arch,
                profile->is_as_compiled ? " as compiled" : "");
    report_newline(page);
    strbuf_free(&text);
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
        for (size_t k = 0; k < process->program_count; k++)
            strbuf_printf(&program, "%s%s", k ? " " : "", process->program[k]);
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
        report_put_in(page, STYLE_PLAIN, page->width - page->column, strbuf_string(&program));
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

// Which launches are among those with the most excess, ended in a fault, or have findings. Caller
// frees.
static bool *choose(const struct report_view *view, bool is_verbose) {
    enum { MOST_LAUNCHES = 24 };
    const size_t most = is_verbose ? view->count : MOST_LAUNCHES;
    bool *is_shown = base_alloc(view->count + 1);
    const struct view_launch **order = base_alloc((view->count + 1) * sizeof *order);
    for (size_t i = 0; i < view->count; i++)
        order[i] = &view->launches[i];
    qsort(order, view->count, sizeof *order, by_excess);
    for (size_t i = 0; i < view->count; i++)
        is_shown[order[i] - view->launches] =
            (i < most && order[i]->verdict != VIEW_UNCOUNTED) || order[i]->launch->fault ||
            order[i]->launch->passed_count || has_shown_finding(order[i], is_verbose);
    free(order);
    return is_shown;
}

static void put_launch(struct report_page *page, const struct view_launch *launch,
                       const struct profile *profile, bool is_verbose) {
    report_newline(page);
    text_heading(page, launch, profile);
    text_findings(page, &launch->findings, is_verbose);
    text_shared(page, launch, is_verbose);
    text_global(page, launch, is_verbose);
    text_totals(page, launch, is_verbose);
    if (is_verbose)
        text_rules(page, launch);
}

static void put_launches(struct report_page *page, const struct report_view *view,
                         bool is_verbose) {
    bool *is_shown = choose(view, is_verbose);
    size_t hidden = 0;
    for (size_t i = 0; i < view->count; i++)
        if (is_shown[i])
            put_launch(page, &view->launches[i], view->profile, is_verbose);
        else
            hidden += view->launches[i].count;
    if (hidden > 0 && !view->profile->is_uncounted) {
        char number[REPORT_NUMBER];
        report_newline(page);
        report_putf(page, STYLE_DIM, "... and %s more %s with less excess (--verbose shows all)",
                    report_number(number, hidden), hidden == 1 ? "launch" : "launches");
        report_newline(page);
    }
    free(is_shown);
}

// ---- The summary --------------------------------------------------------------------------

char *text_kernel_label(const struct report_page *page, const char *kernel) {
    struct strbuf name = {0};
    report_clean(&name, kernel);
    char *label = strbuf_take(&name);
    if (label && report_columns(label) > report_label_columns(page, 2))
        base_drop_parameters(label);
    return label ? label : base_strdup("");
}

void text_kernels(struct report_page *page, const struct report_view *view, bool is_verbose) {
    enum { MOST_KERNELS = 20 };
    const struct view_table *kernels = &view->kernels;
    size_t shown = kernels->count > MOST_KERNELS && !is_verbose ? MOST_KERNELS : kernels->count;
    text_rule(page, "all launches", "");
    text_columns(page, 2, kernels->label, kernels->columns);
    for (size_t i = 0; i < shown; i++) {
        char *label = text_kernel_label(page, kernels->rows[i].label);
        text_row(page, 2, label, kernels->rows[i].cells);
        free(label);
    }
    if (shown < kernels->count)
        text_rest(page, 2, kernels->count - shown, "kernel", "");
    if (kernels->count > 1)
        text_row(page, 2, view->all.label, view->all.cells);
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
    put_program(&page, profile);
    put_processes(&page, profile);
    if (profile->launch_count == 0) {
        report_put(&page, STYLE_PLAIN,
                   profile->refused_count ? "No launch began." : "No kernel was launched.");
        report_newline(&page);
    }
    put_launches(&page, view, options->verbose);
    text_host_findings(&page, view, options->verbose);
    text_failures(&page, profile, options->verbose);
    if (profile->launched > 1 && !profile->is_uncounted) {
        report_newline(&page);
        text_kernels(&page, view, options->verbose);
    }
    text_next(&page, profile);
    text_checked(&page, profile);
    report_view_free(view);
}
