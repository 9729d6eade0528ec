// Sums over all launches by kernel.
#include <stdlib.h>

#include "base/text.h"
#include "report/build.h"

struct kernel_sum {
    const struct profile_launch *first;
    uint64_t launches;
    struct profile_counts shared;
};

static void add_launch(struct kernel_sum *sum, const struct profile_launch *launch) {
    sum->launches += launch->repeats;
    for (int op = 0; op < PROFILE_OPS; op++)
        profile_add_counts(&sum->shared, &launch->totals[SITE_SHARED][op], launch->repeats);
}

static int by_excess(const void *left, const void *right) {
    const struct kernel_sum *a = left, *b = right;
    uint64_t x = profile_excess_of(&a->shared), y = profile_excess_of(&b->shared);
    if (x != y)
        return x < y ? 1 : -1;
    return a->first->index < b->first->index ? -1 : a->first->index > b->first->index;
}

static void fill_row(struct view_row *row, const char *label, const struct kernel_sum *sum,
                     uint64_t all_units) {
    row->label = label;
    view_fill_cells(row->cells, SITE_SHARED, &sum->shared, false, all_units);
    row->cells[0] = (struct view_cell){.value = sum->launches};
}

void view_fill_kernels(struct view_builder *builder, struct report_view *view) {
    const struct profile *profile = view->profile;
    struct kernel_sum *sums = base_alloc((profile->launch_count + 1) * sizeof *sums);
    struct kernel_sum all = {0};
    size_t count = 0;
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        size_t at = 0;
        while (at < count && !text_is_same(sums[at].first->symbol, launch->symbol))
            at++;
        if (at == count)
            sums[count++].first = launch;
        add_launch(&sums[at], launch);
        add_launch(&all, launch);
    }
    qsort(sums, count, sizeof *sums, by_excess);
    view->kernels =
        (struct view_table){.label = "kernel",
                            .columns = {"launches", "wavefronts", "ideal", "excess"},
                            .rows = ARENA_ARRAY(builder->arena, struct view_row, count + 1),
                            .count = count};
    for (size_t i = 0; i < count; i++) {
        const struct profile_launch *first = sums[i].first;
        fill_row(&view->kernels.rows[i], first->kernel ? first->kernel : first->symbol, &sums[i],
                 all.shared.units);
    }
    fill_row(&view->all, "in all", &all, all.shared.units);
    free(sums);
}
