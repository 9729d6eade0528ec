// Captures of streams.
#include "cuda/graph/api.h"
#include "cudadrv/cudadrv.h"

enum cuda_error cudaStreamBeginCapture(cuda_stream stream, enum cuda_capture_mode mode);
enum cuda_error cudaStreamBeginCaptureToGraph(cuda_stream stream, cuda_graph graph,
                                              const cuda_node *nodes, const struct cuda_edge *edges,
                                              size_t count, enum cuda_capture_mode mode);
enum cuda_error cudaStreamEndCapture(cuda_stream stream, cuda_graph *graph);

CUDART_API cu_result cuStreamBeginCapture_v2(cuda_stream stream, enum cuda_capture_mode mode) {
    return CUDADRV_RUN(cudaStreamBeginCapture(stream, mode));
}
CUDART_PER_THREAD(cuStreamBeginCapture_v2, _ptsz)

CUDART_API cu_result cuStreamBeginCapture(cuda_stream stream) {
    return cuStreamBeginCapture_v2(stream, CUDA_CAPTURE_GLOBAL);
}
CUDART_PER_THREAD(cuStreamBeginCapture, _ptsz)

CUDART_API cu_result cuStreamBeginCaptureToGraph(cuda_stream stream, cuda_graph graph,
                                                 const cuda_node *nodes,
                                                 const struct cuda_edge *edges, size_t count,
                                                 enum cuda_capture_mode mode) {
    return CUDADRV_RUN(cudaStreamBeginCaptureToGraph(stream, graph, nodes, edges, count, mode));
}
CUDART_PER_THREAD(cuStreamBeginCaptureToGraph, _ptsz)

CUDART_API cu_result cuStreamEndCapture(cuda_stream stream, cuda_graph *graph) {
    return CUDADRV_RUN(cudaStreamEndCapture(stream, graph));
}
CUDART_PER_THREAD(cuStreamEndCapture, _ptsz)

CUDART_API cu_result cuStreamGetCaptureInfo_v3(cuda_stream stream, enum cuda_capture_status *status,
                                               unsigned long long *id, cuda_graph *graph,
                                               const cuda_node **nodes,
                                               const struct cuda_edge **edges, size_t *count) {
    struct cuda_capture_info info = {status, id, graph, nodes, edges, count};
    return CUDADRV_RUN(cuda_capture_tell(stream, &info));
}
CUDART_PER_THREAD(cuStreamGetCaptureInfo_v3, _ptsz)

CUDART_API cu_result cuStreamGetCaptureInfo_v2(cuda_stream stream, enum cuda_capture_status *status,
                                               unsigned long long *id, cuda_graph *graph,
                                               const cuda_node **nodes, size_t *count) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, NULL, count);
}
CUDART_PER_THREAD(cuStreamGetCaptureInfo_v2, _ptsz)

CUDART_API cu_result cuStreamGetCaptureInfo(cuda_stream stream, enum cuda_capture_status *status,
                                            unsigned long long *id) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}
CUDART_PER_THREAD(cuStreamGetCaptureInfo, _ptsz)

CUDART_API cu_result cuStreamUpdateCaptureDependencies_v2(cuda_stream stream, cuda_node *nodes,
                                                          const struct cuda_edge *edges,
                                                          size_t count, unsigned flags) {
    return CUDADRV_RUN(cuda_capture_update(stream, nodes, edges, count, flags));
}
CUDART_PER_THREAD(cuStreamUpdateCaptureDependencies_v2, _ptsz)

CUDART_API cu_result cuStreamUpdateCaptureDependencies(cuda_stream stream, cuda_node *nodes,
                                                       size_t count, unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(stream, nodes, NULL, count, flags);
}
CUDART_PER_THREAD(cuStreamUpdateCaptureDependencies, _ptsz)
