// Modules: loaded, looked at, unloaded.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "compiled/code.h"
#include "run/api/api.h"

static void free_module(struct bankrun_module *module) {
    run_module_free(&module->run);
    compiled_code_free(module->compiled);
    for (size_t i = 0; i < module->sites.length; i++)
        api_sites_free(module->sites.data[i]);
    vec_free(&module->sites);
    free(module->name);
    free(module->text);
    free(module);
}

enum bankrun_error bankrun_load(struct bankrun_device *device, const char *name, const char *text,
                                size_t length, struct bankrun_module **module, char **message) {
    struct bankrun_module *loaded = base_alloc(sizeof *loaded);
    struct diag_list diags = {0};
    loaded->device = device;
    loaded->name = base_strdup(name);
    loaded->text = base_alloc(length + 1);
    memcpy(loaded->text, text, length);
    loaded->source = (struct source){loaded->name, loaded->text, length};
    const bool is_good = run_module_parse(&loaded->run, &loaded->source, &diags) &&
                         run_module_load(&loaded->run, device->sim, &diags);
    *module = is_good ? loaded : NULL;
    if (!is_good) {
        const enum bankrun_error error = loaded->run.ir ? BANKRUN_NO_MEMORY : BANKRUN_BAD_PTX;
        api_fail_diags(message, error, &diags);
        free_module(loaded);
        return error;
    }
    vec_push(&device->modules, loaded);
    diag_free(&diags);
    return api_succeed(message);
}

enum bankrun_error bankrun_load_file(struct bankrun_device *device, const char *path,
                                     struct bankrun_module **module, char **message) {
    char *text;
    size_t length;
    *module = NULL;
    if (!file_read(path, &text, &length))
        return api_fail(message, BANKRUN_BAD_FILE, "%s: %s", path, strerror(errno));
    const enum bankrun_error error = bankrun_load(device, path, text, length, module, message);
    free(text);
    return error;
}

void bankrun_unload(struct bankrun_module *module) {
    if (!module)
        return;
    struct bankrun_device *device = module->device;
    for (size_t i = 0; i < device->modules.length; i++)
        if (device->modules.data[i] == module)
            device->modules.data[i] = device->modules.data[--device->modules.length];
    free_module(module);
}

bool bankrun_kernel(const struct bankrun_module *module, size_t n, struct bankrun_kernel *kernel) {
    const struct ptx_module *ptx = module->run.ptx;
    for (size_t i = 0; i < ptx->function_count; i++) {
        const struct ptx_function *function = &ptx->functions[i];
        if (!run_is_kernel(function) || n-- > 0)
            continue;
        const struct ir_function *ir = ir_find_function(module->run.ir, function->name);
        *kernel = (struct bankrun_kernel){function->name, function->parameter_count,
                                          run_block_threads(&module->device->limits, ir)};
        return true;
    }
    return false;
}

void *bankrun_variable(const struct bankrun_module *module, const char *symbol, size_t *bytes) {
    size_t size;
    return sim_module_variable(module->run.sim, symbol, bytes ? bytes : &size);
}

void bankrun_count_compiled(struct bankrun_module *module, const char *listing) {
    compiled_code_free(module->compiled);
    module->compiled = listing ? compiled_code_parse(listing) : NULL;
}
