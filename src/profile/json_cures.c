#include "profile/json_cures.h"

#include <stdlib.h>

#include "base/text.h"
#include "profile/json_make.h"

// ---- Written --------------------------------------------------------------------------------

json_t *profile_write_layout(const struct profile_layout *layout) {
    json_t *object = json_object();
    set(object, "kind", text(profile_layout_text[layout->kind]));
    if (layout->kind == PROFILE_PAD) {
        set(object, "by", text(layout->is_by_index ? "index" : "declaration"));
        set(object, "row", number(layout->row));
        set(object, "pad", number(layout->pad));
    } else {
        set(object, "bits", number(layout->bits));
        set(object, "base", number(layout->base));
        set(object, "shift", number(layout->shift));
    }
    set(object, "operations", number(layout->operations));
    set(object, "wavefronts", number(layout->wavefronts));
    set(object, "bytes", number(layout->bytes));
    return object;
}

static json_t *line_of(const struct profile_cure_line *line) {
    json_t *object = json_object();
    set(object, "file", text(line->file));
    set(object, "line", number(line->line));
    return object;
}

static json_t *cure_of(const struct profile_cure *cure) {
    json_t *object = json_object(), *layouts = json_array(), *lines = json_array();
    set(object, "array", text(cure->array));
    set(object, "dynamic", json_boolean(cure->is_dynamic));
    set(object, "part", json_boolean(cure->is_part));
    set(object, "offset", number(cure->offset));
    set(object, "bytes", number(cure->bytes));
    set(object, "element_bytes", number(cure->element_bytes));
    set(object, "requests", number(cure->requests));
    set(object, "wavefronts", number(cure->wavefronts));
    set(object, "ideal", number(cure->ideal));
    for (size_t i = 0; i < cure->layout_count; i++)
        append(layouts, profile_write_layout(&cure->layouts[i]));
    set(object, "layouts", layouts);
    set(object, "reason", text(profile_no_layout_text[cure->reason]));
    for (size_t i = 0; i < cure->line_count; i++)
        append(lines, line_of(&cure->lines[i]));
    set(object, "lines", lines);
    return object;
}

void profile_write_cures(json_t *object, const struct profile_launch *launch) {
    if (!launch->cure_count)
        return;
    json_t *cures = json_array();
    for (size_t i = 0; i < launch->cure_count; i++)
        append(cures, cure_of(&launch->cures[i]));
    set(object, "cures", cures);
}

// ---- Read -----------------------------------------------------------------------------------

static uint32_t read32(struct profile_reader *reader, const json_t *object, const char *key) {
    return (uint32_t)profile_read_number(reader, object, key, UINT32_MAX);
}

static void read_layout(struct profile_reader *reader, const json_t *object,
                        struct profile_layout *layout) {
    static const char *const by[] = {"declaration", "index"};
    layout->kind = (enum profile_layout_kind)profile_read_name(
        reader, object, "kind", profile_layout_text, PROFILE_LAYOUTS);
    if (layout->kind == PROFILE_PAD) {
        layout->is_by_index = profile_read_name(reader, object, "by", by, 2) == 1;
        layout->row = read32(reader, object, "row");
        layout->pad = read32(reader, object, "pad");
    } else {
        layout->bits = (uint32_t)profile_read_number(reader, object, "bits", 31);
        layout->base = (uint32_t)profile_read_number(reader, object, "base", 31);
        layout->shift = (uint32_t)profile_read_number(reader, object, "shift", 31);
    }
    layout->operations = read32(reader, object, "operations");
    layout->wavefronts = profile_read_number(reader, object, "wavefronts", INT64_MAX);
    layout->bytes = profile_read_number(reader, object, "bytes", INT64_MAX);
}

static void read_layouts(struct profile_reader *reader, const json_t *object,
                         struct profile_cure *cure) {
    const json_t *layouts = profile_read_array(reader, object, "layouts", 0);
    cure->layout_count = json_array_size(layouts);
    cure->layouts = base_alloc((cure->layout_count + 1) * sizeof *cure->layouts);
    for (size_t i = 0; i < cure->layout_count && !reader->failed; i++) {
        size_t here = profile_enter(reader, "layouts[%zu]", i);
        read_layout(reader, profile_read_element(reader, layouts, i), &cure->layouts[i]);
        profile_leave(reader, here);
    }
}

static void read_lines(struct profile_reader *reader, const json_t *object,
                       struct profile_cure *cure) {
    const json_t *lines = profile_read_array(reader, object, "lines", 0);
    cure->line_count = json_array_size(lines);
    cure->lines = base_alloc((cure->line_count + 1) * sizeof *cure->lines);
    for (size_t i = 0; i < cure->line_count && !reader->failed; i++) {
        size_t here = profile_enter(reader, "lines[%zu]", i);
        const json_t *line = profile_read_element(reader, lines, i);
        cure->lines[i].file = profile_read_text(reader, line, "file", true);
        cure->lines[i].line = read32(reader, line, "line");
        profile_leave(reader, here);
    }
}

static enum profile_no_layout read_reason(struct profile_reader *reader, const json_t *object) {
    char *reason = profile_read_text(reader, object, "reason", true);
    int found = 0;
    while (found < PROFILE_NO_LAYOUTS && !text_is_same(reason, profile_no_layout_text[found]))
        found++;
    if (found == PROFILE_NO_LAYOUTS) {
        profile_fail(reader, "reason: \"%s\" is none that is known", reason);
        found = 0;
    }
    free(reason);
    return (enum profile_no_layout)found;
}

static void read_cure(struct profile_reader *reader, const json_t *object,
                      struct profile_cure *cure) {
    cure->array = profile_read_text(reader, object, "array", false);
    cure->is_dynamic = profile_read_boolean(reader, object, "dynamic");
    cure->is_part = profile_read_boolean(reader, object, "part");
    cure->offset = profile_read_number(reader, object, "offset", INT64_MAX);
    cure->bytes = profile_read_number(reader, object, "bytes", INT64_MAX);
    cure->element_bytes = read32(reader, object, "element_bytes");
    cure->requests = profile_read_number(reader, object, "requests", INT64_MAX);
    cure->wavefronts = profile_read_number(reader, object, "wavefronts", INT64_MAX);
    cure->ideal = profile_read_number(reader, object, "ideal", INT64_MAX);
    read_layouts(reader, object, cure);
    cure->reason = read_reason(reader, object);
    read_lines(reader, object, cure);
    if (!reader->failed && !cure->reason != (cure->layout_count > 0))
        profile_fail(reader, "reason: is null where there are layouts, and only there");
}

void profile_read_cures(struct profile_reader *reader, const json_t *object,
                        struct profile_launch *launch) {
    if (reader->failed || !json_object_get(object, "cures"))
        return;
    const json_t *cures = profile_read_array(reader, object, "cures", 0);
    launch->cures = base_alloc((json_array_size(cures) + 1) * sizeof *launch->cures);
    for (size_t i = 0; i < json_array_size(cures) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "cures[%zu]", i);
        launch->cure_count++;
        read_cure(reader, profile_read_element(reader, cures, i), &launch->cures[i]);
        profile_leave(reader, here);
    }
}

// ---- Hints of a site ------------------------------------------------------------------------

static json_t *parameter_of(const struct profile_other *parameter) {
    json_t *object = json_object();
    set(object, "number", number(parameter->number));
    set(object, "byte", number(parameter->byte));
    set(object, "is", number(parameter->is));
    set(object, "free", number(parameter->free));
    return object;
}

static void read_parameter(struct profile_reader *reader, const json_t *found,
                           struct profile_other *parameter) {
    const json_t *object = profile_read_object(reader, found, "parameter");
    size_t here = profile_enter(reader, "parameter");
    parameter->number = read32(reader, object, "number");
    parameter->byte = read32(reader, object, "byte");
    parameter->is = profile_read_number(reader, object, "is", INT64_MAX);
    parameter->free = profile_read_number(reader, object, "free", INT64_MAX);
    profile_leave(reader, here);
}

static bool has_stride(int hint, const struct profile_hints *hints) {
    return hint == PROFILE_HINT_STRUCTURES || (hint == PROFILE_HINT_UNCOALESCED && hints->stride);
}

void profile_write_hints(json_t *object, const struct profile_hints *hints) {
    json_t *array = json_array();
    for (int hint = 0; hint < PROFILE_HINTS; hint++) {
        if (!hints->gains[hint])
            continue;
        json_t *found = json_object();
        set(found, "kind", text(profile_hint_text[hint]));
        set(found, "gain", number(hints->gains[hint]));
        set(found, "of", number(hints->excess));
        if (has_stride(hint, hints))
            set(found, "stride", number(hints->stride));
        if (hint == PROFILE_HINT_LAUNCH)
            set(found, "parameter", parameter_of(&hints->parameter));
        append(array, found);
    }
    if (json_array_size(array) > 0)
        set(object, "hints", array);
    else
        json_decref(array);
}

void profile_read_hints(struct profile_reader *reader, const json_t *object,
                        struct profile_hints *hints) {
    if (reader->failed || !json_object_get(object, "hints"))
        return;
    const json_t *array = profile_read_array(reader, object, "hints", 0);
    for (size_t i = 0; i < json_array_size(array) && !reader->failed; i++) {
        size_t here = profile_enter(reader, "hints[%zu]", i);
        const json_t *found = profile_read_element(reader, array, i);
        const int hint = profile_read_name(reader, found, "kind", profile_hint_text, PROFILE_HINTS);
        hints->excess = profile_read_number(reader, found, "of", INT64_MAX);
        hints->gains[hint] = profile_read_number(reader, found, "gain", hints->excess);
        const bool is_global = hint == PROFILE_HINT_UNCOALESCED;
        if (!reader->failed && (is_global ? json_object_get(found, "stride") != NULL
                                          : hint == PROFILE_HINT_STRUCTURES))
            hints->stride = read32(reader, found, "stride");
        if (!reader->failed && hint == PROFILE_HINT_LAUNCH)
            read_parameter(reader, found, &hints->parameter);
        profile_leave(reader, here);
    }
}
