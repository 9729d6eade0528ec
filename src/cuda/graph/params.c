// Most functions of both APIs are about nodes of one kind, and name only that part of the
// parameters which belongs to it.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cuda/graph/calls.h"

typedef struct cuda_node_params params;

// The part for a kind of node; no bytes: there is none.
struct part {
    size_t offset, bytes;
};

#define PART(name)                                                                                 \
    { offsetof(params, u.name), sizeof(((params *)0)->u.name) }
static const struct part parts[] = {
    [CUDA_NODE_KERNEL] = PART(kernel),     [CUDA_NODE_MEMCPY] = PART(memcpy.copy),
    [CUDA_NODE_MEMSET] = PART(memset),     [CUDA_NODE_HOST] = PART(host),
    [CUDA_NODE_GRAPH] = PART(child.graph), [CUDA_NODE_EMPTY] = {0},
    [CUDA_NODE_WAIT_EVENT] = PART(event),  [CUDA_NODE_RECORD_EVENT] = PART(event),
    [CUDA_NODE_ALLOCATE] = PART(allocate), [CUDA_NODE_FREE] = PART(freed),
};

// False: nothing is given.
static bool fill_in(params *all, enum cuda_node_type type, const void *given) {
    const struct part *part = &parts[type];
    *all = (params){.type = type};
    if (given)
        memcpy((char *)all + part->offset, given, part->bytes);
    return given || !part->bytes;
}

enum cuda_error cuda_node_add_as(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                                 const cuda_node *before, size_t count, enum cuda_node_type type,
                                 const void *given) {
    params all;
    return fill_in(&all, type, given) ? cuda_node_add(state, node, graph, before, NULL, count, &all)
                                      : cudaErrorInvalidValue;
}

enum cuda_error cuda_node_tell_as(struct cuda_state *state, cuda_node node,
                                  enum cuda_node_type type, void *out) {
    params all;
    if (!out)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_node_tell(state, node, type, &all);
    if (error == cudaSuccess)
        memcpy(out, (const char *)&all + parts[type].offset, parts[type].bytes);
    return error;
}

enum cuda_error cuda_node_set_as(struct cuda_state *state, cuda_node node, enum cuda_node_type type,
                                 const void *given) {
    params all;
    return fill_in(&all, type, given) ? cuda_node_set(state, node, &all) : cudaErrorInvalidValue;
}

enum cuda_error cuda_exec_set_as(struct cuda_state *state, cuda_exec exec, cuda_node node,
                                 enum cuda_node_type type, const void *given) {
    params all;
    return fill_in(&all, type, given) ? cuda_exec_set(state, exec, node, &all)
                                      : cudaErrorInvalidValue;
}

enum cuda_error cuda_graph_add_mem_alloc_node(struct cuda_state *state, cuda_node *node,
                                              cuda_graph graph, const cuda_node *before,
                                              size_t count, struct cuda_allocate_node *given) {
    if (!given)
        return cudaErrorInvalidValue;
    params all = {.type = CUDA_NODE_ALLOCATE, .u.allocate = *given};
    enum cuda_error error = cuda_node_add(state, node, graph, before, NULL, count, &all);
    if (error == cudaSuccess)
        given->address = all.u.allocate.address;
    return error;
}

// ---- Copies of one row ------------------------------------------------------------------------

struct cuda_memcpy_3d cuda_flat_copy(void *target, const void *source, size_t bytes,
                                     enum cuda_memcpy_kind kind) {
    return (struct cuda_memcpy_3d){
        .source = {.pointer = (void *)(uintptr_t)source, .pitch = bytes},
        .target = {.pointer = target, .pitch = bytes},
        .extent = {bytes, 1, 1},
        .kind = kind,
    };
}

static enum cuda_error find_symbol(struct cuda_state *state, const struct cuda_symbol_copy *asked,
                                   struct cuda_memcpy_3d *copy) {
    size_t bytes = 0;
    void *found = NULL;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_variable_find(state, asked->symbol, &found, &bytes);
    if (error == cudaSuccess && (asked->offset > bytes || asked->bytes > bytes - asked->offset))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    char *address = (char *)found + asked->offset;
    void *memory = (void *)(uintptr_t)asked->memory;
    *copy = cuda_flat_copy(asked->to_symbol ? address : memory, asked->to_symbol ? memory : address,
                           asked->bytes, asked->kind);
    return cudaSuccess;
}

enum cuda_error cuda_node_add_symbol(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                                     const cuda_node *before, size_t count,
                                     const struct cuda_symbol_copy *asked) {
    struct cuda_memcpy_3d copy;
    enum cuda_error error = find_symbol(state, asked, &copy);
    return error == cudaSuccess
               ? cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_MEMCPY, &copy)
               : error;
}

enum cuda_error cuda_node_set_symbol(struct cuda_state *state, cuda_node node,
                                     const struct cuda_symbol_copy *asked) {
    struct cuda_memcpy_3d copy;
    enum cuda_error error = find_symbol(state, asked, &copy);
    return error == cudaSuccess ? cuda_node_set_as(state, node, CUDA_NODE_MEMCPY, &copy) : error;
}

enum cuda_error cuda_exec_set_symbol(struct cuda_state *state, cuda_exec exec, cuda_node node,
                                     const struct cuda_symbol_copy *asked) {
    struct cuda_memcpy_3d copy;
    enum cuda_error error = find_symbol(state, asked, &copy);
    return error == cudaSuccess ? cuda_exec_set_as(state, exec, node, CUDA_NODE_MEMCPY, &copy)
                                : error;
}
