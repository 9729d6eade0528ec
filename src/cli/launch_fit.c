// Holds a launch specification against the kernels of a module.
#include "cli/launch_spec.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "run/module.h"

const struct ptx_function *launch_spec_kernel(const struct launch_spec *spec,
                                              const struct source *source,
                                              const struct ptx_module *module,
                                              struct diag_list *diags) {
    size_t matches;
    const struct ptx_function *found = run_find_kernel(module, spec->kernel, &matches);
    if (found)
        return found;
    struct strbuf why = {0};
    run_describe_missing(module, spec->kernel, matches, &why);
    diag_add(diags, DIAG_ERROR, source, spec->kernel_range, "%s", strbuf_string(&why));
    strbuf_free(&why);
    return NULL;
}

static void describe_argument(const struct launch_argument *argument, struct strbuf *out) {
    strbuf_puts(out, argument->type ? ptx_type_text(argument->type) : "a number");
    if (argument->is_buffer && argument->has_count)
        strbuf_printf(out, "[%" PRIu64 "]", argument->count);
    else if (argument->is_buffer)
        strbuf_puts(out, "[]");
}

// The type that a bare number for this parameter is read as. nvcc writes `int` as .u32, and a
// negative number must do there: integers are read as bits.
static enum ptx_type bare_type(enum ptx_type parameter) {
    switch (ptx_type_class(parameter)) {
    case PTX_CLASS_UNSIGNED:
    case PTX_CLASS_SIGNED:
    case PTX_CLASS_BITS:
        switch (ptx_type_bytes(parameter)) {
        case 1:
            return PTX_B8;
        case 2:
            return PTX_B16;
        case 4:
            return PTX_B32;
        case 8:
            return PTX_B64;
        default:
            return PTX_NO_TYPE;
        }
    case PTX_CLASS_FLOAT:
        return parameter;
    default:
        return PTX_NO_TYPE;
    }
}

static bool fit_bare(struct launch_argument *argument, const struct source *source,
                     const struct ptx_variable *parameter, struct arena *arena,
                     struct diag_list *diags) {
    const char *text = source->text + argument->value_range.begin, *why = NULL;
    size_t length = argument->value_range.end - argument->value_range.begin;
    enum ptx_type type = parameter->is_array ? PTX_NO_TYPE : bare_type(parameter->type);
    if (!type)
        return false;
    argument->values = ARENA_NEW(arena, uint64_t);
    argument->value_count = 1;
    if (!launch_number(text, length, type, argument->values, &why)) {
        diag_add(diags, DIAG_ERROR, source, argument->value_range, "'%.*s' %s (parameter %s is %s)",
                 (int)length, text, why, parameter->name, ptx_type_text(parameter->type));
        return true;
    }
    argument->type = type;
    return true;
}

// A struct that holds a pointer and nothing else, as far as its size and alignment tell.
static bool may_be_pointer(const struct ptx_variable *parameter) {
    return parameter->bytes == sizeof(uint64_t) && parameter->align == sizeof(uint64_t);
}

static bool fit_one(struct launch_argument *argument, const struct source *source,
                    const struct ptx_variable *parameter, struct arena *arena,
                    struct diag_list *diags) {
    if (argument->type == PTX_NO_TYPE)
        return fit_bare(argument, source, parameter, arena, diags);
    if (!argument->is_buffer)
        return !parameter->is_array && run_types_fit(argument->type, parameter->type);
    if (!parameter->is_array)
        return ptx_type_bytes(parameter->type) == 8 &&
               ptx_type_class(parameter->type) != PTX_CLASS_FLOAT;
    const bool is_any_file = !argument->has_count && argument->init == LAUNCH_FILE;
    argument->is_by_value = // a file's size is checked when it is read
        is_any_file || argument->count * ptx_type_bytes(argument->type) == parameter->bytes;
    return argument->is_by_value || may_be_pointer(parameter);
}

bool launch_spec_fit(struct launch_spec *spec, const struct source *source,
                     const struct ptx_function *kernel, struct arena *arena,
                     struct diag_list *diags) {
    size_t errors = diags->errors;
    if (spec->argument_count != kernel->parameter_count) {
        struct strbuf types = {0};
        run_describe_parameters(kernel, &types);
        diag_add(diags, DIAG_ERROR, source, spec->arguments_range, "%s, %zu given",
                 strbuf_string(&types), spec->argument_count);
        strbuf_free(&types);
        return false;
    }
    for (size_t i = 0; i < spec->argument_count; i++) {
        if (fit_one(&spec->arguments[i], source, &kernel->parameters[i], arena, diags))
            continue;
        struct strbuf is = {0}, wants = {0};
        describe_argument(&spec->arguments[i], &is);
        run_describe_parameter(&kernel->parameters[i], &wants);
        diag_add(diags, DIAG_ERROR, source, spec->arguments[i].range,
                 "argument %zu is %s, but parameter %s of kernel '%s' is %s", i + 1,
                 strbuf_string(&is), kernel->parameters[i].name, kernel->name,
                 strbuf_string(&wants));
        strbuf_free(&is);
        strbuf_free(&wants);
    }
    return diags->errors == errors;
}
