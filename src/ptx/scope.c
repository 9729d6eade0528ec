// Names: what is declared where, and which names are registers.
#include <assert.h>
#include <string.h>

#include "ptx/parser.h"

void ptx_scope_push(struct ptx_parser *parser) {
    vec_push(&parser->scopes, (struct ptx_scope){0});
}

void ptx_scope_pop(struct ptx_parser *parser) {
    assert(parser->scopes.length);
    struct ptx_scope *scope = &parser->scopes.data[--parser->scopes.length];
    map_free(&scope->names);
    map_free(&scope->families);
}

static struct ptx_scope *current(struct ptx_parser *parser) {
    assert(parser->scopes.length);
    return &parser->scopes.data[parser->scopes.length - 1];
}

static bool already_declared(struct ptx_parser *parser, const char *name, struct source_range range,
                             const struct ptx_name *first) {
    ptx_error(parser, range, "'%s' is declared twice", name);
    diag_add(parser->diags, DIAG_NOTE, parser->source, first->range, "it was declared here");
    return false;
}

static struct ptx_name *declare(struct ptx_parser *parser, struct map *map, const char *name,
                                struct ptx_name value) {
    struct ptx_name *kept = ARENA_NEW(parser->arena, struct ptx_name);
    *kept = value;
    map_put(map, name, strlen(name), kept);
    return kept;
}

bool ptx_declare_variable(struct ptx_parser *parser, const struct ptx_variable *variable) {
    if (strcmp(variable->name, "_") == 0)
        return true; // a parameter that a prototype does not name
    struct ptx_scope *scope = current(parser);
    struct map *map = variable->family ? &scope->families : &scope->names;
    struct ptx_name *first = map_get_string(map, variable->name);
    bool is_definition = !variable->is_extern;
    if (first && (parser->scopes.length > 1 || first->kind != PTX_NAME_VARIABLE ||
                  (first->is_definition && is_definition && !variable->is_common)))
        return already_declared(parser, variable->name, variable->range, first);
    if (first && !is_definition)
        return true;
    declare(parser, map, variable->name,
            (struct ptx_name){.kind = PTX_NAME_VARIABLE,
                              .range = variable->range,
                              .space = variable->space,
                              .family = variable->family,
                              .vector = variable->vector,
                              .is_definition = is_definition});
    return true;
}

bool ptx_declare_function(struct ptx_parser *parser, const struct ptx_function *function) {
    struct map *map = &parser->scopes.data[0].names;
    struct ptx_name *first = map_get_string(map, function->name);
    if (first && (first->kind != PTX_NAME_FUNCTION || (first->is_definition && function->has_body)))
        return already_declared(parser, function->name, function->range, first);
    if (first)
        first->is_definition |= function->has_body;
    else
        declare(parser, map, function->name,
                (struct ptx_name){.kind = PTX_NAME_FUNCTION,
                                  .range = function->range,
                                  .is_definition = function->has_body});
    return true;
}

bool ptx_declare_label(struct ptx_parser *parser, const char *name, struct source_range range) {
    struct map *map = &current(parser)->names;
    struct ptx_name *first = map_get_string(map, name);
    if (first)
        return already_declared(parser, name, range, first);
    declare(parser, map, name,
            (struct ptx_name){.kind = PTX_NAME_LABEL, .range = range, .is_definition = true});
    return true;
}

// `%r12` is number 12 of `%r<13>`, and number 2 of `%r1<3>`.
static unsigned family_elements(const struct map *families, const char *name, size_t length) {
    uint64_t number = 0, unit = 1;
    for (size_t stem = length; stem > 1 && name[stem - 1] >= '0' && name[stem - 1] <= '9';) {
        stem--;
        number += (uint64_t)(name[stem] - '0') * unit;
        unit *= 10;
        if (number >= PTX_MAX_FAMILY || unit > (uint64_t)PTX_MAX_FAMILY * 10)
            return 0;
        bool is_canonical = name[stem] != '0' || stem == length - 1;
        const struct ptx_name *family = is_canonical ? map_get(families, name, stem) : NULL;
        if (family && number < family->family)
            return family->vector;
    }
    return 0;
}

unsigned ptx_register_elements(const struct ptx_parser *parser, const char *name, size_t length) {
    for (size_t i = parser->scopes.length; i-- > 0;) {
        const struct ptx_scope *scope = &parser->scopes.data[i];
        const struct ptx_name *found = map_get(&scope->names, name, length);
        if (found) {
            bool is_register = found->kind == PTX_NAME_VARIABLE && found->space == PTX_SPACE_REG;
            return is_register ? found->vector : 0;
        }
        unsigned elements = family_elements(&scope->families, name, length);
        if (elements)
            return elements;
    }
    return 0;
}
