// Drawings of graphs, in the language of Graphviz.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cuda/graph/calls.h"
#include "cuda/graph/graph.h"

enum {
    VERBOSE = 1,
    KERNEL_PARAMS = 1 << 2,
    MEMCPY_PARAMS = 1 << 3,
    MEMSET_PARAMS = 1 << 4,
    HOST_PARAMS = 1 << 5,
    HANDLES = 1 << 10,
};

static const char *const names[CUDA_NODE_TYPES] = {
    [CUDA_NODE_KERNEL] = "KERNEL",
    [CUDA_NODE_MEMCPY] = "MEMCPY",
    [CUDA_NODE_MEMSET] = "MEMSET",
    [CUDA_NODE_HOST] = "HOST",
    [CUDA_NODE_GRAPH] = "GRAPH",
    [CUDA_NODE_EMPTY] = "EMPTY",
    [CUDA_NODE_WAIT_EVENT] = "EVENT_WAIT",
    [CUDA_NODE_RECORD_EVENT] = "EVENT_RECORD",
    [CUDA_NODE_ALLOCATE] = "MEM_ALLOC",
    [CUDA_NODE_FREE] = "MEM_FREE",
    [CUDA_NODE_CONDITIONAL] = "CONDITIONAL",
};

static void label_kernel(FILE *file, const struct cuda_kernel *kernel, bool is_long) {
    const struct cuda_launch *launch = &kernel->launch;
    fprintf(file, "\\n%s", kernel->function->name);
    if (is_long)
        fprintf(file, "\\ngrid %u %u %u, block %u %u %u, shared %zu", launch->grid.x,
                launch->grid.y, launch->grid.z, launch->block.x, launch->block.y, launch->block.z,
                launch->dynamic_shared);
}

static void label(FILE *file, const struct cuda_node *node, unsigned flags) {
    const struct cuda_operation *operation = &node->operation;
    static const char *const conditionals[] = {"IF", "WHILE", "SWITCH"};
    if (flags & VERBOSE)
        flags = UINT32_MAX;
    fputs(names[operation->kind], file);
    if (flags & HANDLES)
        fprintf(file, "\\nhandle %p", (const void *)node);
    if (operation->kind == CUDA_NODE_KERNEL)
        label_kernel(file, &operation->u.kernel, flags & KERNEL_PARAMS);
    if (operation->kind == CUDA_NODE_CONDITIONAL)
        fprintf(file, "\\n%s of %u, condition %llu", conditionals[operation->u.conditional.type],
                operation->u.conditional.size, operation->u.conditional.handle);
    const struct cuda_memcpy_3d *copy = &operation->u.copy.asked;
    if (operation->kind == CUDA_NODE_MEMCPY && flags & MEMCPY_PARAMS)
        fprintf(file, "\\n%p to %p, %zu x %zu x %zu", copy->source.pointer, copy->target.pointer,
                copy->extent.width, copy->extent.height, copy->extent.depth);
    const struct cuda_fill *fill = &operation->u.fill;
    if (operation->kind == CUDA_NODE_MEMSET && flags & MEMSET_PARAMS)
        fprintf(file, "\\n%p: %u, %zu x %zu elements of %u bytes", (const void *)fill->at,
                fill->value, fill->width, fill->height, fill->element);
    if (operation->kind == CUDA_NODE_HOST && flags & HOST_PARAMS)
        fprintf(file, "\\ndata %p", operation->u.host.data);
}

static void draw(FILE *file, const struct cuda_graph *graph, unsigned flags);

// The graphs within a node stand beside its own, with an edge to each of their first nodes.
static void draw_inner(FILE *file, const struct cuda_node *node, const struct cuda_graph *inner,
                       unsigned flags) {
    draw(file, inner, flags);
    for (size_t i = 0; i < inner->nodes.length; i++)
        if (!inner->nodes.data[i]->before.nodes.length)
            fprintf(file, "n%llu -> n%llu [style=dotted];\n", node->serial,
                    inner->nodes.data[i]->serial);
}

static void draw(FILE *file, const struct cuda_graph *graph, unsigned flags) {
    fprintf(file, "subgraph cluster_%llu {\nlabel=\"graph %llu\";\n", graph->serial, graph->serial);
    for (size_t i = 0; i < graph->nodes.length; i++) {
        fprintf(file, "n%llu [shape=box, label=\"", graph->nodes.data[i]->serial);
        label(file, graph->nodes.data[i], flags);
        fputs("\"];\n", file);
    }
    for (size_t i = 0; i < graph->nodes.length; i++)
        for (size_t a = 0; a < graph->nodes.data[i]->after.length; a++)
            fprintf(file, "n%llu -> n%llu;\n", graph->nodes.data[i]->serial,
                    graph->nodes.data[i]->after.data[a]->serial);
    fputs("}\n", file);
    for (size_t i = 0; i < graph->nodes.length; i++) {
        const struct cuda_node *node = graph->nodes.data[i];
        if (node->operation.kind == CUDA_NODE_GRAPH)
            draw_inner(file, node, node->operation.u.child, flags);
        if (node->operation.kind == CUDA_NODE_CONDITIONAL)
            for (unsigned b = 0; b < node->operation.u.conditional.size; b++)
                draw_inner(file, node, node->operation.u.conditional.bodies[b], flags);
    }
}

enum cuda_error cuda_graph_debug_dot_print(struct cuda_state *state, cuda_graph graph,
                                           const char *path, unsigned flags) {
    enum cuda_error error = cuda_enter(state);
    const struct cuda_graph *known = error == cudaSuccess ? cuda_graph_find(state, graph) : NULL;
    if (error == cudaSuccess && (!known || !path))
        error = cudaErrorInvalidValue;
    FILE *file = error == cudaSuccess ? fopen(path, "we") : NULL;
    if (error == cudaSuccess && !file) {
        cuda_say("%s: %s", path, strerror(errno));
        error = cudaErrorOperatingSystem;
    }
    if (file) {
        fputs("digraph {\n", file);
        draw(file, known, flags);
        fputs("}\n", file);
        if (fclose(file) != 0)
            error = cudaErrorOperatingSystem;
    }
    return error;
}
