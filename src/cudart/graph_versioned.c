// The functions of graphs whose parameters differ between libcudart.so.11.0, .12 and .13. CUDA 12.3
// brought data of edges, under names that end in _v2, which 13 made the only ones.
#include "cuda/graph/calls.h"
#include "cuda/stream/calls.h"
#include "cudart/call.h"

#if CUDART_MAJOR == 13
#define NAME(name) name
#else
#define NAME(name) name##_v2
#endif

// ---- With data of edges -----------------------------------------------------------------------

#if CUDART_MAJOR >= 12
CUDART_CALL(NAME(cudaGraphGetEdges)(cuda_graph graph, cuda_node *from, cuda_node *to,
                                    struct cuda_edge *data, size_t *count),
            cuda_graph_edges(state, graph, from, to, data, count))

CUDART_CALL(NAME(cudaGraphNodeGetDependencies)(cuda_node node, cuda_node *list,
                                               struct cuda_edge *data, size_t *count),
            cuda_node_neighbours(state, node, false, list, data, count))

CUDART_CALL(NAME(cudaGraphNodeGetDependentNodes)(cuda_node node, cuda_node *list,
                                                 struct cuda_edge *data, size_t *count),
            cuda_node_neighbours(state, node, true, list, data, count))

CUDART_CALL(NAME(cudaGraphAddDependencies)(cuda_graph graph, const cuda_node *from,
                                           const cuda_node *to, const struct cuda_edge *data,
                                           size_t count),
            cuda_graph_connect(state, graph, from, to, data, count, true))

CUDART_CALL(NAME(cudaGraphRemoveDependencies)(cuda_graph graph, const cuda_node *from,
                                              const cuda_node *to, const struct cuda_edge *data,
                                              size_t count),
            cuda_graph_connect(state, graph, from, to, data, count, false))

// The program gets back what the node has made: an address, graphs.
CUDART_CALL(NAME(cudaGraphAddNode)(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                   const struct cuda_edge *data, size_t count,
                                   struct cuda_node_params *params),
            cuda_node_add(state, node, graph, before, data, count, params))

CUDART_CALL(NAME(cudaStreamUpdateCaptureDependencies)(cuda_stream stream, cuda_node *nodes,
                                                      const struct cuda_edge *data, size_t count,
                                                      unsigned flags),
            cuda_capture_update(state, stream, nodes, data, count, flags))

#if CUDART_MAJOR == 13
#define INFO cudaStreamGetCaptureInfo
CUDA_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz)
#else
#define INFO cudaStreamGetCaptureInfo_v3
CUDA_PER_THREAD(cudaStreamUpdateCaptureDependencies_v2, _ptsz)
#endif

CUDART_CALL(INFO(cuda_stream stream, enum cuda_capture_status *status, unsigned long long *id,
                 cuda_graph *graph, const cuda_node **nodes, const struct cuda_edge **edges,
                 size_t *count),
            cuda_capture_tell(state, stream,
                              &(struct cuda_capture_info){status, id, graph, nodes, edges, count}))
#if CUDART_MAJOR == 13
CUDA_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)
#else
CUDA_PER_THREAD(cudaStreamGetCaptureInfo_v3, _ptsz)
#endif
#endif

// ---- Without ----------------------------------------------------------------------------------

#if CUDART_MAJOR < 13
CUDART_CALL(cudaGraphGetEdges(cuda_graph graph, cuda_node *from, cuda_node *to, size_t *count),
            cuda_graph_edges(state, graph, from, to, NULL, count))

CUDART_CALL(cudaGraphNodeGetDependencies(cuda_node node, cuda_node *list, size_t *count),
            cuda_node_neighbours(state, node, false, list, NULL, count))

CUDART_CALL(cudaGraphNodeGetDependentNodes(cuda_node node, cuda_node *list, size_t *count),
            cuda_node_neighbours(state, node, true, list, NULL, count))

CUDART_CALL(cudaGraphAddDependencies(cuda_graph graph, const cuda_node *from, const cuda_node *to,
                                     size_t count),
            cuda_graph_connect(state, graph, from, to, NULL, count, true))

CUDART_CALL(cudaGraphRemoveDependencies(cuda_graph graph, const cuda_node *from,
                                        const cuda_node *to, size_t count),
            cuda_graph_connect(state, graph, from, to, NULL, count, false))

CUDART_CALL(cudaStreamUpdateCaptureDependencies(cuda_stream stream, cuda_node *nodes, size_t count,
                                                unsigned flags),
            cuda_capture_update(state, stream, nodes, NULL, count, flags))
CUDA_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz)

CUDART_CALL(cudaStreamGetCaptureInfo(cuda_stream stream, enum cuda_capture_status *status,
                                     unsigned long long *id),
            cuda_capture_tell(state, stream,
                              &(struct cuda_capture_info){.status = status, .id = id}))
CUDA_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)

CUDART_CALL(cudaStreamGetCaptureInfo_v2(cuda_stream stream, enum cuda_capture_status *status,
                                        unsigned long long *id, cuda_graph *graph,
                                        const cuda_node **nodes, size_t *count),
            cuda_capture_tell(state, stream,
                              &(struct cuda_capture_info){status, id, graph, nodes, NULL, count}))
CUDA_PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz)
#endif

#if CUDART_MAJOR == 12
CUDART_CALL(cudaGraphAddNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                             size_t count, struct cuda_node_params *params),
            cuda_node_add(state, node, graph, before, NULL, count, params))
#endif

// ---- Instantiation and updates ----------------------------------------------------------------

#if CUDART_MAJOR == 11
CUDART_CALL(cudaGraphInstantiate(cuda_exec *exec, cuda_graph graph, cuda_node *error_node,
                                 char *log, size_t bytes),
            cuda_instantiate_with_log(state, exec, graph, error_node, log, bytes))
CUDART_CALL(cudaGraphExecUpdate(cuda_exec exec, cuda_graph graph, cuda_node *error_node,
                                enum cuda_update_result *result),
            cuda_update_node(state, exec, graph, error_node, result))
#else
CUDART_CALL(cudaGraphInstantiate(cuda_exec *exec, cuda_graph graph, unsigned long long flags),
            cuda_graph_instantiate_with_flags(state, exec, graph, flags))

CUDART_CALL(cudaGraphExecUpdate(cuda_exec exec, cuda_graph graph, struct cuda_update_info *info),
            cuda_update(state, exec, graph, info))
#endif
