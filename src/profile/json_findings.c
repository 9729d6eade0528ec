#include "profile/json_findings.h"

#include "profile/json_make.h"

static json_t *place_of(const struct profile_place *place) {
    json_t *object = json_object();
    set(object, "role", text(place->role));
    set(object, "file", text(place->file));
    set(object, "line", number(place->line));
    set(object, "column", number(place->column));
    set(object, "function", text(place->function));
    set(object, "instruction", text(place->instruction));
    if (place->has_thread) {
        set(object, "block", triple(place->block));
        set(object, "thread", triple(place->thread));
    }
    return object;
}

static json_t *finding_of(const struct profile_finding *finding) {
    json_t *object = json_object(), *places = json_array();
    set(object, "check", text(profile_check_text[finding->check]));
    set(object, "kind", text(finding->kind));
    set(object, "message", text(finding->message));
    set(object, "object", text(finding->object));
    set(object, "help", text(finding->help));
    set(object, "note", json_boolean(finding->is_note));
    set(object, "count", number(finding->count));
    if (finding->suppressed)
        set(object, "suppressed", text(finding->suppressed));
    for (size_t i = 0; i < finding->place_count; i++)
        append(places, place_of(&finding->places[i]));
    set(object, "places", places);
    return object;
}

void profile_write_findings(json_t *object, const struct profile_findings *findings) {
    if (!findings->count)
        return;
    json_t *array = json_array();
    for (size_t i = 0; i < findings->count; i++)
        append(array, finding_of(&findings->list[i]));
    set(object, "findings", array);
}

static void read_place(struct profile_reader *reader, const json_t *object,
                       struct profile_place *place) {
    place->role = profile_read_text(reader, object, "role", false);
    place->file = profile_read_text(reader, object, "file", true);
    place->line = (uint32_t)profile_read_number(reader, object, "line", UINT32_MAX);
    place->column = (uint32_t)profile_read_number(reader, object, "column", UINT32_MAX);
    place->function = profile_read_text(reader, object, "function", true);
    place->instruction = profile_read_text(reader, object, "instruction", true);
    place->has_thread = json_object_get(object, "thread") != NULL;
    if (!place->has_thread)
        return;
    profile_read_triple(reader, object, "block", place->block);
    profile_read_triple(reader, object, "thread", place->thread);
}

static void read_places(struct profile_reader *reader, const json_t *object,
                        struct profile_finding *finding) {
    const json_t *places = profile_read_array(reader, object, "places", 0);
    if (json_array_size(places) > PROFILE_PLACES)
        profile_fail(reader, "places: at most %d", PROFILE_PLACES);
    for (size_t i = 0; i < json_array_size(places) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "places[%zu]", i);
        finding->place_count++;
        read_place(reader, profile_read_element(reader, places, i), &finding->places[i]);
        profile_leave(reader, here);
    }
}

static void read_finding(struct profile_reader *reader, const json_t *object,
                         struct profile_finding *finding) {
    finding->check = (enum profile_check)profile_read_name(reader, object, "check",
                                                           profile_check_text, PROFILE_CHECKS);
    finding->kind = profile_read_text(reader, object, "kind", false);
    finding->message = profile_read_text(reader, object, "message", false);
    finding->object = profile_read_text(reader, object, "object", true);
    finding->help = profile_read_text(reader, object, "help", true);
    finding->is_note = profile_read_boolean(reader, object, "note");
    finding->count = profile_read_number(reader, object, "count", INT64_MAX);
    if (json_object_get(object, "suppressed"))
        finding->suppressed = profile_read_text(reader, object, "suppressed", false);
    read_places(reader, object, finding);
}

void profile_read_findings(struct profile_reader *reader, const json_t *object,
                           struct profile_findings *findings) {
    if (reader->failed || !json_object_get(object, "findings"))
        return;
    const json_t *array = profile_read_array(reader, object, "findings", 0);
    findings->list = base_alloc((json_array_size(array) + 1) * sizeof *findings->list);
    for (size_t i = 0; i < json_array_size(array) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "findings[%zu]", i);
        findings->count++;
        read_finding(reader, profile_read_element(reader, array, i), &findings->list[i]);
        profile_leave(reader, here);
    }
}
