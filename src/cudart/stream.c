// Streams, events and captures.
#include "cuda/stream/calls.h"
#include "cudart/call.h"

// ---- Attributes -------------------------------------------------------------------------------

CUDART_CALL(cudaStreamSetAttribute(cuda_stream stream, int attribute, const void *value),
            cuda_stream_set_attribute(state, stream, attribute, value))
CUDA_PER_THREAD(cudaStreamSetAttribute, _ptsz)
CUDART_CALL(cudaStreamGetAttribute(cuda_stream stream, int attribute, void *value),
            cuda_stream_get_attribute(state, stream, attribute, value))
CUDA_PER_THREAD(cudaStreamGetAttribute, _ptsz)
CUDART_CALL(cudaStreamCopyAttributes(cuda_stream to, cuda_stream from),
            cuda_stream_copy_attributes(state, to, from))
CUDA_PER_THREAD(cudaStreamCopyAttributes, _ptsz)

// ---- Captures ---------------------------------------------------------------------------------

CUDART_CALL(cudaStreamBeginCapture(cuda_stream stream, enum cuda_capture_mode mode),
            cuda_stream_begin_capture(state, stream, mode))
CUDA_PER_THREAD(cudaStreamBeginCapture, _ptsz)
CUDART_CALL(cudaStreamBeginCaptureToGraph(cuda_stream stream, cuda_graph graph,
                                          const cuda_node *nodes, const struct cuda_edge *edges,
                                          size_t count, enum cuda_capture_mode mode),
            cuda_stream_begin_capture_to_graph(state, stream, graph, nodes, edges, count, mode))
CUDA_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz)
CUDART_CALL(cudaStreamEndCapture(cuda_stream stream, cuda_graph *graph),
            cuda_stream_end_capture(state, stream, graph))
CUDA_PER_THREAD(cudaStreamEndCapture, _ptsz)
CUDART_CALL(cudaStreamIsCapturing(cuda_stream stream, enum cuda_capture_status *status),
            cuda_capture_tell(state, stream, &(struct cuda_capture_info){.status = status}))
CUDA_PER_THREAD(cudaStreamIsCapturing, _ptsz)
CUDART_TELL(cudaThreadExchangeStreamCaptureMode(enum cuda_capture_mode *mode),
            cuda_thread_exchange_stream_capture_mode(mode))

// ---- Events -----------------------------------------------------------------------------------

CUDART_CALL(cudaEventCreateWithFlags(cuda_event *event, unsigned flags),
            cuda_event_create_with_flags(state, event, flags))
CUDART_CALL(cudaEventCreate(cuda_event *event), cuda_event_create_with_flags(state, event, 0))
CUDART_CALL(cudaEventDestroy(cuda_event event), cuda_event_destroy(state, event))
CUDART_CALL(cudaEventRecordWithFlags(cuda_event event, cuda_stream stream, unsigned flags),
            cuda_event_record_with_flags(state, event, stream, flags))
CUDA_PER_THREAD(cudaEventRecordWithFlags, _ptsz)
CUDART_CALL(cudaEventRecord(cuda_event event, cuda_stream stream),
            cuda_event_record_with_flags(state, event, stream, 0))
CUDA_PER_THREAD(cudaEventRecord, _ptsz)
CUDART_CALL(cudaEventSynchronize(cuda_event event), cuda_event_look_at(state, event))
CUDART_CALL(cudaEventQuery(cuda_event event), cuda_event_look_at(state, event))
CUDART_CALL(cudaEventElapsedTime(float *milliseconds, cuda_event start, cuda_event end),
            cuda_event_elapsed(state, milliseconds, start, end))

// The name that programs built with 12.8 and 12.9 call.
CUDART_CALL(cudaEventElapsedTime_v2(float *milliseconds, cuda_event start, cuda_event end),
            cuda_event_elapsed(state, milliseconds, start, end))
CUDART_CALL(cudaStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags),
            cuda_stream_wait_event(state, stream, event, flags))
CUDA_PER_THREAD(cudaStreamWaitEvent, _ptsz)
CUDART_CALL(cudaIpcGetEventHandle(struct cuda_ipc_handle *handle, cuda_event event),
            cuda_ipc_get_event_handle(state, handle, event))
CUDART_CALL(cudaIpcOpenEventHandle(cuda_event *event, struct cuda_ipc_handle handle),
            cuda_ipc_open_event_handle(state, event, &handle))

// ---- Streams ----------------------------------------------------------------------------------

CUDART_CALL(cudaStreamCreate(cuda_stream *stream), cuda_stream_create(state, stream, 0, 0))
CUDART_CALL(cudaStreamCreateWithFlags(cuda_stream *stream, unsigned flags),
            cuda_stream_create(state, stream, flags, 0))
CUDART_CALL(cudaStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int priority),
            cuda_stream_create(state, stream, flags, priority))
CUDART_CALL(cudaStreamDestroy(cuda_stream stream), cuda_stream_destroy(state, stream))
CUDART_CALL(cudaStreamSynchronize(cuda_stream stream), cuda_stream_look_at(state, stream))
CUDA_PER_THREAD(cudaStreamSynchronize, _ptsz)
CUDART_CALL(cudaStreamQuery(cuda_stream stream), cuda_stream_look_at(state, stream))
CUDA_PER_THREAD(cudaStreamQuery, _ptsz)
CUDART_CALL(cudaStreamGetFlags(cuda_stream stream, unsigned *flags),
            cuda_stream_get_flags(state, stream, flags))
CUDA_PER_THREAD(cudaStreamGetFlags, _ptsz)
CUDART_CALL(cudaStreamGetPriority(cuda_stream stream, int *priority),
            cuda_stream_get_priority(state, stream, priority))
CUDA_PER_THREAD(cudaStreamGetPriority, _ptsz)
CUDART_CALL(cudaStreamGetId(cuda_stream stream, unsigned long long *id),
            cuda_stream_get_id(state, stream, id))
CUDA_PER_THREAD(cudaStreamGetId, _ptsz)
CUDART_CALL(cudaStreamGetDevice(cuda_stream stream, int *device),
            cuda_stream_get_device(state, stream, device))
CUDA_PER_THREAD(cudaStreamGetDevice, _ptsz)
CUDART_CALL(cudaDeviceGetStreamPriorityRange(int *lowest, int *highest),
            cuda_device_get_stream_priority_range(state, lowest, highest))

// ---- Host functions in a stream ---------------------------------------------------------------

CUDART_CALL(cudaStreamAddCallback(cuda_stream stream, cuda_stream_callback callback, void *data,
                                  unsigned flags),
            cuda_stream_add_callback(state, stream, callback, data, flags))
CUDA_PER_THREAD(cudaStreamAddCallback, _ptsz)
CUDART_CALL(cudaLaunchHostFunc(cuda_stream stream, cuda_host_function function, void *data),
            cuda_launch_host_func(state, stream, function, data))
CUDA_PER_THREAD(cudaLaunchHostFunc, _ptsz)
