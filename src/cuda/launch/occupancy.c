// Occupancy: how many blocks are resident on a multiprocessor.
#include "cuda/launch/calls.h"
#include "cuda/launch/launch.h"

#include "cuda/module/calls.h"
#include "ir/ir.h"

enum { DISABLE_CACHING_OVERRIDE = 1 };

enum cuda_error cuda_occupancy_blocks(struct cuda_state *state, int *blocks, const void *stub,
                                      int threads, size_t shared) {
    struct cuda_function *function;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !blocks)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_function_find(state, stub, &function);
    if (error == cudaSuccess && threads <= 0)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *blocks = (int)cuda_occupancy(state, function, (unsigned)threads, shared);
    return error;
}

enum cuda_error cuda_occupancy_max_active_blocks_per_multiprocessor_with_flags(
    struct cuda_state *state, int *blocks, const void *stub, int threads, size_t shared,
    unsigned flags) {
    if (flags > DISABLE_CACHING_OVERRIDE)
        return cudaErrorInvalidValue;
    return cuda_occupancy_blocks(state, blocks, stub, threads, shared);
}

struct shared_call {
    cuda_shared_of_block function;
    int threads;
    size_t bytes;
};

static void ask_shared(void *data) {
    struct shared_call *call = data;
    call->bytes = call->function(call->threads);
}

// A block's dynamic shared memory, by the program's function if there is one.
static size_t shared_for(struct cuda_state *state, cuda_shared_of_block function, size_t shared,
                         int threads) {
    struct shared_call call = {function, threads, shared};
    if (function)
        cuda_call_host(state, ask_shared, &call);
    return call.bytes;
}

enum cuda_error cuda_occupancy_best_block(struct cuda_state *state, int *grid, int *block,
                                          struct cuda_function *function,
                                          cuda_shared_of_block shared_of, size_t shared,
                                          int limit) {
    enum { WARP = 32 };
    struct cuda_function_attributes attributes;
    int blocks, best = 0;
    if (!grid || !block)
        return cudaErrorInvalidValue;
    enum cuda_error error = function ? cuda_function_attributes(state, function, &attributes)
                                     : cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess)
        return error;
    const int most = attributes.max_threads;
    for (int threads = (most + WARP - 1) / WARP * WARP; threads > 0; threads -= WARP) {
        int tried = threads < most ? threads : most;
        if (limit > 0 && tried > limit) {
            if (tried - WARP >= limit)
                continue;
            tried = limit;
        }
        error = cuda_occupancy_blocks(state, &blocks, function, tried,
                                      shared_for(state, shared_of, shared, tried));
        if (error != cudaSuccess)
            return error;
        if (blocks * tried > best) {
            best = blocks * tried;
            *block = tried;
            *grid = blocks * (int)state->device.limits.multiprocessors;
        }
    }
    return best ? cudaSuccess : cudaErrorInvalidValue;
}

// The most dynamic shared memory with which `blocks` blocks still fit: found by halving, as
// occupancy falls when a block takes more.
static size_t available_shared(const struct cuda_state *state, const struct cuda_function *function,
                               unsigned blocks, unsigned threads) {
    size_t low = 0, high = cuda_dynamic_limit(state, function);
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (cuda_occupancy(state, function, threads, middle) >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

enum cuda_error cuda_occupancy_available_dynamic_smem_per_block(struct cuda_state *state,
                                                                size_t *bytes, const void *stub,
                                                                int blocks, int threads) {
    struct cuda_function *function;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_function_find(state, stub, &function);
    if (error == cudaSuccess &&
        (!bytes || blocks <= 0 || threads <= 0 ||
         cuda_occupancy(state, function, (unsigned)threads, 0) < (unsigned)blocks))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *bytes = available_shared(state, function, (unsigned)blocks, (unsigned)threads);
    return error;
}

// ---- Clusters -----------------------------------------------------------------------------

enum { PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16 };

// How many clusters of so many blocks are on the device when a multiprocessor takes one block. A
// cluster lies in one group of multiprocessors, and the groups differ from chip to chip. Here five
// have 18 and the others 16: an H200 gives the same for clusters of 2, 4, 8 and 16 blocks.
static uint64_t clusters_at_once(unsigned multiprocessors, uint64_t blocks) {
    enum { LARGE_GROUPS = 5, LARGE_GROUP = 18, GROUP = 16 };
    uint64_t clusters = 0;
    for (unsigned group = 0; multiprocessors; group++) {
        const unsigned whole = group < LARGE_GROUPS ? LARGE_GROUP : GROUP;
        const unsigned here = multiprocessors < whole ? multiprocessors : whole;
        clusters += here / blocks;
        multiprocessors -= here;
    }
    return clusters;
}

static unsigned blocks_at_once(struct cuda_state *state, const struct cuda_function *function,
                               const struct cuda_launch *launch) {
    const uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    if (!threads || threads > state->device.limits.chip->threads_per_block)
        return 0;
    return cuda_occupancy(state, function, (unsigned)threads, launch->dynamic_shared);
}

static enum cuda_error count_clusters(struct cuda_state *state, int *clusters, const void *stub,
                                      const struct cuda_launch_config *config) {
    struct cuda_function *function;
    struct cuda_launch launch = {
        .grid = config->grid, .block = config->block, .dynamic_shared = config->dynamic_shared};
    enum cuda_error error = cuda_function_find(state, stub, &function);
    if (error == cudaSuccess)
        error = cuda_launch_attributes(config->attributes, config->attribute_count, &launch);
    if (error == cudaSuccess && !cuda_is_cluster_good(state, function, &launch))
        error = cudaErrorInvalidClusterSize;
    if (error != cudaSuccess)
        return error;
    const struct cuda_dim3 fixed = cuda_required_cluster(state, function);
    const struct cuda_dim3 size = fixed.x ? fixed : launch.cluster;
    uint64_t blocks = (uint64_t)size.x * size.y * size.z;
    *clusters = 0; // without a size there are none to count
    if (blocks)
        *clusters = (int)(blocks_at_once(state, function, &launch) *
                          clusters_at_once(state->device.limits.multiprocessors, blocks));
    return cudaSuccess;
}

enum cuda_error cuda_occupancy_max_active_clusters(struct cuda_state *state, int *clusters,
                                                   const void *stub,
                                                   const struct cuda_launch_config *config) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!clusters || !config))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? count_clusters(state, clusters, stub, config) : error;
}

enum cuda_error cuda_occupancy_max_potential_cluster_size(struct cuda_state *state, int *size,
                                                          const void *stub,
                                                          const struct cuda_launch_config *config) {
    struct cuda_function *function;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!size || !config))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_function_find(state, stub, &function);
    if (error == cudaSuccess)
        *size = cuda_function_here(state, function)->allows_large_clusters ? LARGEST_CLUSTER
                                                                           : PORTABLE_CLUSTER;
    return error;
}
