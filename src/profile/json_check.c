// See json_check.h.
#include "profile/json_check.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"

void profile_fail(struct profile_reader *reader, const char *format, ...) {
    if (reader->failed)
        return;
    reader->failed = true;
    struct strbuf message = {0};
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *at = text[0] == ':' && reader->where.length == 0 ? text + 2 : text;
    bool is_of_member = reader->where.length > 0 && text[0] != ':';
    strbuf_printf(&message, "%s%s%s", strbuf_string(&reader->where), is_of_member ? "." : "", at);
    diag_error(reader->diags, "%s: %s", reader->file, strbuf_string(&message));
    strbuf_free(&message);
}

size_t profile_enter(struct profile_reader *reader, const char *format, ...) {
    size_t length = reader->where.length;
    char step[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(step, sizeof step, format, arguments);
    va_end(arguments);
    strbuf_printf(&reader->where, "%s%s", length > 0 ? "." : "", step);
    return length;
}

void profile_leave(struct profile_reader *reader, size_t length) {
    reader->where.length = length;
    reader->where.data[length] = '\0';
}

// NULL after an error.
static const json_t *member(struct profile_reader *reader, const json_t *object, const char *key) {
    if (reader->failed)
        return NULL;
    const json_t *value = json_object_get(object, key);
    if (!value)
        profile_fail(reader, "%s: is missing", key);
    return value;
}

uint64_t profile_check_number(struct profile_reader *reader, const char *key, const json_t *value,
                              uint64_t most) {
    if (reader->failed)
        return 0;
    json_int_t number = json_integer_value(value);
    if (json_is_integer(value) && number >= 0 && (uint64_t)number <= most)
        return (uint64_t)number;
    profile_fail(reader, "%s: expected a whole number from 0 to %llu", key,
                 (unsigned long long)most);
    return 0;
}

uint64_t profile_read_number(struct profile_reader *reader, const json_t *object, const char *key,
                             uint64_t most) {
    return profile_check_number(reader, key, member(reader, object, key), most);
}

bool profile_read_boolean(struct profile_reader *reader, const json_t *object, const char *key) {
    const json_t *value = member(reader, object, key);
    if (!json_is_boolean(value))
        profile_fail(reader, "%s: expected true or false", key);
    return json_is_true(value);
}

char *profile_read_text(struct profile_reader *reader, const json_t *object, const char *key,
                        bool may_be_null) {
    const json_t *value = member(reader, object, key);
    if (json_is_string(value))
        return base_strdup(json_string_value(value));
    if (!may_be_null || !json_is_null(value))
        profile_fail(reader, "%s: expected a string%s", key, may_be_null ? " or null" : "");
    return NULL;
}

int profile_read_name(struct profile_reader *reader, const json_t *object, const char *key,
                      const char *const *names, int count) {
    const char *text = json_string_value(member(reader, object, key));
    for (int i = 0; text && i < count; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    struct strbuf all = {0};
    for (int i = 0; i < count; i++)
        strbuf_printf(&all, "%s\"%s\"", i == 0 ? "" : ", ", names[i]);
    profile_fail(reader, "%s: expected one of %s", key, strbuf_string(&all));
    strbuf_free(&all);
    return 0;
}

const json_t *profile_read_object(struct profile_reader *reader, const json_t *object,
                                  const char *key) {
    const json_t *value = member(reader, object, key);
    if (json_is_object(value))
        return value;
    profile_fail(reader, "%s: expected an object", key);
    return NULL;
}

const json_t *profile_read_array(struct profile_reader *reader, const json_t *object,
                                 const char *key, size_t length) {
    const json_t *value = member(reader, object, key);
    if (json_is_array(value) && (length == 0 || json_array_size(value) == length))
        return value;
    if (length == 0)
        profile_fail(reader, "%s: expected an array", key);
    else
        profile_fail(reader, "%s: expected an array of %zu values", key, length);
    return NULL;
}

const json_t *profile_read_element(struct profile_reader *reader, const json_t *array,
                                   size_t index) {
    const json_t *value = json_array_get(array, index);
    if (json_is_object(value))
        return value;
    profile_fail(reader, ": expected an object");
    return NULL;
}

void profile_read_triple(struct profile_reader *reader, const json_t *object, const char *key,
                         uint32_t values[3]) {
    const json_t *array = profile_read_array(reader, object, key, 3);
    for (size_t i = 0; i < 3; i++)
        values[i] =
            (uint32_t)profile_check_number(reader, key, json_array_get(array, i), UINT32_MAX);
}
