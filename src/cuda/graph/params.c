// One function for each kind of node and thing to do with it: all of them fill in the parameters
// that stand for nodes of every kind.
#include <stdint.h>
#include <string.h>

#include "cuda/graph/calls.h"
#include "cuda/stream/event.h"

typedef struct cuda_node_params params;

// Bodies of the functions below, whose parameters they use.
#define ADD(node_type, member)                                                                     \
    if (!given)                                                                                    \
        return cudaErrorInvalidValue;                                                              \
    params all = {.type = (node_type), .u.member = *given};                                        \
    return cuda_node_add(state, node, graph, before, NULL, count, &all)
#define GET(node_type, member)                                                                     \
    params all;                                                                                    \
    if (!given)                                                                                    \
        return cudaErrorInvalidValue;                                                              \
    enum cuda_error error = cuda_node_tell(state, node, node_type, &all);                          \
    if (error == cudaSuccess)                                                                      \
        *given = all.u.member;                                                                     \
    return error
#define SET(node_type, member)                                                                     \
    if (!given)                                                                                    \
        return cudaErrorInvalidValue;                                                              \
    params all = {.type = (node_type), .u.member = *given};                                        \
    return cuda_node_set(state, node, &all)
#define EXEC(node_type, member)                                                                    \
    if (!given)                                                                                    \
        return cudaErrorInvalidValue;                                                              \
    params all = {.type = (node_type), .u.member = *given};                                        \
    return cuda_exec_set(state, exec, node, &all)

// ---- Kernels, fills, calls of the host --------------------------------------------------------

enum cuda_error cuda_graph_add_kernel_node(struct cuda_state *state, cuda_node *node,
                                           cuda_graph graph, const cuda_node *before, size_t count,
                                           const struct cuda_kernel_node *given) {
    ADD(CUDA_NODE_KERNEL, kernel);
}

enum cuda_error cuda_graph_kernel_node_get_params(struct cuda_state *state, cuda_node node,
                                                  struct cuda_kernel_node *given) {
    GET(CUDA_NODE_KERNEL, kernel);
}

enum cuda_error cuda_graph_kernel_node_set_params(struct cuda_state *state, cuda_node node,
                                                  const struct cuda_kernel_node *given) {
    SET(CUDA_NODE_KERNEL, kernel);
}

enum cuda_error cuda_graph_exec_kernel_node_set_params(struct cuda_state *state, cuda_exec exec,
                                                       cuda_node node,
                                                       const struct cuda_kernel_node *given) {
    EXEC(CUDA_NODE_KERNEL, kernel);
}

enum cuda_error cuda_graph_add_memset_node(struct cuda_state *state, cuda_node *node,
                                           cuda_graph graph, const cuda_node *before, size_t count,
                                           const struct cuda_memset_node *given) {
    ADD(CUDA_NODE_MEMSET, memset);
}

enum cuda_error cuda_graph_memset_node_get_params(struct cuda_state *state, cuda_node node,
                                                  struct cuda_memset_node *given) {
    GET(CUDA_NODE_MEMSET, memset);
}

enum cuda_error cuda_graph_memset_node_set_params(struct cuda_state *state, cuda_node node,
                                                  const struct cuda_memset_node *given) {
    SET(CUDA_NODE_MEMSET, memset);
}

enum cuda_error cuda_graph_exec_memset_node_set_params(struct cuda_state *state, cuda_exec exec,
                                                       cuda_node node,
                                                       const struct cuda_memset_node *given) {
    EXEC(CUDA_NODE_MEMSET, memset);
}

enum cuda_error cuda_graph_add_host_node(struct cuda_state *state, cuda_node *node,
                                         cuda_graph graph, const cuda_node *before, size_t count,
                                         const struct cuda_host_node *given) {
    ADD(CUDA_NODE_HOST, host);
}

enum cuda_error cuda_graph_host_node_get_params(struct cuda_state *state, cuda_node node,
                                                struct cuda_host_node *given) {
    GET(CUDA_NODE_HOST, host);
}

enum cuda_error cuda_graph_host_node_set_params(struct cuda_state *state, cuda_node node,
                                                const struct cuda_host_node *given) {
    SET(CUDA_NODE_HOST, host);
}

enum cuda_error cuda_graph_exec_host_node_set_params(struct cuda_state *state, cuda_exec exec,
                                                     cuda_node node,
                                                     const struct cuda_host_node *given) {
    EXEC(CUDA_NODE_HOST, host);
}

// ---- Copies -----------------------------------------------------------------------------------

enum cuda_error cuda_graph_add_memcpy_node(struct cuda_state *state, cuda_node *node,
                                           cuda_graph graph, const cuda_node *before, size_t count,
                                           const struct cuda_memcpy_3d *given) {
    ADD(CUDA_NODE_MEMCPY, memcpy.copy);
}

enum cuda_error cuda_graph_memcpy_node_get_params(struct cuda_state *state, cuda_node node,
                                                  struct cuda_memcpy_3d *given) {
    GET(CUDA_NODE_MEMCPY, memcpy.copy);
}

enum cuda_error cuda_graph_memcpy_node_set_params(struct cuda_state *state, cuda_node node,
                                                  const struct cuda_memcpy_3d *given) {
    SET(CUDA_NODE_MEMCPY, memcpy.copy);
}

enum cuda_error cuda_graph_exec_memcpy_node_set_params(struct cuda_state *state, cuda_exec exec,
                                                       cuda_node node,
                                                       const struct cuda_memcpy_3d *given) {
    EXEC(CUDA_NODE_MEMCPY, memcpy.copy);
}

static params flat(void *target, const void *source, size_t bytes, enum cuda_memcpy_kind kind) {
    struct cuda_memcpy_3d copy = {
        .source = {.pointer = (void *)(uintptr_t)source, .pitch = bytes},
        .target = {.pointer = target, .pitch = bytes},
        .extent = {bytes, 1, 1},
        .kind = kind,
    };
    return (params){.type = CUDA_NODE_MEMCPY, .u.memcpy.copy = copy};
}

enum cuda_error cuda_graph_add_memcpy_node_1d(struct cuda_state *state, cuda_node *node,
                                              cuda_graph graph, const cuda_node *before,
                                              size_t count, void *target, const void *source,
                                              size_t bytes, enum cuda_memcpy_kind kind) {
    params all = flat(target, source, bytes, kind);
    return cuda_node_add(state, node, graph, before, NULL, count, &all);
}

enum cuda_error cuda_graph_memcpy_node_set_params_1d(struct cuda_state *state, cuda_node node,
                                                     void *target, const void *source, size_t bytes,
                                                     enum cuda_memcpy_kind kind) {
    params all = flat(target, source, bytes, kind);
    return cuda_node_set(state, node, &all);
}

enum cuda_error cuda_graph_exec_memcpy_node_set_params_1d(struct cuda_state *state, cuda_exec exec,
                                                          cuda_node node, void *target,
                                                          const void *source, size_t bytes,
                                                          enum cuda_memcpy_kind kind) {
    params all = flat(target, source, bytes, kind);
    return cuda_exec_set(state, exec, node, &all);
}

// The variable's bytes from the offset on.
static enum cuda_error symbol(struct cuda_state *state, const void *variable, size_t offset,
                              size_t count, char **address) {
    size_t bytes = 0;
    void *found = NULL;
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        error = cuda_variable_find(state, variable, &found, &bytes);
    if (error == cudaSuccess && (offset > bytes || count > bytes - offset))
        error = cudaErrorInvalidValue;
    *address = error == cudaSuccess ? (char *)found + offset : NULL;
    return error;
}

// What is to be done with the parameters of a copy to or from a variable.
#define WITH_SYMBOL(variable, target, source, work)                                                \
    char *address;                                                                                 \
    enum cuda_error error = symbol(state, variable, offset, bytes, &address);                      \
    if (error != cudaSuccess)                                                                      \
        return error;                                                                              \
    params all = flat(target, source, bytes, kind);                                                \
    return work

enum cuda_error cuda_graph_add_memcpy_node_to_symbol(struct cuda_state *state, cuda_node *node,
                                                     cuda_graph graph, const cuda_node *before,
                                                     size_t count, const void *variable,
                                                     const void *source, size_t bytes,
                                                     size_t offset, enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, address, source,
                cuda_node_add(state, node, graph, before, NULL, count, &all));
}

enum cuda_error cuda_graph_add_memcpy_node_from_symbol(struct cuda_state *state, cuda_node *node,
                                                       cuda_graph graph, const cuda_node *before,
                                                       size_t count, void *target,
                                                       const void *variable, size_t bytes,
                                                       size_t offset, enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, target, address,
                cuda_node_add(state, node, graph, before, NULL, count, &all));
}

enum cuda_error cuda_graph_memcpy_node_set_params_to_symbol(struct cuda_state *state,
                                                            cuda_node node, const void *variable,
                                                            const void *source, size_t bytes,
                                                            size_t offset,
                                                            enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, address, source, cuda_node_set(state, node, &all));
}

enum cuda_error cuda_graph_memcpy_node_set_params_from_symbol(struct cuda_state *state,
                                                              cuda_node node, void *target,
                                                              const void *variable, size_t bytes,
                                                              size_t offset,
                                                              enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, target, address, cuda_node_set(state, node, &all));
}

enum cuda_error cuda_graph_exec_memcpy_node_set_params_to_symbol(
    struct cuda_state *state, cuda_exec exec, cuda_node node, const void *variable,
    const void *source, size_t bytes, size_t offset, enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, address, source, cuda_exec_set(state, exec, node, &all));
}

enum cuda_error cuda_graph_exec_memcpy_node_set_params_from_symbol(
    struct cuda_state *state, cuda_exec exec, cuda_node node, void *target, const void *variable,
    size_t bytes, size_t offset, enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, target, address, cuda_exec_set(state, exec, node, &all));
}

// ---- Graphs, nothing, events ------------------------------------------------------------------

enum cuda_error cuda_graph_add_child_graph_node(struct cuda_state *state, cuda_node *node,
                                                cuda_graph graph, const cuda_node *before,
                                                size_t count, cuda_graph child) {
    params all = {.type = CUDA_NODE_GRAPH, .u.child.graph = child};
    return cuda_node_add(state, node, graph, before, NULL, count, &all);
}

enum cuda_error cuda_graph_child_graph_node_get_graph(struct cuda_state *state, cuda_node node,
                                                      cuda_graph *given) {
    GET(CUDA_NODE_GRAPH, child.graph);
}

enum cuda_error cuda_graph_exec_child_graph_node_set_params(struct cuda_state *state,
                                                            cuda_exec exec, cuda_node node,
                                                            cuda_graph child) {
    params all = {.type = CUDA_NODE_GRAPH, .u.child.graph = child};
    return cuda_exec_set(state, exec, node, &all);
}

enum cuda_error cuda_graph_add_empty_node(struct cuda_state *state, cuda_node *node,
                                          cuda_graph graph, const cuda_node *before, size_t count) {
    params all = {.type = CUDA_NODE_EMPTY};
    return cuda_node_add(state, node, graph, before, NULL, count, &all);
}

static params event_params(enum cuda_node_type type, cuda_event event) {
    return (params){.type = type, .u.event = event};
}

enum cuda_error cuda_graph_add_event_record_node(struct cuda_state *state, cuda_node *node,
                                                 cuda_graph graph, const cuda_node *before,
                                                 size_t count, cuda_event event) {
    params all = event_params(CUDA_NODE_RECORD_EVENT, event);
    return cuda_node_add(state, node, graph, before, NULL, count, &all);
}

enum cuda_error cuda_graph_event_record_node_get_event(struct cuda_state *state, cuda_node node,
                                                       cuda_event *given) {
    GET(CUDA_NODE_RECORD_EVENT, event);
}

enum cuda_error cuda_graph_event_record_node_set_event(struct cuda_state *state, cuda_node node,
                                                       cuda_event event) {
    params all = event_params(CUDA_NODE_RECORD_EVENT, event);
    return cuda_node_set(state, node, &all);
}

enum cuda_error cuda_graph_exec_event_record_node_set_event(struct cuda_state *state,
                                                            cuda_exec exec, cuda_node node,
                                                            cuda_event event) {
    params all = event_params(CUDA_NODE_RECORD_EVENT, event);
    return cuda_exec_set(state, exec, node, &all);
}

enum cuda_error cuda_graph_add_event_wait_node(struct cuda_state *state, cuda_node *node,
                                               cuda_graph graph, const cuda_node *before,
                                               size_t count, cuda_event event) {
    params all = event_params(CUDA_NODE_WAIT_EVENT, event);
    return cuda_node_add(state, node, graph, before, NULL, count, &all);
}

enum cuda_error cuda_graph_event_wait_node_get_event(struct cuda_state *state, cuda_node node,
                                                     cuda_event *given) {
    GET(CUDA_NODE_WAIT_EVENT, event);
}

enum cuda_error cuda_graph_event_wait_node_set_event(struct cuda_state *state, cuda_node node,
                                                     cuda_event event) {
    params all = event_params(CUDA_NODE_WAIT_EVENT, event);
    return cuda_node_set(state, node, &all);
}

enum cuda_error cuda_graph_exec_event_wait_node_set_event(struct cuda_state *state, cuda_exec exec,
                                                          cuda_node node, cuda_event event) {
    params all = event_params(CUDA_NODE_WAIT_EVENT, event);
    return cuda_exec_set(state, exec, node, &all);
}

// ---- Memory -----------------------------------------------------------------------------------

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

enum cuda_error cuda_graph_mem_alloc_node_get_params(struct cuda_state *state, cuda_node node,
                                                     struct cuda_allocate_node *given) {
    GET(CUDA_NODE_ALLOCATE, allocate);
}

enum cuda_error cuda_graph_add_mem_free_node(struct cuda_state *state, cuda_node *node,
                                             cuda_graph graph, const cuda_node *before,
                                             size_t count, void *address) {
    params all = {.type = CUDA_NODE_FREE, .u.freed = address};
    return cuda_node_add(state, node, graph, before, NULL, count, &all);
}

enum cuda_error cuda_graph_mem_free_node_get_params(struct cuda_state *state, cuda_node node,
                                                    void **given) {
    GET(CUDA_NODE_FREE, freed);
}
