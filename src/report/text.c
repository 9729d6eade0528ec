// The report as a whole: which program, its launches, a summary.
#include <string.h>

#include "report/parts.h"

struct runs {
    struct report_launches *data;
    size_t length, capacity;
};

static struct profile_counts sum_of(const struct profile_launch *launch, enum site_space space) {
    struct profile_counts sum = {0};
    for (int op = 0; op < PROFILE_OPS; op++) {
        sum.requests += launch->totals[space][op].requests;
        sum.units += launch->totals[space][op].units;
        sum.ideal += launch->totals[space][op].ideal;
    }
    return sum;
}

// NULL: no launch like it so far. The last ones first: programs repeat their latest steps.
static struct report_launches *find_alike(const struct runs *runs,
                                          const struct profile_launch *launch) {
    for (size_t i = runs->length; i > 0; i--) {
        if (profile_launches_look_alike(runs->data[i - 1].first, launch)) {
            return &runs->data[i - 1];
        }
    }
    return NULL;
}

static struct runs runs_of(const struct profile *profile) {
    struct runs runs = {0};
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        struct report_launches *alike = find_alike(&runs, launch);
        if (alike) {
            alike->count += launch->repeats;
            if (profile_last_index(launch) > alike->last_index)
                alike->last_index = profile_last_index(launch);
            continue;
        }
        struct report_launches run = {
            .first = launch, .last_index = profile_last_index(launch), .count = launch->repeats};
        run.shared = sum_of(launch, SITE_SHARED);
        run.global = sum_of(launch, SITE_GLOBAL);
        vec_push(&runs, run);
    }
    return runs;
}

static void put_program(struct report_page *page, const struct profile *profile) {
    struct strbuf text = {0};
    for (size_t i = 0; i < profile->program_count; i++) {
        strbuf_printf(&text, "%s%s", i ? " " : "", profile->program[i]);
    }
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
    const struct report_launches *a = *(const struct report_launches *const *)left;
    const struct report_launches *b = *(const struct report_launches *const *)right;
    uint64_t x = report_excess(&a->shared), y = report_excess(&b->shared);
    return x != y ? (x < y ? 1 : -1) : a < b ? -1 : a > b;
}

// Which runs are among the `most` with the most excess, or ended in a fault. Caller frees.
static bool *choose(const struct runs *runs, size_t most) {
    bool *is_shown = base_alloc(runs->length + 1);
    const struct report_launches **order = base_alloc((runs->length + 1) * sizeof *order);
    for (size_t i = 0; i < runs->length; i++) {
        order[i] = &runs->data[i];
    }
    qsort(order, runs->length, sizeof *order, by_excess);
    for (size_t i = 0; i < runs->length; i++) {
        is_shown[order[i] - runs->data] = i < most || order[i]->first->fault;
    }
    free(order);
    return is_shown;
}

static void put_launches(struct report_page *page, const struct profile *profile) {
    enum { MOST_RUNS = 24 };
    struct runs runs = runs_of(profile);
    bool *is_shown = choose(&runs, page->options.verbose ? runs.length : MOST_RUNS);
    size_t hidden = 0;
    for (size_t i = 0; i < runs.length; i++) {
        if (!is_shown[i]) {
            hidden += runs.data[i].count;
            continue;
        }
        page->arch = profile_launch_arch(profile->arch, runs.data[i].first);
        report_newline(page);
        report_launch_heading(page, &runs.data[i], profile->launched);
        report_shared(page, &runs.data[i]);
        report_global(page, &runs.data[i]);
        report_totals(page, &runs.data[i]);
        if (page->options.verbose) {
            report_certainties(page, &runs.data[i]);
        }
    }
    if (hidden > 0) {
        char number[REPORT_NUMBER];
        report_newline(page);
        report_putf(page, STYLE_DIM, "... and %s more %s with less excess (--verbose shows all)",
                    report_number(number, hidden), hidden == 1 ? "launch" : "launches");
        report_newline(page);
    }
    free(is_shown);
    free(runs.data);
}

void report_text(const struct profile *profile, const struct report_options *options,
                 struct strbuf *out) {
    struct report_page page;
    report_page_begin(&page, profile, options, out);
    put_program(&page, profile);
    put_processes(&page, profile);
    if (profile->launch_count == 0) {
        report_put(&page, STYLE_PLAIN, "No kernel was launched.");
        report_newline(&page);
    }
    put_launches(&page, profile);
    if (profile->launched > 1) {
        report_newline(&page);
        report_summary(&page, profile);
    }
    report_page_end(&page);
}
