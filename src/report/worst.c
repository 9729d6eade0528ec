// Lines over all launches, those with most excess first.
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "report/build.h"

// Accesses without a known line are told apart by what they are, and by kernel.
static bool is_of(const struct view_worst *worst, const struct view_launch *launch,
                  const struct view_line *line) {
    const struct view_line *known = worst->line;
    if (known->at.line != line->at.line || !text_is_same(known->first->file, line->first->file))
        return false;
    return line->at.line || (text_is_same(worst->launch->launch->symbol, launch->launch->symbol) &&
                             text_is_same(known->sites[0].access, line->sites[0].access));
}

static uint64_t excess_of(const struct view_worst *worst) {
    return profile_excess_of(&worst->counts);
}

static void add(struct view_worst *worst, const struct view_launch *launch,
                const struct view_line *line) {
    for (size_t i = 0; i < line->count; i++) {
        const struct profile_site *site = line->sites[i].site;
        profile_add_counts(&worst->counts, &site->counts, launch->count);
        worst->is_about |= site->is_estimate;
    }
    worst->launches += worst->last == launch ? 0 : launch->count;
    worst->last = launch;
    worst->is_in_many |= !text_is_same(worst->launch->launch->symbol, launch->launch->symbol);
    if (line->excess > worst->line->excess) {
        worst->line = line;
        worst->launch = launch;
    }
}

static int by_excess(const void *left, const void *right) {
    const struct view_worst *a = left, *b = right;
    const uint64_t x = excess_of(a), y = excess_of(b);
    if (x != y)
        return x < y ? 1 : -1;
    return a->line->first < b->line->first ? -1 : a->line->first > b->line->first;
}

// Of one kernel: its name without parameters.
static const char *kernel_of(struct view_builder *builder, const struct view_worst *worst) {
    const struct profile_launch *launch = worst->launch->launch;
    struct strbuf name = {0};
    strbuf_puts(&name, launch->kernel ? launch->kernel : launch->symbol);
    base_drop_parameters(name.data);
    name.length = strlen(name.data);
    return view_take(builder, &name);
}

void view_fill_worst(struct view_builder *builder, struct report_view *view) {
    size_t most = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < view->count; i++) {
        most += view->launches[i].conflicts.count;
        all += view->launches[i].count * view->launches[i].sums[SITE_SHARED].units;
    }
    view->worst = ARENA_ARRAY(builder->arena, struct view_worst, most + 1);
    for (size_t i = 0; i < view->count; i++) {
        const struct view_launch *launch = &view->launches[i];
        for (size_t l = 0; l < launch->conflicts.count; l++) {
            const struct view_line *line = &launch->conflicts.data[l];
            size_t at = 0;
            while (at < view->worst_count && !is_of(&view->worst[at], launch, line))
                at++;
            if (at == view->worst_count)
                view->worst[view->worst_count++] =
                    (struct view_worst){.line = line, .launch = launch};
            add(&view->worst[at], launch, line);
        }
    }
    qsort(view->worst, view->worst_count, sizeof *view->worst, by_excess);
    for (size_t i = 0; i < view->worst_count; i++) {
        struct view_worst *worst = &view->worst[i];
        worst->kernel = worst->is_in_many ? NULL : kernel_of(builder, worst);
        view_fill_cells(worst->cells, SITE_SHARED, &worst->counts, worst->is_about, all);
        worst->cells[0] = (struct view_cell){.value = worst->launches};
    }
}
