// __device__, __constant__ and __managed__ variables by their symbols.
#include <stdint.h>

#include "cuda/core/state.h"
#include "cuda/memory/copy.h"

static enum cuda_error copy_symbol(const void *symbol, size_t offset, void *other, size_t count,
                                   enum cuda_memcpy_kind kind, bool to_symbol, cuda_stream stream,
                                   bool is_queued) {
    struct cuda_state *state = cuda_state();
    bool is_lost = false;
    enum cuda_error error = is_queued ? cuda_enter_queued(&is_lost) : cuda_enter();
    char *address = NULL;
    size_t bytes = 0;
    if (error == cudaSuccess)
        error = cuda_variable_find(state, symbol, (void **)&address, &bytes);
    enum cuda_memcpy_kind wrong = to_symbol ? CUDA_DEVICE_TO_HOST : CUDA_HOST_TO_DEVICE;
    if (error == cudaSuccess &&
        (kind == wrong || kind == CUDA_HOST_TO_HOST || (unsigned)kind > CUDA_DEFAULT))
        error = cudaErrorInvalidMemcpyDirection;
    if (error == cudaSuccess && (offset > bytes || count > bytes - offset))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        struct cuda_place variable = {address + offset, count, 1}, memory = {other, count, 1};
        struct cuda_copy copy = {
            .target = to_symbol ? variable : memory,
            .source = to_symbol ? memory : variable,
            .extent = {count, 1, 1},
            .kind = kind,
            .stream = stream,
        };
        error = cuda_copy_locked(state, &copy, is_lost);
    }
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaMemcpyToSymbol(const void *symbol, const void *source, size_t count,
                                              size_t offset, enum cuda_memcpy_kind kind) {
    return copy_symbol(symbol, offset, (void *)(uintptr_t)source, count, kind, true, NULL, false);
}
CUDART_PER_THREAD(cudaMemcpyToSymbol, _ptds)

CUDART_API enum cuda_error cudaMemcpyToSymbolAsync(const void *symbol, const void *source,
                                                   size_t count, size_t offset,
                                                   enum cuda_memcpy_kind kind, cuda_stream stream) {
    return copy_symbol(symbol, offset, (void *)(uintptr_t)source, count, kind, true, stream, true);
}
CUDART_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz)

CUDART_API enum cuda_error cudaMemcpyFromSymbol(void *target, const void *symbol, size_t count,
                                                size_t offset, enum cuda_memcpy_kind kind) {
    return copy_symbol(symbol, offset, target, count, kind, false, NULL, false);
}
CUDART_PER_THREAD(cudaMemcpyFromSymbol, _ptds)

CUDART_API enum cuda_error cudaMemcpyFromSymbolAsync(void *target, const void *symbol, size_t count,
                                                     size_t offset, enum cuda_memcpy_kind kind,
                                                     cuda_stream stream) {
    return copy_symbol(symbol, offset, target, count, kind, false, stream, true);
}
CUDART_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz)

static enum cuda_error look_up(const void *symbol, void **address, size_t *bytes) {
    void *found = NULL;
    size_t size = 0;
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && !address && !bytes)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_variable_find(cuda_state(), symbol, &found, &size);
    if (error == cudaSuccess && address)
        *address = found;
    if (error == cudaSuccess && bytes)
        *bytes = size;
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaGetSymbolAddress(void **address, const void *symbol) {
    return look_up(symbol, address, NULL);
}

CUDART_API enum cuda_error cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    return look_up(symbol, NULL, bytes);
}
