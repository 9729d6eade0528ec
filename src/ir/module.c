// Modules: variables and functions by name.
#include <stdatomic.h>
#include <string.h>

#include "ir/build.h"

static void add_variable(struct ir_module *module, const struct ptx_variable *ptx) {
    struct ir_variable *variable = &module->variables[module->variable_count++];
    variable->ptx = ptx;
    variable->name = ptx->name;
    variable->space = ptx->space;
    map_put(&module->variable_map, variable->name, strlen(variable->name), variable);
}

static void build_functions(struct ir_module *module, struct diag_list *diags) {
    const struct ptx_module *ptx = module->ptx;
    module->functions = ARENA_ARRAY(module->arena, struct ir_function *, ptx->function_count + 1);
    for (size_t i = 0; i < ptx->function_count; i++) {
        if (!ptx->functions[i].has_body)
            continue;
        struct ir_function *function = ir_build_function(module, &ptx->functions[i], diags);
        if (!function || !ir_validate(function, diags))
            continue;
        module->functions[module->function_count++] = function;
        map_put(&module->function_map, function->name, strlen(function->name), function);
    }
}

static atomic_uint_fast64_t built;

struct ir_module *ir_build(const struct ptx_module *ptx, struct diag_list *diags) {
    size_t errors = diags->errors;
    struct arena *arena = arena_create();
    struct ir_module *module = ARENA_NEW(arena, struct ir_module);
    module->arena = arena;
    module->ptx = ptx;
    module->serial = atomic_fetch_add(&built, 1) + 1;
    module->variables = ARENA_ARRAY(arena, struct ir_variable, ptx->variable_count + 1);
    for (size_t i = 0; i < ptx->variable_count; i++)
        add_variable(module, &ptx->variables[i]);
    build_functions(module, diags);
    if (diags->errors == errors)
        return module;
    ir_free(module);
    return NULL;
}

void ir_free(struct ir_module *module) {
    if (!module)
        return;
    map_free(&module->function_map);
    map_free(&module->variable_map);
    arena_destroy(module->arena);
}

struct ir_function *ir_find_function(const struct ir_module *module, const char *name) {
    return map_get_string(&module->function_map, name);
}

struct ir_variable *ir_find_variable(const struct ir_module *module, const char *name) {
    return map_get_string(&module->variable_map, name);
}
