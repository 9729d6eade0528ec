// What a kernel may execute: itself and the functions that it may call.
#include <stdlib.h>

#include "ir/build.h"
#include "ptx/facts.h"

typedef VEC(const struct ir_function *) function_list;

static void add_function(function_list *list, const struct ir_function *function) {
    for (size_t i = 0; i < list->length; i++)
        if (list->data[i] == function)
            return;
    vec_push(list, function);
}

// What a function may call: by name, or any function of the module through a pointer.
static void add_callees(function_list *list, const struct ir_function *function,
                        const struct ir_call *call) {
    const struct ir_module *module = function->module;
    if (call->callee) {
        const struct ir_function *callee = ir_find_function(module, call->callee->name);
        if (callee)
            add_function(list, callee);
        return;
    }
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!module->functions[i]->ptx->is_entry)
            add_function(list, module->functions[i]);
}

static function_list reachable(const struct ir_function *kernel) {
    function_list list = {0};
    vec_push(&list, kernel);
    for (size_t f = 0; f < list.length; f++) {
        const struct ir_function *function = list.data[f];
        for (uint32_t i = 0; i < function->instruction_count; i++)
            if (function->instructions[i].call)
                add_callees(&list, function, function->instructions[i].call);
    }
    return list;
}

const struct ir_function **ir_reachable(const struct ir_function *kernel, uint32_t *count) {
    function_list list = reachable(kernel);
    *count = (uint32_t)list.length;
    return list.data;
}

struct ir_code ir_code_of(const struct ir_function *kernel) {
    struct ir_code code = {0};
    code.functions = ir_reachable(kernel, &code.count);
    return code;
}

void ir_code_free(struct ir_code *code) {
    free(code->functions);
    *code = (struct ir_code){0};
}

const struct ir_function *ir_code_function(const struct ir_code *code, uint32_t *number) {
    for (uint32_t f = 0; f < code->count; f++) {
        if (*number < code->functions[f]->instruction_count)
            return code->functions[f];
        *number -= code->functions[f]->instruction_count;
    }
    return NULL;
}

const struct ir_instruction *ir_code_instruction(const struct ir_code *code, uint32_t number) {
    const struct ir_function *function = ir_code_function(code, &number);
    return function ? &function->instructions[number] : NULL;
}

struct ir_kernel_site *ir_kernel_sites(const struct ir_function *kernel, uint32_t *count) {
    function_list functions = reachable(kernel);
    VEC(struct ir_kernel_site) sites = {0};
    for (size_t f = 0; f < functions.length; f++)
        for (uint32_t s = 0; s < functions.data[f]->site_count; s++) {
            struct ir_kernel_site site = {.function = functions.data[f],
                                          .site = &functions.data[f]->sites[s]};
            vec_push(&sites, site);
        }
    vec_free(&functions);
    *count = (uint32_t)sites.length;
    return sites.data;
}

bool ir_may_be_shared(const struct ir_function *function, const struct ir_site *site) {
    const struct ir_instruction *instruction = &function->instructions[site->instruction];
    return !PTX_HAS(instruction->ptx, space) ||
           ptx_modifier_of(instruction->ptx, PTX_GROUP_space) != PTX_MOD_global;
}

bool ir_may_touch_shared(const struct ir_function *kernel) {
    uint32_t count;
    bool any = false;
    struct ir_kernel_site *sites = ir_kernel_sites(kernel, &count);
    for (uint32_t s = 0; s < count && !any; s++)
        any = ir_may_be_shared(sites[s].function, sites[s].site);
    free(sites);
    return any;
}

const struct ptx_instruction *ir_first_refused(const struct ir_function *kernel) {
    function_list functions = reachable(kernel);
    const struct ptx_instruction *found = NULL;
    for (size_t f = 0; f < functions.length && !found; f++)
        for (uint32_t i = 0; i < functions.data[f]->instruction_count && !found; i++)
            if (ptx_is(functions.data[f]->instructions[i].ptx, PTX_FACT_REFUSED))
                found = functions.data[f]->instructions[i].ptx;
    vec_free(&functions);
    return found;
}
