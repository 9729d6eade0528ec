// Launches.
#include "cuda/launch/calls.h"
#include "cudart/call.h"

CUDART_LAUNCH(cudaLaunchKernel(const void *stub, struct cuda_dim3 grid, struct cuda_dim3 block,
                               void **arguments, size_t shared, cuda_stream stream),
              cuda_launch_kernel(state, stub,
                                 &(struct cuda_launch){.grid = grid,
                                                       .block = block,
                                                       .dynamic_shared = shared,
                                                       .stream = stream},
                                 arguments))
CUDA_PER_THREAD(cudaLaunchKernel, _ptsz)

// What code compiled by CUDA 12 and later calls for <<<>>>; the kernel is a handle.
CUDART_LAUNCH(__cudaLaunchKernel(const void *kernel, struct cuda_dim3 grid, struct cuda_dim3 block,
                                 void **arguments, size_t shared, cuda_stream stream),
              cuda_launch_kernel(state, kernel,
                                 &(struct cuda_launch){.grid = grid,
                                                       .block = block,
                                                       .dynamic_shared = shared,
                                                       .stream = stream},
                                 arguments))
CUDA_PER_THREAD(__cudaLaunchKernel, _ptsz)
CUDART_LAUNCH(cudaLaunchCooperativeKernel(const void *stub, struct cuda_dim3 grid,
                                          struct cuda_dim3 block, void **arguments, size_t shared,
                                          cuda_stream stream),
              cuda_launch_kernel(state, stub,
                                 &(struct cuda_launch){.grid = grid,
                                                       .block = block,
                                                       .dynamic_shared = shared,
                                                       .stream = stream,
                                                       .is_cooperative = true},
                                 arguments))
CUDA_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz)
CUDART_LAUNCH(cudaLaunchKernelExC(const struct cuda_launch_config *config, const void *stub,
                                  void **arguments),
              cuda_launch_kernel_ex_c(state, config, stub, arguments))
CUDA_PER_THREAD(cudaLaunchKernelExC, _ptsz)

// ---- Occupancy --------------------------------------------------------------------------------

CUDART_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub,
                                                          int threads, size_t shared),
            cuda_occupancy_blocks(state, blocks, stub, threads, shared))
CUDART_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *stub,
                                                                   int threads, size_t shared,
                                                                   unsigned flags),
            cuda_occupancy_max_active_blocks_per_multiprocessor_with_flags(state, blocks, stub,
                                                                           threads, shared, flags))
CUDART_CALL(cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub, int blocks,
                                                      int threads),
            cuda_occupancy_available_dynamic_smem_per_block(state, bytes, stub, blocks, threads))
CUDART_CALL(cudaOccupancyMaxActiveClusters(int *clusters, const void *stub,
                                           const struct cuda_launch_config *config),
            cuda_occupancy_max_active_clusters(state, clusters, stub, config))
CUDART_CALL(cudaOccupancyMaxPotentialClusterSize(int *size, const void *stub,
                                                 const struct cuda_launch_config *config),
            cuda_occupancy_max_potential_cluster_size(state, size, stub, config))

// ---- What is counted --------------------------------------------------------------------------

CUDART_CALL(cudaProfilerStart(void), cuda_profiler_start(state))
CUDART_CALL(cudaProfilerStop(void), cuda_profiler_stop(state))
