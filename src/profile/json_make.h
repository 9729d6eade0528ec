// Values of the saved form, and of what the command line answers as JSON.
#ifndef BANKRUN_PROFILE_JSON_MAKE_H
#define BANKRUN_PROFILE_JSON_MAKE_H

#include <jansson.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/utf8.h"

// The text of a value, which is taken over: jansson's flags. Caller frees.
char *profile_dump_json(json_t *value, size_t flags);
// The same behind `out`, with the end of a line.
void profile_put_json(struct strbuf *out, json_t *value, size_t flags);

// JSON holds Unicode only: bytes of a path or argument that are none become U+FFFD.
static inline json_t *text(const char *bytes) {
    if (!bytes)
        return json_null();
    struct strbuf clean = {0};
    utf8_repair(&clean, bytes);
    json_t *value = json_string(strbuf_string(&clean));
    strbuf_free(&clean);
    return value;
}

static inline json_t *number(uint64_t value) {
    return json_integer((json_int_t)value);
}

// Jansson goes on without what it has no memory for.
static inline void set(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0)
        base_out_of_memory(0);
}

static inline void append(json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0)
        base_out_of_memory(0);
}

static inline json_t *triple(const uint32_t values[3]) {
    json_t *array = json_array();
    for (int i = 0; i < 3; i++)
        append(array, number(values[i]));
    return array;
}

#endif
