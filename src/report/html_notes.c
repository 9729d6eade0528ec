// What the page says beside the counts: findings of checkers, and what went wrong.
#include "profile/json_make.h"
#include "report/html.h"

// ---- Findings --------------------------------------------------------------------------------

static json_t *place_of(struct html_data *data, const struct profile_place *place) {
    json_t *object = json_object();
    const size_t file = html_file_number(data, place->file, place->line);
    set(object, "file", file == SIZE_MAX ? json_null() : number(file));
    set(object, "line", number(place->line));
    set(object, "column", number(place->column));
    set(object, "role", html_text(data, place->role));
    set(object, "instruction", html_text(data, place->instruction));
    set(object, "function", html_text(data, place->function));
    if (place->has_thread) {
        set(object, "block", triple(place->block));
        set(object, "thread", triple(place->thread));
    }
    return object;
}

static void add_findings(struct html_data *data, json_t *array,
                         const struct view_findings *findings, json_t *launch) {
    for (size_t i = 0; i < findings->count; i++) {
        const struct profile_finding *finding = findings->data[i].finding;
        json_t *object = json_object(), *places = json_array();
        set(object, "launch", json_incref(launch));
        set(object, "check", text(profile_check_text[finding->check]));
        set(object, "kind", html_text(data, finding->kind));
        set(object, "message", html_text(data, finding->message));
        set(object, "object", html_text(data, finding->object));
        set(object, "help", html_text(data, finding->help));
        set(object, "note", json_boolean(finding->is_note));
        set(object, "suppressed", html_text(data, finding->suppressed));
        set(object, "count", number(finding->count));
        for (size_t p = 0; p < finding->place_count; p++)
            append(places, place_of(data, &finding->places[p]));
        set(object, "places", places);
        append(array, object);
    }
    json_decref(launch);
}

json_t *html_findings(struct html_data *data) {
    json_t *array = json_array();
    for (size_t i = 0; i < data->view->count; i++)
        add_findings(data, array, &data->view->launches[i].findings,
                     data->launch_numbers[i] == SIZE_MAX ? json_null()
                                                         : number(data->launch_numbers[i]));
    add_findings(data, array, &data->view->findings, json_null());
    return array;
}

// ---- What went wrong -------------------------------------------------------------------------

static void add_problem(struct html_data *data, json_t *array, const char *words, uint64_t count,
                        const char *file, uint32_t line) {
    json_t *object = json_object();
    const size_t number_of_file = html_file_number(data, file, line);
    set(object, "text", text(words));
    set(object, "count", number(count));
    set(object, "file", number_of_file == SIZE_MAX ? json_null() : number(number_of_file));
    set(object, "line", number(line));
    append(array, object);
}

static void add_faults(struct html_data *data, json_t *array, const struct profile_launch *launch) {
    struct strbuf words = {0};
    strbuf_printf(&words, "%s: %s", launch->kernel ? launch->kernel : launch->symbol,
                  launch->fault ? launch->fault : "");
    if (launch->fault && launch->fault_count == 0)
        add_problem(data, array, strbuf_string(&words), launch->repeats, NULL, 0);
    strbuf_free(&words);
    for (size_t i = 0; i < launch->fault_count; i++) {
        char *summary = profile_fault_summary(launch->kernel, &launch->faults[i]);
        add_problem(data, array, launch->faults[i].message ? launch->faults[i].message : summary,
                    launch->repeats, launch->faults[i].file, launch->faults[i].line);
        free(summary);
    }
    for (size_t i = 0; i < launch->passed_count; i++) {
        const struct profile_fault *first = &launch->passed[i].first;
        char *summary = profile_fault_summary(launch->kernel, first);
        add_problem(data, array, first->message ? first->message : summary, launch->passed[i].count,
                    first->file, first->line);
        free(summary);
    }
}

static void add_refused(struct html_data *data, json_t *array,
                        const struct profile_refused *refused) {
    struct strbuf words = {0};
    strbuf_printf(&words, "%s was refused", refused->kernel ? refused->kernel : refused->symbol);
    if (refused->error)
        strbuf_printf(&words, " with %s", refused->error);
    for (size_t i = 0; i < refused->limit_count; i++)
        strbuf_printf(&words, "%s%s", i ? "; " : ": ", refused->limits[i].text);
    add_problem(data, array, strbuf_string(&words), refused->repeats, NULL, 0);
    strbuf_free(&words);
}

json_t *html_problems(struct html_data *data) {
    const struct profile *profile = data->view->profile;
    json_t *array = json_array();
    for (size_t i = 0; i < profile->launch_count; i++)
        add_faults(data, array, &profile->launches[i]);
    for (size_t i = 0; i < profile->refused_count; i++)
        add_refused(data, array, &profile->refused[i]);
    for (size_t i = 0; i < profile->gap_count; i++) {
        struct strbuf words = {0};
        strbuf_printf(&words, "the profile is incomplete: %s", profile->gaps[i].text);
        add_problem(data, array, strbuf_string(&words), profile->gaps[i].count, NULL, 0);
        strbuf_free(&words);
    }
    return array;
}
