#include "run/module.h"

#include <inttypes.h>
#include <string.h>

bool run_module_parse(struct run_module *module, const struct source *source,
                      struct diag_list *diags) {
    module->ptx = ptx_parse(source, diags);
    return module->ptx && !diags->errors;
}

bool run_module_load(struct run_module *module, struct sim *sim, struct diag_list *diags) {
    module->ir = ir_build(module->ptx, diags);
    module->sim = module->ir ? sim_module_load(sim, module->ir, NULL, diags) : NULL;
    return module->sim != NULL;
}

void run_module_free(struct run_module *module) {
    if (module->sim)
        sim_module_unload(module->sim, NULL);
    ir_free(module->ir);
    ptx_module_free(module->ptx);
    *module = (struct run_module){0};
}

// Whether the symbol is the C++ function `name`, whatever its parameters: _Z4scanPyi is scan.
static bool is_plain_name(const char *symbol, const char *name) {
    char prefix[32];
    int length = snprintf(prefix, sizeof prefix, "_Z%zu", strlen(name));
    return !strncmp(symbol, prefix, (size_t)length) &&
           !strncmp(symbol + length, name, strlen(name));
}

bool run_is_kernel(const struct ptx_function *function) {
    return function->is_entry && function->has_body;
}

const struct ptx_function *run_find_kernel(const struct ptx_module *ptx, const char *name,
                                           size_t *matches) {
    const struct ptx_function *found = NULL;
    *matches = 0;
    for (size_t i = 0; i < ptx->function_count; i++) {
        const struct ptx_function *function = &ptx->functions[i];
        if (!run_is_kernel(function))
            continue;
        if (!strcmp(function->name, name)) {
            *matches = 1;
            return function;
        }
        if (is_plain_name(function->name, name)) {
            found = function;
            ++*matches;
        }
    }
    return *matches == 1 ? found : NULL;
}

static void list_kernels(const struct ptx_module *ptx, struct strbuf *out) {
    enum { MOST = 8 };
    size_t count = 0;
    for (size_t i = 0; i < ptx->function_count; i++) {
        if (!run_is_kernel(&ptx->functions[i]))
            continue;
        if (count < MOST)
            strbuf_printf(out, "%s%s", count ? ", " : "", ptx->functions[i].name);
        count++;
    }
    if (count > MOST)
        strbuf_printf(out, " and %zu more", count - MOST);
    if (count == 0)
        strbuf_puts(out, "none");
}

void run_describe_missing(const struct ptx_module *ptx, const char *name, size_t matches,
                          struct strbuf *out) {
    if (matches)
        strbuf_printf(out,
                      "several kernels are called '%s'; name one by its symbol; there are: ", name);
    else
        strbuf_printf(out, "no kernel '%s' in the module; there are: ", name);
    list_kernels(ptx, out);
}

bool run_types_fit(enum ptx_type argument, enum ptx_type parameter) {
    const enum ptx_type_class a = ptx_type_class(argument), b = ptx_type_class(parameter);
    if (ptx_type_bytes(argument) != ptx_type_bytes(parameter))
        return false;
    if (a == PTX_CLASS_BITS || b == PTX_CLASS_BITS || argument == parameter)
        return true;
    return a != PTX_CLASS_FLOAT && b != PTX_CLASS_FLOAT;
}

void run_describe_parameter(const struct ptx_variable *parameter, struct strbuf *out) {
    if (parameter->is_array)
        strbuf_printf(out, "a structure of %" PRIu64 " bytes", parameter->bytes);
    else
        strbuf_puts(out, ptx_type_text(parameter->type));
}

void run_describe_parameters(const struct ptx_function *kernel, struct strbuf *out) {
    strbuf_printf(out, "kernel '%s' takes %zu argument%s (", kernel->name, kernel->parameter_count,
                  kernel->parameter_count == 1 ? "" : "s");
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        strbuf_puts(out, i ? ", " : "");
        run_describe_parameter(&kernel->parameters[i], out);
    }
    strbuf_puts(out, ")");
}

uint64_t run_parameter_offset(const struct ir_function *kernel, size_t index) {
    uint32_t i = 0;
    while (kernel->variables[i]->ptx != &kernel->ptx->parameters[index])
        i++;
    return kernel->variables[i]->offset;
}
