// Kernels, libraries and variables.
#include "cuda/core/thread.h"
#include "cuda/module/calls.h"
#include "cudart/call.h"

CUDART_CALL(cudaFuncSetAttribute(const void *stub, enum cuda_function_attribute attribute,
                                 int value),
            cuda_function_set(state, stub, attribute, value, (int)cuda_thread_device()))
CUDART_CALL(cudaFuncSetCacheConfig(const void *stub, unsigned config),
            cuda_func_set_cache_config(state, stub, config))
CUDART_CALL(cudaFuncSetSharedMemConfig(const void *stub, unsigned config),
            cuda_func_set_shared_mem_config(state, stub, config))
CUDART_CALL(cudaFuncGetName(const char **name, const void *stub),
            cuda_func_get_name(state, name, stub))
CUDART_CALL(cudaFuncGetParamInfo(const void *stub, size_t index, size_t *offset, size_t *bytes),
            cuda_func_get_param_info(state, stub, index, offset, bytes))
CUDART_CALL(__cudaGetKernel(void **kernel, const void *stub),
            cuda_kernel_of_stub(state, kernel, stub))
CUDART_CALL(cudaGetKernel(void **kernel, const void *stub), cuda_get_kernel(state, kernel, stub))
CUDART_CALL(cudaGetFuncBySymbol(void **function, const void *stub),
            cuda_get_kernel(state, function, stub))

// ---- Libraries --------------------------------------------------------------------------------

CUDART_CALL(cudaLibraryLoadData(void **library, const void *code, int *options, void **values,
                                unsigned count, int *library_options, void **library_values,
                                unsigned library_count),
            cuda_library_load_data(state, library, code, options, values, count, library_options,
                                   library_values, library_count))
CUDART_CALL(cudaLibraryLoadFromFile(void **library, const char *path, int *options, void **values,
                                    unsigned count, int *library_options, void **library_values,
                                    unsigned library_count),
            cuda_library_load_from_file(state, library, path, options, values, count,
                                        library_options, library_values, library_count))
CUDART_CALL(cudaLibraryUnload(void *library), cuda_library_unload(state, library))
CUDART_CALL(cudaLibraryGetKernel(void **kernel, void *library, const char *name),
            cuda_library_get_kernel(state, kernel, library, name))
CUDART_CALL(cudaLibraryGetKernelCount(unsigned *count, void *library),
            cuda_library_get_kernel_count(state, count, library))
CUDART_CALL(cudaLibraryEnumerateKernels(void **kernels, unsigned most, void *library),
            cuda_library_enumerate_kernels(state, kernels, most, library))
CUDART_CALL(cudaLibraryGetGlobal(void **address, size_t *bytes, void *library, const char *name),
            cuda_library_get_global(state, address, bytes, library, name))
CUDART_CALL(cudaLibraryGetManaged(void **address, size_t *bytes, void *library, const char *name),
            cuda_library_get_global(state, address, bytes, library, name))
CUDART_CALL(cudaKernelSetAttributeForDevice(const void *kernel,
                                            enum cuda_function_attribute attribute, int value,
                                            int device),
            cuda_function_set(state, kernel, attribute, value, device))

// ---- Variables --------------------------------------------------------------------------------

CUDART_CALL(cudaMemcpyToSymbol(const void *symbol, const void *source, size_t count, size_t offset,
                               enum cuda_memcpy_kind kind),
            cuda_copy_symbol(state, symbol, offset, (void *)(uintptr_t)source, count, kind, true,
                             NULL, false))
CUDA_PER_THREAD(cudaMemcpyToSymbol, _ptds)
CUDART_CALL(cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t count,
                                    size_t offset, enum cuda_memcpy_kind kind, cuda_stream stream),
            cuda_copy_symbol(state, symbol, offset, (void *)(uintptr_t)source, count, kind, true,
                             stream, true))
CUDA_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz)
CUDART_CALL(cudaMemcpyFromSymbol(void *target, const void *symbol, size_t count, size_t offset,
                                 enum cuda_memcpy_kind kind),
            cuda_copy_symbol(state, symbol, offset, target, count, kind, false, NULL, false))
CUDA_PER_THREAD(cudaMemcpyFromSymbol, _ptds)
CUDART_CALL(cudaMemcpyFromSymbolAsync(void *target, const void *symbol, size_t count, size_t offset,
                                      enum cuda_memcpy_kind kind, cuda_stream stream),
            cuda_copy_symbol(state, symbol, offset, target, count, kind, false, stream, true))
CUDA_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz)
CUDART_CALL(cudaGetSymbolAddress(void **address, const void *symbol),
            cuda_symbol_look_up(state, symbol, address, NULL))
CUDART_CALL(cudaGetSymbolSize(size_t *bytes, const void *symbol),
            cuda_symbol_look_up(state, symbol, NULL, bytes))
