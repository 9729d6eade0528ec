// What a launch gives its kernel, held against what the kernel takes.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "run/api/api.h"

// By bankrun_argument_kind, but for bytes.
static const struct {
    enum ptx_type type;
    const char *text;
} kinds[] = {
    [BANKRUN_ARGUMENT_MEMORY] = {PTX_U64, "memory"}, [BANKRUN_ARGUMENT_S32] = {PTX_S32, "s32"},
    [BANKRUN_ARGUMENT_U32] = {PTX_U32, "u32"},       [BANKRUN_ARGUMENT_S64] = {PTX_S64, "s64"},
    [BANKRUN_ARGUMENT_U64] = {PTX_U64, "u64"},       [BANKRUN_ARGUMENT_F32] = {PTX_F32, "f32"},
    [BANKRUN_ARGUMENT_F64] = {PTX_F64, "f64"},
};

static bool is_scalar(const struct bankrun_argument *argument) {
    return (size_t)argument->kind < sizeof kinds / sizeof *kinds;
}

static bool fits(const struct bankrun_argument *argument, const struct ptx_variable *parameter) {
    if (argument->kind == BANKRUN_ARGUMENT_BYTES)
        return argument->value.bytes.count == parameter->bytes;
    return is_scalar(argument) && !parameter->is_array &&
           run_types_fit(kinds[argument->kind].type, parameter->type);
}

static void describe(const struct bankrun_argument *argument, struct strbuf *out) {
    if (is_scalar(argument))
        strbuf_puts(out, kinds[argument->kind].text);
    else if (argument->kind == BANKRUN_ARGUMENT_BYTES)
        strbuf_printf(out, "%zu bytes", argument->value.bytes.count);
    else
        strbuf_puts(out, "of no known kind");
}

// False: the text says what does not fit.
static bool check(const struct ptx_function *kernel, const struct bankrun_launch *launch,
                  struct strbuf *text) {
    if (launch->argument_count != kernel->parameter_count) {
        run_describe_parameters(kernel, text);
        strbuf_printf(text, ", %zu given", launch->argument_count);
        return false;
    }
    for (size_t i = 0; i < launch->argument_count; i++) {
        if (fits(&launch->arguments[i], &kernel->parameters[i]))
            continue;
        strbuf_printf(text, "%sargument %zu is ", text->length ? "\n" : "", i + 1);
        describe(&launch->arguments[i], text);
        strbuf_printf(text, ", but parameter %s of kernel '%s' is ", kernel->parameters[i].name,
                      kernel->name);
        run_describe_parameter(&kernel->parameters[i], text);
    }
    return text->length == 0;
}

uint8_t *api_pack_arguments(const struct ir_function *kernel, const struct bankrun_launch *launch,
                            char **message) {
    const struct ptx_function *ptx = kernel->ptx;
    struct strbuf text = {0};
    if (!check(ptx, launch, &text)) {
        api_fail_text(message, BANKRUN_BAD_ARGUMENTS, &text);
        return NULL;
    }
    uint8_t *block = base_alloc(kernel->parameter_bytes + 8);
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct bankrun_argument *argument = &launch->arguments[i];
        const void *data = argument->kind == BANKRUN_ARGUMENT_BYTES ? argument->value.bytes.data
                                                                    : &argument->value;
        memcpy(block + run_parameter_offset(kernel, i), data, ptx->parameters[i].bytes);
    }
    return block;
}
