// The last error of each thread, and what errors are called.
#include "cuda/core/error.h"
#include "cuda/core/refuse.h"
#include "cuda/core/thread.h"
#include "cudart/call.h"

static _Thread_local enum cuda_error last;

struct cuda_state *cudart_begin(void) {
    struct cuda_state *state = cuda_begin();
    cuda_thread_uses_runtime();
    if (state)
        state->is_in_use = true;
    return state;
}

struct cuda_state *cudart_ask(void) {
    struct cuda_state *state = cuda_ask();
    if (state)
        state->is_in_use = true;
    return state;
}

enum cuda_error cudart_record(enum cuda_error error) {
    if (error != cudaSuccess)
        last = error;
    return error;
}

enum cuda_error cudart_unsupported(const char *name, atomic_flag *was_said) {
    cuda_refuse(name, !atomic_flag_test_and_set(was_said));
    return cudart_record(cudaErrorNotSupported);
}

CUDA_API const char *cudaGetErrorName(enum cuda_error error) {
    return cuda_error_name(error);
}

CUDA_API const char *cudaGetErrorString(enum cuda_error error) {
    return cuda_error_text(error);
}

CUDA_API enum cuda_error cudaGetLastError(void) {
    enum cuda_error error = last;
    last = cudaSuccess;
    return error;
}

CUDA_API enum cuda_error cudaPeekAtLastError(void) {
    return last;
}
