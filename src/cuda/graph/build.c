// Graphs as programs build and ask them.
#include "cuda/graph/calls.h"

#include <string.h>

#include "cuda/graph/state.h"
#include "cuda/stream/capture.h"

enum cuda_error cuda_graph_create(struct cuda_state *state, cuda_graph *graph, unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!graph || flags))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *graph = cuda_graph_new(state);
    return error;
}

// Enters; *known is the graph.
static enum cuda_error enter_with(struct cuda_state *state, const void *graph,
                                  struct cuda_graph **known) {
    enum cuda_error error = cuda_enter(state);
    *known = error == cudaSuccess ? cuda_graph_find(state, graph) : NULL;
    return error == cudaSuccess && !*known ? cudaErrorInvalidValue : error;
}

static enum cuda_error enter_with_node(struct cuda_state *state, const void *node,
                                       struct cuda_node **known) {
    enum cuda_error error = cuda_enter(state);
    *known = error == cudaSuccess ? cuda_node_find(state, node) : NULL;
    return error == cudaSuccess && !*known ? cudaErrorInvalidValue : error;
}

enum cuda_error cuda_graph_destroy(struct cuda_state *state, cuda_graph graph) {
    struct cuda_graph *known;
    enum cuda_error error = enter_with(state, graph, &known);
    if (error == cudaSuccess && (known->owner || known->is_body))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && cuda_capture_is_into(state, known))
        error = cudaErrorNotPermitted;
    if (error == cudaSuccess)
        cuda_graph_free(state, known);
    return error;
}

static bool has_memory(const struct cuda_graph *graph) {
    return cuda_graph_has(graph, CUDA_NODE_ALLOCATE) || cuda_graph_has(graph, CUDA_NODE_FREE);
}

enum cuda_error cuda_graph_clone(struct cuda_state *state, cuda_graph *clone, cuda_graph graph) {
    struct cuda_graph *known;
    enum cuda_error error = enter_with(state, graph, &known);
    if (error == cudaSuccess && !clone)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && (has_memory(known) || cuda_graph_has(known, CUDA_NODE_CONDITIONAL)))
        error = cudaErrorNotSupported;
    if (error == cudaSuccess) {
        *clone = cuda_graph_copy(state, known);
        (*clone)->is_body = false;
    }
    return error;
}

enum cuda_error cuda_graph_node_find_in_clone(struct cuda_state *state, cuda_node *found,
                                              cuda_node original, cuda_graph clone) {
    struct cuda_graph *known;
    enum cuda_error error = enter_with(state, clone, &known);
    const struct cuda_node *node = error == cudaSuccess ? cuda_node_find(state, original) : NULL;
    if (error == cudaSuccess && (!found || !node || node->graph->serial != known->original))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        error = cudaErrorInvalidValue;
        for (size_t i = 0; i < known->nodes.length; i++)
            if (known->nodes.data[i]->origin == node->serial) {
                *found = known->nodes.data[i];
                error = cudaSuccess;
            }
    }
    return error;
}

// ---- Lists ------------------------------------------------------------------------------------

// What does not fit stays out, what is left over is cleared; without a list the count is told.
static enum cuda_error give(struct cuda_node *const *nodes, size_t length, cuda_node *list,
                            size_t *count) {
    if (!count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; list && i < *count; i++)
        list[i] = i < length ? nodes[i] : NULL;
    if (!list || *count > length)
        *count = length;
    return cudaSuccess;
}

enum cuda_error cuda_graph_get_nodes(struct cuda_state *state, cuda_graph graph, cuda_node *nodes,
                                     size_t *count) {
    struct cuda_graph *known;
    enum cuda_error error = enter_with(state, graph, &known);
    return error == cudaSuccess ? give(known->nodes.data, known->nodes.length, nodes, count)
                                : error;
}

// The one that was made last comes first, as in the driver's list.
enum cuda_error cuda_graph_get_root_nodes(struct cuda_state *state, cuda_graph graph,
                                          cuda_node *nodes, size_t *count) {
    struct cuda_graph *known;
    enum cuda_error error = enter_with(state, graph, &known);
    if (error == cudaSuccess) {
        VEC(struct cuda_node *) roots = {0};
        for (size_t i = known->nodes.length; i > 0; i--)
            if (!known->nodes.data[i - 1]->before.nodes.length)
                vec_push(&roots, known->nodes.data[i - 1]);
        error = give(roots.data, roots.length, nodes, count);
        vec_free(&roots);
    }
    return error;
}

static bool is_plain(struct cuda_edge edge) {
    return !edge.from_port && !edge.to_port && !edge.type;
}

// An edge that says more than that there is one cannot be told without its data.
static enum cuda_error give_edges(const struct cuda_links *from, const struct cuda_links *to,
                                  cuda_node *from_list, cuda_node *to_list, struct cuda_edge *data,
                                  size_t *count) {
    size_t length = to->edges.length, room = from_list || to_list ? *count : 0;
    for (size_t i = 0; i < room; i++) {
        bool is_one = i < length;
        if (is_one && !data && !is_plain(to->edges.data[i]))
            return cudaErrorLossyQuery;
        if (from_list)
            from_list[i] = is_one ? from->nodes.data[i] : NULL;
        if (to_list)
            to_list[i] = is_one ? to->nodes.data[i] : NULL;
        if (data)
            data[i] = is_one ? to->edges.data[i] : (struct cuda_edge){0};
    }
    if (!room || *count > length)
        *count = length;
    return cudaSuccess;
}

static struct cuda_edge edge_between(const struct cuda_node *from, const struct cuda_node *to) {
    for (size_t i = 0; i < to->before.nodes.length; i++)
        if (to->before.nodes.data[i] == from)
            return to->before.edges.data[i];
    return (struct cuda_edge){0};
}

enum cuda_error cuda_graph_edges(struct cuda_state *state, cuda_graph graph, cuda_node *from,
                                 cuda_node *to, struct cuda_edge *data, size_t *count) {
    struct cuda_graph *known;
    enum cuda_error error = enter_with(state, graph, &known);
    if (error == cudaSuccess && (!count || !from != !to || (data && !from)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        struct cuda_links froms = {0}, tos = {0};
        for (size_t i = 0; i < known->nodes.length; i++) {
            struct cuda_node *node = known->nodes.data[i];
            for (size_t a = 0; a < node->after.length; a++) {
                vec_push(&froms.nodes, node);
                vec_push(&tos.nodes, node->after.data[a]);
                vec_push(&tos.edges, edge_between(node, node->after.data[a]));
            }
        }
        error = give_edges(&froms, &tos, from, to, data, count);
        cuda_links_free(&froms);
        cuda_links_free(&tos);
    }
    return error;
}

enum cuda_error cuda_node_neighbours(struct cuda_state *state, cuda_node node, bool after,
                                     cuda_node *list, struct cuda_edge *data, size_t *count) {
    struct cuda_node *known;
    enum cuda_error error = enter_with_node(state, node, &known);
    if (error == cudaSuccess && (!count || (data && !list)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        struct cuda_links links = {0};
        for (size_t i = 0; after && i < known->after.length; i++)
            cuda_links_add(&links, known->after.data[i], edge_between(known, known->after.data[i]));
        if (!after)
            cuda_links_copy(&links, &known->before);
        error = give_edges(&links, &links, NULL, list, data, count);
        cuda_links_free(&links);
    }
    return error;
}

enum cuda_error cuda_graph_node_get_type(struct cuda_state *state, cuda_node node,
                                         enum cuda_node_type *type) {
    struct cuda_node *known;
    enum cuda_error error = enter_with_node(state, node, &known);
    if (error == cudaSuccess && !type)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *type = known->operation.kind;
    return error;
}

// ---- Changes ----------------------------------------------------------------------------------

// Programmatic edges lead from kernels, to kernels. They are as strict as others here.
static bool is_edge_good(const struct cuda_node *from, const struct cuda_node *to,
                         struct cuda_edge edge) {
    enum { PROGRAMMATIC = 1, LAST_PORT = 2 };
    if (edge.type > PROGRAMMATIC || edge.from_port > LAST_PORT || edge.to_port)
        return false;
    if (edge.from_port && from->operation.kind != CUDA_NODE_KERNEL)
        return false;
    return edge.type != PROGRAMMATIC ||
           (edge.from_port && (!to || to->operation.kind == CUDA_NODE_KERNEL));
}

enum cuda_error cuda_graph_connect(struct cuda_state *state, cuda_graph graph,
                                   const cuda_node *from, const cuda_node *to,
                                   const struct cuda_edge *data, size_t count, bool adds) {
    struct cuda_graph *known;
    enum cuda_error error = enter_with(state, graph, &known);
    if (error == cudaSuccess && count && (!from || !to))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !adds && has_memory(known))
        error = cudaErrorNotSupported;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        struct cuda_node *first = cuda_node_find(state, from[i]);
        struct cuda_node *second = cuda_node_find(state, to[i]);
        if (!first || !second || first->graph != known || second->graph != known || first == second)
            error = cudaErrorInvalidValue;
        bool is_there = false;
        for (size_t e = 0; error == cudaSuccess && e < second->before.nodes.length; e++)
            is_there |= second->before.nodes.data[e] == first;
        struct cuda_edge edge = data ? data[i] : (struct cuda_edge){0};
        if (error == cudaSuccess &&
            (is_there == adds || (adds && !is_edge_good(first, second, edge))))
            error = cudaErrorInvalidValue;
        if (error == cudaSuccess && adds)
            cuda_graph_link(first, second, edge);
        else if (error == cudaSuccess)
            cuda_graph_unlink(first, second);
    }
    return error;
}

enum cuda_error cuda_graph_destroy_node(struct cuda_state *state, cuda_node node) {
    struct cuda_node *known;
    enum cuda_error error = enter_with_node(state, node, &known);
    if (error == cudaSuccess && has_memory(known->graph))
        error = cudaErrorNotSupported;
    if (error == cudaSuccess && cuda_capture_is_into(state, known->graph))
        error = cudaErrorNotPermitted;
    if (error == cudaSuccess)
        cuda_graph_remove(state, known);
    return error;
}

enum cuda_error cuda_node_add(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                              const cuda_node *before, const struct cuda_edge *edges, size_t count,
                              struct cuda_node_params *params) {
    struct cuda_graph *known;
    struct cuda_links links = {0};
    struct cuda_operation operation;
    enum cuda_error error = enter_with(state, graph, &known);
    if (error == cudaSuccess && (!node || !params))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_links_read(state, known, before, edges, count, &links);
    for (size_t i = 0; error == cudaSuccess && i < links.nodes.length; i++)
        if (!is_edge_good(links.nodes.data[i], NULL, links.edges.data[i]))
            error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_operation_of(state, known, &links, params, &operation);
    if (error == cudaSuccess)
        *node = cuda_graph_add(state, known, &operation, &links);
    cuda_links_free(&links);
    return error;
}

// ---- Parameters -------------------------------------------------------------------------------

enum cuda_error cuda_node_tell(struct cuda_state *state, cuda_node node, enum cuda_node_type type,
                               struct cuda_node_params *params) {
    struct cuda_node *known;
    enum cuda_error error = enter_with_node(state, node, &known);
    if (error == cudaSuccess &&
        (known->operation.kind != type || !cuda_operation_tell(&known->operation, params)))
        error = cudaErrorInvalidValue;
    return error;
}

// Attributes stay those of the node.
void cuda_node_replace(struct cuda_state *state, struct cuda_node *node,
                       struct cuda_operation *operation) {
    if (operation->kind == CUDA_NODE_KERNEL) {
        struct cuda_kernel *to = &operation->u.kernel, *from = &node->operation.u.kernel;
        to->launch.is_cooperative = from->launch.is_cooperative;
        to->launch.cluster = from->launch.cluster;
        memcpy(&to->attributes, &from->attributes, sizeof to->attributes);
        memset(&from->attributes, 0, sizeof from->attributes);
        node->handle.device = to->device;
    }
    if (operation->kind == CUDA_NODE_GRAPH)
        operation->u.child->owner = node;
    cuda_operation_free(state, &node->operation);
    node->operation = *operation;
}

enum cuda_error cuda_node_set(struct cuda_state *state, cuda_node node,
                              struct cuda_node_params *params) {
    struct cuda_node *known;
    struct cuda_operation operation;
    enum cuda_error error = enter_with_node(state, node, &known);
    if (error == cudaSuccess &&
        (!params || known->operation.kind != params->type || params->type == CUDA_NODE_ALLOCATE ||
         params->type == CUDA_NODE_FREE || params->type == CUDA_NODE_CONDITIONAL))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = cuda_operation_of(state, known->graph, &known->before, params, &operation);
    if (error == cudaSuccess)
        cuda_node_replace(state, known, &operation);
    return error;
}
