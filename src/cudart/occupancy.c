// Occupancy: how many blocks are resident on a multiprocessor.
#include "cudart/launch.h"

enum { DISABLE_CACHING_OVERRIDE = 1 };

static enum cuda_error active_blocks(int *blocks, const void *stub, int threads, size_t shared) {
    struct cudart_function *function;
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !blocks)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cudart_function_find(cudart_state(), stub, &function);
    if (error == cudaSuccess && threads <= 0)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *blocks = (int)cudart_occupancy(cudart_state(), function, (unsigned)threads, shared);
    return cudart_leave(error);
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
        return cudart_record(cudaErrorInvalidValue);
    return active_blocks(blocks, stub, threads, shared);
}

// The most dynamic shared memory with which `blocks` blocks still fit: found by halving, as
// occupancy falls when a block takes more.
static size_t available_shared(const struct cudart_state *state,
                               const struct cudart_function *function, unsigned blocks,
                               unsigned threads) {
    size_t low = 0, high = cudart_dynamic_limit(state, function);
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (cudart_occupancy(state, function, threads, middle) >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

CUDART_API enum cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                                     const void *stub, int blocks,
                                                                     int threads) {
    struct cudart_function *function;
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess)
        error = cudart_function_find(cudart_state(), stub, &function);
    if (error == cudaSuccess &&
        (!bytes || blocks <= 0 || threads <= 0 ||
         cudart_occupancy(cudart_state(), function, (unsigned)threads, 0) < (unsigned)blocks))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *bytes = available_shared(cudart_state(), function, (unsigned)blocks, (unsigned)threads);
    return cudart_leave(error);
}
