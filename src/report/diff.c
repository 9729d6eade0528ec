#include "report/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/vec.h"
#include "report/diff_build.h"

const char *const diff_change_text[DIFF_CHANGES] = {
    [DIFF_WORSE] = "worse", [DIFF_BETTER] = "better", [DIFF_NEW] = "new",
    [DIFF_GONE] = "gone",   [DIFF_SAME] = "same",
};

const char *diff_problem(const struct profile *old, const struct profile *now) {
    if (old->is_uncounted != now->is_uncounted)
        return "are not both of counts: bankrun check makes none";
    if (old->arch != now->arch)
        return "are of two architectures, whose wavefronts are not the same thing";
    if (old->is_as_compiled != now->is_as_compiled)
        return "are not counted alike: one is --as compiled";
    if (!text_is_same(old->only, now->only))
        return "are not of the same kernels and lines: one was narrowed";
    return NULL;
}

static enum diff_change change_of(const struct report_row *old, const struct report_row *now) {
    if (!old || !now)
        return old ? DIFF_GONE : DIFF_NEW;
    const uint64_t before = diff_excess(old), after = diff_excess(now);
    if (before != after)
        return before < after ? DIFF_WORSE : DIFF_BETTER;
    if (old->counts.units != now->counts.units)
        return old->counts.units < now->counts.units ? DIFF_WORSE : DIFF_BETTER;
    return DIFF_SAME;
}

static uint64_t distance(uint64_t a, uint64_t b) {
    return a < b ? b - a : a - b;
}

static int by_change(const void *left, const void *right) {
    const struct diff_line *a = left, *b = right;
    if (a->change != b->change)
        return a->change < b->change ? -1 : 1;
    const struct report_row *x = diff_row_of(a), *y = diff_row_of(b);
    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    const uint64_t here = distance(diff_excess(a->old), diff_excess(a->now));
    const uint64_t there = distance(diff_excess(b->old), diff_excess(b->now));
    if (here != there)
        return here < there ? 1 : -1;
    return x < y ? -1 : x > y; // rows of one side lie in one array
}

struct diff_builder {
    struct diff *diff;
    struct report_rows old, now;
};

static void add_line(struct diff *diff, const struct report_row *old,
                     const struct report_row *now) {
    struct diff_line *line = &diff->lines[diff->count++];
    *line = (struct diff_line){.change = change_of(old, now), .old = old, .now = now};
    line->is_edited = old && now && old->text && now->text && strcmp(old->text, now->text) != 0;
    diff->counts[line->change]++;
}

static void fill_side(struct diff_kernel *kernel, int side, const struct report_kernel *from) {
    kernel->launches[side] = from->launches;
    memcpy(kernel->sums[side], from->sums, sizeof from->sums);
}

// o, n: the kernel's numbers, DIFF_NO_MATCH: it is not there.
static void add_kernel(struct diff_builder *builder, ptrdiff_t o, ptrdiff_t n) {
    static const size_t nothing[2];
    struct diff *diff = builder->diff;
    const size_t *old = o < 0 ? nothing : &builder->old.begins[o];
    const size_t *now = n < 0 ? nothing : &builder->now.begins[n];
    const size_t old_count = old[1] - old[0], now_count = now[1] - now[0];
    ptrdiff_t *of = base_alloc((old_count + 1) * sizeof *of);
    bool *is_taken = base_alloc(now_count + 1);
    diff_match_rows(&builder->old.data[old[0]], old_count, &builder->now.data[now[0]], now_count,
                    of);
    for (size_t i = 0; i < old_count; i++) {
        const bool has_match = of[i] != DIFF_NO_MATCH;
        add_line(diff, &builder->old.data[old[0] + i],
                 has_match ? &builder->now.data[now[0] + (size_t)of[i]] : NULL);
        if (has_match)
            is_taken[of[i]] = true;
    }
    for (size_t i = 0; i < now_count; i++)
        if (!is_taken[i])
            add_line(diff, NULL, &builder->now.data[now[0] + i]);
    free(of);
    free(is_taken);
    struct diff_kernel *kernel = &diff->kernels[diff->kernel_count++];
    kernel->name = n < 0 ? builder->old.kernels[o].name : builder->now.kernels[n].name;
    if (o >= 0)
        fill_side(kernel, 0, &builder->old.kernels[o]);
    if (n >= 0)
        fill_side(kernel, 1, &builder->now.kernels[n]);
}

static void add_kernels(struct diff_builder *builder) {
    const size_t old_count = builder->old.kernel_count, now_count = builder->now.kernel_count;
    ptrdiff_t *of = base_alloc((old_count + 1) * sizeof *of);
    ptrdiff_t *from = base_alloc((now_count + 1) * sizeof *from);
    diff_match_kernels(&builder->old, &builder->now, of);
    for (size_t n = 0; n < now_count; n++)
        from[n] = DIFF_NO_MATCH;
    for (size_t o = 0; o < old_count; o++)
        if (of[o] != DIFF_NO_MATCH)
            from[of[o]] = (ptrdiff_t)o;
    for (size_t n = 0; n < now_count; n++)
        add_kernel(builder, from[n], (ptrdiff_t)n);
    for (size_t o = 0; o < old_count; o++)
        if (of[o] == DIFF_NO_MATCH)
            add_kernel(builder, (ptrdiff_t)o, DIFF_NO_MATCH);
    free(of);
    free(from);
}

static void add_up(struct diff *diff) {
    for (size_t i = 0; i < diff->kernel_count; i++)
        for (int side = 0; side < 2; side++) {
            diff->all.launches[side] += diff->kernels[i].launches[side];
            for (int space = 0; space < SITE_SPACES; space++) {
                const struct profile_counts *from = &diff->kernels[i].sums[side][space];
                profile_add_counts(&diff->all.sums[side][space], from, 1);
            }
        }
}

struct diff *diff_create(const struct profile *old, const struct profile *now) {
    struct arena *arena = arena_create();
    struct diff *diff = ARENA_NEW(arena, struct diff);
    *diff = (struct diff){.old = old, .now = now, .arena = arena, .all = {.name = "in all"}};
    struct diff_builder builder = {diff, report_rows_of(arena, old), report_rows_of(arena, now)};
    const size_t rows = builder.old.count + builder.now.count;
    const size_t kernels = builder.old.kernel_count + builder.now.kernel_count;
    diff->lines = ARENA_ARRAY(arena, struct diff_line, rows + 1);
    diff->kernels = ARENA_ARRAY(arena, struct diff_kernel, kernels + 1);
    add_kernels(&builder);
    add_up(diff);
    diff_match_findings(diff);
    if (diff->count)
        qsort(diff->lines, diff->count, sizeof *diff->lines, by_change);
    return diff;
}

void diff_free(struct diff *diff) {
    if (diff)
        arena_destroy(diff->arena);
}
