// Which launches are refused, with which error. The codes are those that a device of compute
// capability 9.0 gave under the runtimes 11.8, 12.1, 12.9 and 13.0: the same for all, but 13
// reports a bad grid or block as an invalid argument.
#include "cuda/launch/calls.h"
#include "cuda/launch/launch.h"

#include <string.h>

#include "cuda/core/error.h"
#include "cuda/core/thread.h"
#include "ir/ir.h"
#include "run/refused.h"

enum { PORTABLE_CLUSTER = 8 }; // what a kernel may have before it opts in to more

uint32_t cuda_static_shared(const struct cuda_function *function) {
    return function->layout ? (uint32_t)function->layout->static_bytes : 0;
}

uint32_t cuda_dynamic_limit(const struct cuda_state *state, const struct cuda_function *function) {
    uint32_t set = cuda_function_here(state, function)->max_dynamic_shared;
    if (set != UINT32_MAX)
        return set;
    uint32_t fixed = cuda_static_shared(function), all = state->device.limits.shared_bytes;
    return fixed < all ? all - fixed : 0;
}

static struct run_limits limits_of(const struct cuda_state *state,
                                   const struct cuda_function *function) {
    const struct cuda_function_on *here = cuda_function_here(state, function);
    struct run_limits limits = state->device.limits;
    limits.dynamic_bytes = cuda_dynamic_limit(state, function);
    if (!here->allows_large_clusters && limits.cluster_blocks > PORTABLE_CLUSTER)
        limits.cluster_blocks = PORTABLE_CLUSTER;
    memcpy(limits.cluster, here->required_cluster, sizeof limits.cluster);
    return limits;
}

unsigned cuda_function_max_threads(const struct cuda_state *state,
                                   const struct cuda_function *function) {
    return run_block_threads(&state->device.limits, function->ir);
}

unsigned cuda_function_registers(const struct cuda_function *function) {
    enum { FEWEST = 8, MOST = 255 };
    const uint32_t *slots = function->ir->slots;
    uint32_t estimate = slots[IR_CLASS_32] + 2 * slots[IR_CLASS_64];
    uint32_t most = function->ir->ptx->max_registers ? function->ir->ptx->max_registers : MOST;
    if (estimate < FEWEST)
        estimate = FEWEST;
    return estimate < most ? estimate : most;
}

unsigned cuda_occupancy(const struct cuda_state *state, const struct cuda_function *function,
                        unsigned threads, size_t dynamic_shared) {
    const struct run_limits limits = limits_of(state, function);
    return run_occupancy(&limits, threads, cuda_static_shared(function), dynamic_shared);
}

struct cuda_dim3 cuda_required_cluster(const struct cuda_state *state,
                                       const struct cuda_function *function) {
    const struct run_limits limits = limits_of(state, function);
    uint32_t cluster[3];
    run_required_cluster(&limits, function->ir, cluster);
    return (struct cuda_dim3){cluster[0], cluster[1], cluster[2]};
}

static void copy_size(uint32_t out[3], struct cuda_dim3 size) {
    out[0] = size.x;
    out[1] = size.y;
    out[2] = size.z;
}

struct sim_launch cuda_launch_shape(const struct cuda_launch *launch) {
    struct sim_launch shape = {
        .dynamic_shared_bytes =
            launch->dynamic_shared < UINT32_MAX ? (uint32_t)launch->dynamic_shared : UINT32_MAX,
        .is_cooperative = launch->is_cooperative,
    };
    copy_size(shape.grid, launch->grid);
    copy_size(shape.block, launch->block);
    copy_size(shape.cluster, launch->cluster);
    return shape;
}

bool cuda_is_cluster_good(const struct cuda_state *state, const struct cuda_function *function,
                          const struct cuda_launch *launch) {
    const struct run_limits limits = limits_of(state, function);
    const struct sim_launch shape = cuda_launch_shape(launch);
    return run_is_cluster_good(&limits, &shape, function->ir);
}

static enum cuda_error error_of(enum run_limit limit) {
    switch (limit) {
    case RUN_BLOCK_EXTENT:
    case RUN_GRID_EXTENT:
    case RUN_BLOCK_THREADS:
        return cuda_version() >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
    case RUN_COOPERATIVE:
        return cudaErrorCooperativeLaunchTooLarge;
    case RUN_CLUSTER_MISSING:
    case RUN_CLUSTER_REQUIRED:
    case RUN_CLUSTER_BLOCKS:
    case RUN_CLUSTER_REMAINDER:
        return cudaErrorInvalidClusterSize;
    case RUN_KERNEL_THREADS:
    case RUN_KERNEL_BLOCK:
    case RUN_SHARED:
    case RUN_DYNAMIC_SHARED:
        break;
    }
    return cudaErrorInvalidValue;
}

enum cuda_error cuda_check_launch(const struct cuda_state *state,
                                  const struct cuda_function *function,
                                  const struct cuda_launch *launch) {
    const struct run_limits limits = limits_of(state, function);
    const struct sim_launch shape = cuda_launch_shape(launch);
    struct run_refusal refusals[RUN_MOST_REFUSALS];
    return run_check(&limits, &shape, function->ir, cuda_static_shared(function), refusals)
               ? error_of(refusals[0].limit)
               : cudaSuccess;
}

void cuda_note_refused(struct cuda_state *state, const void *stub, const struct cuda_launch *launch,
                       enum cuda_error error) {
    const struct cuda_function *function = stub ? cuda_function_known(state, stub) : NULL;
    const bool is_loaded = function && function->ir && function->layout;
    const struct run_limits limits = is_loaded ? limits_of(state, function) : state->device.limits;
    const struct sim_launch shape = cuda_launch_shape(launch);
    const struct run_refused refused = {
        .symbol = function ? function->name : NULL,
        .kernel = is_loaded ? function->ir : NULL,
        .limits = &limits,
        .launch = &shape,
        .dynamic_bytes = launch->dynamic_shared,
        .static_bytes = is_loaded ? cuda_static_shared(function) : 0,
        .thread = cuda_thread_number(),
        .parent = launch->parent,
        .error = cuda_error_name(error),
        .text = cuda_error_text(error),
        .is_by_driver = function && function->module->context,
    };
    if (state->profile)
        run_add_refused(state->profile, &refused);
}
