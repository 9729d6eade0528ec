// Which launches are refused, with which error. The codes are those that a device of compute
// capability 9.0 gave under the runtimes 11.8, 12.1, 12.9 and 13.0: the same for all, but 13
// reports a bad grid or block as an invalid argument.
#include "cuda/launch/launch.h"

#include "ir/ir.h"

enum { PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16 };

uint32_t cuda_static_shared(const struct cuda_function *function) {
    return function->layout ? (uint32_t)function->layout->static_bytes : 0;
}

uint32_t cuda_dynamic_limit(const struct cuda_state *state, const struct cuda_function *function) {
    uint32_t set = cuda_function_here(state, function)->max_dynamic_shared;
    if (set != UINT32_MAX)
        return set;
    uint32_t fixed = cuda_static_shared(function), all = (uint32_t)state->device.shared_default;
    return fixed < all ? all - fixed : 0;
}

unsigned cuda_function_max_threads(const struct cuda_state *state,
                                   const struct cuda_function *function) {
    const struct ptx_function *ptx = function->ir->ptx;
    const uint32_t *bounds = ptx->required_threads[0] ? ptx->required_threads : ptx->max_threads;
    uint64_t threads = bounds[0];
    for (int i = 1; i < 3; i++)
        threads *= bounds[i] ? bounds[i] : 1;
    unsigned most = state->device.limits->threads_per_block;
    return threads && threads < most ? (unsigned)threads : most;
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

// Registers are left out: only machine code tells how many a kernel takes.
unsigned cuda_occupancy(const struct cuda_state *state, const struct cuda_function *function,
                        unsigned threads, size_t dynamic_shared) {
    if (dynamic_shared > cuda_dynamic_limit(state, function))
        return 0;
    return bankrun_occupancy(state->device.limits, threads, 0,
                             cuda_static_shared(function) + (unsigned)dynamic_shared);
}

static bool fits(struct cuda_dim3 size, const int *most) {
    return size.x && size.y && size.z && size.x <= (uint32_t)most[0] &&
           size.y <= (uint32_t)most[1] && size.z <= (uint32_t)most[2];
}

struct cuda_dim3 cuda_required_cluster(const struct cuda_state *state,
                                       const struct cuda_function *function) {
    const uint32_t *own = function->ir->ptx->required_cluster;
    const uint32_t *set = cuda_function_here(state, function)->required_cluster;
    if (own[0])
        return (struct cuda_dim3){own[0], own[1] ? own[1] : 1, own[2] ? own[2] : 1};
    return (struct cuda_dim3){set[0], set[1], set[2]};
}

bool cuda_is_cluster_good(const struct cuda_state *state, const struct cuda_function *function,
                          const struct cuda_launch *launch) {
    const struct ptx_function *ptx = function->ir->ptx;
    const struct cuda_dim3 required = cuda_required_cluster(state, function);
    struct cuda_dim3 c = launch->cluster;
    bool is_given = c.x || c.y || c.z;
    if (required.x && is_given && (c.x != required.x || c.y != required.y || c.z != required.z))
        return false;
    if (required.x)
        c = required;
    else if (!is_given)
        return !ptx->needs_cluster;
    uint64_t blocks = (uint64_t)c.x * c.y * c.z;
    unsigned most = cuda_function_here(state, function)->allows_large_clusters ? LARGEST_CLUSTER
                                                                               : PORTABLE_CLUSTER;
    if (ptx->max_cluster_blocks && ptx->max_cluster_blocks < most)
        most = ptx->max_cluster_blocks;
    return blocks > 0 && blocks <= most && state->device.arch >= 90 && launch->grid.x % c.x == 0 &&
           launch->grid.y % c.y == 0 && launch->grid.z % c.z == 0;
}

static bool is_block_as_required(const struct cuda_function *function, struct cuda_dim3 block) {
    const uint32_t *required = function->ir->ptx->required_threads;
    return !required[0] || (block.x == required[0] && block.y == (required[1] ? required[1] : 1) &&
                            block.z == (required[2] ? required[2] : 1));
}

enum cuda_error cuda_check_launch(const struct cuda_state *state,
                                  const struct cuda_function *function,
                                  const struct cuda_launch *launch) {
    uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    if (!fits(launch->block, state->device.max_block) ||
        !fits(launch->grid, state->device.max_grid) ||
        threads > state->device.limits->threads_per_block)
        return cuda_version() >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
    if (launch->is_cooperative) {
        uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
        uint64_t resident =
            (uint64_t)cuda_occupancy(state, function, (unsigned)threads, launch->dynamic_shared) *
            (unsigned)state->device.multiprocessors;
        if (blocks > resident)
            return cudaErrorCooperativeLaunchTooLarge;
    }
    if (threads > cuda_function_max_threads(state, function) ||
        !is_block_as_required(function, launch->block))
        return cudaErrorInvalidValue;
    if (launch->dynamic_shared > cuda_dynamic_limit(state, function) ||
        launch->dynamic_shared + cuda_static_shared(function) >
            state->device.limits->shared_block_bytes)
        return cudaErrorInvalidValue;
    if (!cuda_is_cluster_good(state, function, launch))
        return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}
