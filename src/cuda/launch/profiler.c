// cudaProfilerStart and cudaProfilerStop limit what is counted, as they do for the vendor's
// profilers. A program that calls neither is counted wholly; the first start drops what was before.
#include "cuda/core/state.h"

CUDART_API enum cuda_error cudaProfilerStart(void) {
    enum cuda_error error = cuda_enter();
    struct cuda_state *state = cuda_state();
    if (error == cudaSuccess && state->profile && !state->profiler.was_used) {
        state->profiler.left_out += state->profile->launched;
        cuda_restart_profile(state);
    }
    if (error == cudaSuccess) {
        state->profiler.was_used = true;
        state->profiler.is_paused = false;
    }
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaProfilerStop(void) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess) {
        cuda_state()->profiler.was_used = true;
        cuda_state()->profiler.is_paused = true;
    }
    return cuda_leave(error);
}
