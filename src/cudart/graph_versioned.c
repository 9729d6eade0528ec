// The functions of graphs whose parameters differ between libcudart.so.11.0, .12 and .13. CUDA 12.3
// brought data of edges, under names that end in _v2, which 13 made the only ones.
#include "cuda/graph/api.h"

#if CUDART_MAJOR == 13
#define NAME(name) name
#else
#define NAME(name) name##_v2
#endif

// ---- With data of edges -----------------------------------------------------------------------

#if CUDART_MAJOR >= 12
CUDART_API enum cuda_error NAME(cudaGraphGetEdges)(cuda_graph graph, cuda_node *from, cuda_node *to,
                                                   struct cuda_edge *data, size_t *count) {
    return cuda_graph_edges(graph, from, to, data, count);
}

CUDART_API enum cuda_error NAME(cudaGraphNodeGetDependencies)(cuda_node node, cuda_node *list,
                                                              struct cuda_edge *data,
                                                              size_t *count) {
    return cuda_node_neighbours(node, false, list, data, count);
}

CUDART_API enum cuda_error NAME(cudaGraphNodeGetDependentNodes)(cuda_node node, cuda_node *list,
                                                                struct cuda_edge *data,
                                                                size_t *count) {
    return cuda_node_neighbours(node, true, list, data, count);
}

CUDART_API enum cuda_error NAME(cudaGraphAddDependencies)(cuda_graph graph, const cuda_node *from,
                                                          const cuda_node *to,
                                                          const struct cuda_edge *data,
                                                          size_t count) {
    return cuda_graph_connect(graph, from, to, data, count, true);
}

CUDART_API enum cuda_error
NAME(cudaGraphRemoveDependencies)(cuda_graph graph, const cuda_node *from, const cuda_node *to,
                                  const struct cuda_edge *data, size_t count) {
    return cuda_graph_connect(graph, from, to, data, count, false);
}

// The program gets back what the node has made: an address, graphs.
CUDART_API enum cuda_error NAME(cudaGraphAddNode)(cuda_node *node, cuda_graph graph,
                                                  const cuda_node *before,
                                                  const struct cuda_edge *data, size_t count,
                                                  struct cuda_node_params *params) {
    return cuda_node_add(node, graph, before, data, count, params);
}

CUDART_API enum cuda_error NAME(cudaStreamUpdateCaptureDependencies)(cuda_stream stream,
                                                                     cuda_node *nodes,
                                                                     const struct cuda_edge *data,
                                                                     size_t count, unsigned flags) {
    return cuda_capture_update(stream, nodes, data, count, flags);
}

#if CUDART_MAJOR == 13
#define INFO cudaStreamGetCaptureInfo
CUDART_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz)
#else
#define INFO cudaStreamGetCaptureInfo_v3
CUDART_PER_THREAD(cudaStreamUpdateCaptureDependencies_v2, _ptsz)
#endif

CUDART_API enum cuda_error INFO(cuda_stream stream, enum cuda_capture_status *status,
                                unsigned long long *id, cuda_graph *graph, const cuda_node **nodes,
                                const struct cuda_edge **edges, size_t *count) {
    return cuda_capture_tell(stream,
                             &(struct cuda_capture_info){status, id, graph, nodes, edges, count});
}
#if CUDART_MAJOR == 13
CUDART_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)
#else
CUDART_PER_THREAD(cudaStreamGetCaptureInfo_v3, _ptsz)
#endif
#endif

// ---- Without ----------------------------------------------------------------------------------

#if CUDART_MAJOR < 13
CUDART_API enum cuda_error cudaGraphGetEdges(cuda_graph graph, cuda_node *from, cuda_node *to,
                                             size_t *count) {
    return cuda_graph_edges(graph, from, to, NULL, count);
}

CUDART_API enum cuda_error cudaGraphNodeGetDependencies(cuda_node node, cuda_node *list,
                                                        size_t *count) {
    return cuda_node_neighbours(node, false, list, NULL, count);
}

CUDART_API enum cuda_error cudaGraphNodeGetDependentNodes(cuda_node node, cuda_node *list,
                                                          size_t *count) {
    return cuda_node_neighbours(node, true, list, NULL, count);
}

CUDART_API enum cuda_error cudaGraphAddDependencies(cuda_graph graph, const cuda_node *from,
                                                    const cuda_node *to, size_t count) {
    return cuda_graph_connect(graph, from, to, NULL, count, true);
}

CUDART_API enum cuda_error cudaGraphRemoveDependencies(cuda_graph graph, const cuda_node *from,
                                                       const cuda_node *to, size_t count) {
    return cuda_graph_connect(graph, from, to, NULL, count, false);
}

CUDART_API enum cuda_error cudaStreamUpdateCaptureDependencies(cuda_stream stream, cuda_node *nodes,
                                                               size_t count, unsigned flags) {
    return cuda_capture_update(stream, nodes, NULL, count, flags);
}
CUDART_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz)

CUDART_API enum cuda_error cudaStreamGetCaptureInfo(cuda_stream stream,
                                                    enum cuda_capture_status *status,
                                                    unsigned long long *id) {
    return cuda_capture_tell(stream, &(struct cuda_capture_info){.status = status, .id = id});
}
CUDART_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)

CUDART_API enum cuda_error cudaStreamGetCaptureInfo_v2(cuda_stream stream,
                                                       enum cuda_capture_status *status,
                                                       unsigned long long *id, cuda_graph *graph,
                                                       const cuda_node **nodes, size_t *count) {
    return cuda_capture_tell(stream,
                             &(struct cuda_capture_info){status, id, graph, nodes, NULL, count});
}
CUDART_PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz)
#endif

#if CUDART_MAJOR == 12
CUDART_API enum cuda_error cudaGraphAddNode(cuda_node *node, cuda_graph graph,
                                            const cuda_node *before, size_t count,
                                            struct cuda_node_params *params) {
    return cuda_node_add(node, graph, before, NULL, count, params);
}
#endif

// ---- Instantiation and updates ----------------------------------------------------------------

#if CUDART_MAJOR == 11
CUDART_API enum cuda_error cudaGraphInstantiate(cuda_exec *exec, cuda_graph graph,
                                                cuda_node *error_node, char *log, size_t bytes) {
    struct cuda_instantiate_params params = {0};
    enum cuda_error error = cuda_instantiate(exec, graph, &params);
    if (error_node)
        *error_node = params.error_node;
    if (log && bytes)
        *log = 0;
    return error;
}

CUDART_API enum cuda_error cudaGraphExecUpdate(cuda_exec exec, cuda_graph graph,
                                               cuda_node *error_node,
                                               enum cuda_update_result *result) {
    struct cuda_update_info info;
    enum cuda_error error = cuda_update(exec, graph, &info);
    if (error_node)
        *error_node = info.error_node;
    if (result)
        *result = info.result;
    return error;
}
#else
enum cuda_error cudaGraphInstantiateWithFlags(cuda_exec *exec, cuda_graph graph,
                                              unsigned long long flags);

CUDART_API enum cuda_error cudaGraphInstantiate(cuda_exec *exec, cuda_graph graph,
                                                unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

CUDART_API enum cuda_error cudaGraphExecUpdate(cuda_exec exec, cuda_graph graph,
                                               struct cuda_update_info *info) {
    return cuda_update(exec, graph, info);
}
#endif
