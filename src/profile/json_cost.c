#include "profile/json_cost.h"

#include <math.h>

#include "base/text.h"
#include "base/vec.h"
#include "profile/cost.h"
#include "profile/json_make.h"

static uint64_t excess_of(const struct profile_site *site) {
    return site->space == SITE_SHARED ? profile_excess_of(&site->counts) : 0;
}

static json_t *nanoseconds(double time) {
    return number((uint64_t)llround(time));
}

static json_t *without(const struct profile_cost *cost, uint64_t excess) {
    return nanoseconds(cost_time_without(cost->machine, &cost->counts, (double)excess).all);
}

// ---- What belongs together ------------------------------------------------------------------

// How sites are told apart, and called.
struct grouping {
    bool (*is_same)(const struct profile_site *a, const struct profile_site *b);
    void (*name)(json_t *object, const struct profile_site *site);
};

static bool is_same_line(const struct profile_site *a, const struct profile_site *b) {
    return a->line == b->line && text_is_same(a->file, b->file);
}

static void name_line(json_t *object, const struct profile_site *site) {
    set(object, "file", text(site->file));
    set(object, "line", number(site->line));
}

static bool is_same_array(const struct profile_site *a, const struct profile_site *b) {
    return text_is_same(a->array, b->array);
}

static void name_array(json_t *object, const struct profile_site *site) {
    set(object, "array", text(site->array));
}

static const struct grouping by_line = {is_same_line, name_line};
static const struct grouping by_array = {is_same_array, name_array};

struct group {
    const struct profile_site *first;
    uint64_t excess;
};
typedef VEC(struct group) group_list;

// Sites of a line stand together: the last group comes first.
static void add_site(group_list *groups, const struct grouping *how,
                     const struct profile_site *site) {
    for (size_t i = groups->length; i-- > 0;)
        if (how->is_same(groups->data[i].first, site)) {
            groups->data[i].excess += excess_of(site);
            return;
        }
    vec_push(groups, (struct group){site, excess_of(site)});
}

static json_t *groups_of(const struct profile_cost *cost, const struct profile_launch *launch,
                         const struct grouping *how) {
    group_list groups = {0};
    json_t *list = json_array();
    for (size_t i = 0; i < launch->site_count; i++)
        if (excess_of(&launch->sites[i]))
            add_site(&groups, how, &launch->sites[i]);
    for (size_t i = 0; i < groups.length; i++) {
        json_t *object = json_object();
        how->name(object, groups.data[i].first);
        set(object, "nanoseconds", without(cost, groups.data[i].excess));
        append(list, object);
    }
    vec_free(&groups);
    return list;
}

void profile_write_cost(json_t *object, unsigned arch, const struct profile_launch *launch) {
    struct profile_cost cost;
    if (!profile_cost_of(arch, launch, &cost))
        return;
    json_t *all = json_object(), *bounds = json_object(), *cured = json_object();
    for (int bound = 0; bound < COST_BOUNDS; bound++)
        set(bounds, cost_bound_key[bound], nanoseconds(cost.time.by[bound]));
    set(all, "machine", text(cost.machine->name));
    set(all, "nanoseconds", nanoseconds(cost.time.all));
    set(all, "bounds", bounds);
    set(all, "bottleneck", text(cost_bound_key[cost.time.bottleneck]));
    set(cured, "nanoseconds", without(&cost, cost.excess));
    set(cured, "arrays", groups_of(&cost, launch, &by_array));
    set(cured, "lines", groups_of(&cost, launch, &by_line));
    set(all, "without_excess", cured);
    set(object, "cost", all);
}
