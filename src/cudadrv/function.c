// Kernels: attributes, occupancy.
#include "cuda/core/thread.h"
#include "cuda/launch/calls.h"
#include "cuda/module/calls.h"
#include "cudadrv/cudadrv.h"

// ---- Attributes -------------------------------------------------------------------------------

// Number n of CUfunction_attribute.
static enum cuda_error attribute_of(struct cuda_state *state, int *value, int attribute,
                                    cu_function function) {
    struct cuda_function_attributes all;
    if (!value)
        return cudaErrorInvalidValue;
    enum cuda_error error =
        function ? cuda_function_attributes(state, function, &all) : cudaErrorInvalidResourceHandle;
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

CUDADRV_CALL(cuFuncGetAttribute(int *value, int attribute, cu_function function),
             attribute_of(state, value, attribute, function))
CUDADRV_CALL(cuFuncSetAttribute(cu_function function, int attribute, int value),
             cuda_function_set(state, function, (enum cuda_function_attribute)attribute, value,
                               (int)cuda_thread_device()))
CUDADRV_CALL(cuFuncSetCacheConfig(cu_function function, unsigned config),
             cuda_func_set_cache_config(state, function, config))
CUDADRV_CALL(cuFuncSetSharedMemConfig(cu_function function, unsigned config),
             cuda_func_set_shared_mem_config(state, function, config))
CUDADRV_CALL(cuFuncGetName(const char **name, cu_function function),
             cuda_func_get_name(state, name, function))
CUDADRV_CALL(cuFuncGetParamInfo(cu_function function, size_t index, size_t *offset, size_t *bytes),
             cuda_func_get_param_info(state, function, index, offset, bytes))

// *known is the function; it is loaded.
static enum cuda_error find(struct cuda_state *state, cu_function function, const void *out,
                            cu_function *known) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !out)
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? cuda_function_find(state, function, known) : error;
}

static enum cuda_error module_of(struct cuda_state *state, cu_module *module,
                                 cu_function function) {
    cu_function known = NULL;
    enum cuda_error error = find(state, function, module, &known);
    if (error == cudaSuccess)
        *module = known->module;
    return error;
}

CUDADRV_CALL(cuFuncGetModule(cu_module *module, cu_function function),
             module_of(state, module, function))

static enum cuda_error is_loaded(struct cuda_state *state, int *loaded, cu_function function) {
    cu_function known = NULL;
    enum cuda_error error = find(state, function, loaded, &known);
    if (error == cudaSuccess)
        *loaded = 1;
    return error;
}

CUDADRV_CALL(cuFuncIsLoaded(int *loaded, cu_function function), is_loaded(state, loaded, function))

CUDADRV_CALL(cuFuncLoad(cu_function function),
             find(state, function, function, &(cu_function){NULL}))

// ---- Kernels of libraries: they are functions -------------------------------------------------

static enum cuda_error function_of(struct cuda_state *state, cu_function *function,
                                   cu_function kernel) {
    cu_function known = NULL;
    enum cuda_error error = find(state, kernel, function, &known);
    if (error == cudaSuccess)
        *function = known;
    return error;
}

CUDADRV_CALL(cuKernelGetFunction(cu_function *function, cu_function kernel),
             function_of(state, function, kernel))

CUDADRV_CALL(cuKernelGetLibrary(cu_module *library, cu_function kernel),
             module_of(state, library, kernel))

CUDADRV_DEVICE_CALL(cuKernelGetName(const char **name, cu_function kernel),
                    cuda_func_get_name(state, name, kernel))
CUDADRV_DEVICE_CALL(cuKernelGetParamInfo(cu_function kernel, size_t index, size_t *offset,
                                         size_t *bytes),
                    cuda_func_get_param_info(state, kernel, index, offset, bytes))

CUDADRV_DEVICE_CALL(cuKernelGetAttribute(int *value, int attribute, cu_function kernel,
                                         cu_device device),
                    cuda_is_device(state, device) ? attribute_of(state, value, attribute, kernel)
                                                  : cudaErrorInvalidDevice)

CUDADRV_DEVICE_CALL(cuKernelSetAttribute(int attribute, int value, cu_function kernel,
                                         cu_device device),
                    cuda_function_set(state, kernel, (enum cuda_function_attribute)attribute, value,
                                      device))

CUDADRV_DEVICE_CALL(cuKernelSetCacheConfig(cu_function kernel, unsigned config, cu_device device),
                    cuda_is_device(state, device)
                        ? cuda_func_set_cache_config(state, kernel, config)
                        : cudaErrorInvalidDevice)

// ---- Occupancy --------------------------------------------------------------------------------

CUDADRV_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cu_function function,
                                                         int threads, size_t shared),
             cuda_occupancy_blocks(state, blocks, function, threads, shared))
CUDADRV_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, cu_function function,
                                                                  int threads, size_t shared,
                                                                  unsigned flags),
             cuda_occupancy_max_active_blocks_per_multiprocessor_with_flags(state, blocks, function,
                                                                            threads, shared, flags))
CUDADRV_CALL(cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, cu_function function,
                                                     int blocks, int threads),
             cuda_occupancy_available_dynamic_smem_per_block(state, bytes, function, blocks,
                                                             threads))

CUDADRV_CALL(cuOccupancyMaxPotentialBlockSize(int *grid, int *block, cu_function function,
                                              cuda_shared_of_block shared_of, size_t shared,
                                              int limit),
             cuda_occupancy_best_block(state, grid, block, function, shared_of, shared, limit))

CUDADRV_CALL(cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, cu_function function,
                                                       cuda_shared_of_block shared_of,
                                                       size_t shared, int limit, unsigned flags),
             flags > 1 ? cudaErrorInvalidValue
                       : cuda_occupancy_best_block(state, grid, block, function, shared_of, shared,
                                                   limit))
