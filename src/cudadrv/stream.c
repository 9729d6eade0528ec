// Streams and events.
#include "cuda/memory/calls.h"
#include "cuda/stream/calls.h"
#include "cudadrv/cudadrv.h"

CUDADRV_CALL(cuStreamCreate(cuda_stream *stream, unsigned flags),
             cuda_stream_create(state, stream, flags, 0))
CUDADRV_CALL(cuStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int priority),
             cuda_stream_create(state, stream, flags, priority))
CUDADRV_CALL(cuStreamDestroy_v2(cuda_stream stream), cuda_stream_destroy(state, stream))
CUDADRV_OLD_NAME(cuStreamDestroy, cuStreamDestroy_v2)
CUDADRV_CALL(cuStreamSynchronize(cuda_stream stream), cuda_stream_look_at(state, stream))
CUDA_PER_THREAD(cuStreamSynchronize, _ptsz)
CUDADRV_CALL(cuStreamQuery(cuda_stream stream), cuda_stream_look_at(state, stream))
CUDA_PER_THREAD(cuStreamQuery, _ptsz)
CUDADRV_CALL(cuStreamGetFlags(cuda_stream stream, unsigned *flags),
             cuda_stream_get_flags(state, stream, flags))
CUDA_PER_THREAD(cuStreamGetFlags, _ptsz)
CUDADRV_CALL(cuStreamGetPriority(cuda_stream stream, int *priority),
             cuda_stream_get_priority(state, stream, priority))
CUDA_PER_THREAD(cuStreamGetPriority, _ptsz)
CUDADRV_CALL(cuStreamGetId(cuda_stream stream, unsigned long long *id),
             cuda_stream_get_id(state, stream, id))
CUDA_PER_THREAD(cuStreamGetId, _ptsz)
CUDADRV_CALL(cuStreamGetDevice(cuda_stream stream, cu_device *device),
             cuda_stream_get_device(state, stream, device))
CUDA_PER_THREAD(cuStreamGetDevice, _ptsz)

// Streams are the device's; the context that asks is as good as the one that made it.
static enum cuda_error context_of(struct cuda_state *state, cuda_stream stream,
                                  cu_context *context) {
    unsigned flags;
    if (!context)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_stream_get_flags(state, stream, &flags);
    if (error == cudaSuccess)
        *context = cuda_context_current(state);
    return error;
}

CUDADRV_CALL(cuStreamGetCtx(cuda_stream stream, cu_context *context),
             context_of(state, stream, context))
CUDA_PER_THREAD(cuStreamGetCtx, _ptsz)

CUDADRV_CALL(cuStreamIsCapturing(cuda_stream stream, enum cuda_capture_status *status),
             cuda_capture_tell(state, stream, &(struct cuda_capture_info){.status = status}))
CUDA_PER_THREAD(cuStreamIsCapturing, _ptsz)
CUDADRV_DEVICE_CALL(cuThreadExchangeStreamCaptureMode(enum cuda_capture_mode *mode),
                    cuda_thread_exchange_stream_capture_mode(mode))
CUDADRV_CALL(cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags),
             cuda_stream_wait_event(state, stream, event, flags))
CUDA_PER_THREAD(cuStreamWaitEvent, _ptsz)
CUDADRV_CALL(cuStreamAddCallback(cuda_stream stream, cuda_stream_callback callback, void *data,
                                 unsigned flags),
             cuda_stream_add_callback(state, stream, callback, data, flags))
CUDA_PER_THREAD(cuStreamAddCallback, _ptsz)
CUDADRV_CALL(cuStreamAttachMemAsync(cuda_stream stream, cu_pointer pointer, size_t bytes,
                                    unsigned flags),
             cuda_stream_attach_mem_async(state, stream, cudadrv_host(pointer), bytes, flags))
CUDA_PER_THREAD(cuStreamAttachMemAsync, _ptsz)
CUDADRV_CALL(cuStreamCopyAttributes(cuda_stream to, cuda_stream from),
             cuda_stream_copy_attributes(state, to, from))
CUDA_PER_THREAD(cuStreamCopyAttributes, _ptsz)
CUDADRV_CALL(cuStreamGetAttribute(cuda_stream stream, int attribute, void *value),
             cuda_stream_get_attribute(state, stream, attribute, value))
CUDA_PER_THREAD(cuStreamGetAttribute, _ptsz)
CUDADRV_CALL(cuStreamSetAttribute(cuda_stream stream, int attribute, const void *value),
             cuda_stream_set_attribute(state, stream, attribute, value))
CUDA_PER_THREAD(cuStreamSetAttribute, _ptsz)

// ---- Events -----------------------------------------------------------------------------------

CUDADRV_CALL(cuEventCreate(cuda_event *event, unsigned flags),
             cuda_event_create_with_flags(state, event, flags))
CUDADRV_CALL(cuEventDestroy_v2(cuda_event event), cuda_event_destroy(state, event))
CUDADRV_OLD_NAME(cuEventDestroy, cuEventDestroy_v2)
CUDADRV_CALL(cuEventRecordWithFlags(cuda_event event, cuda_stream stream, unsigned flags),
             cuda_event_record_with_flags(state, event, stream, flags))
CUDA_PER_THREAD(cuEventRecordWithFlags, _ptsz)
CUDADRV_CALL(cuEventRecord(cuda_event event, cuda_stream stream),
             cuda_event_record_with_flags(state, event, stream, 0))
CUDA_PER_THREAD(cuEventRecord, _ptsz)
CUDADRV_CALL(cuEventSynchronize(cuda_event event), cuda_event_look_at(state, event))
CUDADRV_CALL(cuEventQuery(cuda_event event), cuda_event_look_at(state, event))
CUDADRV_CALL(cuIpcGetEventHandle(struct cuda_ipc_handle *handle, cuda_event event),
             cuda_ipc_get_event_handle(state, handle, event))
CUDADRV_CALL(cuIpcOpenEventHandle(cuda_event *event, struct cuda_ipc_handle handle),
             cuda_ipc_open_event_handle(state, event, &handle))
CUDADRV_CALL(cuEventElapsedTime_v2(float *milliseconds, cuda_event start, cuda_event end),
             cuda_event_elapsed(state, milliseconds, start, end))
CUDADRV_CALL(cuEventElapsedTime(float *milliseconds, cuda_event start, cuda_event end),
             cuda_event_elapsed(state, milliseconds, start, end))
