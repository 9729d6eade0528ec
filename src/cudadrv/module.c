// Modules and libraries: both are the runtime's modules, loaded from memory or a file.
#include "cuda/module/library.h"
#include "cudadrv/context.h"

enum cuda_error cudaLibraryUnload(void *library);
enum cuda_error cudaLibraryGetKernel(void **kernel, void *library, const char *name);
enum cuda_error cudaLibraryGetKernelCount(unsigned *count, void *library);
enum cuda_error cudaLibraryEnumerateKernels(void **kernels, unsigned most, void *library);
enum cuda_error cudaLibraryGetGlobal(void **address, size_t *bytes, void *library,
                                     const char *name);

static enum cuda_error load(cu_module *module, const void *image, const char *path,
                            const struct cuda_jit *jit, bool has_context) {
    enum cuda_error error = cuda_enter();
    struct cuda_state *state = cuda_state();
    if (error == cudaSuccess)
        error = image ? cuda_library_load(state, image, jit, module)
                      : cuda_library_load_file(state, path, jit, module);
    if (error == cudaSuccess && has_context)
        (*module)->context = cudadrv_current(state);
    if (error == cudaSuccess)
        (*module)->device = state->current->number;
    return cuda_leave(error);
}

CUDART_API cu_result cuModuleLoad(cu_module *module, const char *path) {
    return CUDADRV_RUN(load(module, NULL, path, NULL, true));
}

CUDART_API cu_result cuModuleLoadData(cu_module *module, const void *image) {
    return CUDADRV_RUN(load(module, image, NULL, NULL, true));
}

CUDART_API cu_result cuModuleLoadDataEx(cu_module *module, const void *image, unsigned count,
                                        int *options, void **values) {
    struct cuda_jit jit = {options, values, count};
    return CUDADRV_RUN(load(module, image, NULL, &jit, true));
}

CUDART_API cu_result cuModuleLoadFatBinary(cu_module *module, const void *binary) {
    return CUDADRV_RUN(load(module, binary, NULL, NULL, true));
}

CUDART_API cu_result cuModuleUnload(cu_module module) {
    return CUDADRV_RUN(cudaLibraryUnload(module));
}

CUDART_API cu_result cuModuleGetFunction(cu_function *function, cu_module module,
                                         const char *name) {
    return CUDADRV_RUN(cudaLibraryGetKernel((void **)function, module, name));
}

CUDART_API cu_result cuModuleGetFunctionCount(unsigned *count, cu_module module) {
    return CUDADRV_RUN(cudaLibraryGetKernelCount(count, module));
}

CUDART_API cu_result cuModuleEnumerateFunctions(cu_function *functions, unsigned most,
                                                cu_module module) {
    return CUDADRV_RUN(cudaLibraryEnumerateKernels((void **)functions, most, module));
}

CUDART_API cu_result cuModuleGetGlobal_v2(cu_pointer *pointer, size_t *bytes, cu_module module,
                                          const char *name) {
    return CUDADRV_RUN(cudaLibraryGetGlobal((void **)pointer, bytes, module, name));
}

CUDART_API cu_result cuModuleGetLoadingMode(int *mode) {
    enum { LAZY = 2 };
    if (!mode)
        return cudaErrorInvalidValue;
    *mode = LAZY;
    return cudaSuccess;
}

// ---- Libraries: modules that belong to no context ---------------------------------------------

CUDART_API cu_result cuLibraryLoadData(cu_module *library, const void *code, int *options,
                                       void **values, unsigned count, int *library_options,
                                       void **library_values, unsigned library_count) {
    (void)library_options, (void)library_values, (void)library_count; // steer when and where only
    struct cuda_jit jit = {options, values, count};
    return CUDADRV_ASK(load(library, code, NULL, &jit, false));
}

CUDART_API cu_result cuLibraryLoadFromFile(cu_module *library, const char *path, int *options,
                                           void **values, unsigned count, int *library_options,
                                           void **library_values, unsigned library_count) {
    (void)library_options, (void)library_values, (void)library_count;
    struct cuda_jit jit = {options, values, count};
    return CUDADRV_ASK(load(library, NULL, path, &jit, false));
}

CUDART_API cu_result cuLibraryUnload(cu_module library) {
    return CUDADRV_ASK(cudaLibraryUnload(library));
}

CUDART_API cu_result cuLibraryGetKernel(cu_function *kernel, cu_module library, const char *name) {
    return CUDADRV_ASK(cudaLibraryGetKernel((void **)kernel, library, name));
}

CUDART_API cu_result cuLibraryGetKernelCount(unsigned *count, cu_module library) {
    return CUDADRV_ASK(cudaLibraryGetKernelCount(count, library));
}

CUDART_API cu_result cuLibraryEnumerateKernels(cu_function *kernels, unsigned most,
                                               cu_module library) {
    return CUDADRV_ASK(cudaLibraryEnumerateKernels((void **)kernels, most, library));
}

CUDART_API cu_result cuLibraryGetGlobal(cu_pointer *pointer, size_t *bytes, cu_module library,
                                        const char *name) {
    return CUDADRV_RUN(cudaLibraryGetGlobal((void **)pointer, bytes, library, name));
}

CUDART_API cu_result cuLibraryGetManaged(cu_pointer *pointer, size_t *bytes, cu_module library,
                                         const char *name) {
    return CUDADRV_RUN(cudaLibraryGetGlobal((void **)pointer, bytes, library, name));
}

static enum cuda_error check_library(const void *library, const void *out) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !cuda_library_find(cuda_state(), library))
        error = cudaErrorInvalidResourceHandle;
    return cuda_leave(error);
}

CUDART_API cu_result cuLibraryGetModule(cu_module *module, cu_module library) {
    cu_result error = CUDADRV_RUN(check_library(library, module));
    if (error == cudaSuccess)
        *module = library;
    return error;
}
