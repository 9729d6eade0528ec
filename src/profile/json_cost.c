#include "profile/json_cost.h"

#include <math.h>
#include <string.h>

#include "profile/cost.h"
#include "profile/json_make.h"

static bool is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same_line(const struct profile_site *a, const struct profile_site *b) {
    return a->line == b->line && is_same_text(a->file, b->file);
}

static bool is_same_array(const struct profile_site *a, const struct profile_site *b) {
    return is_same_text(a->array, b->array);
}

static uint64_t excess_of(const struct profile_site *site) {
    return site->space == SITE_SHARED ? site->counts.units - site->counts.ideal : 0;
}

static json_t *nanoseconds(double time) {
    return number((uint64_t)llround(time));
}

static json_t *without(const struct profile_cost *cost, uint64_t excess) {
    return nanoseconds(cost_time_without(cost->machine, &cost->counts, (double)excess).all);
}

// The excess of all sites that are like this one, if it is the first of those that have any; else
// 0.
static uint64_t excess_of_all(const struct profile_launch *launch, size_t first,
                              bool (*is_same)(const struct profile_site *,
                                              const struct profile_site *)) {
    uint64_t sum = 0;
    if (excess_of(&launch->sites[first]) == 0)
        return 0;
    for (size_t i = 0; i < launch->site_count; i++) {
        const struct profile_site *site = &launch->sites[i];
        if (excess_of(site) == 0 || !is_same(site, &launch->sites[first]))
            continue;
        if (i < first)
            return 0;
        sum += excess_of(site);
    }
    return sum;
}

static json_t *arrays_of(const struct profile_cost *cost, const struct profile_launch *launch) {
    json_t *arrays = json_array();
    for (size_t i = 0; i < launch->site_count; i++) {
        const uint64_t excess = excess_of_all(launch, i, is_same_array);
        if (excess == 0)
            continue;
        json_t *object = json_object();
        set(object, "array", text(launch->sites[i].array));
        set(object, "nanoseconds", without(cost, excess));
        append(arrays, object);
    }
    return arrays;
}

static json_t *lines_of(const struct profile_cost *cost, const struct profile_launch *launch) {
    json_t *lines = json_array();
    for (size_t i = 0; i < launch->site_count; i++) {
        const uint64_t excess = excess_of_all(launch, i, is_same_line);
        if (excess == 0)
            continue;
        json_t *object = json_object();
        set(object, "file", text(launch->sites[i].file));
        set(object, "line", number(launch->sites[i].line));
        set(object, "nanoseconds", without(cost, excess));
        append(lines, object);
    }
    return lines;
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
    set(cured, "arrays", arrays_of(&cost, launch));
    set(cured, "lines", lines_of(&cost, launch));
    set(all, "without_excess", cured);
    set(object, "cost", all);
}
