// Occupancy: how many blocks are resident on a multiprocessor.
#include "cuda/launch/launch.h"

#include "ir/ir.h"

enum { DISABLE_CACHING_OVERRIDE = 1 };

static enum cuda_error active_blocks(int *blocks, const void *stub, int threads, size_t shared) {
    struct cuda_function *function;
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && !blocks)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_function_find(cuda_state(), stub, &function);
    if (error == cudaSuccess && threads <= 0)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *blocks = (int)cuda_occupancy(cuda_state(), function, (unsigned)threads, shared);
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                         const void *stub,
                                                                         int threads,
                                                                         size_t shared) {
    return active_blocks(blocks, stub, threads, shared);
}

CUDART_API enum cuda_error
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *stub, int threads,
                                                       size_t shared, unsigned flags) {
    if (flags > DISABLE_CACHING_OVERRIDE)
        return cuda_record(cudaErrorInvalidValue);
    return active_blocks(blocks, stub, threads, shared);
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

CUDART_API enum cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                                     const void *stub, int blocks,
                                                                     int threads) {
    struct cuda_function *function;
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess)
        error = cuda_function_find(cuda_state(), stub, &function);
    if (error == cudaSuccess &&
        (!bytes || blocks <= 0 || threads <= 0 ||
         cuda_occupancy(cuda_state(), function, (unsigned)threads, 0) < (unsigned)blocks))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *bytes = available_shared(cuda_state(), function, (unsigned)blocks, (unsigned)threads);
    return cuda_leave(error);
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

static unsigned blocks_at_once(const struct cuda_function *function,
                               const struct cuda_launch *launch) {
    const uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    if (!threads || threads > cuda_state()->device.limits.chip->threads_per_block)
        return 0;
    return cuda_occupancy(cuda_state(), function, (unsigned)threads, launch->dynamic_shared);
}

static enum cuda_error count_clusters(int *clusters, const void *stub,
                                      const struct cuda_launch_config *config) {
    struct cuda_function *function;
    struct cuda_launch launch = {
        .grid = config->grid, .block = config->block, .dynamic_shared = config->dynamic_shared};
    enum cuda_error error = cuda_function_find(cuda_state(), stub, &function);
    if (error == cudaSuccess)
        error = cuda_launch_attributes(config->attributes, config->attribute_count, &launch);
    if (error == cudaSuccess && !cuda_is_cluster_good(cuda_state(), function, &launch))
        error = cudaErrorInvalidClusterSize;
    if (error != cudaSuccess)
        return error;
    const struct cuda_dim3 fixed = cuda_required_cluster(cuda_state(), function);
    const struct cuda_dim3 size = fixed.x ? fixed : launch.cluster;
    uint64_t blocks = (uint64_t)size.x * size.y * size.z;
    *clusters = 0; // without a size there are none to count
    if (blocks)
        *clusters = (int)(blocks_at_once(function, &launch) *
                          clusters_at_once(cuda_state()->device.limits.multiprocessors, blocks));
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaOccupancyMaxActiveClusters(int *clusters, const void *stub,
                                                          const struct cuda_launch_config *config) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!clusters || !config))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = count_clusters(clusters, stub, config);
    return cuda_leave(error);
}

CUDART_API enum cuda_error
cudaOccupancyMaxPotentialClusterSize(int *size, const void *stub,
                                     const struct cuda_launch_config *config) {
    struct cuda_function *function;
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (!size || !config))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_function_find(cuda_state(), stub, &function);
    if (error == cudaSuccess)
        *size = cuda_function_here(cuda_state(), function)->allows_large_clusters
                    ? LARGEST_CLUSTER
                    : PORTABLE_CLUSTER;
    return cuda_leave(error);
}
