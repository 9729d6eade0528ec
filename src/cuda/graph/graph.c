#include "cuda/graph/graph.h"
#include "cuda/graph/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/graph/memory.h"
#include "cuda/graph/object.h"
#include "cuda/graph/state.h"
#include "cuda/stream/capture.h"

struct cuda_graphs *cuda_graphs(struct cuda_state *state) {
    if (!state->graphs)
        state->graphs = base_alloc(sizeof *state->graphs);
    return state->graphs;
}

struct cuda_graph *cuda_graph_find(struct cuda_state *state, const void *graph) {
    return graph ? cuda_handle_find(state, CUDA_GRAPH, graph) : NULL;
}

struct cuda_node *cuda_node_find(struct cuda_state *state, const void *node) {
    return node ? cuda_handle_find(state, CUDA_NODE, node) : NULL;
}

struct cuda_graph *cuda_graph_new(struct cuda_state *state) {
    struct cuda_graph *graph = cuda_handle_new(state, CUDA_GRAPH, sizeof *graph);
    graph->serial = ++cuda_graphs(state)->serials;
    return graph;
}

// ---- Links ------------------------------------------------------------------------------------

void cuda_links_add(struct cuda_links *links, struct cuda_node *node, struct cuda_edge edge) {
    for (size_t i = 0; i < links->nodes.length; i++)
        if (links->nodes.data[i] == node)
            return;
    vec_push(&links->nodes, node);
    vec_push(&links->edges, edge);
}

void cuda_links_copy(struct cuda_links *to, const struct cuda_links *from) {
    cuda_links_free(to);
    for (size_t i = 0; i < from->nodes.length; i++)
        cuda_links_add(to, from->nodes.data[i], from->edges.data[i]);
}

void cuda_links_free(struct cuda_links *links) {
    vec_free(&links->nodes);
    vec_free(&links->edges);
}

enum cuda_error cuda_links_read(struct cuda_state *state, const struct cuda_graph *graph,
                                const cuda_node *nodes, const struct cuda_edge *edges, size_t count,
                                struct cuda_links *links) {
    *links = (struct cuda_links){0};
    if (count && !nodes)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        struct cuda_node *node = cuda_node_find(state, nodes[i]);
        if (!node || node->graph != graph)
            return cudaErrorInvalidValue;
        cuda_links_add(links, node, edges ? edges[i] : (struct cuda_edge){0});
        if (links->nodes.length != i + 1) // twice
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

// ---- Nodes ------------------------------------------------------------------------------------

void cuda_graph_link(struct cuda_node *from, struct cuda_node *to, struct cuda_edge edge) {
    cuda_links_add(&to->before, from, edge);
    vec_push(&from->after, to);
}

struct cuda_node *cuda_graph_add(struct cuda_state *state, struct cuda_graph *graph,
                                 struct cuda_operation *operation,
                                 const struct cuda_links *before) {
    struct cuda_node *node = cuda_handle_new(state, CUDA_NODE, sizeof *node);
    node->graph = graph;
    node->serial = ++cuda_graphs(state)->serials;
    node->operation = *operation;
    *operation = (struct cuda_operation){.kind = CUDA_NODE_EMPTY};
    if (node->operation.kind == CUDA_NODE_GRAPH)
        node->operation.u.child->owner = node;
    if (node->operation.kind == CUDA_NODE_CONDITIONAL)
        for (unsigned i = 0; i < node->operation.u.conditional.size; i++)
            node->operation.u.conditional.bodies[i]->owner = node;
    for (size_t i = 0; before && i < before->nodes.length; i++)
        cuda_graph_link(before->nodes.data[i], node, before->edges.data[i]);
    vec_push(&graph->nodes, node);
    return node;
}

static void forget(struct cuda_node **list, size_t *length, const struct cuda_node *node) {
    size_t kept = 0;
    for (size_t i = 0; i < *length; i++)
        if (list[i] != node)
            list[kept++] = list[i];
    *length = kept;
}

static void unlink_before(struct cuda_node *node, const struct cuda_node *from) {
    struct cuda_links *links = &node->before;
    size_t kept = 0;
    for (size_t i = 0; i < links->nodes.length; i++)
        if (links->nodes.data[i] != from) {
            links->nodes.data[kept] = links->nodes.data[i];
            links->edges.data[kept++] = links->edges.data[i];
        }
    links->nodes.length = links->edges.length = kept;
}

void cuda_graph_unlink(struct cuda_node *from, struct cuda_node *to) {
    unlink_before(to, from);
    forget(from->after.data, &from->after.length, to);
}

static void free_node(struct cuda_state *state, struct cuda_node *node) {
    cuda_operation_free(state, &node->operation);
    cuda_links_free(&node->before);
    vec_free(&node->after);
    cuda_handle_kill(state, &node->handle);
}

void cuda_graph_remove(struct cuda_state *state, struct cuda_node *node) {
    struct cuda_graph *graph = node->graph;
    for (size_t i = 0; i < node->after.length; i++)
        unlink_before(node->after.data[i], node);
    for (size_t i = 0; i < node->before.nodes.length; i++) {
        struct cuda_node *before = node->before.nodes.data[i];
        forget(before->after.data, &before->after.length, node);
    }
    forget(graph->nodes.data, &graph->nodes.length, node);
    free_node(state, node);
}

void cuda_graph_free(struct cuda_state *state, struct cuda_graph *graph) {
    if (!graph)
        return;
    for (size_t i = 0; i < graph->nodes.length; i++)
        free_node(state, graph->nodes.data[i]);
    vec_free(&graph->nodes);
    vec_free(&graph->schedule);
    vec_free(&graph->conditions);
    for (size_t i = 0; i < graph->held.length; i++)
        cuda_object_release(state, graph->held.data[i].object, graph->held.data[i].count);
    vec_free(&graph->held);
    cuda_handle_kill(state, &graph->handle);
}

// ---- Copies -----------------------------------------------------------------------------------

static void copy_kernel(struct cuda_kernel *to, const struct cuda_kernel *from) {
    size_t bytes = from->function->ir->parameter_bytes;
    to->pointers = NULL;
    to->parameters = base_alloc(bytes ? bytes : 1);
    memcpy(to->parameters, from->parameters, bytes);
    memset(&to->attributes, 0, sizeof to->attributes);
    for (size_t i = 0; i < from->attributes.length; i++)
        vec_push(&to->attributes, from->attributes.data[i]);
}

void cuda_operation_copy(struct cuda_state *state, struct cuda_operation *to,
                         const struct cuda_operation *from) {
    *to = *from;
    switch (from->kind) {
    case CUDA_NODE_KERNEL:
        copy_kernel(&to->u.kernel, &from->u.kernel);
        break;
    case CUDA_NODE_GRAPH:
        to->u.child = cuda_graph_copy(state, from->u.child);
        break;
    case CUDA_NODE_ALLOCATE:
        cuda_region_retain(to->u.allocate.region);
        to->u.allocate.asked.access = NULL;
        to->u.allocate.asked.access_count = 0;
        break;
    case CUDA_NODE_FREE:
        cuda_region_retain(to->u.freed);
        break;
    case CUDA_NODE_CONDITIONAL:
        to->u.conditional.bodies =
            base_alloc(from->u.conditional.size * sizeof *to->u.conditional.bodies);
        for (unsigned i = 0; i < from->u.conditional.size; i++)
            to->u.conditional.bodies[i] = cuda_graph_copy(state, from->u.conditional.bodies[i]);
        break;
    default:
        break;
    }
}

struct cuda_graph *cuda_graph_copy(struct cuda_state *state, const struct cuda_graph *graph) {
    struct cuda_graph *copy = cuda_graph_new(state);
    copy->original = graph->serial;
    copy->is_body = graph->is_body;
    for (size_t i = 0; i < graph->nodes.length; i++) {
        struct cuda_node *from = graph->nodes.data[i];
        struct cuda_operation operation;
        cuda_operation_copy(state, &operation, &from->operation);
        struct cuda_node *node = cuda_graph_add(state, copy, &operation, NULL);
        node->origin = from->serial;
        node->handle.device = from->handle.device;
        node->is_disabled = from->is_disabled;
        from->mark = (uint32_t)i;
    }
    for (size_t i = 0; i < graph->nodes.length; i++) {
        const struct cuda_node *from = graph->nodes.data[i];
        struct cuda_node *node = copy->nodes.data[i];
        for (size_t b = 0; b < from->before.nodes.length; b++)
            cuda_links_add(&node->before, copy->nodes.data[from->before.nodes.data[b]->mark],
                           from->before.edges.data[b]);
        for (size_t a = 0; a < from->after.length; a++)
            vec_push(&node->after, copy->nodes.data[from->after.data[a]->mark]);
    }
    for (size_t i = 0; i < graph->conditions.length; i++)
        vec_push(&copy->conditions, graph->conditions.data[i]);
    for (size_t i = 0; i < graph->held.length; i++) {
        vec_push(&copy->held, graph->held.data[i]);
        cuda_object_retain(graph->held.data[i].object, graph->held.data[i].count);
    }
    return copy;
}

// ---- Walks ------------------------------------------------------------------------------------

bool cuda_graph_has(const struct cuda_graph *graph, enum cuda_node_type kind) {
    for (size_t i = 0; i < graph->nodes.length; i++) {
        const struct cuda_operation *operation = &graph->nodes.data[i]->operation;
        if (operation->kind == kind)
            return true;
        if (operation->kind == CUDA_NODE_GRAPH && cuda_graph_has(operation->u.child, kind))
            return true;
        if (operation->kind == CUDA_NODE_CONDITIONAL)
            for (unsigned b = 0; b < operation->u.conditional.size; b++)
                if (cuda_graph_has(operation->u.conditional.bodies[b], kind))
                    return true;
    }
    return false;
}

// Of the nodes that may run, the one that was made first runs next: a heap of their places.
struct ready {
    VEC(uint32_t) heap;
};

static void put(struct ready *ready, uint32_t place) {
    vec_push(&ready->heap, place);
    uint32_t *heap = ready->heap.data;
    for (size_t i = ready->heap.length - 1; i && heap[(i - 1) / 2] > heap[i]; i = (i - 1) / 2) {
        uint32_t up = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = heap[i];
        heap[i] = up;
    }
}

static uint32_t take(struct ready *ready) {
    uint32_t *heap = ready->heap.data, first = heap[0];
    size_t length = --ready->heap.length;
    heap[0] = heap[length];
    for (size_t i = 0, child; (child = 2 * i + 1) < length; i = child) {
        child += child + 1 < length && heap[child + 1] < heap[child];
        if (heap[i] <= heap[child])
            break;
        uint32_t down = heap[i];
        heap[i] = heap[child];
        heap[child] = down;
    }
    return first;
}

bool cuda_graph_schedule(struct cuda_graph *graph, struct cuda_node **culprit) {
    size_t count = graph->nodes.length;
    uint32_t *waits = base_alloc((count + 1) * sizeof *waits);
    struct ready ready = {0};
    graph->schedule.length = 0;
    for (size_t i = 0; i < count; i++) {
        graph->nodes.data[i]->mark = (uint32_t)i;
        waits[i] = (uint32_t)graph->nodes.data[i]->before.nodes.length;
        if (!waits[i])
            put(&ready, (uint32_t)i);
    }
    while (ready.heap.length) {
        struct cuda_node *node = graph->nodes.data[take(&ready)];
        vec_push(&graph->schedule, node);
        for (size_t a = 0; a < node->after.length; a++)
            if (--waits[node->after.data[a]->mark] == 0)
                put(&ready, node->after.data[a]->mark);
    }
    for (size_t i = 0; i < count && graph->schedule.length < count; i++)
        if (waits[i])
            *culprit = graph->nodes.data[i];
    vec_free(&ready.heap);
    free(waits);
    return graph->schedule.length == count;
}

void cuda_graph_mark(struct cuda_graph *graph, const struct cuda_links *links) {
    VEC(struct cuda_node *) open = {0};
    for (size_t i = 0; i < graph->nodes.length; i++)
        graph->nodes.data[i]->mark = 0;
    const struct cuda_links *next = links;
    for (;;) {
        for (size_t i = 0; i < next->nodes.length; i++)
            if (!next->nodes.data[i]->mark) {
                next->nodes.data[i]->mark = 1;
                vec_push(&open, next->nodes.data[i]);
            }
        if (!open.length)
            break;
        next = &open.data[--open.length]->before;
    }
    vec_free(&open);
}
