// __device__, __constant__ and __managed__ variables by their symbols.
#include <stdint.h>

#include "cuda/core/state.h"
#include "cuda/memory/copy.h"
#include "cuda/module/calls.h"

enum cuda_error cuda_copy_symbol(struct cuda_state *state, const void *symbol, size_t offset,
                                 void *other, size_t count, enum cuda_memcpy_kind kind,
                                 bool to_symbol, cuda_stream stream, bool is_queued) {
    bool is_lost = false;
    enum cuda_error error = is_queued ? cuda_enter_queued(state, &is_lost) : cuda_enter(state);
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
    return error;
}

enum cuda_error cuda_symbol_look_up(struct cuda_state *state, const void *symbol, void **address,
                                    size_t *bytes) {
    void *found = NULL;
    size_t size = 0;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !address && !bytes)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_variable_find(state, symbol, &found, &size);
    if (error == cudaSuccess && address)
        *address = found;
    if (error == cudaSuccess && bytes)
        *bytes = size;
    return error;
}
