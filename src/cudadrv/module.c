// Modules and libraries: both are the runtime's modules, loaded from memory or a file.
#include "cuda/module/calls.h"
#include "cuda/module/library.h"
#include "cudadrv/cudadrv.h"

static enum cuda_error load(struct cuda_state *state, cu_module *module, const void *image,
                            const char *path, const struct cuda_jit *jit, bool has_context) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = image ? cuda_library_load(state, image, jit, module)
                      : cuda_library_load_file(state, path, jit, module);
    if (error == cudaSuccess && has_context)
        (*module)->context = cuda_context_current(state);
    if (error == cudaSuccess)
        (*module)->device = state->current->number;
    return error;
}

CUDADRV_CALL(cuModuleLoad(cu_module *module, const char *path),
             load(state, module, NULL, path, NULL, true))
CUDADRV_CALL(cuModuleLoadData(cu_module *module, const void *image),
             load(state, module, image, NULL, NULL, true))

CUDADRV_CALL(cuModuleLoadDataEx(cu_module *module, const void *image, unsigned count, int *options,
                                void **values),
             load(state, module, image, NULL, &(struct cuda_jit){options, values, count}, true))

CUDADRV_CALL(cuModuleLoadFatBinary(cu_module *module, const void *binary),
             load(state, module, binary, NULL, NULL, true))
CUDADRV_CALL(cuModuleUnload(cu_module module), cuda_library_unload(state, module))
CUDADRV_CALL(cuModuleGetFunction(cu_function *function, cu_module module, const char *name),
             cuda_library_get_kernel(state, (void **)function, module, name))
CUDADRV_CALL(cuModuleGetFunctionCount(unsigned *count, cu_module module),
             cuda_library_get_kernel_count(state, count, module))
CUDADRV_CALL(cuModuleEnumerateFunctions(cu_function *functions, unsigned most, cu_module module),
             cuda_library_enumerate_kernels(state, (void **)functions, most, module))
CUDADRV_CALL(cuModuleGetGlobal_v2(cu_pointer *pointer, size_t *bytes, cu_module module,
                                  const char *name),
             cuda_library_get_global(state, (void **)pointer, bytes, module, name))

CUDA_API cu_result cuModuleGetLoadingMode(int *mode) {
    enum { LAZY = 2 };
    if (!mode)
        return cudaErrorInvalidValue;
    *mode = LAZY;
    return cudaSuccess;
}

// ---- Libraries: modules that belong to no context. Their options steer when and where only ----

CUDADRV_DEVICE_CALL(cuLibraryLoadData(cu_module *library, const void *code, int *options,
                                      void **values, unsigned count, int *library_options,
                                      void **library_values, unsigned library_count),
                    ((void)library_options, (void)library_values, (void)library_count,
                     load(state, library, code, NULL, &(struct cuda_jit){options, values, count},
                          false)))

CUDADRV_DEVICE_CALL(cuLibraryLoadFromFile(cu_module *library, const char *path, int *options,
                                          void **values, unsigned count, int *library_options,
                                          void **library_values, unsigned library_count),
                    ((void)library_options, (void)library_values, (void)library_count,
                     load(state, library, NULL, path, &(struct cuda_jit){options, values, count},
                          false)))

CUDADRV_DEVICE_CALL(cuLibraryUnload(cu_module library), cuda_library_unload(state, library))
CUDADRV_DEVICE_CALL(cuLibraryGetKernel(cu_function *kernel, cu_module library, const char *name),
                    cuda_library_get_kernel(state, (void **)kernel, library, name))
CUDADRV_DEVICE_CALL(cuLibraryGetKernelCount(unsigned *count, cu_module library),
                    cuda_library_get_kernel_count(state, count, library))
CUDADRV_DEVICE_CALL(cuLibraryEnumerateKernels(cu_function *kernels, unsigned most,
                                              cu_module library),
                    cuda_library_enumerate_kernels(state, (void **)kernels, most, library))
CUDADRV_CALL(cuLibraryGetGlobal(cu_pointer *pointer, size_t *bytes, cu_module library,
                                const char *name),
             cuda_library_get_global(state, (void **)pointer, bytes, library, name))
CUDADRV_CALL(cuLibraryGetManaged(cu_pointer *pointer, size_t *bytes, cu_module library,
                                 const char *name),
             cuda_library_get_global(state, (void **)pointer, bytes, library, name))

static enum cuda_error module_of(struct cuda_state *state, cu_module *module, cu_module library) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !module)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !cuda_library_find(state, library))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        *module = library;
    return error;
}

CUDADRV_CALL(cuLibraryGetModule(cu_module *module, cu_module library),
             module_of(state, module, library))
