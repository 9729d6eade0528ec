// Launches.
#include "cuda/launch/calls.h"
#include "cuda/stream/calls.h"
#include "cudadrv/cudadrv.h"

static enum cuda_error launch_kernel(struct cuda_state *state, cu_function function,
                                     struct cuda_launch *launch, void **parameters, void **extra) {
    if (!function)
        return cudaErrorInvalidResourceHandle;
    enum cuda_error error =
        parameters && extra ? cudaErrorInvalidValue : cuda_launch_packed(extra, launch);
    return error == cudaSuccess ? cuda_launch_kernel(state, function, launch, parameters) : error;
}

CUDADRV_CALL(cuLaunchKernel(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                            cuda_stream stream, void **parameters, void **extra),
             launch_kernel(state, function,
                           &(struct cuda_launch){.grid = {grid_x, grid_y, grid_z},
                                                 .block = {block_x, block_y, block_z},
                                                 .dynamic_shared = shared,
                                                 .stream = stream},
                           parameters, extra))
CUDA_PER_THREAD(cuLaunchKernel, _ptsz)

CUDADRV_CALL(cuLaunchCooperativeKernel(cu_function function, unsigned grid_x, unsigned grid_y,
                                       unsigned grid_z, unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned shared, cuda_stream stream,
                                       void **parameters),
             launch_kernel(state, function,
                           &(struct cuda_launch){.grid = {grid_x, grid_y, grid_z},
                                                 .block = {block_x, block_y, block_z},
                                                 .dynamic_shared = shared,
                                                 .stream = stream,
                                                 .is_cooperative = true},
                           parameters, NULL))
CUDA_PER_THREAD(cuLaunchCooperativeKernel, _ptsz)

struct launch_config { // CUlaunchConfig
    struct cuda_dim3 grid, block;
    unsigned shared;
    cuda_stream stream;
    const struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

static enum cuda_error launch_with(struct cuda_state *state, const struct launch_config *config,
                                   cu_function function, void **parameters, void **extra) {
    if (!config)
        return cudaErrorInvalidValue;
    struct cuda_launch launch = {.grid = config->grid,
                                 .block = config->block,
                                 .dynamic_shared = config->shared,
                                 .stream = config->stream};
    enum cuda_error error =
        cuda_launch_attributes(config->attributes, config->attribute_count, &launch);
    return error == cudaSuccess ? launch_kernel(state, function, &launch, parameters, extra)
                                : error;
}

CUDADRV_CALL(cuLaunchKernelEx(const struct launch_config *config, cu_function function,
                              void **parameters, void **extra),
             launch_with(state, config, function, parameters, extra))
CUDA_PER_THREAD(cuLaunchKernelEx, _ptsz)

// The runtime's form of it.
static const struct cuda_launch_config *widen(const struct launch_config *config,
                                              struct cuda_launch_config *wide) {
    if (!config)
        return NULL;
    *wide = (struct cuda_launch_config){.grid = config->grid,
                                        .block = config->block,
                                        .dynamic_shared = config->shared,
                                        .stream = config->stream,
                                        .attributes = config->attributes,
                                        .attribute_count = config->attribute_count};
    return wide;
}

CUDADRV_CALL(cuOccupancyMaxActiveClusters(int *clusters, cu_function function,
                                          const struct launch_config *config),
             cuda_occupancy_max_active_clusters(state, clusters, function,
                                                widen(config, &(struct cuda_launch_config){0})))
CUDADRV_CALL(cuOccupancyMaxPotentialClusterSize(int *size, cu_function function,
                                                const struct launch_config *config),
             cuda_occupancy_max_potential_cluster_size(state, size, function,
                                                       widen(config,
                                                             &(struct cuda_launch_config){0})))

CUDADRV_CALL(cuLaunchHostFunc(cuda_stream stream, cuda_host_function function, void *data),
             cuda_launch_host_func(state, stream, function, data))
CUDA_PER_THREAD(cuLaunchHostFunc, _ptsz)
