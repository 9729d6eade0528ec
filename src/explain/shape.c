// What a declared array looks like.
#include <string.h>

#include "explain/internal.h"

bool explain_array_named(const struct explain *explain, const char *name,
                         struct explain_shape *shape) {
    for (size_t i = 0; i < explain->variables.length; i++) {
        const struct explain_variable *variable = &explain->variables.data[i];
        if (strcmp(variable->name, name) != 0)
            continue;
        const struct explain_type *type = variable->type;
        *shape = (struct explain_shape){.bytes = variable->is_unsized ? 0 : type->bytes};
        for (; type->kind == EXPLAIN_ARRAY && shape->dimensions < EXPLAIN_MOST_DIMENSIONS;
             type = type->element)
            shape->counts[shape->dimensions++] = type->count;
        shape->element_bytes = type->bytes;
        shape->type = type->name;
        return type->kind != EXPLAIN_ARRAY;
    }
    return false;
}
