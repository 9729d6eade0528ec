// cudaProfilerStart and cudaProfilerStop limit what is counted, as they do for the vendor's
// profilers. A program that calls neither is counted wholly; the first start drops what was before.
#include "cuda/core/state.h"
#include "cuda/launch/calls.h"

enum cuda_error cuda_profiler_start(struct cuda_state *state) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && state->profile && !state->profiler.was_used) {
        state->profiler.left_out += state->profile->launched;
        cuda_restart_profile(state);
    }
    if (error == cudaSuccess) {
        state->profiler.was_used = true;
        state->profiler.is_paused = false;
    }
    return error;
}

enum cuda_error cuda_profiler_stop(struct cuda_state *state) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess) {
        state->profiler.was_used = true;
        state->profiler.is_paused = true;
    }
    return error;
}
