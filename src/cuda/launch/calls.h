// Whole calls, as the faces make them: see cuda_enter. Lock held.
#ifndef BANKRUN_CUDA_LAUNCH_CALLS_H
#define BANKRUN_CUDA_LAUNCH_CALLS_H

#include "cuda/launch/launch.h"

// launch.c
enum cuda_error cuda_launch_kernel_ex_c(struct cuda_state *state,
                                        const struct cuda_launch_config *config, const void *stub,
                                        void **arguments);

// occupancy.c
enum cuda_error cuda_occupancy_blocks(struct cuda_state *state, int *blocks, const void *stub,
                                      int threads, size_t shared);
enum cuda_error cuda_occupancy_max_active_blocks_per_multiprocessor_with_flags(
    struct cuda_state *state, int *blocks, const void *stub, int threads, size_t shared,
    unsigned flags);
enum cuda_error cuda_occupancy_available_dynamic_smem_per_block(struct cuda_state *state,
                                                                size_t *bytes, const void *stub,
                                                                int blocks, int threads);
enum cuda_error cuda_occupancy_max_active_clusters(struct cuda_state *state, int *clusters,
                                                   const void *stub,
                                                   const struct cuda_launch_config *config);
enum cuda_error cuda_occupancy_max_potential_cluster_size(struct cuda_state *state, int *size,
                                                          const void *stub,
                                                          const struct cuda_launch_config *config);

// profiler.c
enum cuda_error cuda_profiler_start(struct cuda_state *state);
enum cuda_error cuda_profiler_stop(struct cuda_state *state);

// old_launch.c
enum cuda_error cuda_old_set_block(struct cuda_state *state, struct cuda_function *function, int x,
                                   int y, int z);
enum cuda_error cuda_old_set_shared(struct cuda_state *state, struct cuda_function *function,
                                    unsigned bytes);
enum cuda_error cuda_old_set_size(struct cuda_state *state, struct cuda_function *function,
                                  unsigned bytes);
enum cuda_error cuda_old_set_parameter(struct cuda_state *state, struct cuda_function *function,
                                       int offset, const void *value, unsigned bytes);
enum cuda_error cuda_old_launch(struct cuda_state *state, struct cuda_function *function, int width,
                                int height, cuda_stream stream);

// The block with which most threads are resident, the largest of equals.
typedef size_t (*cuda_shared_of_block)(int threads);
enum cuda_error cuda_occupancy_best_block(struct cuda_state *state, int *grid, int *block,
                                          struct cuda_function *function,
                                          cuda_shared_of_block shared_of, size_t shared, int limit);

#endif
