// Attributes of kernels, and the ways to name one.
#include <stdint.h>

#include "cuda/core/error.h"
#include "cuda/core/state.h"
#include "cuda/launch/launch.h"
#include "cuda/module/calls.h"
#include "ir/ir.h"

// What the module's own constants take. All of them are there for each of its kernels, whichever
// of them it reads, as on a device of compute capability 9.0.
static size_t constant_bytes(const struct ir_module *module) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = module->variables[i].ptx;
        if (variable->space != PTX_SPACE_CONST || variable->is_extern)
            continue;
        uint64_t natural =
            ptx_type_bytes(variable->type) * (variable->vector ? variable->vector : 1);
        uint64_t align = variable->align ? variable->align : natural;
        if (align > 1)
            bytes = (bytes + align - 1) / align * align;
        bytes += variable->bytes;
    }
    return bytes;
}

enum cuda_error cuda_function_attributes(struct cuda_state *state, const void *stub,
                                         struct cuda_function_attributes *out) {
    if (!out)
        return cudaErrorInvalidValue;
    struct cuda_function *function;
    enum cuda_error error = cuda_enter(state);
    if (!stub)
        error = cudaErrorInvalidDeviceFunction;
    if (error == cudaSuccess)
        error = cuda_function_find(state, stub, &function);
    if (error != cudaSuccess)
        return error;
    const struct ptx_function *ptx = function->ir->ptx;
    const struct cuda_function_on *here = cuda_function_here(state, function);
    const struct cuda_dim3 cluster = cuda_required_cluster(state, function);
    *out = (struct cuda_function_attributes){
        .shared_bytes = cuda_static_shared(function),
        .const_bytes = constant_bytes(function->ir->module),
        .local_bytes = function->ir->local_bytes,
        .max_threads = (int)cuda_function_max_threads(state, function),
        .registers = (int)cuda_function_registers(function),
        .ptx_version = (int)function->module->code.ptx->target,
        .binary_version = (int)state->config.arch,
        .max_dynamic_shared = (int)cuda_dynamic_limit(state, function),
        .carveout = here->carveout,
        .cluster_must_be_set = ptx->needs_cluster,
        .cluster_width = (int)cluster.x,
        .cluster_height = (int)cluster.y,
        .cluster_depth = (int)cluster.z,
        .cluster_scheduling = here->cluster_scheduling,
        .non_portable_cluster = here->allows_large_clusters,
    };
    return cudaSuccess;
}

static enum cuda_error set_attribute(struct cuda_state *state, struct cuda_function *function,
                                     enum cuda_function_attribute attribute, int value) {
    struct cuda_function_on *here = &function->on[state->current->number];
    uint32_t most = state->device.limits.chip->shared_block_bytes - cuda_static_shared(function);
    switch (attribute) {
    case CUDA_FUNCTION_MAX_DYNAMIC_SHARED:
        if (value < 0 || (uint32_t)value > most)
            return cudaErrorInvalidValue;
        here->max_dynamic_shared = (uint32_t)value;
        return cudaSuccess;
    case CUDA_FUNCTION_CARVEOUT: // percent of the shared memory; -1: no wish
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        here->carveout = value;
        return cudaSuccess;
    case CUDA_FUNCTION_CLUSTER_WIDTH:
    case CUDA_FUNCTION_CLUSTER_HEIGHT:
    case CUDA_FUNCTION_CLUSTER_DEPTH:
        if (function->ir->ptx->required_cluster[0])
            return cudaErrorNotPermitted;
        if (value < 0)
            return cudaErrorInvalidValue;
        here->required_cluster[attribute - CUDA_FUNCTION_CLUSTER_WIDTH] = (uint32_t)value;
        return cudaSuccess;
    case CUDA_FUNCTION_NON_PORTABLE_CLUSTER:
        here->allows_large_clusters = value != 0;
        return cudaSuccess;
    case CUDA_FUNCTION_CLUSTER_SCHEDULING:
        if (value < 0 || value > 2)
            return cudaErrorInvalidValue;
        here->cluster_scheduling = value;
        return cudaSuccess;
    default: // the rest is fixed when the kernel is compiled
        return cudaErrorInvalidValue;
    }
}

static bool is_attribute(int attribute) {
    return attribute >= CUDA_FUNCTION_MAX_DYNAMIC_SHARED &&
           attribute <= CUDA_FUNCTION_CLUSTER_SCHEDULING;
}

enum cuda_error cuda_function_set(struct cuda_state *state, const void *stub,
                                  enum cuda_function_attribute attribute, int value, int device) {
    if (!is_attribute((int)attribute))
        return cudaErrorInvalidValue;
    struct cuda_function *function;
    enum cuda_error error = cuda_enter_device(state, device);
    if (error == cudaSuccess)
        error = cuda_function_find(state, stub, &function);
    return error == cudaSuccess ? set_attribute(state, function, attribute, value) : error;
}

// The simulated device has no caches to configure: valid wishes have no effect.
static enum cuda_error wish(struct cuda_state *state, const void *stub, unsigned value,
                            unsigned most) {
    struct cuda_function *function;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_function_find(state, stub, &function);
    if (error == cudaSuccess && value > most)
        error = cudaErrorInvalidValue;
    return error;
}

enum cuda_error cuda_func_set_cache_config(struct cuda_state *state, const void *stub,
                                           unsigned config) {
    return wish(state, stub, config, 3);
}

// Only 3.x has a choice; elsewhere banks are 4 bytes wide.
enum cuda_error cuda_func_set_shared_mem_config(struct cuda_state *state, const void *stub,
                                                unsigned config) {
    struct cuda_function *function;
    enum { MOST = 2 };
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_function_find(state, stub, &function);
    if (error == cudaSuccess && config > MOST)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && state->config.arch / 10 == 3)
        function->on[state->current->number].shared_config = (int)config;
    return error;
}

enum cuda_error cuda_func_get_name(struct cuda_state *state, const char **name, const void *stub) {
    const struct cuda_function *function = stub ? cuda_function_known(state, stub) : NULL;
    enum cuda_error error = cudaSuccess;
    if (!name)
        error = cudaErrorInvalidValue;
    else if (!function)
        error = stub ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    else
        *name = function->name;
    return error;
}

enum cuda_error cuda_func_get_param_info(struct cuda_state *state, const void *stub, size_t index,
                                         size_t *offset, size_t *bytes) {
    struct cuda_function *function;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_function_find(state, stub, &function);
    if (error == cudaSuccess && (!offset || index >= function->ir->ptx->parameter_count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        const struct ptx_variable *parameter = &function->ir->ptx->parameters[index];
        for (uint32_t i = 0; i < function->ir->variable_count; i++)
            if (function->ir->variables[i]->ptx == parameter)
                *offset = function->ir->variables[i]->offset;
        if (bytes)
            *bytes = parameter->bytes;
    }
    return error;
}

// A kernel's handle is its record; it can be used wherever a stub can.
enum cuda_error cuda_kernel_of_stub(struct cuda_state *state, void **kernel, const void *stub) {
    struct cuda_function *function = stub ? cuda_function_known(state, stub) : NULL;
    enum cuda_error error = function ? cudaSuccess
                            : stub   ? cudaErrorInvalidResourceHandle
                                     : cudaErrorInvalidDeviceFunction;
    // Generated code ignores the error and launches the handle: an unknown stub is its own handle,
    // so that the launch reports it.
    *kernel = function ? (void *)function : (void *)(uintptr_t)stub;
    return error;
}

enum cuda_error cuda_get_kernel(struct cuda_state *state, void **kernel, const void *stub) {
    return kernel ? cuda_kernel_of_stub(state, kernel, stub) : cudaErrorInvalidValue;
}
