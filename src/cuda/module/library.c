#include "cuda/module/library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cuda/core/error.h"
#include "cuda/core/gap.h"
#include "cuda/module/calls.h"
#include "cuda/module/image.h"
#include "ir/ir.h"
#include "toolchain/carrier.h"
#include "toolchain/cubin.h"
#include "toolchain/registers.h"

enum {
    MOST_REGISTERS = 0,
    INFO_LOG = 3,
    INFO_LOG_BYTES,
    ERROR_LOG,
    ERROR_LOG_BYTES
}; // cudaJitOption

// ---- Logs -------------------------------------------------------------------------------------

// The option's value is the pointer to the buffer, and before the call the number of bytes in it;
// after it the number of bytes that were written.
static void write_log(const struct cuda_jit *jit, int buffer_option, const char *text) {
    char *buffer = NULL;
    void **bytes = NULL;
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] == buffer_option)
            buffer = jit->values[i];
        if (jit->options[i] == buffer_option + 1)
            bytes = &jit->values[i];
    }
    size_t room = bytes ? (unsigned)(uintptr_t)*bytes : 0, length = strlen(text);
    if (!room)
        return;
    if (length >= room)
        length = room - 1;
    if (buffer) {
        memcpy(buffer, text, length);
        buffer[length] = '\0';
    }
    *bytes = (void *)(buffer && length ? length + 1 : 0);
}

void cuda_jit_log(const struct cuda_jit *jit, const char *errors) {
    if (!jit || !jit->options || !jit->values)
        return;
    write_log(jit, ERROR_LOG, errors ? errors : "");
    write_log(jit, INFO_LOG, "");
}

unsigned cuda_jit_registers(const struct cuda_jit *jit) {
    unsigned most = 0;
    for (unsigned i = 0; jit && jit->options && jit->values && i < jit->count; i++)
        if (jit->options[i] == MOST_REGISTERS)
            most = (unsigned)(uintptr_t)jit->values[i];
    return most;
}

bool cuda_jit_is_valid(const struct cuda_jit *jit) {
    for (unsigned i = 0; jit && jit->options && jit->values && i < jit->count; i++)
        if (jit->options[i] == MOST_REGISTERS && !(unsigned)(uintptr_t)jit->values[i])
            return false;
    return true;
}

// ---- Loading ----------------------------------------------------------------------------------

static char *ptx_of_cubin(const void *image, enum cuda_error *error) {
    const size_t length = toolchain_cubin_bytes(image);
    char *text = length ? cuda_image_of_cubin(image, length) : NULL;
    *error = text ? cudaSuccess : cudaErrorNoKernelImageForDevice;
    if (!text)
        cuda_say("the program loads machine code (a cubin) without line information; bankrun runs "
                 "PTX: have the program load PTX or a fat binary that holds PTX, or compile with "
                 "-lineinfo, which keeps the PTX in the cubin");
    return text;
}

char *cuda_library_text(struct cuda_state *state, const void *image, enum cuda_error *error) {
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    struct toolchain_wrapper wrapper = {TOOLCHAIN_WRAPPER_MAGIC, 1, image, NULL};
    if (magic == TOOLCHAIN_WRAPPER_MAGIC)
        wrapper = *(const struct toolchain_wrapper *)image;
    if (magic == TOOLCHAIN_WRAPPER_MAGIC || magic == TOOLCHAIN_FATBIN_MAGIC)
        return cuda_image_ptx(&wrapper, state->config.arch, state->config.is_quiet, error);
    if (memcmp(image, "\177ELF", 4) == 0 && toolchain_is_carrier(image)) {
        size_t length;
        const char *ptx = toolchain_carrier_ptx(image, &length);
        *error = cudaSuccess;
        return base_strndup(ptx, length);
    }
    if (memcmp(image, "\177ELF", 4) == 0)
        return ptx_of_cubin(image, error);
    *error = cudaSuccess;
    return base_strdup(image);
}

static void note_unloaded(struct cuda_state *state, const char *what, const char *why) {
    cuda_gap(state, PROFILE_GAP_MODULE, "a module of the program was not loaded: %s: %s", what,
             why);
}

enum cuda_error cuda_library_load(struct cuda_state *state, const void *image,
                                  const struct cuda_jit *jit, struct cuda_module **out) {
    if (!image || !out || !cuda_jit_is_valid(jit))
        return cudaErrorInvalidValue;
    enum cuda_error error;
    char *text = cuda_library_text(state, image, &error), *log = NULL;
    if (!text) {
        cuda_jit_log(jit, "bankrun: the image holds no PTX\n");
        note_unloaded(state, "an image in memory", cuda_error_text(error));
        return error;
    }
    size_t log_bytes;
    struct cuda_module *module = base_alloc(sizeof *module);
    module->is_loaded = true;
    module->code.text = toolchain_limit_registers(text, cuda_jit_registers(jit));
    module->log = open_memstream(&log, &log_bytes);
    vec_push(&state->modules, module);
    error = cuda_module_load(state, module);
    if (module->log)
        fclose(module->log);
    module->log = NULL;
    cuda_jit_log(jit, error == cudaSuccess ? NULL : log);
    free(log);
    if (error == cudaSuccess)
        *out = module;
    else
        cuda_module_free(state, module);
    return error;
}

enum cuda_error cuda_library_load_file(struct cuda_state *state, const char *path,
                                       const struct cuda_jit *jit, struct cuda_module **out) {
    char *data;
    size_t length;
    if (!path || !out)
        return cudaErrorInvalidValue;
    if (!file_read(path, &data, &length)) {
        const bool is_there = errno != ENOENT;
        note_unloaded(state, path, strerror(errno));
        return is_there ? cudaErrorInvalidKernelImage : cudaErrorFileNotFound;
    }
    enum { SHORTEST = 16 }; // of a container, which tells its own size
    enum cuda_error error = cudaErrorInvalidKernelImage;
    if (length < SHORTEST || toolchain_fatbin_bytes(data) > length ||
        !toolchain_carrier_is_whole(data, length) || !toolchain_cubin_is_whole(data, length))
        note_unloaded(state, path, "it is too short");
    else
        error = cuda_library_load(state, data, jit, out);
    free(data);
    return error;
}

// ---- What is in it ----------------------------------------------------------------------------

struct cuda_module *cuda_library_find(const struct cuda_state *state, const void *handle) {
    for (size_t i = 0; i < state->modules.length; i++)
        if (state->modules.data[i] == handle && state->modules.data[i]->is_loaded)
            return state->modules.data[i];
    return NULL;
}

enum cuda_error cuda_library_kernel(struct cuda_state *state, struct cuda_module *module,
                                    const char *name, struct cuda_function **out) {
    enum cuda_error error = cuda_module_load(state, module);
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < module->functions.length; i++)
        if (strcmp(module->functions.data[i]->name, name) == 0) {
            *out = module->functions.data[i];
            return cudaSuccess;
        }
    const struct ir_function *ir = ir_find_function(module->code.ir, name);
    if (!ir || !ir->ptx->is_entry)
        return cudaErrorSymbolNotFound;
    *out = cuda_function_add(state, module, NULL, ir->ptx->name);
    (*out)->ir = ir;
    (*out)->layout = ir_shared_layout(ir);
    return cudaSuccess;
}

unsigned cuda_library_kernels(struct cuda_state *state, struct cuda_module *module,
                              struct cuda_function **functions, unsigned most) {
    unsigned count = 0;
    if (cuda_module_load(state, module) != cudaSuccess)
        return 0;
    for (uint32_t i = 0; i < module->code.ir->function_count; i++) {
        const struct ptx_function *ptx = module->code.ir->functions[i]->ptx;
        if (!ptx->is_entry)
            continue;
        if (count < most)
            cuda_library_kernel(state, module, ptx->name, &functions[count]);
        count++;
    }
    return count;
}

// ---- The runtime's calls ----------------------------------------------------------------------

enum cuda_error cuda_library_load_data(struct cuda_state *state, void **library, const void *code,
                                       int *options, void **values, unsigned count,
                                       int *library_options, void **library_values,
                                       unsigned library_count) {
    (void)library_options, (void)library_values, (void)library_count; // steer when and where only
    struct cuda_jit jit = {options, values, count};
    enum cuda_error error = cuda_enter(state);
    return error == cudaSuccess
               ? cuda_library_load(state, code, &jit, (struct cuda_module **)library)
               : error;
}

enum cuda_error cuda_library_load_from_file(struct cuda_state *state, void **library,
                                            const char *path, int *options, void **values,
                                            unsigned count, int *library_options,
                                            void **library_values, unsigned library_count) {
    (void)library_options, (void)library_values, (void)library_count;
    struct cuda_jit jit = {options, values, count};
    enum cuda_error error = cuda_enter(state);
    return error == cudaSuccess
               ? cuda_library_load_file(state, path, &jit, (struct cuda_module **)library)
               : error;
}

// Enters; *module is the library. `out`: what must not be NULL.
static enum cuda_error enter_with(struct cuda_state *state, const void *library, const void *out,
                                  struct cuda_module **module) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *module = cuda_library_find(state, library);
        error = *module ? cudaSuccess : cudaErrorInvalidResourceHandle;
    }
    return error;
}

enum cuda_error cuda_library_unload(struct cuda_state *state, void *library) {
    struct cuda_module *module;
    enum cuda_error error = enter_with(state, library, library, &module);
    if (error == cudaSuccess)
        cuda_module_free(state, module);
    return error;
}

enum cuda_error cuda_library_get_kernel(struct cuda_state *state, void **kernel, void *library,
                                        const char *name) {
    struct cuda_module *module;
    enum cuda_error error = enter_with(state, library, kernel && name ? kernel : NULL, &module);
    return error == cudaSuccess
               ? cuda_library_kernel(state, module, name, (struct cuda_function **)kernel)
               : error;
}

enum cuda_error cuda_library_get_kernel_count(struct cuda_state *state, unsigned *count,
                                              void *library) {
    struct cuda_module *module;
    enum cuda_error error = enter_with(state, library, count, &module);
    if (error == cudaSuccess)
        *count = cuda_library_kernels(state, module, NULL, 0);
    return error;
}

enum cuda_error cuda_library_enumerate_kernels(struct cuda_state *state, void **kernels,
                                               unsigned most, void *library) {
    struct cuda_module *module;
    enum cuda_error error = enter_with(state, library, kernels, &module);
    if (error == cudaSuccess)
        cuda_library_kernels(state, module, (struct cuda_function **)kernels, most);
    return error;
}

enum cuda_error cuda_library_get_global(struct cuda_state *state, void **address, size_t *bytes,
                                        void *library, const char *name) {
    struct cuda_module *module;
    enum cuda_error error =
        enter_with(state, library, name && (address || bytes) ? name : NULL, &module);
    size_t found_bytes = 0;
    void *found = NULL;
    if (error == cudaSuccess)
        error = cuda_module_load(state, module);
    if (error == cudaSuccess) {
        found = sim_module_variable(module->sim[state->current->number], name, &found_bytes);
        error = found ? cudaSuccess : cudaErrorSymbolNotFound;
    }
    if (found && address)
        *address = found;
    if (found && bytes)
        *bytes = found_bytes;
    return error;
}
