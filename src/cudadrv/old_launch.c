// Launches as the first versions of the driver API had them: block, shared memory and parameters
// are set on the function, one call each, and stay.
#include <string.h>

#include "base/alloc.h"
#include "cuda/launch/launch.h"
#include "cudadrv/cudadrv.h"

enum { MOST_PARAMETER_BYTES = sizeof(((struct cuda_old_launch *)0)->parameters) };

// Enters; *old is what was set so far. Leave in any case.
static enum cuda_error enter_with(cu_function function, struct cuda_old_launch **old) {
    struct cuda_state *state = cuda_state();
    struct cuda_function *known;
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess)
        error = cuda_function_find(state, function, &known);
    if (error != cudaSuccess)
        return error;
    if (!known->old_launch)
        known->old_launch = base_alloc(sizeof *known->old_launch);
    *old = known->old_launch;
    return cudaSuccess;
}

static enum cuda_error set_block(cu_function function, int x, int y, int z) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(function, &old);
    if (error == cudaSuccess && (x <= 0 || y <= 0 || z <= 0))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        old->block = (struct cuda_dim3){(unsigned)x, (unsigned)y, (unsigned)z};
    return cuda_leave(error);
}

CUDART_API cu_result cuFuncSetBlockShape(cu_function function, int x, int y, int z) {
    return CUDADRV_RUN(set_block(function, x, y, z));
}

static enum cuda_error set_shared(cu_function function, unsigned bytes) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(function, &old);
    if (error == cudaSuccess)
        old->shared_bytes = bytes;
    return cuda_leave(error);
}

CUDART_API cu_result cuFuncSetSharedSize(cu_function function, unsigned bytes) {
    return CUDADRV_RUN(set_shared(function, bytes));
}

static enum cuda_error set_size(cu_function function, unsigned bytes) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(function, &old);
    if (error == cudaSuccess && bytes > MOST_PARAMETER_BYTES)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        old->parameter_bytes = bytes;
    return cuda_leave(error);
}

CUDART_API cu_result cuParamSetSize(cu_function function, unsigned bytes) {
    return CUDADRV_RUN(set_size(function, bytes));
}

static enum cuda_error set_parameter(cu_function function, int offset, const void *value,
                                     unsigned bytes) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(function, &old);
    if (error == cudaSuccess && (offset < 0 || !value || bytes > MOST_PARAMETER_BYTES ||
                                 (unsigned)offset > MOST_PARAMETER_BYTES - bytes))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        memcpy(old->parameters + offset, value, bytes);
    return cuda_leave(error);
}

CUDART_API cu_result cuParamSeti(cu_function function, int offset, unsigned value) {
    return CUDADRV_RUN(set_parameter(function, offset, &value, sizeof value));
}

CUDART_API cu_result cuParamSetf(cu_function function, int offset, float value) {
    return CUDADRV_RUN(set_parameter(function, offset, &value, sizeof value));
}

CUDART_API cu_result cuParamSetv(cu_function function, int offset, const void *value,
                                 unsigned bytes) {
    return CUDADRV_RUN(set_parameter(function, offset, value, bytes));
}

static enum cuda_error launch(cu_function function, int width, int height, cuda_stream stream) {
    struct cuda_old_launch *old = NULL, copy;
    enum cuda_error error = enter_with(function, &old);
    if (error == cudaSuccess && (width <= 0 || height <= 0 || !old->block.x))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        copy = *old;
    error = cuda_leave(error);
    if (error != cudaSuccess)
        return error;
    struct cuda_launch launch = {
        .grid = {(unsigned)width, (unsigned)height, 1},
        .block = copy.block,
        .dynamic_shared = copy.shared_bytes,
        .stream = stream,
        .packed = copy.parameters,
        .packed_bytes = copy.parameter_bytes,
    };
    return cuda_launch_kernel(function, &launch, NULL);
}

CUDART_API cu_result cuLaunch(cu_function function) {
    return CUDADRV_RUN(launch(function, 1, 1, NULL));
}

CUDART_API cu_result cuLaunchGrid(cu_function function, int width, int height) {
    return CUDADRV_RUN(launch(function, width, height, NULL));
}

CUDART_API cu_result cuLaunchGridAsync(cu_function function, int width, int height,
                                       cuda_stream stream) {
    return CUDADRV_RUN(launch(function, width, height, stream));
}
