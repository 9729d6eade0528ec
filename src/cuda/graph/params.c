// One function for each kind of node and thing to do with it: all of them fill in the parameters
// that stand for nodes of every kind.
#include <stdint.h>
#include <string.h>

#include "cuda/graph/api.h"
#include "cuda/stream/event.h"

typedef struct cuda_node_params params;

// Bodies of the functions below, whose parameters they use.
#define ADD(node_type, member)                                                                     \
    if (!given)                                                                                    \
        return cuda_record(cudaErrorInvalidValue);                                                 \
    params all = {.type = (node_type), .u.member = *given};                                        \
    return cuda_node_add(node, graph, before, NULL, count, &all)
#define GET(node_type, member)                                                                     \
    params all;                                                                                    \
    if (!given)                                                                                    \
        return cuda_record(cudaErrorInvalidValue);                                                 \
    enum cuda_error error = cuda_node_tell(node, node_type, &all);                                 \
    if (error == cudaSuccess)                                                                      \
        *given = all.u.member;                                                                     \
    return error
#define SET(node_type, member)                                                                     \
    if (!given)                                                                                    \
        return cuda_record(cudaErrorInvalidValue);                                                 \
    params all = {.type = (node_type), .u.member = *given};                                        \
    return cuda_node_set(node, &all)
#define EXEC(node_type, member)                                                                    \
    if (!given)                                                                                    \
        return cuda_record(cudaErrorInvalidValue);                                                 \
    params all = {.type = (node_type), .u.member = *given};                                        \
    return cuda_exec_set(exec, node, &all)

// ---- Kernels, fills, calls of the host --------------------------------------------------------

CUDART_API enum cuda_error cudaGraphAddKernelNode(cuda_node *node, cuda_graph graph,
                                                  const cuda_node *before, size_t count,
                                                  const struct cuda_kernel_node *given) {
    ADD(CUDA_NODE_KERNEL, kernel);
}

CUDART_API enum cuda_error cudaGraphKernelNodeGetParams(cuda_node node,
                                                        struct cuda_kernel_node *given) {
    GET(CUDA_NODE_KERNEL, kernel);
}

CUDART_API enum cuda_error cudaGraphKernelNodeSetParams(cuda_node node,
                                                        const struct cuda_kernel_node *given) {
    SET(CUDA_NODE_KERNEL, kernel);
}

CUDART_API enum cuda_error cudaGraphExecKernelNodeSetParams(cuda_exec exec, cuda_node node,
                                                            const struct cuda_kernel_node *given) {
    EXEC(CUDA_NODE_KERNEL, kernel);
}

CUDART_API enum cuda_error cudaGraphAddMemsetNode(cuda_node *node, cuda_graph graph,
                                                  const cuda_node *before, size_t count,
                                                  const struct cuda_memset_node *given) {
    ADD(CUDA_NODE_MEMSET, memset);
}

CUDART_API enum cuda_error cudaGraphMemsetNodeGetParams(cuda_node node,
                                                        struct cuda_memset_node *given) {
    GET(CUDA_NODE_MEMSET, memset);
}

CUDART_API enum cuda_error cudaGraphMemsetNodeSetParams(cuda_node node,
                                                        const struct cuda_memset_node *given) {
    SET(CUDA_NODE_MEMSET, memset);
}

CUDART_API enum cuda_error cudaGraphExecMemsetNodeSetParams(cuda_exec exec, cuda_node node,
                                                            const struct cuda_memset_node *given) {
    EXEC(CUDA_NODE_MEMSET, memset);
}

CUDART_API enum cuda_error cudaGraphAddHostNode(cuda_node *node, cuda_graph graph,
                                                const cuda_node *before, size_t count,
                                                const struct cuda_host_node *given) {
    ADD(CUDA_NODE_HOST, host);
}

CUDART_API enum cuda_error cudaGraphHostNodeGetParams(cuda_node node,
                                                      struct cuda_host_node *given) {
    GET(CUDA_NODE_HOST, host);
}

CUDART_API enum cuda_error cudaGraphHostNodeSetParams(cuda_node node,
                                                      const struct cuda_host_node *given) {
    SET(CUDA_NODE_HOST, host);
}

CUDART_API enum cuda_error cudaGraphExecHostNodeSetParams(cuda_exec exec, cuda_node node,
                                                          const struct cuda_host_node *given) {
    EXEC(CUDA_NODE_HOST, host);
}

// ---- Copies -----------------------------------------------------------------------------------

CUDART_API enum cuda_error cudaGraphAddMemcpyNode(cuda_node *node, cuda_graph graph,
                                                  const cuda_node *before, size_t count,
                                                  const struct cuda_memcpy_3d *given) {
    ADD(CUDA_NODE_MEMCPY, memcpy.copy);
}

CUDART_API enum cuda_error cudaGraphMemcpyNodeGetParams(cuda_node node,
                                                        struct cuda_memcpy_3d *given) {
    GET(CUDA_NODE_MEMCPY, memcpy.copy);
}

CUDART_API enum cuda_error cudaGraphMemcpyNodeSetParams(cuda_node node,
                                                        const struct cuda_memcpy_3d *given) {
    SET(CUDA_NODE_MEMCPY, memcpy.copy);
}

CUDART_API enum cuda_error cudaGraphExecMemcpyNodeSetParams(cuda_exec exec, cuda_node node,
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

CUDART_API enum cuda_error cudaGraphAddMemcpyNode1D(cuda_node *node, cuda_graph graph,
                                                    const cuda_node *before, size_t count,
                                                    void *target, const void *source, size_t bytes,
                                                    enum cuda_memcpy_kind kind) {
    params all = flat(target, source, bytes, kind);
    return cuda_node_add(node, graph, before, NULL, count, &all);
}

CUDART_API enum cuda_error cudaGraphMemcpyNodeSetParams1D(cuda_node node, void *target,
                                                          const void *source, size_t bytes,
                                                          enum cuda_memcpy_kind kind) {
    params all = flat(target, source, bytes, kind);
    return cuda_node_set(node, &all);
}

CUDART_API enum cuda_error cudaGraphExecMemcpyNodeSetParams1D(cuda_exec exec, cuda_node node,
                                                              void *target, const void *source,
                                                              size_t bytes,
                                                              enum cuda_memcpy_kind kind) {
    params all = flat(target, source, bytes, kind);
    return cuda_exec_set(exec, node, &all);
}

// The variable's bytes from the offset on.
static enum cuda_error symbol(const void *variable, size_t offset, size_t count, char **address) {
    size_t bytes = 0;
    void *found = NULL;
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess)
        error = cuda_variable_find(cuda_state(), variable, &found, &bytes);
    if (error == cudaSuccess && (offset > bytes || count > bytes - offset))
        error = cudaErrorInvalidValue;
    *address = error == cudaSuccess ? (char *)found + offset : NULL;
    return cuda_leave(error);
}

// What is to be done with the parameters of a copy to or from a variable.
#define WITH_SYMBOL(variable, target, source, work)                                                \
    char *address;                                                                                 \
    enum cuda_error error = symbol(variable, offset, bytes, &address);                             \
    if (error != cudaSuccess)                                                                      \
        return error;                                                                              \
    params all = flat(target, source, bytes, kind);                                                \
    return work

CUDART_API enum cuda_error cudaGraphAddMemcpyNodeToSymbol(cuda_node *node, cuda_graph graph,
                                                          const cuda_node *before, size_t count,
                                                          const void *variable, const void *source,
                                                          size_t bytes, size_t offset,
                                                          enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, address, source, cuda_node_add(node, graph, before, NULL, count, &all));
}

CUDART_API enum cuda_error cudaGraphAddMemcpyNodeFromSymbol(cuda_node *node, cuda_graph graph,
                                                            const cuda_node *before, size_t count,
                                                            void *target, const void *variable,
                                                            size_t bytes, size_t offset,
                                                            enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, target, address, cuda_node_add(node, graph, before, NULL, count, &all));
}

CUDART_API enum cuda_error
cudaGraphMemcpyNodeSetParamsToSymbol(cuda_node node, const void *variable, const void *source,
                                     size_t bytes, size_t offset, enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, address, source, cuda_node_set(node, &all));
}

CUDART_API enum cuda_error cudaGraphMemcpyNodeSetParamsFromSymbol(cuda_node node, void *target,
                                                                  const void *variable,
                                                                  size_t bytes, size_t offset,
                                                                  enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, target, address, cuda_node_set(node, &all));
}

CUDART_API enum cuda_error cudaGraphExecMemcpyNodeSetParamsToSymbol(cuda_exec exec, cuda_node node,
                                                                    const void *variable,
                                                                    const void *source,
                                                                    size_t bytes, size_t offset,
                                                                    enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, address, source, cuda_exec_set(exec, node, &all));
}

CUDART_API enum cuda_error cudaGraphExecMemcpyNodeSetParamsFromSymbol(cuda_exec exec,
                                                                      cuda_node node, void *target,
                                                                      const void *variable,
                                                                      size_t bytes, size_t offset,
                                                                      enum cuda_memcpy_kind kind) {
    WITH_SYMBOL(variable, target, address, cuda_exec_set(exec, node, &all));
}

// ---- Graphs, nothing, events ------------------------------------------------------------------

CUDART_API enum cuda_error cudaGraphAddChildGraphNode(cuda_node *node, cuda_graph graph,
                                                      const cuda_node *before, size_t count,
                                                      cuda_graph child) {
    params all = {.type = CUDA_NODE_GRAPH, .u.child.graph = child};
    return cuda_node_add(node, graph, before, NULL, count, &all);
}

CUDART_API enum cuda_error cudaGraphChildGraphNodeGetGraph(cuda_node node, cuda_graph *given) {
    GET(CUDA_NODE_GRAPH, child.graph);
}

CUDART_API enum cuda_error cudaGraphExecChildGraphNodeSetParams(cuda_exec exec, cuda_node node,
                                                                cuda_graph child) {
    params all = {.type = CUDA_NODE_GRAPH, .u.child.graph = child};
    return cuda_exec_set(exec, node, &all);
}

CUDART_API enum cuda_error cudaGraphAddEmptyNode(cuda_node *node, cuda_graph graph,
                                                 const cuda_node *before, size_t count) {
    params all = {.type = CUDA_NODE_EMPTY};
    return cuda_node_add(node, graph, before, NULL, count, &all);
}

static params event_params(enum cuda_node_type type, cuda_event event) {
    return (params){.type = type, .u.event = event};
}

CUDART_API enum cuda_error cudaGraphAddEventRecordNode(cuda_node *node, cuda_graph graph,
                                                       const cuda_node *before, size_t count,
                                                       cuda_event event) {
    params all = event_params(CUDA_NODE_RECORD_EVENT, event);
    return cuda_node_add(node, graph, before, NULL, count, &all);
}

CUDART_API enum cuda_error cudaGraphEventRecordNodeGetEvent(cuda_node node, cuda_event *given) {
    GET(CUDA_NODE_RECORD_EVENT, event);
}

CUDART_API enum cuda_error cudaGraphEventRecordNodeSetEvent(cuda_node node, cuda_event event) {
    params all = event_params(CUDA_NODE_RECORD_EVENT, event);
    return cuda_node_set(node, &all);
}

CUDART_API enum cuda_error cudaGraphExecEventRecordNodeSetEvent(cuda_exec exec, cuda_node node,
                                                                cuda_event event) {
    params all = event_params(CUDA_NODE_RECORD_EVENT, event);
    return cuda_exec_set(exec, node, &all);
}

CUDART_API enum cuda_error cudaGraphAddEventWaitNode(cuda_node *node, cuda_graph graph,
                                                     const cuda_node *before, size_t count,
                                                     cuda_event event) {
    params all = event_params(CUDA_NODE_WAIT_EVENT, event);
    return cuda_node_add(node, graph, before, NULL, count, &all);
}

CUDART_API enum cuda_error cudaGraphEventWaitNodeGetEvent(cuda_node node, cuda_event *given) {
    GET(CUDA_NODE_WAIT_EVENT, event);
}

CUDART_API enum cuda_error cudaGraphEventWaitNodeSetEvent(cuda_node node, cuda_event event) {
    params all = event_params(CUDA_NODE_WAIT_EVENT, event);
    return cuda_node_set(node, &all);
}

CUDART_API enum cuda_error cudaGraphExecEventWaitNodeSetEvent(cuda_exec exec, cuda_node node,
                                                              cuda_event event) {
    params all = event_params(CUDA_NODE_WAIT_EVENT, event);
    return cuda_exec_set(exec, node, &all);
}

// ---- Memory -----------------------------------------------------------------------------------

CUDART_API enum cuda_error cudaGraphAddMemAllocNode(cuda_node *node, cuda_graph graph,
                                                    const cuda_node *before, size_t count,
                                                    struct cuda_allocate_node *given) {
    if (!given)
        return cuda_record(cudaErrorInvalidValue);
    params all = {.type = CUDA_NODE_ALLOCATE, .u.allocate = *given};
    enum cuda_error error = cuda_node_add(node, graph, before, NULL, count, &all);
    if (error == cudaSuccess)
        given->address = all.u.allocate.address;
    return error;
}

CUDART_API enum cuda_error cudaGraphMemAllocNodeGetParams(cuda_node node,
                                                          struct cuda_allocate_node *given) {
    GET(CUDA_NODE_ALLOCATE, allocate);
}

CUDART_API enum cuda_error cudaGraphAddMemFreeNode(cuda_node *node, cuda_graph graph,
                                                   const cuda_node *before, size_t count,
                                                   void *address) {
    params all = {.type = CUDA_NODE_FREE, .u.freed = address};
    return cuda_node_add(node, graph, before, NULL, count, &all);
}

CUDART_API enum cuda_error cudaGraphMemFreeNodeGetParams(cuda_node node, void **given) {
    GET(CUDA_NODE_FREE, freed);
}
