// What the code calls that nvcc puts around kernels and variables: registration before main, and
// the two halves of a <<<>>> launch.
#include <stdlib.h>

#include "base/alloc.h"
#include "cuda/module/calls.h"
#include "cudart/call.h"

// In a child of fork() that cannot use CUDA nothing is registered (cuda/core/fork.h).

// The program's handle is the module.
static struct cuda_module *module_of(void **handle) {
    return (struct cuda_module *)handle;
}

CUDA_API void **__cudaRegisterFatBinary(void *wrapper) {
    struct cuda_state *state = cuda_state();
    struct cuda_module *module = base_alloc(sizeof *module);
    module->wrapper = wrapper;
    if (cuda_lock(state)) {
        vec_push(&state->modules, module);
        cuda_unlock(state);
    }
    return (void **)module;
}

CUDA_API void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

CUDA_API void __cudaUnregisterFatBinary(void **handle) {
    struct cuda_state *state = cuda_state();
    if (!cuda_lock(state))
        return;
    if (handle)
        cuda_module_free(state, module_of(handle));
    cuda_unlock(state);
}

CUDA_API void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                     const char *name, int thread_limit, void *thread, void *block,
                                     void *block_size, void *grid_size, int *warp_size) {
    (void)device, (void)thread_limit, (void)thread, (void)block;
    (void)block_size, (void)grid_size, (void)warp_size;
    struct cuda_state *state = cuda_state();
    if (!cuda_lock(state))
        return;
    cuda_function_add(state, module_of(handle), host, name);
    cuda_unlock(state);
}

static void add_variable(void **handle, const void *host, void **slot, const char *name,
                         size_t bytes) {
    struct cuda_state *state = cuda_state();
    if (!cuda_lock(state))
        return;
    cuda_variable_add(state, module_of(handle), host, slot, name, bytes);
    cuda_unlock(state);
}

CUDA_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                int is_external, size_t bytes, int is_constant, int is_global) {
    (void)device, (void)is_external, (void)is_constant, (void)is_global;
    add_variable(handle, host, NULL, name, bytes);
}

// The program reads the address of a managed variable from *slot. Its symbol is the slot.
CUDA_API void __cudaRegisterManagedVar(void **handle, void **slot, char *device, const char *name,
                                       int is_external, size_t bytes, int is_constant,
                                       int is_global) {
    (void)device, (void)is_external, (void)is_constant, (void)is_global;
    add_variable(handle, slot, slot, name, bytes);
}

CUDA_API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
    (void)handle, (void)name, (void)host, (void)bytes;
}

// Called before the program touches a managed variable.
CUDA_API char __cudaInitModule(void **handle) {
    struct cuda_state *state = cudart_begin();
    if (!state)
        return 0;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_module_load(state, module_of(handle));
    return cudart_record(cuda_end(state, error)) == cudaSuccess;
}

// ---- <<<grid, block, shared, stream>>> ------------------------------------------------------

struct call_configuration {
    struct cuda_dim3 grid, block;
    size_t shared;
    cuda_stream stream;
};

// Launches nest when an argument of one is computed by a function that makes another.
enum { MAX_NESTED = 16 };
static _Thread_local struct call_configuration stack[MAX_NESTED];
static _Thread_local unsigned depth;

CUDA_API unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block,
                                              size_t shared, cuda_stream stream) {
    if (depth == MAX_NESTED)
        return 1;
    stack[depth++] = (struct call_configuration){grid, block, shared, stream};
    return 0;
}

CUDA_API enum cuda_error __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block,
                                                    size_t *shared, void *stream) {
    if (depth == 0)
        return cudart_record(cudaErrorMissingConfiguration);
    const struct call_configuration *top = &stack[--depth];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(cuda_stream *)stream = top->stream;
    return cudaSuccess;
}
