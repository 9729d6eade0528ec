// Kernels: attributes, occupancy.
#include "cuda/module/function.h"
#include "cuda/launch/launch.h"
#include "cudadrv/cudadrv.h"
#include "ir/ir.h"

enum cuda_error cudaFuncSetAttribute(const void *stub, enum cuda_function_attribute attribute,
                                     int value);
enum cuda_error cudaFuncSetCacheConfig(const void *stub, unsigned config);
enum cuda_error cudaFuncSetSharedMemConfig(const void *stub, unsigned config);
enum cuda_error cudaFuncGetName(const char **name, const void *stub);
enum cuda_error cudaFuncGetParamInfo(const void *stub, size_t index, size_t *offset, size_t *bytes);
enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub,
                                                              int threads, size_t shared);
enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                       const void *stub,
                                                                       int threads, size_t shared,
                                                                       unsigned flags);
enum cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub,
                                                          int blocks, int threads);

// ---- Attributes -------------------------------------------------------------------------------

// Number n of CUfunction_attribute.
static enum cuda_error attribute_of(int *value, int attribute, cu_function function) {
    struct cuda_function_attributes all;
    if (!value)
        return cudaErrorInvalidValue;
    enum cuda_error error =
        function ? cuda_function_attributes(function, &all) : cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess)
        return error;
    const int values[] = {
        all.max_threads,        (int)all.shared_bytes,   (int)all.const_bytes,
        (int)all.local_bytes,   all.registers,           all.ptx_version,
        all.binary_version,     all.cache_mode,          all.max_dynamic_shared,
        all.carveout,           all.cluster_must_be_set, all.cluster_width,
        all.cluster_height,     all.cluster_depth,       all.non_portable_cluster,
        all.cluster_scheduling,
    };
    if (attribute < 0 || attribute >= (int)(sizeof values / sizeof *values))
        return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
}

CUDART_API cu_result cuFuncGetAttribute(int *value, int attribute, cu_function function) {
    return CUDADRV_RUN(attribute_of(value, attribute, function));
}

CUDART_API cu_result cuFuncSetAttribute(cu_function function, int attribute, int value) {
    return CUDADRV_RUN(
        cudaFuncSetAttribute(function, (enum cuda_function_attribute)attribute, value));
}

CUDART_API cu_result cuFuncSetCacheConfig(cu_function function, unsigned config) {
    return CUDADRV_RUN(cudaFuncSetCacheConfig(function, config));
}

CUDART_API cu_result cuFuncSetSharedMemConfig(cu_function function, unsigned config) {
    return CUDADRV_RUN(cudaFuncSetSharedMemConfig(function, config));
}

CUDART_API cu_result cuFuncGetName(const char **name, cu_function function) {
    return CUDADRV_RUN(cudaFuncGetName(name, function));
}

CUDART_API cu_result cuFuncGetParamInfo(cu_function function, size_t index, size_t *offset,
                                        size_t *bytes) {
    return CUDADRV_RUN(cudaFuncGetParamInfo(function, index, offset, bytes));
}

// *known is the function; it is loaded.
static enum cuda_error find(cu_function function, const void *out, cu_function *known) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_function_find(cuda_state(), function, known);
    return cuda_leave(error);
}

CUDART_API cu_result cuFuncGetModule(cu_module *module, cu_function function) {
    cu_function known = NULL;
    cu_result error = CUDADRV_RUN(find(function, module, &known));
    if (error == cudaSuccess)
        *module = known->module;
    return error;
}

CUDART_API cu_result cuFuncIsLoaded(int *is_loaded, cu_function function) {
    cu_function known = NULL;
    cu_result error = CUDADRV_RUN(find(function, is_loaded, &known));
    if (error == cudaSuccess)
        *is_loaded = 1;
    return error;
}

CUDART_API cu_result cuFuncLoad(cu_function function) {
    cu_function known = NULL;
    return CUDADRV_RUN(find(function, function, &known));
}

// ---- Kernels of libraries: they are functions -------------------------------------------------

CUDART_API cu_result cuKernelGetFunction(cu_function *function, cu_function kernel) {
    cu_function known = NULL;
    cu_result error = CUDADRV_RUN(find(kernel, function, &known));
    if (error == cudaSuccess)
        *function = known;
    return error;
}

CUDART_API cu_result cuKernelGetLibrary(cu_module *library, cu_function kernel) {
    return cuFuncGetModule(library, kernel);
}

CUDART_API cu_result cuKernelGetName(const char **name, cu_function kernel) {
    return CUDADRV_ASK(cudaFuncGetName(name, kernel));
}

CUDART_API cu_result cuKernelGetParamInfo(cu_function kernel, size_t index, size_t *offset,
                                          size_t *bytes) {
    return CUDADRV_ASK(cudaFuncGetParamInfo(kernel, index, offset, bytes));
}

CUDART_API cu_result cuKernelGetAttribute(int *value, int attribute, cu_function kernel,
                                          cu_device device) {
    return cuda_is_device(cuda_state(), device)
               ? CUDADRV_ASK(attribute_of(value, attribute, kernel))
               : cudaErrorInvalidDevice;
}

CUDART_API cu_result cuKernelSetAttribute(int attribute, int value, cu_function kernel,
                                          cu_device device) {
    return CUDADRV_ASK(
        cuda_function_set(kernel, (enum cuda_function_attribute)attribute, value, device));
}

CUDART_API cu_result cuKernelSetCacheConfig(cu_function kernel, unsigned config, cu_device device) {
    return cuda_is_device(cuda_state(), device)
               ? CUDADRV_ASK(cudaFuncSetCacheConfig(kernel, config))
               : cudaErrorInvalidDevice;
}

// ---- Occupancy --------------------------------------------------------------------------------

CUDART_API cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cu_function function,
                                                                 int threads, size_t shared) {
    return CUDADRV_RUN(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

CUDART_API cu_result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, cu_function function, int threads, size_t shared, unsigned flags) {
    return CUDADRV_RUN(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, threads, shared, flags));
}

CUDART_API cu_result cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, cu_function function,
                                                             int blocks, int threads) {
    return CUDADRV_RUN(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}

typedef size_t (*shared_of_block)(int threads);

// The block with which most threads are resident, the largest of equals. The program's function may
// call the driver, so nothing is locked.
static enum cuda_error best_block(int *grid, int *block, cu_function function,
                                  shared_of_block shared_of, size_t shared, int limit) {
    enum { WARP = 32 };
    int most, blocks, best = 0;
    if (!grid || !block)
        return cudaErrorInvalidValue;
    enum cuda_error error = attribute_of(&most, 0, function);
    if (error != cudaSuccess)
        return error;
    int first = (most + WARP - 1) / WARP * WARP;
    for (int threads = first; threads > 0; threads -= WARP) {
        int tried = threads < most ? threads : most;
        if (limit > 0 && tried > limit) {
            if (tried - WARP >= limit)
                continue;
            tried = limit;
        }
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, tried, shared_of ? shared_of(tried) : shared);
        if (error != cudaSuccess)
            return error;
        if (blocks * tried > best) {
            best = blocks * tried;
            *block = tried;
            *grid = blocks * cuda_state()->device.limits.multiprocessors;
        }
    }
    return best ? cudaSuccess : cudaErrorInvalidValue;
}

CUDART_API cu_result cuOccupancyMaxPotentialBlockSize(int *grid, int *block, cu_function function,
                                                      shared_of_block shared_of, size_t shared,
                                                      int limit) {
    return CUDADRV_RUN(best_block(grid, block, function, shared_of, shared, limit));
}

CUDART_API cu_result cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                               cu_function function,
                                                               shared_of_block shared_of,
                                                               size_t shared, int limit,
                                                               unsigned flags) {
    if (flags > 1)
        return cudaErrorInvalidValue;
    return CUDADRV_RUN(best_block(grid, block, function, shared_of, shared, limit));
}
