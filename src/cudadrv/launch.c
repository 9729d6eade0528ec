// Launches.
#include "cuda/launch/launch.h"
#include "cudadrv/cudadrv.h"

enum cuda_error cudaLaunchHostFunc(cuda_stream stream, cuda_host_function function, void *data);

enum cuda_error cudaOccupancyMaxActiveClusters(int *clusters, const void *stub,
                                               const struct cuda_launch_config *config);
enum cuda_error cudaOccupancyMaxPotentialClusterSize(int *size, const void *stub,
                                                     const struct cuda_launch_config *config);

static enum cuda_error launch_kernel(cu_function function, struct cuda_launch *launch,
                                     void **parameters, void **extra) {
    if (!function)
        return cudaErrorInvalidResourceHandle;
    enum cuda_error error =
        parameters && extra ? cudaErrorInvalidValue : cuda_launch_packed(extra, launch);
    return error == cudaSuccess ? cuda_launch_kernel(function, launch, parameters) : error;
}

CUDART_API cu_result cuLaunchKernel(cu_function function, unsigned grid_x, unsigned grid_y,
                                    unsigned grid_z, unsigned block_x, unsigned block_y,
                                    unsigned block_z, unsigned shared, cuda_stream stream,
                                    void **parameters, void **extra) {
    struct cuda_launch launch = {.grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .dynamic_shared = shared,
                                 .stream = stream};
    return CUDADRV_RUN(launch_kernel(function, &launch, parameters, extra));
}
CUDART_PER_THREAD(cuLaunchKernel, _ptsz)

CUDART_API cu_result cuLaunchCooperativeKernel(cu_function function, unsigned grid_x,
                                               unsigned grid_y, unsigned grid_z, unsigned block_x,
                                               unsigned block_y, unsigned block_z, unsigned shared,
                                               cuda_stream stream, void **parameters) {
    struct cuda_launch launch = {.grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .dynamic_shared = shared,
                                 .stream = stream,
                                 .is_cooperative = true};
    return CUDADRV_RUN(launch_kernel(function, &launch, parameters, NULL));
}
CUDART_PER_THREAD(cuLaunchCooperativeKernel, _ptsz)

struct launch_config { // CUlaunchConfig
    struct cuda_dim3 grid, block;
    unsigned shared;
    cuda_stream stream;
    const struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

CUDART_API cu_result cuLaunchKernelEx(const struct launch_config *config, cu_function function,
                                      void **parameters, void **extra) {
    if (!config)
        return cudaErrorInvalidValue;
    struct cuda_launch launch = {.grid = config->grid,
                                 .block = config->block,
                                 .dynamic_shared = config->shared,
                                 .stream = config->stream};
    enum cuda_error error =
        cuda_launch_attributes(config->attributes, config->attribute_count, &launch);
    if (error != cudaSuccess)
        return error;
    return CUDADRV_RUN(launch_kernel(function, &launch, parameters, extra));
}
CUDART_PER_THREAD(cuLaunchKernelEx, _ptsz)

// The runtime's form of it.
static struct cuda_launch_config widen(const struct launch_config *config) {
    return (struct cuda_launch_config){.grid = config->grid,
                                       .block = config->block,
                                       .dynamic_shared = config->shared,
                                       .stream = config->stream,
                                       .attributes = config->attributes,
                                       .attribute_count = config->attribute_count};
}

CUDART_API cu_result cuOccupancyMaxActiveClusters(int *clusters, cu_function function,
                                                  const struct launch_config *config) {
    if (!config)
        return cudaErrorInvalidValue;
    struct cuda_launch_config wide = widen(config);
    return CUDADRV_RUN(cudaOccupancyMaxActiveClusters(clusters, function, &wide));
}

CUDART_API cu_result cuOccupancyMaxPotentialClusterSize(int *size, cu_function function,
                                                        const struct launch_config *config) {
    if (!config)
        return cudaErrorInvalidValue;
    struct cuda_launch_config wide = widen(config);
    return CUDADRV_RUN(cudaOccupancyMaxPotentialClusterSize(size, function, &wide));
}

CUDART_API cu_result cuLaunchHostFunc(cuda_stream stream, cuda_host_function function, void *data) {
    return CUDADRV_RUN(cudaLaunchHostFunc(stream, function, data));
}
CUDART_PER_THREAD(cuLaunchHostFunc, _ptsz)
