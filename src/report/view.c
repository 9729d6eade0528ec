// The report as data: which launches look alike, and what is to be said of each.
#include <string.h>

#include "base/map.h"
#include "report/build.h"

const char *view_take(struct view_builder *builder, struct strbuf *text) {
    const char *kept = arena_strndup(builder->arena, strbuf_string(text), text->length);
    strbuf_free(text);
    return kept;
}

static void add_up(struct view_launch *alike, enum site_space space) {
    struct profile_counts *sum = &alike->sums[space];
    for (int op = 0; op < PROFILE_OPS; op++) {
        profile_add_counts(sum, &alike->launch->totals[space][op], 1);
    }
}

// Launches that are alike have the same key. Of all with one key the last is in `last`, by its
// number from 1 on, and each knows the one before; 0: there is none.
struct launch_key {
    uint64_t instructions, site_count;
    uint32_t grid[3], block[3];
};

struct launches {
    struct map last;
    size_t *before;
};

static struct launch_key *key_of(struct arena *arena, const struct profile_launch *launch) {
    struct launch_key *key = ARENA_NEW(arena, struct launch_key);
    key->instructions = launch->instructions;
    key->site_count = launch->site_count;
    memcpy(key->grid, launch->grid, sizeof key->grid);
    memcpy(key->block, launch->block, sizeof key->block);
    return key;
}

// NULL: no launch like it so far, of those from number `last` on.
static struct view_launch *find_alike(const struct report_view *view,
                                      const struct launches *launches, size_t last,
                                      const struct profile_launch *launch) {
    for (size_t i = last; i > 0; i = launches->before[i])
        if (profile_launches_look_alike(view->launches[i - 1].launch, launch))
            return &view->launches[i - 1];
    return NULL;
}

static void add_launch(struct report_view *view, struct launches *launches,
                       const struct profile_launch *launch) {
    const struct launch_key *key = key_of(view->arena, launch);
    const size_t last = (uintptr_t)map_get(&launches->last, (const char *)key, sizeof *key);
    struct view_launch *alike = find_alike(view, launches, last, launch);
    if (!alike) {
        alike = &view->launches[view->count++];
        launches->before[view->count] = last;
        map_put(&launches->last, (const char *)key, sizeof *key, (void *)(uintptr_t)view->count);
        alike->launch = launch;
        alike->arch = profile_launch_arch(view->profile->arch, launch);
        for (int space = 0; space < SITE_SPACES; space++)
            add_up(alike, (enum site_space)space);
    }
    alike->count += launch->repeats;
    if (profile_last_index(launch) > alike->last_index)
        alike->last_index = profile_last_index(launch);
}

struct report_view *report_view_create(const struct profile *profile,
                                       const struct report_options *options) {
    struct view_builder builder = {.arena = arena_create(),
                                   .profile = profile,
                                   .source_root = options ? options->source_root : NULL};
    struct report_view *view = ARENA_NEW(builder.arena, struct report_view);
    view->profile = profile;
    view->arena = builder.arena;
    view->launches = ARENA_ARRAY(builder.arena, struct view_launch, profile->launch_count + 1);
    struct launches launches = {.before =
                                    ARENA_ARRAY(builder.arena, size_t, profile->launch_count + 1)};
    for (size_t i = 0; i < profile->launch_count; i++)
        add_launch(view, &launches, &profile->launches[i]);
    map_free(&launches.last);
    for (size_t i = 0; i < view->count; i++)
        view_fill_launch(&builder, &view->launches[i], !profile->is_uncounted);
    view->findings = view_findings_of(&builder, &profile->findings);
    view_fill_kernels(&builder, view);
    view_fill_worst(&builder, view);
    view_fold(view);
    view_free_sources(&builder);
    return view;
}

void report_view_free(struct report_view *view) {
    if (view)
        arena_destroy(view->arena);
}
