// Sums over all launches.
#include <string.h>

#include "report/columns.h"
#include "report/parts.h"

struct kernel_sum {
    const struct profile_launch *first;
    uint64_t launches;
    struct profile_counts shared;
};
struct kernel_sums {
    struct kernel_sum *data;
    size_t length, capacity;
};

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void add_launch(struct kernel_sum *sum, const struct profile_launch *launch) {
    sum->launches += launch->repeats;
    for (int op = 0; op < PROFILE_OPS; op++) {
        sum->shared.requests += launch->repeats * launch->totals[SITE_SHARED][op].requests;
        sum->shared.units += launch->repeats * launch->totals[SITE_SHARED][op].units;
        sum->shared.ideal += launch->repeats * launch->totals[SITE_SHARED][op].ideal;
    }
}

static int by_excess(const void *left, const void *right) {
    const struct kernel_sum *a = left, *b = right;
    uint64_t x = report_excess(&a->shared), y = report_excess(&b->shared);
    if (x != y) {
        return x < y ? 1 : -1;
    }
    return a->first->index < b->first->index ? -1 : a->first->index > b->first->index;
}

// A kernel's name as it fits: without its parameters where they would be cut.
static char *kernel_label(const struct report_page *page, const struct profile_launch *launch) {
    struct strbuf name = {0};
    report_clean(&name, launch->kernel ? launch->kernel : launch->symbol);
    char *label = strbuf_take(&name);
    size_t length = label ? strlen(label) : 0;
    if (length == 0 || label[length - 1] != ')' ||
        report_columns(label) <= report_label_columns(page, 2)) {
        return label ? label : base_strdup("");
    }
    int depth = 0;
    for (size_t at = length; at-- > 0;) {
        depth += label[at] == ')' ? 1 : label[at] == '(' ? -1 : 0;
        if (depth == 0) {
            label[at] = '\0';
            break;
        }
    }
    return label;
}

static void put_sum(struct report_page *page, const char *label, const struct kernel_sum *sum,
                    uint64_t all_units) {
    char launches[REPORT_NUMBER], units[REPORT_NUMBER], ideal[REPORT_NUMBER];
    char excess[REPORT_NUMBER];
    uint64_t wasted = report_excess(&sum->shared);
    report_row(page, 2, STYLE_PLAIN, label,
               (struct report_cell[REPORT_CELLS]){
                   {STYLE_PLAIN, report_number(launches, sum->launches)},
                   {STYLE_PLAIN, report_number(units, sum->shared.units)},
                   {STYLE_PLAIN, report_number(ideal, sum->shared.ideal)},
                   {report_excess_style(wasted, all_units), report_number(excess, wasted)}});
}

void report_summary(struct report_page *page, const struct profile *profile) {
    enum { MOST_KERNELS = 20 };
    struct kernel_sums sums = {0};
    struct kernel_sum all = {0};
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        size_t at = 0;
        while (at < sums.length && !same_text(sums.data[at].first->symbol, launch->symbol)) {
            at++;
        }
        if (at == sums.length) {
            vec_push(&sums, (struct kernel_sum){.first = launch});
        }
        add_launch(&sums.data[at], launch);
        add_launch(&all, launch);
    }
    if (sums.length > 0) {
        qsort(sums.data, sums.length, sizeof *sums.data, by_excess);
    }
    report_rule(page, "all launches", "");
    report_row(page, 2, STYLE_DIM, "kernel",
               (struct report_cell[REPORT_CELLS]){{STYLE_DIM, "launches"},
                                                  {STYLE_DIM, "wavefronts"},
                                                  {STYLE_DIM, "ideal"},
                                                  {STYLE_DIM, "excess"}});
    for (size_t i = 0; i < sums.length; i++) {
        if (i == MOST_KERNELS && !page->options.verbose) {
            char number[REPORT_NUMBER];
            report_to(page, 2);
            report_putf(page, STYLE_DIM, "... and %s more kernels (--verbose shows all)",
                        report_number(number, sums.length - i));
            report_newline(page);
            break;
        }
        char *label = kernel_label(page, sums.data[i].first);
        put_sum(page, label, &sums.data[i], all.shared.units);
        free(label);
    }
    if (sums.length > 1) {
        put_sum(page, "in all", &all, all.shared.units);
    }
    free(sums.data);
}
