// Graphs that were instantiated: a copy of the program's graph with the order in which it runs.
#include "cuda/graph/exec.h"

#include "cuda/checks/check.h"
#include "cuda/core/gap.h"
#include "cuda/graph/calls.h"
#include "cuda/graph/memory.h"
#include "cuda/graph/state.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/stream.h"

struct cuda_exec *cuda_exec_find(struct cuda_state *state, const void *exec) {
    struct cuda_exec *found = exec ? cuda_handle_find(state, CUDA_EXEC, exec) : NULL;
    return found && !found->is_doomed ? found : NULL;
}

static struct cuda_graph *by_serial(struct cuda_state *state, unsigned long long serial) {
    for (struct cuda_handle *handle = state->handles.all[CUDA_GRAPH]; handle; handle = handle->next)
        if (handle->is_live && ((struct cuda_graph *)handle)->serial == serial)
            return (struct cuda_graph *)handle;
    return NULL;
}

void cuda_exec_free(struct cuda_state *state, struct cuda_exec *exec) {
    exec->is_doomed = true;
    if (exec->running)
        return;
    struct cuda_graph *source = exec->has_memory ? by_serial(state, exec->source) : NULL;
    if (source)
        source->has_executable = false;
    cuda_graph_free(state, exec->graph);
    cuda_handle_kill(state, &exec->handle);
}

// ---- Instantiation ----------------------------------------------------------------------------

struct verdict {
    struct cuda_node *node; // of the copy
    enum cuda_instantiate_result result;
};

// Schedules the graph and those in it; finds what cannot run.
static enum cuda_error prepare(struct cuda_graph *graph, bool is_in_body, struct verdict *verdict) {
    verdict->result = CUDA_INSTANTIATE_INVALID_STRUCTURE;
    if (!cuda_graph_schedule(graph, &verdict->node))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->nodes.length; i++) {
        struct cuda_operation *operation = &graph->nodes.data[i]->operation;
        enum cuda_error error = cudaSuccess;
        switch (operation->kind) {
        case CUDA_NODE_GRAPH:
            error = prepare(operation->u.child, is_in_body, verdict);
            break;
        case CUDA_NODE_CONDITIONAL:
            for (unsigned b = 0; error == cudaSuccess && b < operation->u.conditional.size; b++)
                error = prepare(operation->u.conditional.bodies[b], true, verdict);
            break;
        case CUDA_NODE_HOST: // only what a device does alone can be decided there
        case CUDA_NODE_WAIT_EVENT:
        case CUDA_NODE_RECORD_EVENT:
        case CUDA_NODE_ALLOCATE:
        case CUDA_NODE_FREE:
            if (is_in_body) {
                verdict->result = CUDA_INSTANTIATE_NODE_NOT_SUPPORTED;
                error = cudaErrorInvalidValue;
            }
            break;
        default:
            break;
        }
        if (error != cudaSuccess) {
            verdict->node = graph->nodes.data[i];
            return error;
        }
    }
    return cudaSuccess;
}

static bool has_unused_handle(const struct cuda_graphs *graphs, const struct cuda_graph *graph) {
    for (size_t i = 0; i < graph->conditions.length; i++)
        if (!graphs->conditions.data[graph->conditions.data[i] - 1].has_node)
            return true;
    return false;
}

static enum cuda_error check_flags(unsigned long long flags) {
    const unsigned long long known = CUDA_INSTANTIATE_AUTO_FREE | CUDA_INSTANTIATE_UPLOAD |
                                     CUDA_INSTANTIATE_DEVICE_LAUNCH |
                                     CUDA_INSTANTIATE_NODE_PRIORITY;
    if (flags & ~known)
        return cudaErrorInvalidValue;
    if (!(flags & CUDA_INSTANTIATE_DEVICE_LAUNCH))
        return cudaSuccess;
    cuda_say_gap(cuda_state(), PROFILE_GAP_UNSUPPORTED,
                 "graphs that kernels launch (cudaGraphInstantiateFlagDeviceLaunch) are not "
                 "supported");
    return cudaErrorNotSupported;
}

static struct cuda_node *original_of(const struct cuda_graph *graph, const struct cuda_node *copy) {
    for (size_t i = 0; copy && i < graph->nodes.length; i++)
        if (graph->nodes.data[i]->serial == copy->origin)
            return graph->nodes.data[i];
    return NULL;
}

static enum cuda_error make(struct cuda_state *state, struct cuda_graph *graph,
                            struct cuda_instantiate_params *params, struct cuda_exec **made) {
    bool has_memory =
        cuda_graph_has(graph, CUDA_NODE_ALLOCATE) || cuda_graph_has(graph, CUDA_NODE_FREE);
    if (has_memory && graph->has_executable)
        return cudaErrorNotSupported;
    if (has_unused_handle(cuda_graphs(state), graph)) {
        params->result = CUDA_INSTANTIATE_HANDLE_UNUSED;
        return cudaErrorInvalidValue;
    }
    struct cuda_graph *copy = cuda_graph_copy(state, graph);
    struct verdict verdict = {0};
    enum cuda_error error = prepare(copy, graph->is_body, &verdict);
    if (error != cudaSuccess) {
        params->result = verdict.result;
        params->error_node = original_of(graph, verdict.node);
        cuda_graph_free(state, copy);
        return error;
    }
    struct cuda_exec *exec = cuda_handle_new(state, CUDA_EXEC, sizeof *exec);
    exec->graph = copy;
    exec->source = graph->serial;
    exec->flags = params->flags;
    exec->has_memory = graph->has_executable = has_memory;
    params->result = CUDA_INSTANTIATE_SUCCESS;
    *made = exec;
    return cudaSuccess;
}

enum cuda_error cuda_instantiate(struct cuda_state *state, cuda_exec *exec, cuda_graph graph,
                                 struct cuda_instantiate_params *params) {
    enum cuda_error error = cuda_enter_unsafe(state);
    struct cuda_graph *known = error == cudaSuccess ? cuda_graph_find(state, graph) : NULL;
    if (error == cudaSuccess && (!exec || !known || !params))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        params->error_node = NULL;
        params->result = CUDA_INSTANTIATE_ERROR;
        error = check_flags(params->flags);
    }
    if (error == cudaSuccess && !cuda_stream_is_good(state, params->upload_stream))
        error = cudaErrorInvalidResourceHandle;
    return error == cudaSuccess ? make(state, known, params, exec) : error;
}

enum cuda_error cuda_instantiate_with_log(struct cuda_state *state, cuda_exec *exec,
                                          cuda_graph graph, cuda_node *error_node, char *log,
                                          size_t bytes) {
    struct cuda_instantiate_params params = {0};
    enum cuda_error error = cuda_instantiate(state, exec, graph, &params);
    if (error_node)
        *error_node = params.error_node;
    if (log && bytes)
        *log = 0;
    return error;
}

enum cuda_error cuda_graph_instantiate_with_flags(struct cuda_state *state, cuda_exec *exec,
                                                  cuda_graph graph, unsigned long long flags) {
    struct cuda_instantiate_params params = {.flags = flags};
    if (flags & CUDA_INSTANTIATE_UPLOAD) // into which stream?
        return cudaErrorInvalidValue;
    return cuda_instantiate(state, exec, graph, &params);
}

// ---- Launches ---------------------------------------------------------------------------------

static enum cuda_error run_graph(struct cuda_state *state, const struct cuda_graph *graph,
                                 struct cuda_check_graph *check);

static enum cuda_error run_conditional(struct cuda_state *state,
                                       const struct cuda_operation *operation,
                                       struct cuda_check_graph *check) {
    const unsigned branches = cuda_check_graph_branches(check);
    struct cuda_graph *const *bodies = operation->u.conditional.bodies;
    unsigned size = operation->u.conditional.size;
    enum cuda_error error = cudaSuccess;
    bool again = true;
    while (again && error == cudaSuccess && state->current->pending == cudaSuccess &&
           !state->dying) {
        unsigned value = __atomic_load_n(
            &cuda_graphs(state)->conditions.data[operation->u.conditional.handle - 1].value,
            __ATOMIC_RELAXED);
        unsigned body = size;
        if (operation->u.conditional.type == CUDA_SWITCH)
            body = value;
        else if (value)
            body = 0;
        else if (operation->u.conditional.type == CUDA_IF)
            body = 1;
        again = operation->u.conditional.type == CUDA_WHILE && value;
        if (body < size)
            error = run_graph(state, bodies[body], check);
        cuda_check_graph_again(check, branches);
    }
    return error;
}

static enum cuda_error run_node(struct cuda_state *state, const struct cuda_operation *operation,
                                struct cuda_check_graph *check) {
    if (operation->kind == CUDA_NODE_GRAPH)
        return run_graph(state, operation->u.child, check);
    if (operation->kind == CUDA_NODE_CONDITIONAL)
        return run_conditional(state, operation, check);
    return cuda_check_run_node(state, check, operation);
}

static enum cuda_error run_graph(struct cuda_state *state, const struct cuda_graph *graph,
                                 struct cuda_check_graph *check) {
    enum cuda_error error = cudaSuccess;
    struct cuda_check_nodes *nodes = cuda_check_nodes_begin(check, graph);
    for (size_t i = 0; i < graph->schedule.length && error == cudaSuccess; i++) {
        const struct cuda_node *node = graph->schedule.data[i];
        state->current = node->handle.device;
        if (state->current->pending != cudaSuccess || state->dying)
            break;
        cuda_check_node_begin(check, nodes, node);
        if (!node->is_disabled)
            error = run_node(state, &node->operation, check);
        cuda_check_node_end(check, nodes, node);
        if (state->current->pending != cudaSuccess) // nodes of other devices do not run either
            break;
    }
    cuda_check_nodes_end(check, nodes);
    return error;
}

static void assign_defaults(struct cuda_graphs *graphs, const struct cuda_graph *graph) {
    for (size_t i = 0; i < graph->nodes.length; i++) {
        const struct cuda_operation *operation = &graph->nodes.data[i]->operation;
        if (operation->kind == CUDA_NODE_GRAPH)
            assign_defaults(graphs, operation->u.child);
        if (operation->kind != CUDA_NODE_CONDITIONAL)
            continue;
        struct cuda_condition *condition =
            &graphs->conditions.data[operation->u.conditional.handle - 1];
        if (condition->is_assigned)
            condition->value = condition->assigned;
        for (unsigned b = 0; b < operation->u.conditional.size; b++)
            assign_defaults(graphs, operation->u.conditional.bodies[b]);
    }
}

// Memory of the last launch that was not freed: the graph frees it, if it was asked to.
static enum cuda_error take_back(struct cuda_state *state, const struct cuda_graph *graph,
                                 bool frees) {
    for (size_t i = 0; i < graph->nodes.length; i++) {
        const struct cuda_operation *operation = &graph->nodes.data[i]->operation;
        enum cuda_error error = cudaSuccess;
        if (operation->kind == CUDA_NODE_GRAPH)
            error = take_back(state, operation->u.child, frees);
        if (operation->kind == CUDA_NODE_ALLOCATE && operation->u.allocate.region->is_mapped)
            error = frees ? cuda_region_unmap(state, operation->u.allocate.region)
                          : cudaErrorInvalidValue;
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

static enum cuda_error run(struct cuda_state *state, struct cuda_exec *exec, cuda_stream stream) {
    enum cuda_error error = take_back(state, exec->graph, exec->flags & CUDA_INSTANTIATE_AUTO_FREE);
    if (error != cudaSuccess)
        return error;
    assign_defaults(cuda_graphs(state), exec->graph);
    struct cuda_device *device = state->current;
    exec->running++;
    struct cuda_check_graph *check = cuda_check_graph_begin(state, stream, exec->graph);
    error = run_graph(state, exec->graph, check);
    const enum cuda_error fault = state->current->pending;
    state->current = device;
    // Of a node of another device: whoever waits for the graph sees it, as on two H100s.
    if (device->pending == cudaSuccess)
        device->pending = fault;
    cuda_check_graph_end(state, check);
    if (!--exec->running && exec->is_doomed)
        cuda_exec_free(state, exec);
    if (error != cudaSuccess && state->current->pending == cudaSuccess) {
        cuda_say_gap(
            state, PROFILE_GAP_FAULT,
            "a node of a graph failed: memory that it uses was freed, or is not there yet");
        state->current->pending = cudaErrorIllegalAddress;
    }
    return cudaSuccess;
}

enum cuda_error cuda_graph_launch(struct cuda_state *state, cuda_exec exec, cuda_stream stream) {
    struct cuda_capture *captured = NULL;
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    struct cuda_exec *known = error == cudaSuccess ? cuda_exec_find(state, exec) : NULL;
    if (error == cudaSuccess && !known)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cuda_capture_use(state, stream, &captured);
    if (error == cudaSuccess && captured) { // as on an H200; cudaGraphAddChildGraphNode is the way
        cuda_capture_spoil(state, stream);
        error = cudaErrorStreamCaptureUnsupported;
    } else if (error == cudaSuccess && !is_lost)
        error = state->dying ? cudaErrorLaunchFailure : run(state, known, stream);
    return error;
}

// There is nothing to bring up.
enum cuda_error cuda_graph_upload(struct cuda_state *state, cuda_exec exec, cuda_stream stream) {
    struct cuda_capture *captured = NULL;
    bool is_lost;
    enum cuda_error error = cuda_enter_queued(state, &is_lost);
    if (error == cudaSuccess && !cuda_exec_find(state, exec))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !cuda_stream_is_good(state, stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = cuda_capture_use(state, stream, &captured);
    if (error == cudaSuccess && captured) {
        cuda_capture_spoil(state, stream);
        error = cudaErrorStreamCaptureUnsupported;
    }
    return error;
}

enum cuda_error cuda_graph_exec_destroy(struct cuda_state *state, cuda_exec exec) {
    enum cuda_error error = cuda_enter_unsafe(state);
    struct cuda_exec *known = error == cudaSuccess ? cuda_exec_find(state, exec) : NULL;
    if (error == cudaSuccess && !known)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_exec_free(state, known);
    return error;
}

enum cuda_error cuda_graph_exec_get_flags(struct cuda_state *state, cuda_exec exec,
                                          unsigned long long *flags) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_exec *known = error == cudaSuccess ? cuda_exec_find(state, exec) : NULL;
    if (error == cudaSuccess && (!known || !flags))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *flags = known->flags;
    return error;
}

// ---- The end ----------------------------------------------------------------------------------

void cuda_graphs_drop(struct cuda_state *state) {
    struct cuda_graphs *graphs = state->graphs;
    if (!graphs)
        return;
    cuda_captures_drop(state);
    struct cuda_handle *handle;
    for (handle = state->handles.all[CUDA_EXEC]; handle; handle = handle->next)
        if (handle->is_live && handle->device == state->current)
            cuda_exec_free(state, (struct cuda_exec *)handle);
    for (handle = state->handles.all[CUDA_GRAPH]; handle; handle = handle->next)
        if (handle->is_live && handle->device == state->current &&
            !((struct cuda_graph *)handle)->owner)
            cuda_graph_free(state, (struct cuda_graph *)handle);
    for (size_t i = graphs->regions.length; i > 0; i--) { // memory that is still there
        struct cuda_region *region = graphs->regions.data[i - 1];
        if (region->device == state->current && region->is_mapped)
            cuda_region_unmap(state, region);
    }
    cuda_handles_drop(state, CUDA_USER_OBJECT);
    state->calls.list.length = 0;
}

void cuda_graphs_free(struct cuda_state *state) {
    struct cuda_graphs *graphs = state->graphs;
    if (!graphs)
        return;
    vec_free(&graphs->captures);
    vec_free(&graphs->regions);
    vec_free(&graphs->conditions);
    free(graphs);
    state->graphs = NULL;
}
