// cudaProfilerStart and cudaProfilerStop limit what is counted, as they do for the vendor's
// profilers. A program that calls neither is counted wholly; the first start drops what was before.
#include "cudart/state.h"

CUDART_API enum cuda_error cudaProfilerStart(void) {
    enum cuda_error error = cudart_enter();
    struct cudart_state *state = cudart_state();
    if (error == cudaSuccess && state->profile && !state->profiler.was_used) {
        state->profiler.left_out += state->profile->launched;
        cudart_restart_profile(state);
    }
    if (error == cudaSuccess) {
        state->profiler.was_used = true;
        state->profiler.is_paused = false;
    }
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaProfilerStop(void) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess) {
        cudart_state()->profiler.was_used = true;
        cudart_state()->profiler.is_paused = true;
    }
    return cudart_leave(error);
}
