// Where a site is in the source: file, line, what it was inlined into.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "profile/recorder.h"

static const struct ptx_location *location_at(const struct ir_function *function, uint32_t index) {
    return index > 0 && index < function->location_count ? &function->locations[index] : NULL;
}

static const char *file_path(const struct ir_function *function, uint32_t number) {
    const struct ptx_module *ptx = function->module->ptx;
    for (size_t i = 0; number > 0 && i < ptx->file_count; i++)
        if (ptx->files[i].number == number)
            return ptx->files[i].path;
    return NULL;
}

static char *file_name(const struct ir_function *function, uint32_t number) {
    const char *path = file_path(function, number);
    return path ? base_strdup(path) : NULL;
}

// Headers that come with the CUDA toolkit, where it is usually installed.
static bool is_toolkit_file(const char *path) {
    static const char *const folders[] = {
        "/targets/x86_64-linux/include/",
        "/targets/sbsa-linux/include/",
        "/targets/aarch64-linux/include/",
        "/usr/local/cuda/include/",
        "/opt/cuda/include/",
        "/nvidia/cuda_runtime/include/",
        "/nvidia/cu13/include/",
        "/usr/lib/cuda/include/",
    };
    for (size_t i = 0; path && i < sizeof folders / sizeof *folders; i++)
        if (strstr(path, folders[i]))
            return true;
    return path &&
           (strncmp(path, "/usr/local/cuda-", 16) == 0 || strncmp(path, "/usr/include/", 13) == 0);
}

// atomicAdd() is a function of a toolkit header: the line to show is the one that calls it.
static const struct ptx_location *line_of_program(const struct ir_function *function,
                                                  const struct ptx_location *at) {
    const struct ptx_location *call = at;
    for (uint32_t depth = 0; call && depth < function->location_count; depth++) {
        if (!is_toolkit_file(file_path(function, call->file)))
            return call;
        call = location_at(function, call->inlined_at);
    }
    return at;
}

// The function whose source a location is in: the inlined one, or the compiled one itself.
static char *function_name(const struct ir_function *function,
                           const struct ptx_location *location) {
    bool is_inlined = location && location->inlined_at && location->inlined_into;
    return base_demangle(is_inlined ? location->inlined_into : function->name);
}

static void add_frame(const struct ir_function *function, const struct ptx_location *call,
                      struct profile_site *site) {
    uint32_t n = site->inlined_count++;
    site->inlined_at = base_realloc(site->inlined_at, (n + 1) * sizeof *site->inlined_at);
    site->inlined_at[n] = (struct profile_frame){.file = file_name(function, call->file),
                                                 .line = call->line,
                                                 .function = function_name(function, call)};
}

void profile_describe_site(const struct recorded_site *recorded, const struct ir_variable *array,
                           struct profile_site *site) {
    const struct ir_function *function = recorded->function;
    const struct ptx_location *at =
        line_of_program(function, location_at(function, recorded->site->location));
    site->instruction = base_strdup(recorded->site->text);
    site->function = function_name(function, at);
    site->array = array ? profile_array_name(array->name) : NULL;
    if (!at)
        return;
    site->file = file_name(function, at->file);
    site->line = at->line;
    site->column = at->column;
    // Chains are as deep as the inlining; a table that points in a circle ends at its own size.
    uint32_t most = function->location_count;
    for (at = location_at(function, at->inlined_at); at && site->inlined_count < most;
         at = location_at(function, at->inlined_at))
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
    free(site->why);
}
