// Sums over all launches by kernel, and by the shared arrays of each.
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/text.h"
#include "base/vec.h"
#include "report/build.h"

struct sum {
    const struct profile_launch *first;
    const struct profile_site *site; // of the array; NULL: of the whole kernel
    uint64_t launches;
    uint32_t last; // launch that it has counted
    bool is_about;
    struct profile_counts shared;
};
typedef VEC(struct sum) sum_list;

static struct sum *sum_for(sum_list *sums, const struct profile_launch *launch,
                           const struct profile_site *site) {
    for (size_t i = 0; i < sums->length; i++) {
        const struct sum *sum = &sums->data[i];
        if (text_is_same(sum->first->symbol, launch->symbol) &&
            (!site || text_is_same(sum->site->array, site->array)))
            return &sums->data[i];
    }
    vec_push(sums, (struct sum){.first = launch, .site = site});
    return &sums->data[sums->length - 1];
}

static void add_kernel(struct sum *sum, const struct profile_launch *launch) {
    sum->launches += launch->repeats;
    for (int op = 0; op < PROFILE_OPS; op++)
        profile_add_counts(&sum->shared, &launch->totals[SITE_SHARED][op], launch->repeats);
}

static void add_arrays(sum_list *sums, const struct profile_launch *launch) {
    for (size_t i = 0; i < launch->site_count; i++) {
        const struct profile_site *site = &launch->sites[i];
        if (site->space != SITE_SHARED)
            continue;
        struct sum *sum = sum_for(sums, launch, site);
        if (!sum->launches || sum->last != launch->index)
            sum->launches += launch->repeats;
        sum->last = launch->index;
        sum->is_about |= site->is_estimate;
        profile_add_counts(&sum->shared, &site->counts, launch->repeats);
    }
}

static int by_excess(const void *left, const void *right) {
    const struct sum *a = left, *b = right;
    uint64_t x = profile_excess_of(&a->shared), y = profile_excess_of(&b->shared);
    if (x != y)
        return x < y ? 1 : -1;
    if (a->first->index != b->first->index)
        return a->first->index < b->first->index ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static void fill_row(struct view_row *row, const char *label, const struct sum *sum,
                     uint64_t all_units) {
    row->label = label;
    view_fill_cells(row->cells, SITE_SHARED, &sum->shared, sum->is_about, all_units);
    row->cells[0] = (struct view_cell){.value = sum->launches};
}

// "tile in transpose_tiled"
static const char *label_of(struct view_builder *builder, const struct sum *sum) {
    const char *kernel = sum->first->kernel ? sum->first->kernel : sum->first->symbol;
    if (!sum->site)
        return kernel;
    struct strbuf text = {0};
    char *name = base_drop_parameters(base_strdup(kernel));
    strbuf_printf(&text, "%s in %s", sum->site->array ? sum->site->array : "unnamed", name);
    free(name);
    return view_take(builder, &text);
}

static struct view_table table_of(struct view_builder *builder, const char *label, sum_list *sums,
                                  uint64_t all_units) {
    struct view_table table = {.label = label,
                               .columns = {"launches", "wavefronts", "ideal", "excess"},
                               .rows =
                                   ARENA_ARRAY(builder->arena, struct view_row, sums->length + 1),
                               .count = sums->length};
    if (sums->length)
        qsort(sums->data, sums->length, sizeof *sums->data, by_excess);
    for (size_t i = 0; i < sums->length; i++)
        fill_row(&table.rows[i], label_of(builder, &sums->data[i]), &sums->data[i], all_units);
    vec_free(sums);
    return table;
}

void view_fill_kernels(struct view_builder *builder, struct report_view *view) {
    const struct profile *profile = view->profile;
    sum_list kernels = {0}, arrays = {0};
    struct sum all = {0};
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        add_kernel(sum_for(&kernels, launch, NULL), launch);
        add_kernel(&all, launch);
        add_arrays(&arrays, launch);
    }
    view->kernels = table_of(builder, "kernel", &kernels, all.shared.units);
    view->arrays = table_of(builder, "array", &arrays, all.shared.units);
    fill_row(&view->all, "in all", &all, all.shared.units);
}
