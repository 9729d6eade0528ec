// Modules: made from text, looked up, and freed.
#include "ptx/ptx.h"

#include <string.h>

#include "ptx/parser.h"

// An alias becomes a function of its own with the body of the other one.
static void resolve_aliases(struct ptx_parser *parser) {
    for (size_t i = 0; i < parser->aliases.length; i++) {
        const struct ptx_pending_alias *alias = &parser->aliases.data[i];
        struct ptx_function *declared = NULL;
        const struct ptx_function *target = NULL;
        for (size_t j = 0; j < parser->functions.length; j++) {
            struct ptx_function *function = &parser->functions.data[j];
            if (function->has_body && strcmp(function->name, alias->target) == 0)
                target = function;
            if (!function->has_body && strcmp(function->name, alias->alias) == 0)
                declared = function;
        }
        if (!declared || !target) {
            if (!declared)
                ptx_error(parser, alias->range, "'%s' is not declared", alias->alias);
            else
                ptx_error(parser, alias->range, "'%s' cannot stand for '%s': no such function",
                          alias->alias, alias->target);
            continue;
        }
        struct ptx_function copy = *target;
        copy.name = declared->name;
        copy.range = declared->range;
        copy.is_visible = declared->is_visible;
        copy.is_weak = declared->is_weak;
        *declared = copy;
    }
}

static void init_sregs(struct ptx_parser *parser) {
    for (uintptr_t sreg = PTX_SREG_NONE + 1; sreg < PTX_SREG_COUNT; sreg++) {
        const char *text = ptx_sreg_text((enum ptx_sreg)sreg);
        const char *dot = strchr(text, '.');
        map_put(&parser->sregs, text, strlen(text), (void *)sreg);
        if (dot)
            map_put(&parser->sreg_vectors, text, (size_t)(dot - text), (void *)sreg);
    }
}

#define KEEP(parser, list, count, vec)                                                             \
    do {                                                                                           \
        size_t size_ = (parser)->vec.length * sizeof *(parser)->vec.data;                          \
        (parser)->module->list = arena_alloc((parser)->arena, size_);                              \
        if (size_)                                                                                 \
            memcpy((parser)->module->list, (parser)->vec.data, size_);                             \
        (parser)->module->count = (parser)->vec.length;                                            \
        vec_free(&(parser)->vec);                                                                  \
    } while (0)

static void finish(struct ptx_parser *parser) {
    ptx_resolve_names(parser);
    resolve_aliases(parser);
    KEEP(parser, files, file_count, files);
    KEEP(parser, variables, variable_count, variables);
    KEEP(parser, functions, function_count, functions);
    while (parser->scopes.length)
        ptx_scope_pop(parser);
    vec_free(&parser->scopes);
    vec_free(&parser->pending_names);
    vec_free(&parser->aliases);
    vec_free(&parser->statements);
    vec_free(&parser->locations);
    vec_free(&parser->debug_strings);
    map_free(&parser->location_map);
    map_free(&parser->position_map);
    map_free(&parser->debug_labels);
    map_free(&parser->strings);
    map_free(&parser->sregs);
    map_free(&parser->sreg_vectors);
    ptx_isa_index_free(&parser->isa);
}

struct ptx_module *ptx_parse(const struct source *source, struct diag_list *diags) {
    struct arena *arena = arena_create();
    struct ptx_module *module = ARENA_NEW(arena, struct ptx_module);
    module->arena = arena;
    module->source = source;
    struct ptx_parser parser = {.source = source, .diags = diags, .module = module, .arena = arena};
    ptx_isa_index_init(&parser.isa, arena);
    init_sregs(&parser);
    ptx_scope_push(&parser);
    if (source->length > PTX_MAX_SOURCE_BYTES)
        ptx_error(&parser, (struct source_range){0, 0}, "this file is too large: more than %d MiB",
                  PTX_MAX_SOURCE_BYTES >> 20);
    else
        ptx_parse_text(&parser);
    finish(&parser);
    return module;
}

void ptx_module_free(struct ptx_module *module) {
    if (module)
        arena_destroy(module->arena); // the module itself lies in it
}

void ptx_own_lines(struct ptx_module *module, const char *file) {
    const char *text = module->source->text;
    size_t at = 0;
    uint32_t line = 1;
    module->text_file = file;
    for (size_t f = 0; f < module->function_count; f++) {
        for (size_t i = 0; i < module->functions[f].statement_count; i++) {
            const struct ptx_statement *statement = &module->functions[f].statements[i];
            if (statement->kind != PTX_STATEMENT_INSTRUCTION)
                continue;
            for (; at < statement->instruction->range.begin; at++)
                line += text[at] == '\n';
            statement->instruction->line = line;
        }
    }
}

const struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name) {
    const struct ptx_function *declared = NULL;
    for (size_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (strcmp(function->name, name) != 0)
            continue;
        if (function->has_body)
            return function;
        declared = function;
    }
    return declared;
}
