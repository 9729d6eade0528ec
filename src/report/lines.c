// The lines of a launch that access memory.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/build.h"

static bool same_line(const struct profile_site *a, const struct profile_site *b) {
    return a->space == b->space && a->file && a->line > 0 && a->line == b->line &&
           text_is_same(a->file, b->file);
}

// Behind the hash in whose folder a text is kept that the program made and compiled while it ran:
// what it said that the text is called.
static const char *name_of_made(const char *file) {
    static const char folder[] = "/bankrun/packages/sources/";
    const char *at = strstr(file, folder);
    const char *name = at ? strchr(at + strlen(folder), '/') : NULL;
    return name ? name + 1 : file;
}

struct view_place view_place_of(const struct view_builder *builder, const char *file,
                                uint32_t line) {
    // "cub/agent/agent_reduce.cuh": as the toolkit's libraries are included.
    static const char libraries[] = "/include/cccl/";
    if (!file || line == 0)
        return (struct view_place){0};
    const char *root = builder->source_root;
    size_t length = root ? strlen(root) : 0;
    if (length > 0 && strncmp(file, root, length) == 0 && file[length] == '/')
        file += length + 1;
    file = name_of_made(file);
    const char *library = strstr(file, libraries);
    return (struct view_place){library ? library + strlen(libraries) : file, line};
}

const char *view_access(struct view_builder *builder, const struct profile_site *site) {
    static const char *const words[PROFILE_OPS] = {
        [PROFILE_LOAD] = "from",        [PROFILE_STORE] = "to",        [PROFILE_ATOMIC] = "on",
        [PROFILE_MATRIX_LOAD] = "from", [PROFILE_MATRIX_STORE] = "to", [PROFILE_ASYNC_COPY] = "to",
    };
    return site->array ? arena_printf(builder->arena, "%s %s %s", site->instruction,
                                      words[site->op], site->array)
                       : site->instruction;
}

// Is there the same access in another column of the line?
static bool is_in_columns(const struct profile_site *sites, size_t count,
                          const struct profile_site *site) {
    for (size_t i = 0; i < count; i++)
        if (sites[i].column != site->column &&
            text_is_same(sites[i].instruction, site->instruction) &&
            text_is_same(sites[i].array, site->array))
            return true;
    return false;
}

static struct view_frame *frames_of(struct view_builder *builder, const struct profile_site *site) {
    struct view_frame *frames =
        ARENA_ARRAY(builder->arena, struct view_frame, site->inlined_count + 1);
    for (uint32_t i = 0; i < site->inlined_count; i++) {
        const struct profile_frame *frame = &site->inlined_at[i];
        frames[i] =
            (struct view_frame){view_place_of(builder, frame->file, frame->line), frame->function};
    }
    return frames;
}

static void fill_site(struct view_builder *builder, const struct view_launch *launch,
                      const struct profile_site *site, struct view_site *to) {
    const struct profile_counts *counts = &site->counts;
    to->site = site;
    to->access = view_access(builder, site);
    to->frames = frames_of(builder, site);
    view_fill_cells(to->cells, site->space, counts, site->is_estimate,
                    launch->sums[SITE_SHARED].units);
    to->average = (struct view_cell){.unit = VIEW_RATIO,
                                     .is_about = site->is_estimate,
                                     .value = counts->units,
                                     .whole = counts->requests};
    to->ideal =
        (struct view_cell){.unit = VIEW_RATIO, .value = counts->ideal, .whole = counts->requests};
    // Nothing new where each request took as many wavefronts as its degree, and could take one.
    to->is_uneven =
        counts->ideal != counts->requests || counts->units != counts->requests * site->worst_degree;
    if (site->space == SITE_SHARED && profile_excess_of(counts) > 0)
        to->banks = view_banks_of(builder, launch->arch, site);
}

static int sites_by_excess(const void *left, const void *right) {
    const struct profile_site *a = ((const struct view_site *)left)->site;
    const struct profile_site *b = ((const struct view_site *)right)->site;
    uint64_t x = profile_excess_of(&a->counts), y = profile_excess_of(&b->counts);
    return x != y ? (x < y ? 1 : -1) : a < b ? -1 : a > b;
}

static int lines_by_excess(const void *left, const void *right) {
    const struct view_line *a = left, *b = right;
    if (a->excess != b->excess)
        return a->excess < b->excess ? 1 : -1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void fill_line(struct view_builder *builder, const struct view_launch *launch,
                      const struct profile_site *sites, size_t count, uint64_t excess,
                      struct view_line *line) {
    *line = (struct view_line){
        .at = view_place_of(builder, sites->file, sites->line),
        .first = sites,
        .excess = excess,
        .style = view_excess_style(excess, launch->sums[sites->space].units),
        .sites = ARENA_ARRAY(builder->arena, struct view_site, count),
        .count = count,
    };
    line->quote = excess > 0 ? view_quote(builder, sites->file, sites->line) : NULL;
    for (size_t i = 0; i < count; i++) {
        fill_site(builder, launch, &sites[i], &line->sites[i]);
        if (is_in_columns(sites, count, &sites[i]))
            line->sites[i].column = sites[i].column;
        if (profile_excess_of(&sites[i].counts) > 0 && sites[i].worst_degree > line->degree)
            line->degree = sites[i].worst_degree;
    }
    if (excess > 0 && sites->space == SITE_SHARED)
        qsort(line->sites, count, sizeof *line->sites, sites_by_excess);
}

struct view_lines view_lines_of(struct view_builder *builder, const struct view_launch *launch,
                                enum site_space space, bool with_excess) {
    const struct profile_site *sites = launch->launch->sites;
    size_t count = launch->launch->site_count;
    struct view_lines lines = {.data = ARENA_ARRAY(builder->arena, struct view_line, count + 1)};
    for (size_t i = 0, next; i < count; i = next) {
        uint64_t excess = profile_excess_of(&sites[i].counts);
        for (next = i + 1; next < count && same_line(&sites[i], &sites[next]); next++)
            excess += profile_excess_of(&sites[next].counts);
        if (sites[i].space == space && (excess > 0) == with_excess)
            fill_line(builder, launch, &sites[i], next - i, excess, &lines.data[lines.count++]);
    }
    qsort(lines.data, lines.count, sizeof *lines.data, lines_by_excess);
    return lines;
}
