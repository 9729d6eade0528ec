#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "profile/quotes.h"

struct part { // a site of a launch
    size_t kernel;
    uint64_t repeats;
    const struct profile_site *site;
};
typedef VEC(struct part) part_list;

static const char *name_of(const struct profile_launch *launch) {
    return launch->kernel ? launch->kernel : launch->symbol ? launch->symbol : "";
}

static int compare_texts(const char *a, const char *b) {
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_places(const struct part *a, const struct part *b) {
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    if (a->site->space != b->site->space)
        return a->site->space < b->site->space ? -1 : 1;
    const int files = compare_texts(a->site->file, b->site->file);
    return files ? files : (a->site->line > b->site->line) - (a->site->line < b->site->line);
}

static int compare_parts(const void *left, const void *right) {
    const struct part *a = left, *b = right;
    const int places = compare_places(a, b);
    if (places)
        return places;
    const int instructions = compare_texts(a->site->instruction, b->site->instruction);
    return instructions ? instructions : compare_texts(a->site->array, b->site->array);
}

// Distinct accesses, in order.
static const char *accesses_of(struct arena *arena, const struct part *parts, size_t count) {
    struct strbuf text = {0};
    for (size_t i = 0; i < count; i++) {
        const struct profile_site *site = parts[i].site, *last = i ? parts[i - 1].site : NULL;
        if (last && text_is_same(last->instruction, site->instruction) &&
            text_is_same(last->array, site->array))
            continue;
        strbuf_printf(&text, "%s%s", text.length ? ", " : "", site->instruction);
        if (site->array)
            strbuf_printf(&text, " of %s", site->array);
    }
    const char *kept = arena_strndup(arena, strbuf_string(&text), text.length);
    strbuf_free(&text);
    return kept;
}

static struct report_row row_of(struct arena *arena, const struct profile *profile,
                                const char *kernel, const struct part *parts, size_t count) {
    const struct profile_site *first = parts->site;
    struct report_row row = {.space = first->space,
                             .kernel = kernel,
                             .file = first->file,
                             .line = first->line,
                             .text = profile_quote_of(profile, first->file, first->line),
                             .accesses = accesses_of(arena, parts, count),
                             .is_accepted = true,
                             .worst = first};
    for (size_t i = 0; i < count; i++) {
        const struct profile_site *site = parts[i].site;
        profile_add_counts(&row.counts, &site->counts, parts[i].repeats);
        row.degree = site->worst_degree > row.degree ? site->worst_degree : row.degree;
        row.is_estimate |= site->is_estimate;
        if (profile_excess_of(&site->counts) > profile_excess_of(&row.worst->counts))
            row.worst = site;
        row.is_accepted &= site->suppressed || site->counts.units <= site->counts.ideal;
    }
    return row;
}

static void add_launch(struct report_rows *rows, part_list *parts, struct map *numbers,
                       const struct profile_launch *launch) {
    const char *name = name_of(launch);
    const size_t known = (size_t)(uintptr_t)map_get_string(numbers, name); // 1 + index
    const size_t kernel = known ? known - 1 : rows->kernel_count++;
    if (!known)
        map_put(numbers, name, strlen(name), (void *)(uintptr_t)(kernel + 1));
    struct report_kernel *sums = &rows->kernels[kernel];
    sums->name = name;
    sums->launches += launch->repeats;
    for (size_t s = 0; s < launch->site_count; s++) {
        const struct profile_site *site = &launch->sites[s];
        profile_add_counts(&sums->sums[site->space], &site->counts, launch->repeats);
        vec_push(parts, ((struct part){kernel, launch->repeats, site}));
    }
}

static void fold(struct report_rows *rows, struct arena *arena, const struct profile *profile,
                 const part_list *parts) {
    size_t kernel = 0;
    rows->data = ARENA_ARRAY(arena, struct report_row, parts->length + 1);
    rows->begins = ARENA_ARRAY(arena, size_t, rows->kernel_count + 1);
    for (size_t i = 0, end; i < parts->length; i = end) {
        const struct part *part = &parts->data[i];
        for (end = i + 1; end < parts->length; end++)
            if (compare_places(part, &parts->data[end]) != 0)
                break;
        while (kernel < part->kernel)
            rows->begins[++kernel] = rows->count;
        rows->data[rows->count++] =
            row_of(arena, profile, rows->kernels[part->kernel].name, part, end - i);
    }
    while (kernel < rows->kernel_count)
        rows->begins[++kernel] = rows->count;
}

struct report_rows report_rows_of(struct arena *arena, const struct profile *profile) {
    struct report_rows rows = {
        .kernels = ARENA_ARRAY(arena, struct report_kernel, profile->launch_count + 1)};
    struct map numbers = {0};
    part_list parts = {0};
    for (size_t i = 0; i < profile->launch_count; i++)
        add_launch(&rows, &parts, &numbers, &profile->launches[i]);
    if (parts.length)
        qsort(parts.data, parts.length, sizeof *parts.data, compare_parts);
    fold(&rows, arena, profile, &parts);
    vec_free(&parts);
    map_free(&numbers);
    return rows;
}
