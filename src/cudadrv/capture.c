// Captures of streams.
#include "cuda/stream/calls.h"
#include "cudadrv/cudadrv.h"

CUDADRV_CALL(cuStreamBeginCapture_v2(cuda_stream stream, enum cuda_capture_mode mode),
             cuda_stream_begin_capture(state, stream, mode))
CUDA_PER_THREAD(cuStreamBeginCapture_v2, _ptsz)
CUDADRV_CALL(cuStreamBeginCapture(cuda_stream stream),
             cuda_stream_begin_capture(state, stream, CUDA_CAPTURE_GLOBAL))
CUDA_PER_THREAD(cuStreamBeginCapture, _ptsz)
CUDADRV_CALL(cuStreamBeginCaptureToGraph(cuda_stream stream, cuda_graph graph,
                                         const cuda_node *nodes, const struct cuda_edge *edges,
                                         size_t count, enum cuda_capture_mode mode),
             cuda_stream_begin_capture_to_graph(state, stream, graph, nodes, edges, count, mode))
CUDA_PER_THREAD(cuStreamBeginCaptureToGraph, _ptsz)
CUDADRV_CALL(cuStreamEndCapture(cuda_stream stream, cuda_graph *graph),
             cuda_stream_end_capture(state, stream, graph))
CUDA_PER_THREAD(cuStreamEndCapture, _ptsz)

CUDADRV_CALL(cuStreamGetCaptureInfo_v3(cuda_stream stream, enum cuda_capture_status *status,
                                       unsigned long long *id, cuda_graph *graph,
                                       const cuda_node **nodes, const struct cuda_edge **edges,
                                       size_t *count),
             cuda_capture_tell(state, stream,
                               &(struct cuda_capture_info){status, id, graph, nodes, edges, count}))
CUDA_PER_THREAD(cuStreamGetCaptureInfo_v3, _ptsz)

CUDADRV_CALL(cuStreamGetCaptureInfo_v2(cuda_stream stream, enum cuda_capture_status *status,
                                       unsigned long long *id, cuda_graph *graph,
                                       const cuda_node **nodes, size_t *count),
             cuda_capture_tell(state, stream,
                               &(struct cuda_capture_info){status, id, graph, nodes, NULL, count}))
CUDA_PER_THREAD(cuStreamGetCaptureInfo_v2, _ptsz)

CUDADRV_CALL(cuStreamGetCaptureInfo(cuda_stream stream, enum cuda_capture_status *status,
                                    unsigned long long *id),
             cuda_capture_tell(state, stream,
                               &(struct cuda_capture_info){.status = status, .id = id}))
CUDA_PER_THREAD(cuStreamGetCaptureInfo, _ptsz)

CUDADRV_CALL(cuStreamUpdateCaptureDependencies_v2(cuda_stream stream, cuda_node *nodes,
                                                  const struct cuda_edge *edges, size_t count,
                                                  unsigned flags),
             cuda_capture_update(state, stream, nodes, edges, count, flags))
CUDA_PER_THREAD(cuStreamUpdateCaptureDependencies_v2, _ptsz)
CUDADRV_CALL(cuStreamUpdateCaptureDependencies(cuda_stream stream, cuda_node *nodes, size_t count,
                                               unsigned flags),
             cuda_capture_update(state, stream, nodes, NULL, count, flags))
CUDA_PER_THREAD(cuStreamUpdateCaptureDependencies, _ptsz)
