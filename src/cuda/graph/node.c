// From a program's parameters of a node to an operation, and back.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/core/gap.h"
#include "cuda/graph/calls.h"
#include "cuda/graph/memory.h"
#include "cuda/graph/state.h"
#include "cuda/memory/memcpy.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/event.h"

enum { PINNED = 1, LOCATION_DEVICE = 1 };

// A kernel of a driver's module runs where that was loaded, whichever context is current.
static enum cuda_error go_to_module(struct cuda_state *state, const void *stub) {
    const struct cuda_function *function = stub ? cuda_function_known(state, stub) : NULL;
    if (!function || !function->module->context ||
        function->module->device == state->current->number)
        return cudaSuccess;
    return cuda_visit(state, &state->devices[function->module->device]);
}

static enum cuda_error kernel_of(struct cuda_state *state, const struct cuda_kernel_node *params,
                                 struct cuda_operation *operation) {
    struct cuda_launch launch = {
        .grid = params->grid, .block = params->block, .dynamic_shared = params->shared};
    if (params->arguments && params->extra)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_launch_packed(params->extra, &launch);
    if (error == cudaSuccess)
        error = go_to_module(state, params->function);
    if (error != cudaSuccess)
        return error;
    return cuda_kernel_of(state, params->function, &launch, params->arguments, operation);
}

static enum cuda_error copy_of(struct cuda_state *state, const struct cuda_memcpy_3d *params,
                               struct cuda_operation *operation) {
    operation->u.copy.asked = *params;
    const struct cuda_extent *extent = &params->extent;
    if (!extent->width || !extent->height || !extent->depth)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_copy_of_3d(state, params, &operation->u.copy.copy);
    return error == cudaSuccess ? cuda_copy_check(state, &operation->u.copy.copy, true) : error;
}

static enum cuda_error fill_of(struct cuda_state *state, const struct cuda_memset_node *params,
                               struct cuda_operation *operation) {
    operation->u.fill = (struct cuda_fill){
        .at = params->target,
        .pitch = params->pitch,
        .width = params->width,
        .height = params->height,
        .depth = 1,
        .slice_rows = params->height,
        .value = params->value,
        .element = params->element,
    };
    if (!params->width || !params->height)
        return cudaErrorInvalidValue;
    return cuda_fill_check(state, &operation->u.fill, true);
}

// Graphs that are moved stay what they are, others are copied.
static enum cuda_error child_of(struct cuda_state *state, const struct cuda_graph *graph,
                                const struct cuda_child_node *params,
                                struct cuda_operation *operation) {
    struct cuda_graph *child = cuda_graph_find(state, params->graph);
    if (!child || child == graph)
        return cudaErrorInvalidValue;
    if (params->is_moved) {
        if (child->owner)
            return cudaErrorInvalidValue;
        operation->u.child = child;
        return cudaSuccess;
    }
    if (cuda_graph_has(child, CUDA_NODE_ALLOCATE) || cuda_graph_has(child, CUDA_NODE_FREE) ||
        cuda_graph_has(child, CUDA_NODE_CONDITIONAL))
        return cudaErrorNotSupported;
    operation->u.child = cuda_graph_copy(state, child);
    return cudaSuccess;
}

static enum cuda_error allocate_of(struct cuda_state *state, struct cuda_graph *graph,
                                   const struct cuda_links *before,
                                   struct cuda_allocate_node *params,
                                   struct cuda_operation *operation) {
    if (!params->bytes || params->pool.allocation_type != PINNED ||
        params->pool.location.type != LOCATION_DEVICE || (params->access_count && !params->access))
        return cudaErrorInvalidValue;
    if (params->pool.handle_types) {
        cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED,
                     "a graph's memory that other processes share is not supported");
        return cudaErrorNotSupported;
    }
    struct cuda_region *region = cuda_region_for(state, graph, before, params->bytes);
    if (!region)
        return cudaErrorMemoryAllocation;
    params->address = region->at;
    operation->u.allocate.region = region;
    operation->u.allocate.asked = *params;
    size_t bytes = params->access_count * sizeof *params->access;
    struct cuda_access *access = bytes ? base_alloc(bytes) : NULL;
    if (bytes)
        memcpy(access, params->access, bytes);
    operation->u.allocate.asked.access = access;
    return cudaSuccess;
}

// A region is freed once for each time that the graph allocates it, or once where another does.
static enum cuda_error free_of(struct cuda_state *state, const struct cuda_graph *graph,
                               const void *address, struct cuda_operation *operation) {
    struct cuda_region *region = cuda_region_at(state, address);
    unsigned allocated = 0, freed = 0;
    for (size_t i = 0; region && i < graph->nodes.length; i++) {
        const struct cuda_operation *other = &graph->nodes.data[i]->operation;
        allocated += other->kind == CUDA_NODE_ALLOCATE && other->u.allocate.region == region;
        freed += other->kind == CUDA_NODE_FREE && other->u.freed == region;
    }
    if (!region || freed >= (allocated ? allocated : 1))
        return cudaErrorInvalidValue;
    operation->u.freed = cuda_region_retain(region);
    return cudaSuccess;
}

static enum cuda_error conditional_of(struct cuda_state *state, struct cuda_graph *graph,
                                      struct cuda_conditional_node *params,
                                      struct cuda_operation *operation) {
    struct cuda_graphs *graphs = cuda_graphs(state);
    static const unsigned most[] = {
        [CUDA_IF] = 2, [CUDA_WHILE] = 1, [CUDA_SWITCH] = CUDA_MOST_BODIES};
    if (!params->handle || params->handle > graphs->conditions.length ||
        (unsigned)params->type > CUDA_SWITCH || !params->size || params->size > most[params->type])
        return cudaErrorInvalidValue;
    struct cuda_condition *condition = &graphs->conditions.data[params->handle - 1];
    if (condition->has_node || condition->graph != graph->serial)
        return cudaErrorInvalidValue;
    condition->has_node = true;
    operation->u.conditional.handle = params->handle;
    operation->u.conditional.type = params->type;
    operation->u.conditional.size = params->size;
    struct cuda_graph **bodies = base_alloc(params->size * sizeof(struct cuda_graph *));
    for (unsigned i = 0; i < params->size; i++) {
        bodies[i] = cuda_graph_new(state);
        bodies[i]->is_body = true;
    }
    operation->u.conditional.bodies = params->bodies = bodies;
    return cudaSuccess;
}

static enum cuda_error host_of(const struct cuda_host_node *params,
                               struct cuda_operation *operation) {
    operation->u.host = *params;
    return params->function ? cudaSuccess : cudaErrorInvalidValue;
}

static enum cuda_error event_of(struct cuda_state *state, cuda_event event,
                                struct cuda_operation *operation) {
    operation->u.event = cuda_event_find(state, event);
    return operation->u.event ? cudaSuccess : cudaErrorInvalidValue;
}

static enum cuda_error refuse(enum cuda_node_type type) {
    static const char *const names[] = {
        [CUDA_NODE_SIGNAL_SEMAPHORE] = "signal external semaphores",
        [CUDA_NODE_WAIT_SEMAPHORE] = "wait for external semaphores",
        [CUDA_NODE_BATCH] = "do batches of memory operations",
    };
    if ((unsigned)type >= sizeof names / sizeof *names || !names[type])
        return cudaErrorInvalidValue;
    cuda_say_gap(cuda_state(), PROFILE_GAP_UNSUPPORTED, "nodes of graphs that %s are not supported",
                 names[type]);
    return cudaErrorNotSupported;
}

enum cuda_error cuda_operation_of(struct cuda_state *state, struct cuda_graph *graph,
                                  const struct cuda_links *before, struct cuda_node_params *params,
                                  struct cuda_operation *operation) {
    memset(operation, 0, sizeof *operation);
    operation->kind = params->type;
    switch (params->type) {
    case CUDA_NODE_KERNEL:
        return kernel_of(state, &params->u.kernel, operation);
    case CUDA_NODE_MEMCPY:
        return copy_of(state, &params->u.memcpy.copy, operation);
    case CUDA_NODE_MEMSET:
        return fill_of(state, &params->u.memset, operation);
    case CUDA_NODE_HOST:
        return host_of(&params->u.host, operation);
    case CUDA_NODE_GRAPH:
        return child_of(state, graph, &params->u.child, operation);
    case CUDA_NODE_EMPTY:
        return cudaSuccess;
    case CUDA_NODE_WAIT_EVENT:
    case CUDA_NODE_RECORD_EVENT:
        return event_of(state, params->u.event, operation);
    case CUDA_NODE_ALLOCATE:
        return allocate_of(state, graph, before, &params->u.allocate, operation);
    case CUDA_NODE_FREE:
        return free_of(state, graph, params->u.freed, operation);
    case CUDA_NODE_CONDITIONAL:
        return conditional_of(state, graph, &params->u.conditional, operation);
    default:
        return refuse(params->type);
    }
}

// ---- Back -------------------------------------------------------------------------------------

static void tell_kernel(struct cuda_kernel *kernel, struct cuda_kernel_node *params) {
    const struct cuda_function *function = kernel->function;
    const struct ptx_function *ptx = function->ir->ptx;
    if (!kernel->pointers) {
        kernel->pointers = base_alloc((ptx->parameter_count + 1) * sizeof *kernel->pointers);
        for (uint32_t p = 0; p < ptx->parameter_count; p++)
            for (uint32_t i = 0; i < function->ir->variable_count; i++)
                if (function->ir->variables[i]->ptx == &ptx->parameters[p])
                    kernel->pointers[p] = kernel->parameters + function->ir->variables[i]->offset;
    }
    *params = (struct cuda_kernel_node){
        .function = (void *)(uintptr_t)(function->host ? function->host : function),
        .grid = kernel->launch.grid,
        .block = kernel->launch.block,
        .shared = (unsigned)kernel->launch.dynamic_shared,
        .arguments = kernel->pointers,
    };
}

bool cuda_operation_tell(struct cuda_operation *operation, struct cuda_node_params *params) {
    memset(params, 0, sizeof *params);
    params->type = operation->kind;
    const struct cuda_fill *fill = &operation->u.fill;
    switch (operation->kind) {
    case CUDA_NODE_KERNEL:
        tell_kernel(&operation->u.kernel, &params->u.kernel);
        return true;
    case CUDA_NODE_MEMCPY:
        params->u.memcpy.copy = operation->u.copy.asked;
        return true;
    case CUDA_NODE_MEMSET:
        params->u.memset = (struct cuda_memset_node){fill->at,      fill->pitch, fill->value,
                                                     fill->element, fill->width, fill->height};
        return true;
    case CUDA_NODE_HOST:
        params->u.host = operation->u.host;
        return true;
    case CUDA_NODE_GRAPH:
        params->u.child.graph = operation->u.child;
        return true;
    case CUDA_NODE_WAIT_EVENT:
    case CUDA_NODE_RECORD_EVENT:
        params->u.event = operation->u.event;
        return true;
    case CUDA_NODE_ALLOCATE:
        params->u.allocate = operation->u.allocate.asked;
        return true;
    case CUDA_NODE_FREE:
        params->u.freed = operation->u.freed->at;
        return true;
    default:
        return false;
    }
}

// ---- Conditions -------------------------------------------------------------------------------

enum cuda_error cuda_graph_conditional_handle_create(struct cuda_state *state,
                                                     cuda_condition *handle, cuda_graph graph,
                                                     unsigned value, unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_graph *known = error == cudaSuccess ? cuda_graph_find(state, graph) : NULL;
    if (error == cudaSuccess && (!handle || !known || flags > CUDA_CONDITION_ASSIGN_DEFAULT))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        struct cuda_graphs *graphs = cuda_graphs(state);
        struct cuda_condition made = {
            .value = value,
            .assigned = value,
            .is_assigned = flags & CUDA_CONDITION_ASSIGN_DEFAULT,
            .graph = known->serial,
        };
        vec_push(&graphs->conditions, made);
        *handle = graphs->conditions.length;
        vec_push(&known->conditions, *handle);
    }
    return error;
}

bool cuda_condition_set(void *context, uint64_t handle, uint32_t value) {
    struct cuda_graphs *graphs = ((struct cuda_state *)context)->graphs;
    if (!graphs || !handle || handle > graphs->conditions.length)
        return false;
    __atomic_store_n(&graphs->conditions.data[handle - 1].value, value, __ATOMIC_RELAXED);
    return true;
}
