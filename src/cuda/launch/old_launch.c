// Launches as the first versions of the driver API had them: block, shared memory and parameters
// are set on the function, one call each, and stay.
#include <string.h>

#include "base/alloc.h"
#include "cuda/launch/calls.h"
#include "cuda/launch/launch.h"

enum { MOST_PARAMETER_BYTES = sizeof(((struct cuda_old_launch *)0)->parameters) };

// Enters; *old is what was set so far.
static enum cuda_error enter_with(struct cuda_state *state, struct cuda_function *function,
                                  struct cuda_old_launch **old) {
    struct cuda_function *known;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_function_find(state, function, &known);
    if (error != cudaSuccess)
        return error;
    if (!known->old_launch)
        known->old_launch = base_alloc(sizeof *known->old_launch);
    *old = known->old_launch;
    return cudaSuccess;
}

enum cuda_error cuda_old_set_block(struct cuda_state *state, struct cuda_function *function, int x,
                                   int y, int z) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(state, function, &old);
    if (error == cudaSuccess && (x <= 0 || y <= 0 || z <= 0))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        old->block = (struct cuda_dim3){(unsigned)x, (unsigned)y, (unsigned)z};
    return error;
}

enum cuda_error cuda_old_set_shared(struct cuda_state *state, struct cuda_function *function,
                                    unsigned bytes) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(state, function, &old);
    if (error == cudaSuccess)
        old->shared_bytes = bytes;
    return error;
}

enum cuda_error cuda_old_set_size(struct cuda_state *state, struct cuda_function *function,
                                  unsigned bytes) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(state, function, &old);
    if (error == cudaSuccess && bytes > MOST_PARAMETER_BYTES)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        old->parameter_bytes = bytes;
    return error;
}

enum cuda_error cuda_old_set_parameter(struct cuda_state *state, struct cuda_function *function,
                                       int offset, const void *value, unsigned bytes) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(state, function, &old);
    if (error == cudaSuccess && (offset < 0 || !value || bytes > MOST_PARAMETER_BYTES ||
                                 (unsigned)offset > MOST_PARAMETER_BYTES - bytes))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        memcpy(old->parameters + offset, value, bytes);
    return error;
}

enum cuda_error cuda_old_launch(struct cuda_state *state, struct cuda_function *function, int width,
                                int height, cuda_stream stream) {
    struct cuda_old_launch *old = NULL;
    enum cuda_error error = enter_with(state, function, &old);
    if (error == cudaSuccess && (width <= 0 || height <= 0 || !old->block.x))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    struct cuda_old_launch *copy = base_alloc(sizeof *copy); // the program may set others meanwhile
    *copy = *old;
    struct cuda_launch launch = {
        .grid = {(unsigned)width, (unsigned)height, 1},
        .block = copy->block,
        .dynamic_shared = copy->shared_bytes,
        .stream = stream,
        .packed = copy->parameters,
        .packed_bytes = copy->parameter_bytes,
    };
    error = cuda_launch_kernel(state, function, &launch, NULL);
    free(copy);
    return error;
}
