// Where a site is in the source: file, line, what it was inlined into.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/strbuf.h"
#include "ir/ir.h"
#include "profile/recorder.h"

static char *file_name(const struct ir_function *function, uint32_t number) {
    const char *path = ir_location_file(function, number);
    return base_strdup(path);
}

static char *function_name(const struct ir_function *function,
                           const struct ptx_location *location) {
    return base_demangle(ir_location_function(function, location));
}

static void add_frame(const struct ir_function *function, const struct ptx_location *call,
                      struct profile_site *site) {
    uint32_t n = site->inlined_count++;
    site->inlined_at = base_realloc(site->inlined_at, (n + 1) * sizeof *site->inlined_at);
    site->inlined_at[n] = (struct profile_frame){.file = file_name(function, call->file),
                                                 .line = call->line,
                                                 .function = function_name(function, call)};
}

// The PTX's own, where it names no file.
static void describe_own_line(const struct recorded_site *recorded, struct profile_site *site) {
    const uint32_t instruction = recorded->site->instruction;
    if (instruction >= recorded->function->instruction_count)
        return; // no function of a module
    const struct ir_source_place place = ir_instruction_place(recorded->function, instruction);
    site->file = base_strdup(place.file);
    site->line = place.line;
}

void profile_describe_site(const struct recorded_site *recorded, const struct ir_variable *array,
                           struct profile_site *site) {
    const struct ir_function *function = recorded->function;
    const struct ptx_location *at =
        ir_program_location(function, ir_location(function, recorded->site->location));
    struct strbuf instruction = {0};
    strbuf_puts(&instruction, recorded->site->text);
    if (recorded->is_wider)
        strbuf_printf(&instruction, " as %u bits", 8 * recorded->site->width);
    site->instruction = strbuf_take(&instruction);
    site->function = function_name(function, at);
    site->array = array ? profile_array_name(array->name) : NULL;
    if (!at) {
        describe_own_line(recorded, site);
        return;
    }
    site->file = file_name(function, at->file);
    site->line = at->line;
    site->column = at->column;
    // Chains are as deep as the inlining; a table that points in a circle ends at its own size.
    uint32_t most = function->location_count;
    for (at = ir_location(function, at->inlined_at); at && site->inlined_count < most;
         at = ir_location(function, at->inlined_at))
        add_frame(function, at, site);
}

void profile_free_site(struct profile_site *site) {
    for (uint32_t i = 0; i < site->inlined_count; i++) {
        free(site->inlined_at[i].file);
        free(site->inlined_at[i].function);
    }
    free(site->inlined_at);
    free(site->file);
    free(site->function);
    free(site->instruction);
    free(site->array);
    free(site->verdict);
    free(site->proof);
    free(site->bounds);
    free(site->why);
    free(site->help);
    free(site->suppressed);
}
