// The launches of the page: those that something is said of.
#include <stdint.h>

#include "profile/json_make.h"
#include "report/html.h"

static json_t *worth_of(const struct view_worth *worth) {
    if (!worth->machine)
        return json_null();
    json_t *object = json_object();
    set(object, "machine", text(worth->machine));
    set(object, "bottleneck", text(worth->bottleneck));
    set(object, "gain", html_gain(worth->gain));
    set(object, "worth", json_boolean(worth->is_worth));
    return object;
}

static json_t *rules_of(const struct view_launch *launch) {
    json_t *object = json_object();
    for (int c = BANKRUN_MEASURED; c <= BANKRUN_UNKNOWN; c++)
        if (launch->rules[c])
            set(object, bankrun_certainty_text((enum bankrun_certainty)c), text(launch->rules[c]));
    return object;
}

static json_t *launch_of(struct html_data *data, const struct view_launch *alike) {
    const struct profile_launch *launch = alike->launch;
    json_t *object = json_object();
    set(object, "kernel", html_text(data, launch->kernel ? launch->kernel : launch->symbol));
    set(object, "arch", number(alike->arch));
    set(object, "first", number((uint64_t)launch->index + 1));
    set(object, "last", number((uint64_t)alike->last_index + 1));
    set(object, "count", number(alike->count));
    set(object, "grid", triple(launch->grid));
    set(object, "block", triple(launch->block));
    set(object, "shared_bytes", number(launch->shared_bytes));
    set(object, "shared", html_counts(&alike->sums[SITE_SHARED]));
    set(object, "global", html_counts(&alike->sums[SITE_GLOBAL]));
    set(object, "about", json_boolean(alike->is_about));
    set(object, "fault", text(launch->fault));
    set(object, "worth", worth_of(&alike->worth));
    set(object, "rules", rules_of(alike));
    return object;
}

// ---- Which ----------------------------------------------------------------------------------

// The first one of which most is to be had by removing its conflicts. 0: of none is that known.
static size_t most_worth(const struct report_view *view) {
    size_t best = 0;
    for (size_t i = 1; i < view->count; i++) {
        const struct view_worth *now = &view->launches[i].worth,
                                *most = &view->launches[best].worth;
        if (now->machine && (!most->machine || now->gain > most->gain))
            best = i;
    }
    return best;
}

static void choose(const struct html_data *data, bool *is_named) {
    enum { MOST_SHOWN = 100 }; // in the page's table of launches
    const size_t count = data->view->count;
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++)
        is_named[i] = true;
    if (count)
        is_named[most_worth(data->view)] = true;
    for (size_t i = 0; i < data->lines.length; i++) {
        const struct html_line *line = &data->lines.data[i];
        if (line->gain > 0)
            is_named[line->most_launch] = true;
        for (size_t a = 0; a < line->accesses.length; a++)
            is_named[line->accesses.data[a].launch] = true;
    }
}

json_t *html_launches(struct html_data *data) {
    const size_t count = data->view->count;
    bool *is_named = ARENA_ARRAY(data->builder.arena, bool, count + 1);
    json_t *array = json_array();
    data->launch_numbers = ARENA_ARRAY(data->builder.arena, size_t, count + 1);
    choose(data, is_named);
    for (size_t i = 0; i < count; i++) {
        data->launch_numbers[i] = is_named[i] ? json_array_size(array) : SIZE_MAX;
        if (is_named[i])
            append(array, launch_of(data, &data->view->launches[i]));
    }
    return array;
}
