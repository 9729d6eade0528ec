// Changes to graphs that were instantiated: of single nodes, and of all of them after another
// graph.
#include <string.h>

#include "cuda/graph/calls.h"
#include "cuda/graph/exec.h"
#include "cuda/graph/memory.h"
#include "cuda/graph/state.h"
#include "cuda/memory/pointer.h"

// ---- What may change --------------------------------------------------------------------------

// Where one side of a copy lies: a copy engine's work depends on it.
enum place { HOST, DEVICE, ARRAY };

static enum place place_of(struct cuda_state *state, const void *array, const void *pointer) {
    if (array)
        return ARRAY;
    if (cuda_range_is_usable(state, pointer, 0, false, true)) {
        const struct sim_allocation *allocation = cuda_allocation(state, pointer);
        return allocation && allocation->kind == SIM_HOST ? HOST : DEVICE;
    }
    return HOST;
}

static bool is_like_copy(struct cuda_state *state, const struct cuda_memcpy_3d *a,
                         const struct cuda_memcpy_3d *b) {
    return place_of(state, a->source_array, a->source.pointer) ==
               place_of(state, b->source_array, b->source.pointer) &&
           place_of(state, a->target_array, a->target.pointer) ==
               place_of(state, b->target_array, b->target.pointer);
}

// Of fills of several rows only the address and the value may change.
static bool is_like_fill(const struct cuda_fill *a, const struct cuda_fill *b) {
    if (a->height == 1 && b->height == 1)
        return true;
    return a->height == b->height && a->width == b->width && a->pitch == b->pitch &&
           a->element == b->element;
}

static enum cuda_update_result compare_graphs(struct cuda_state *state, const struct cuda_graph *to,
                                              const struct cuda_graph *from,
                                              struct cuda_update_info *info);

static enum cuda_update_result compare_conditional(struct cuda_state *state,
                                                   const struct cuda_operation *to,
                                                   const struct cuda_operation *from,
                                                   struct cuda_update_info *info) {
    if (to->u.conditional.type != from->u.conditional.type ||
        to->u.conditional.size != from->u.conditional.size)
        return CUDA_UPDATE_PARAMETERS_CHANGED;
    enum cuda_update_result result = CUDA_UPDATE_SUCCESS;
    for (unsigned i = 0; result == CUDA_UPDATE_SUCCESS && i < to->u.conditional.size; i++)
        result =
            compare_graphs(state, to->u.conditional.bodies[i], from->u.conditional.bodies[i], info);
    return result;
}

// Whether an operation may take the place of another one of its kind.
static enum cuda_update_result compare(struct cuda_state *state, const struct cuda_operation *to,
                                       const struct cuda_operation *from,
                                       struct cuda_update_info *info) {
    bool is_like = true;
    switch (to->kind) {
    case CUDA_NODE_KERNEL:
        if (to->u.kernel.device != from->u.kernel.device)
            return CUDA_UPDATE_UNSUPPORTED_FUNCTION;
        return to->u.kernel.launch.is_cooperative == from->u.kernel.launch.is_cooperative
                   ? CUDA_UPDATE_SUCCESS
                   : CUDA_UPDATE_ATTRIBUTES_CHANGED;
    case CUDA_NODE_MEMCPY:
        is_like = is_like_copy(state, &to->u.copy.asked, &from->u.copy.asked);
        break;
    case CUDA_NODE_MEMSET:
        is_like = is_like_fill(&to->u.fill, &from->u.fill);
        break;
    case CUDA_NODE_GRAPH:
        return compare_graphs(state, to->u.child, from->u.child, info);
    case CUDA_NODE_CONDITIONAL:
        return compare_conditional(state, to, from, info);
    case CUDA_NODE_ALLOCATE:
        is_like = to->u.allocate.region == from->u.allocate.region;
        break;
    case CUDA_NODE_FREE:
        is_like = to->u.freed == from->u.freed;
        break;
    default:
        break;
    }
    return is_like ? CUDA_UPDATE_SUCCESS : CUDA_UPDATE_PARAMETERS_CHANGED;
}

// ---- A graph after another --------------------------------------------------------------------

// Nodes are paired in the order in which they were made. Fills the marks of both with places.
static bool pair(const struct cuda_graph *to, const struct cuda_graph *from) {
    if (to->nodes.length != from->nodes.length)
        return false;
    for (size_t i = 0; i < to->nodes.length; i++)
        to->nodes.data[i]->mark = from->nodes.data[i]->mark = (uint32_t)i;
    return true;
}

// Nodes that nothing waits for. More of them than before are told as such.
static size_t count_exits(const struct cuda_graph *graph, struct cuda_node **last) {
    size_t exits = 0;
    for (size_t i = 0; i < graph->nodes.length; i++)
        if (!graph->nodes.data[i]->after.length) {
            *last = graph->nodes.data[i];
            exits++;
        }
    return exits;
}

static bool has_same_edges(const struct cuda_node *to, struct cuda_node *from,
                           struct cuda_update_info *info) {
    const struct cuda_links *a = &to->before, *b = &from->before;
    if (a->nodes.length != b->nodes.length)
        return false;
    for (size_t i = 0; i < a->nodes.length; i++)
        if (a->nodes.data[i]->mark != b->nodes.data[i]->mark) {
            info->error_from = b->nodes.data[i];
            return false;
        }
    return true;
}

static enum cuda_update_result compare_graphs(struct cuda_state *state, const struct cuda_graph *to,
                                              const struct cuda_graph *from,
                                              struct cuda_update_info *info) {
    if (!pair(to, from))
        return CUDA_UPDATE_TOPOLOGY_CHANGED;
    enum cuda_update_result result = CUDA_UPDATE_SUCCESS;
    struct cuda_node *exit = NULL, *ignored;
    if (count_exits(from, &exit) > count_exits(to, &ignored)) {
        info->error_node = exit;
        return CUDA_UPDATE_TOPOLOGY_CHANGED;
    }
    for (size_t i = 0; i < to->nodes.length; i++)
        if (!has_same_edges(to->nodes.data[i], from->nodes.data[i], info)) {
            info->error_node = from->nodes.data[i];
            return CUDA_UPDATE_TOPOLOGY_CHANGED;
        }
    for (size_t i = 0; result == CUDA_UPDATE_SUCCESS && i < to->nodes.length; i++) {
        const struct cuda_operation *a = &to->nodes.data[i]->operation;
        const struct cuda_operation *b = &from->nodes.data[i]->operation;
        result = a->kind == b->kind ? compare(state, a, b, info) : CUDA_UPDATE_TYPE_CHANGED;
        if (result != CUDA_UPDATE_SUCCESS && !info->error_node)
            info->error_node = from->nodes.data[i];
    }
    return result;
}

static void apply(struct cuda_state *state, struct cuda_graph *to, const struct cuda_graph *from) {
    for (size_t i = 0; i < to->nodes.length; i++) {
        struct cuda_operation *a = &to->nodes.data[i]->operation, copy;
        const struct cuda_operation *b = &from->nodes.data[i]->operation;
        struct cuda_condition *conditions = cuda_graphs(state)->conditions.data;
        switch (a->kind) {
        case CUDA_NODE_GRAPH:
            apply(state, a->u.child, b->u.child);
            break;
        case CUDA_NODE_CONDITIONAL: // kernels set the new graph's handle from now on
            a->u.conditional.handle = b->u.conditional.handle;
            for (unsigned k = 0; conditions && k < a->u.conditional.size; k++)
                apply(state, a->u.conditional.bodies[k], b->u.conditional.bodies[k]);
            break;
        case CUDA_NODE_ALLOCATE:
        case CUDA_NODE_FREE:
            break;
        default:
            cuda_operation_copy(state, &copy, b);
            cuda_operation_free(state, a);
            *a = copy;
        }
    }
}

enum cuda_error cuda_update(struct cuda_state *state, cuda_exec exec, cuda_graph graph,
                            struct cuda_update_info *info) {
    struct cuda_update_info own;
    enum cuda_error error = cuda_enter(state);
    struct cuda_exec *known = error == cudaSuccess ? cuda_exec_find(state, exec) : NULL;
    struct cuda_graph *from = known ? cuda_graph_find(state, graph) : NULL;
    info = info ? info : &own;
    *info = (struct cuda_update_info){.result = CUDA_UPDATE_ERROR};
    if (error == cudaSuccess && !from)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        info->result = compare_graphs(state, known->graph, from, info);
        error = info->result == CUDA_UPDATE_SUCCESS ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
    }
    if (error == cudaSuccess)
        apply(state, known->graph, from);
    return error;
}

enum cuda_error cuda_update_node(struct cuda_state *state, cuda_exec exec, cuda_graph graph,
                                 cuda_node *error_node, enum cuda_update_result *result) {
    struct cuda_update_info info;
    enum cuda_error error = cuda_update(state, exec, graph, &info);
    if (error_node)
        *error_node = info.error_node;
    if (result)
        *result = info.result;
    return error;
}

// ---- Single nodes -----------------------------------------------------------------------------

// The copy of a node, which may lie in a graph within the graph.
static struct cuda_node *copy_of(const struct cuda_graph *graph, const struct cuda_node *node) {
    for (size_t i = 0; i < graph->nodes.length; i++) {
        struct cuda_node *copy = graph->nodes.data[i], *found = NULL;
        if (copy->origin == node->serial)
            return copy;
        if (copy->operation.kind == CUDA_NODE_GRAPH)
            found = copy_of(copy->operation.u.child, node);
        if (copy->operation.kind == CUDA_NODE_CONDITIONAL)
            for (unsigned b = 0; !found && b < copy->operation.u.conditional.size; b++)
                found = copy_of(copy->operation.u.conditional.bodies[b], node);
        if (found)
            return found;
    }
    return NULL;
}

// Enters; *copy is what the executable graph has of the node.
static enum cuda_error enter_with(struct cuda_state *state, cuda_exec exec, cuda_node node,
                                  struct cuda_node **copy) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_exec *known = error == cudaSuccess ? cuda_exec_find(state, exec) : NULL;
    const struct cuda_node *origin = known ? cuda_node_find(state, node) : NULL;
    *copy = origin ? copy_of(known->graph, origin) : NULL;
    return error == cudaSuccess && !*copy ? cudaErrorInvalidValue : error;
}

enum cuda_error cuda_exec_set(struct cuda_state *state, cuda_exec exec, cuda_node node,
                              struct cuda_node_params *params) {
    struct cuda_node *copy;
    struct cuda_operation operation;
    struct cuda_update_info info = {0};
    enum cuda_error error = enter_with(state, exec, node, &copy);
    if (error == cudaSuccess &&
        (!params || copy->operation.kind != params->type || params->type == CUDA_NODE_ALLOCATE ||
         params->type == CUDA_NODE_FREE || params->type == CUDA_NODE_CONDITIONAL))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_operation_of(state, copy->graph, &copy->before, params, &operation);
    if (error != cudaSuccess)
        return error;
    // A launch's attributes are the node's.
    if (operation.kind == CUDA_NODE_KERNEL)
        operation.u.kernel.launch.is_cooperative = copy->operation.u.kernel.launch.is_cooperative;
    if (compare(state, &copy->operation, &operation, &info) != CUDA_UPDATE_SUCCESS) {
        error = cudaErrorInvalidValue;
        cuda_operation_free(state, &operation);
    } else if (operation.kind == CUDA_NODE_GRAPH) {
        pair(copy->operation.u.child, operation.u.child);
        apply(state, copy->operation.u.child, operation.u.child);
        cuda_operation_free(state, &operation);
    } else {
        cuda_node_replace(state, copy, &operation);
    }
    return error;
}

static bool can_be_off(const struct cuda_node *node) {
    return node->operation.kind == CUDA_NODE_KERNEL || node->operation.kind == CUDA_NODE_MEMSET ||
           node->operation.kind == CUDA_NODE_MEMCPY;
}

enum cuda_error cuda_graph_node_set_enabled(struct cuda_state *state, cuda_exec exec,
                                            cuda_node node, unsigned is_enabled) {
    struct cuda_node *copy;
    enum cuda_error error = enter_with(state, exec, node, &copy);
    if (error == cudaSuccess && !can_be_off(copy))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        copy->is_disabled = !is_enabled;
    return error;
}

enum cuda_error cuda_graph_node_get_enabled(struct cuda_state *state, cuda_exec exec,
                                            cuda_node node, unsigned *is_enabled) {
    struct cuda_node *copy;
    enum cuda_error error = enter_with(state, exec, node, &copy);
    if (error == cudaSuccess && (!is_enabled || !can_be_off(copy)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *is_enabled = !copy->is_disabled;
    return error;
}
