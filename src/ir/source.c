// Where an instruction is in the source.
#include <string.h>

#include "ir/ir.h"

const struct ptx_location *ir_location(const struct ir_function *function, uint32_t index) {
    return index > 0 && index < function->location_count ? &function->locations[index] : NULL;
}

const char *ir_location_file(const struct ir_function *function, uint32_t number) {
    const struct ptx_module *ptx = function->module->ptx;
    for (size_t i = 0; number > 0 && i < ptx->file_count; i++)
        if (ptx->files[i].number == number)
            return ptx->files[i].path;
    return NULL;
}

const char *ir_location_function(const struct ir_function *function,
                                 const struct ptx_location *location) {
    const bool is_inlined = location && location->inlined_at && location->inlined_into;
    return is_inlined ? location->inlined_into : function->name;
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

const struct ptx_location *ir_program_location(const struct ir_function *function,
                                               const struct ptx_location *at) {
    const struct ptx_location *call = at;
    for (uint32_t depth = 0; call && depth < function->location_count; depth++) {
        if (!is_toolkit_file(ir_location_file(function, call->file)))
            return call;
        call = ir_location(function, call->inlined_at);
    }
    return at;
}

struct ir_source_place ir_source_place(const struct ir_function *function, uint32_t location) {
    const struct ptx_location *at = ir_program_location(function, ir_location(function, location));
    struct ir_source_place place = {.file = at ? ir_location_file(function, at->file) : NULL,
                                    .function = ir_location_function(function, at)};
    if (place.file) {
        place.line = at->line;
        place.column = at->column;
    }
    return place;
}

struct ir_source_place ir_instruction_place(const struct ir_function *function,
                                            uint32_t instruction) {
    const struct ir_instruction *ir = &function->instructions[instruction];
    const struct ptx_module *ptx = function->module->ptx;
    struct ir_source_place place = ir_source_place(function, ir->location);
    if (place.file || !ptx->text_file || !ir->ptx->line)
        return place;
    place.file = ptx->text_file;
    place.line = ir->ptx->line;
    return place;
}
