// A module as PTX.
#include "ptx/print.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

// Names of inlined functions go to .debug_str at the end; `.loc` refers to them by label.
struct printer {
    struct strbuf *out;
    struct map numbers; // name -> number of its label + 1
    VEC(const char *) names;
};

static size_t name_number(struct printer *printer, const char *name) {
    uintptr_t known = (uintptr_t)map_get_string(&printer->numbers, name);
    if (known)
        return known - 1;
    vec_push(&printer->names, name);
    map_put(&printer->numbers, name, strlen(name), (void *)(uintptr_t)printer->names.length);
    return printer->names.length - 1;
}

// The call comes before what was inlined there, so that `inlined_at` finds it.
static void print_location(struct printer *printer, const struct ptx_function *function,
                           uint32_t index) {
    const struct ptx_location *locations = function->locations;
    VEC(uint32_t) chain = {0};
    for (; index; index = locations[index].inlined_at)
        vec_push(&chain, index);
    while (chain.length) {
        const struct ptx_location *location = &locations[chain.data[--chain.length]];
        const struct ptx_location *call = &locations[location->inlined_at];
        strbuf_printf(printer->out, "\t.loc %" PRIu32 " %" PRIu32 " %" PRIu32, location->file,
                      location->line, location->column);
        if (location->inlined_into)
            strbuf_printf(
                printer->out,
                ", function_name $L__info_string%zu, inlined_at %" PRIu32 " %" PRIu32 " %" PRIu32,
                name_number(printer, location->inlined_into), call->file, call->line, call->column);
        strbuf_puts(printer->out, "\n");
    }
    vec_free(&chain);
}

static void print_parameters(const struct ptx_variable *list, size_t count, struct strbuf *out) {
    strbuf_puts(out, "(");
    for (size_t i = 0; i < count; i++) {
        if (i)
            strbuf_puts(out, ", ");
        ptx_print_variable(&list[i], out);
    }
    strbuf_puts(out, ")");
}

static void print_sizes(const char *directive, const uint32_t sizes[3], struct strbuf *out) {
    if (sizes[0])
        strbuf_printf(out, "\n%s %" PRIu32 ", %" PRIu32 ", %" PRIu32, directive, sizes[0], sizes[1],
                      sizes[2]);
}

static void print_prototype(const struct ptx_function *function, struct strbuf *out) {
    if (function->return_count) {
        print_parameters(function->returns, function->return_count, out);
        strbuf_puts(out, " ");
    }
    strbuf_puts(out, function->name);
    print_parameters(function->parameters, function->parameter_count, out);
    if (function->is_noreturn)
        strbuf_puts(out, " .noreturn");
}

static void print_targets(const struct ptx_statement *statement, struct strbuf *out) {
    bool is_call = statement->kind == PTX_STATEMENT_CALL_TARGETS;
    strbuf_printf(out, "%s: %s ", statement->name, is_call ? ".calltargets" : ".branchtargets");
    for (size_t i = 0; i < statement->operand_count; i++)
        strbuf_printf(out, "%s%s", i ? ", " : "", statement->operands[i].name);
    strbuf_puts(out, ";\n");
}

static void print_statement(const struct ptx_statement *statement, struct strbuf *out) {
    switch (statement->kind) {
    case PTX_STATEMENT_INSTRUCTION:
        if (statement->instruction->used_bytes)
            strbuf_printf(out, "\t.pragma \"used_bytes_mask %" PRIu32 "\";\n",
                          statement->instruction->used_bytes);
        strbuf_puts(out, "\t");
        ptx_print_instruction(statement->instruction, out);
        strbuf_puts(out, ";\n");
        break;
    case PTX_STATEMENT_LABEL:
        strbuf_printf(out, "%s:\n", statement->name);
        break;
    case PTX_STATEMENT_VARIABLE:
        strbuf_puts(out, "\t");
        ptx_print_variable(statement->variable, out);
        strbuf_puts(out, ";\n");
        break;
    case PTX_STATEMENT_BLOCK_BEGIN:
        strbuf_puts(out, "\t{\n");
        break;
    case PTX_STATEMENT_BLOCK_END:
        strbuf_puts(out, "\t}\n");
        break;
    case PTX_STATEMENT_BRANCH_TARGETS:
    case PTX_STATEMENT_CALL_TARGETS:
        print_targets(statement, out);
        break;
    case PTX_STATEMENT_CALL_PROTOTYPE:
        strbuf_printf(out, "%s: .callprototype ", statement->name);
        print_prototype(statement->function, out);
        strbuf_puts(out, ";\n");
        break;
    }
}

static void print_function(struct printer *printer, const struct ptx_function *function) {
    struct strbuf *out = printer->out;
    if (function->is_extern)
        strbuf_puts(out, ".extern ");
    if (function->is_visible)
        strbuf_puts(out, ".visible ");
    if (function->is_weak)
        strbuf_puts(out, ".weak ");
    strbuf_puts(out, function->is_entry ? ".entry " : ".func ");
    print_prototype(function, out);
    print_sizes(".maxntid", function->max_threads, out);
    print_sizes(".reqntid", function->required_threads, out);
    if (function->needs_cluster)
        strbuf_puts(out, "\n.explicitcluster");
    print_sizes(".reqnctapercluster", function->required_cluster, out);
    if (function->max_cluster_blocks)
        strbuf_printf(out, "\n.maxclusterrank %" PRIu32, function->max_cluster_blocks);
    if (function->min_blocks)
        strbuf_printf(out, "\n.minnctapersm %" PRIu32, function->min_blocks);
    if (function->max_registers)
        strbuf_printf(out, "\n.maxnreg %" PRIu32, function->max_registers);
    if (!function->has_body) {
        strbuf_puts(out, ";\n");
        return;
    }
    strbuf_puts(out, "\n{\n");
    uint32_t location = 0;
    for (size_t i = 0; i < function->statement_count; i++) {
        const struct ptx_statement *statement = &function->statements[i];
        bool is_instruction = statement->kind == PTX_STATEMENT_INSTRUCTION;
        if (is_instruction && statement->instruction->location != location) {
            location = statement->instruction->location;
            print_location(printer, function, location);
        }
        print_statement(statement, out);
    }
    strbuf_puts(out, "}\n");
}

static void print_names(struct printer *printer) {
    if (!printer->names.length)
        return;
    strbuf_puts(printer->out, "\t.section .debug_str\n\t{\n");
    for (size_t i = 0; i < printer->names.length; i++) {
        strbuf_printf(printer->out, "$L__info_string%zu:\n.b8 ", i);
        for (const char *byte = printer->names.data[i]; *byte; byte++)
            strbuf_printf(printer->out, "%d,", (unsigned char)*byte);
        strbuf_puts(printer->out, "0\n");
    }
    strbuf_puts(printer->out, "\t}\n");
}

// As parse_debug.c reads it.
static void print_path(struct strbuf *out, const char *path) {
    for (; *path; path++) {
        const unsigned char byte = (unsigned char)*path;
        if (byte == '"' || byte == '\\')
            strbuf_printf(out, "\\%c", byte);
        else if (byte < ' ' || byte > '~')
            strbuf_printf(out, "\\%03o", byte);
        else
            strbuf_append(out, path, 1);
    }
}

void ptx_print(const struct ptx_module *module, struct strbuf *out) {
    struct printer printer = {.out = out};
    strbuf_printf(out, ".version %u.%u\n.target sm_%u", module->version_major,
                  module->version_minor, module->target);
    if (module->target_suffix)
        strbuf_printf(out, "%c", module->target_suffix);
    if (module->is_debug)
        strbuf_puts(out, ", debug");
    strbuf_printf(out, "\n.address_size %u\n\n", module->address_size);
    for (size_t i = 0; i < module->file_count; i++) {
        strbuf_printf(out, ".file %" PRIu32 " \"", module->files[i].number);
        print_path(out, module->files[i].path);
        strbuf_puts(out, "\"\n");
    }
    for (size_t i = 0; i < module->variable_count; i++) {
        ptx_print_variable(&module->variables[i], out);
        strbuf_puts(out, ";\n");
    }
    for (size_t i = 0; i < module->function_count; i++) {
        strbuf_puts(out, "\n");
        print_function(&printer, &module->functions[i]);
    }
    print_names(&printer);
    vec_free(&printer.names);
    map_free(&printer.numbers);
}
