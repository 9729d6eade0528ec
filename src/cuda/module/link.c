// The linker: what is added is PTX, and so is the result.
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/vec.h"
#include "cuda/core/gap.h"
#include "cuda/module/image.h"
#include "cuda/module/library.h"
#include "cuda/module/link.h"
#include "toolchain/carrier.h"
#include "toolchain/device_code.h"
#include "toolchain/link.h"
#include "toolchain/registers.h"

enum input { INPUT_CUBIN, INPUT_PTX, INPUT_FAT_BINARY, INPUT_OBJECT, INPUT_LIBRARY, INPUT_NVVM };

struct cuda_link {
    struct cuda_handle handle;
    VEC(char *) texts;
    char *result; // the program may use it until the link is destroyed
    struct cuda_jit jit;
    unsigned most_registers;
};

enum cuda_error cuda_link_create(struct cuda_state *state, unsigned count, int *options,
                                 void **values, struct cuda_link **link) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_jit jit = {options, values, count};
    if (error == cudaSuccess && (!link || !cuda_jit_is_valid(&jit)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *link = cuda_handle_new(state, CUDA_LINK, sizeof **link);
        (*link)->jit = jit; // which live as long
        (*link)->most_registers = cuda_jit_registers(&jit);
        cuda_jit_log(&(*link)->jit, NULL);
    }
    return error;
}

// Enters; *known is the link.
static enum cuda_error enter_with(struct cuda_state *state, struct cuda_link *link,
                                  struct cuda_link **known) {
    enum cuda_error error = cuda_enter(state);
    *known = error == cudaSuccess ? cuda_handle_find(state, CUDA_LINK, link) : NULL;
    return error == cudaSuccess && !*known ? cudaErrorInvalidResourceHandle : error;
}

// A file's or a carrier's device code.
static enum cuda_error add_code(struct cuda_state *state, struct cuda_link *link, const void *data,
                                size_t bytes) {
    struct diag_list diags = {0};
    char *text = toolchain_device_ptx(data, bytes, "linked file", state->config.arch, &diags);
    enum cuda_error error =
        diags.errors ? cudaErrorInvalidKernelImage : cudaErrorNoKernelImageForDevice;
    bool is_good = text != NULL;
    if (text && *text)
        vec_push(&link->texts, text);
    else
        free(text);
    if (!is_good && !diags.errors)
        cuda_say_gap(state, PROFILE_GAP_MODULE,
                     "cuLinkAddData, cuLinkAddFile: a file without PTX cannot be linked");
    cuda_say_diags(&diags);
    diag_free(&diags);
    return is_good ? cudaSuccess : error;
}

static enum cuda_error add_locked(struct cuda_state *state, struct cuda_link *link, int type,
                                  const void *data, size_t bytes) {
    enum cuda_error error;
    char *text;
    switch (type) {
    case INPUT_PTX: // with or without its NUL
        text = base_alloc(bytes + 1);
        memcpy(text, data, bytes);
        vec_push(&link->texts, text);
        return cudaSuccess;
    case INPUT_FAT_BINARY:
        text = cuda_library_text(state, data, &error);
        if (text)
            vec_push(&link->texts, text);
        return error;
    case INPUT_OBJECT:
    case INPUT_LIBRARY:
        return add_code(state, link, data, bytes);
    case INPUT_CUBIN:
        if (bytes >= TOOLCHAIN_CARRIER_SIGN && toolchain_is_carrier(data))
            return add_code(state, link, data, bytes);
        cuda_say_gap(state, PROFILE_GAP_MODULE,
                     "the program links machine code (a cubin); bankrun runs PTX");
        return cudaErrorNoKernelImageForDevice;
    case INPUT_NVVM:
        cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED,
                     "cuLinkAddData, cuLinkAddFile: NVVM modules are not supported yet");
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}

enum cuda_error cuda_link_add(struct cuda_state *state, struct cuda_link *link, int type,
                              const void *data, size_t bytes, const struct cuda_jit *jit) {
    struct cuda_link *known;
    enum cuda_error error = enter_with(state, link, &known);
    if (error == cudaSuccess && (!data || bytes < sizeof(uint32_t) || !cuda_jit_is_valid(jit)))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    const size_t before = known->texts.length;
    error = add_locked(state, known, type, data, bytes);
    for (size_t i = before; i < known->texts.length; i++) // before the limit of the whole link
        known->texts.data[i] =
            toolchain_limit_registers(known->texts.data[i], cuda_jit_registers(jit));
    return error;
}

enum cuda_error cuda_link_add_file(struct cuda_state *state, struct cuda_link *link, int type,
                                   const char *path, const struct cuda_jit *jit) {
    char *data;
    size_t bytes;
    if (!path)
        return cudaErrorInvalidValue;
    if (!file_read(path, &data, &bytes))
        return cudaErrorFileNotFound;
    enum cuda_error error = cuda_link_add(state, link, type, data, bytes, jit);
    free(data);
    return error;
}

enum cuda_error cuda_link_complete(struct cuda_state *state, struct cuda_link *link, void **image,
                                   size_t *bytes) {
    struct cuda_link *known;
    enum cuda_error error = enter_with(state, link, &known);
    if (error == cudaSuccess && (!image || !known->texts.length))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        free(known->result);
        known->result = toolchain_limit_registers(
            toolchain_link_ptx(known->texts.data, known->texts.length), known->most_registers);
        *image = known->result;
        if (bytes)
            *bytes = strlen(known->result) + 1;
    }
    return error;
}

enum cuda_error cuda_link_destroy(struct cuda_state *state, struct cuda_link *link) {
    struct cuda_link *known;
    enum cuda_error error = enter_with(state, link, &known);
    if (error == cudaSuccess) {
        for (size_t i = 0; i < known->texts.length; i++)
            free(known->texts.data[i]);
        vec_free(&known->texts);
        free(known->result);
        cuda_handle_kill(state, &known->handle);
    }
    return error;
}
