#include "cuda/module/module.h"
#include "cuda/module/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cuda/checks/check.h"
#include "cuda/core/error.h"
#include "cuda/core/gap.h"
#include "cuda/core/hand_over.h"
#include "cuda/core/state.h"
#include "cuda/module/image.h"
#include "profile/as.h"
#include "run/module.h"
#include "toolchain/device_runtime.h"
#include "toolchain/disassemble.h"
#include "toolchain/sources.h"

// The program cannot have the module; `diags`: why, where that is known.
static void note_unloaded(struct cuda_state *state, const struct diag_list *diags,
                          enum cuda_error error) {
    const char *why = cuda_error_text(error);
    for (size_t i = diags->count; i-- > 0;)
        if (diags->items[i].severity == DIAG_ERROR)
            why = diags->items[i].message; // the first
    cuda_gap(state, PROFILE_GAP_MODULE, "a module of the program was not loaded: %s", why);
}

// PTX that the program made while it runs, and that names no source, is the source that there is.
static void keep_text(struct cuda_code *code) {
    enum { MOST = 80 };
    const struct ptx_module *ptx = code->ptx;
    struct strbuf name = {0};
    if (ptx->file_count)
        return;
    for (size_t i = 0; i < ptx->function_count && !name.length; i++)
        if (ptx->functions[i].is_entry)
            strbuf_printf(&name, "%.*s.ptx", MOST, ptx->functions[i].name);
    if (name.length)
        code->text_file = toolchain_keep_text(name.data, code->text);
    strbuf_free(&name);
    if (code->text_file)
        ptx_own_lines(code->ptx, code->text_file);
}

// Parses the module's PTX. Its diagnostics are said once; later calls return the same error.
static enum cuda_error read_module(struct cuda_state *state, struct cuda_module *module) {
    struct diag_list diags = {0};
    struct cuda_code *code = &module->code;
    const bool is_from_memory = code->text != NULL;
    module->was_read = true;
    if (!code->text)
        code->text = cuda_image_ptx(module->wrapper, state->config.arch, state->config.is_quiet,
                                    &module->error);
    if (!code->text) {
        note_unloaded(state, &diags, module->error);
        return module->error;
    }
    code->text = toolchain_add_device_runtime(code->text);
    code->source = (struct source){"<embedded PTX>", code->text, strlen(code->text)};
    code->ptx = ptx_parse(&code->source, &diags);
    if (!diags.errors)
        code->ir = ir_build(code->ptx, &diags);
    if (diags.errors || !code->ir)
        module->error = cudaErrorInvalidPtx;
    else if (is_from_memory)
        keep_text(code);
    cuda_say_diags(&diags);
    if (module->error != cudaSuccess)
        note_unloaded(state, &diags, module->error);
    if (module->log)
        diag_print(&diags, module->log, false);
    diag_free(&diags);
    return module->error;
}

static void place_managed(struct cuda_module *module, const struct sim_module *sim) {
    for (size_t i = 0; i < module->variables.length; i++) {
        struct cuda_variable *variable = module->variables.data[i];
        size_t bytes;
        if (variable->managed_slot)
            *variable->managed_slot = sim_module_variable(sim, variable->name, &bytes);
    }
}

// The module on some device; NULL: it is on none.
static struct sim_module *twin_of(const struct cuda_state *state,
                                  const struct cuda_module *module) {
    for (unsigned d = 0; d < state->device_count; d++)
        if (module->sim[d])
            return module->sim[d];
    return NULL;
}

static void find_functions(struct cuda_module *module) {
    for (size_t i = 0; i < module->functions.length; i++) {
        struct cuda_function *function = module->functions.data[i];
        if (!function->ir)
            function->ir = ir_find_function(module->code.ir, function->name);
        if (function->ir && !function->layout)
            function->layout = ir_shared_layout(function->ir);
    }
}

enum cuda_error cuda_module_load(struct cuda_state *state, struct cuda_module *module) {
    if (!module->was_read)
        read_module(state, module);
    struct sim_module **sim = &module->sim[state->current->number];
    if (module->error != cudaSuccess || *sim)
        return module->error;
    struct diag_list diags = {0};
    *sim = sim_module_load(state->current->sim, module->code.ir, twin_of(state, module), &diags);
    cuda_say_diags(&diags);
    if (!*sim)
        module->error = diags.errors ? cudaErrorInvalidPtx : cudaErrorMemoryAllocation;
    if (!*sim)
        note_unloaded(state, &diags, module->error);
    diag_free(&diags);
    if (!*sim)
        return module->error;
    place_managed(module, *sim);
    find_functions(module);
    return cudaSuccess;
}

// The program's own machine code, else what ptxas makes of its PTX.
static char *list_code(const struct cuda_state *state, const struct cuda_module *module,
                       struct diag_list *diags) {
    const struct cuda_code *code = &module->code;
    const char *cache = state->config.cache_folder;
    size_t length;
    char *machine = cuda_image_code(module->wrapper, state->config.arch, &length);
    char *listing = machine
                        ? toolchain_disassemble_code(machine, length, cache, diags)
                        : run_list_code(code->ptx, &code->source, state->config.arch, cache, diags);
    free(machine);
    return listing;
}

const struct compiled_code *cuda_module_compiled(struct cuda_state *state,
                                                 struct cuda_module *module,
                                                 const struct ir_function *kernel) {
    struct cuda_code *code = &module->code;
    if (!state->config.as_compiled || code->was_compiled || !ir_may_touch_shared(kernel))
        return code->compiled;
    code->was_compiled = true;
    struct diag_list diags = {0};
    char *listing = list_code(state, module, &diags);
    if (!state->config.may_be_written)
        cuda_say_diags(&diags);
    if (listing) {
        code->compiled = compiled_code_parse(listing);
        profile_note_compiled(state->profile, compiled_code_maker(code->compiled));
    } else {
        profile_note_written(state->profile, diags.count ? diags.items[0].message : "no code");
    }
    cuda_hand_over_head(state->profile);
    diag_free(&diags);
    if (state->spread && listing)
        code->listing = listing;
    else
        free(listing);
    return code->compiled;
}

void cuda_module_unload(struct cuda_state *state, struct cuda_module *module, unsigned device) {
    struct sim_module *sim = module->sim[device];
    if (!sim)
        return;
    module->sim[device] = NULL;
    for (size_t i = 0; i < module->functions.length; i++)
        module->functions.data[i]->on[device].kernel = NULL;
    sim_module_unload(sim, twin_of(state, module));
}

static void forget(struct map *map, const void *const *key, const void *value) {
    if (map_get(map, (const char *)key, sizeof *key) == value)
        map_put(map, (const char *)key, sizeof *key, NULL);
}

// The records of kernels and variables stay: they are keys of the maps.
void cuda_module_free(struct cuda_state *state, struct cuda_module *module) {
    cuda_check_waits_for_all(state); // what is known of operations refers to it
    for (unsigned d = 0; d < state->device_count; d++)
        cuda_module_unload(state, module, d);
    for (size_t i = 0; i < module->functions.length; i++) {
        struct cuda_function *function = module->functions.data[i];
        forget(&state->functions, &function->host, function);
        free(function->old_launch);
        function->old_launch = NULL;
        cuda_handle_kill(state, &function->handle);
    }
    for (size_t i = 0; i < module->variables.length; i++)
        forget(&state->variables, &module->variables.data[i]->host, module->variables.data[i]);
    for (size_t i = 0; i < state->modules.length; i++)
        if (state->modules.data[i] == module)
            state->modules.data[i] = state->modules.data[--state->modules.length];
    compiled_code_free(module->code.compiled);
    ir_free(module->code.ir);
    ptx_module_free(module->code.ptx);
    free(module->code.text);
    free(module->code.text_file);
    free(module->code.listing);
    vec_free(&module->functions);
    vec_free(&module->variables);
    free(module);
}

struct cuda_function *cuda_function_add(struct cuda_state *state, struct cuda_module *module,
                                        const void *host, const char *name) {
    struct cuda_function *function = cuda_handle_new(state, CUDA_KERNEL, sizeof *function);
    function->host = host;
    function->name = name;
    function->module = module;
    for (unsigned d = 0; d < state->device_count; d++) {
        function->on[d].max_dynamic_shared = UINT32_MAX; // until the static part is known
        function->on[d].carveout = -1;
    }
    vec_push(&module->functions, function);
    if (host)
        map_put(&state->functions, (const char *)&function->host, sizeof function->host, function);
    return function;
}

void cuda_variable_add(struct cuda_state *state, struct cuda_module *module, const void *host,
                       void **slot, const char *name, size_t bytes) {
    struct cuda_variable *variable = base_alloc(sizeof *variable);
    *variable = (struct cuda_variable){
        .host = host, .name = name, .module = module, .bytes = bytes, .managed_slot = slot};
    vec_push(&module->variables, variable);
    vec_push(&state->all_variables, variable);
    map_put(&state->variables, (const char *)&variable->host, sizeof variable->host, variable);
}

struct cuda_function *cuda_function_known(struct cuda_state *state, const void *stub) {
    struct cuda_function *function = map_get(&state->functions, (const char *)&stub, sizeof stub);
    return function ? function : cuda_handle_find(state, CUDA_KERNEL, stub);
}

enum cuda_error cuda_function_find(struct cuda_state *state, const void *stub,
                                   struct cuda_function **function) {
    *function = stub ? cuda_function_known(state, stub) : NULL;
    if (!stub)
        return cudaErrorInvalidDeviceFunction;
    if (!*function) // 12 changed the code, with its kernel handles
        return cuda_version() < 12000 ? cudaErrorInvalidDeviceFunction
                                      : cudaErrorInvalidResourceHandle;
    enum cuda_error error = cuda_module_load(state, (*function)->module);
    if (error == cudaSuccess && !(*function)->ir) {
        cuda_say_gap(state, PROFILE_GAP_MODULE, "the program's PTX has no kernel %s",
                     (*function)->name);
        error = cudaErrorInvalidDeviceFunction;
    }
    return error;
}

const struct cuda_function_on *cuda_function_here(const struct cuda_state *state,
                                                  const struct cuda_function *function) {
    return &function->on[state->current->number];
}

enum cuda_error cuda_function_decode(struct cuda_state *state, struct cuda_function *function) {
    unsigned device = state->current->number;
    struct cuda_function_on *here = &function->on[device];
    if (here->kernel || here->decode_error != cudaSuccess)
        return here->decode_error;
    struct diag_list diags = {0};
    here->kernel = sim_module_kernel(function->module->sim[device], function->name, &diags);
    if (!here->kernel)
        here->decode_error = cudaErrorNotSupported;
    cuda_say_diags(&diags);
    if (!here->kernel)
        cuda_gap(state, PROFILE_GAP_MODULE, "kernel %s cannot be run: %s", function->name,
                 diags.count ? diags.items[0].message : "it cannot be decoded");
    diag_free(&diags);
    return here->decode_error;
}

// Code that names a managed variable gets its address, not that of the slot.
static const struct cuda_variable *managed_at(const struct cuda_state *state, const void *address) {
    for (size_t m = 0; m < state->modules.length; m++) {
        const struct cuda_module *module = state->modules.data[m];
        for (size_t i = 0; i < module->variables.length; i++) {
            const struct cuda_variable *variable = module->variables.data[i];
            if (variable->managed_slot && address && *variable->managed_slot == address)
                return variable;
        }
    }
    return NULL;
}

enum cuda_error cuda_variable_find(struct cuda_state *state, const void *symbol, void **address,
                                   size_t *bytes) {
    if (!symbol)
        return cudaErrorInvalidSymbol;
    const struct cuda_variable *variable =
        map_get(&state->variables, (const char *)&symbol, sizeof symbol);
    if (!variable)
        variable = managed_at(state, symbol);
    if (!variable)
        return cudaErrorInvalidSymbol;
    enum cuda_error error = cuda_module_load(state, variable->module);
    if (error != cudaSuccess)
        return error;
    *address =
        sim_module_variable(variable->module->sim[state->current->number], variable->name, bytes);
    return *address ? cudaSuccess : cudaErrorInvalidSymbol;
}
