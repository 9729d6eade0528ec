// Streams and events.
#include "cudadrv/context.h"

enum cuda_error cudaStreamCreateWithFlags(cuda_stream *stream, unsigned flags);
enum cuda_error cudaStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int priority);
enum cuda_error cudaStreamDestroy(cuda_stream stream);
enum cuda_error cudaStreamSynchronize(cuda_stream stream);
enum cuda_error cudaStreamQuery(cuda_stream stream);
enum cuda_error cudaStreamGetFlags(cuda_stream stream, unsigned *flags);
enum cuda_error cudaStreamGetPriority(cuda_stream stream, int *priority);
enum cuda_error cudaStreamGetId(cuda_stream stream, unsigned long long *id);
enum cuda_error cudaStreamGetDevice(cuda_stream stream, int *device);
enum cuda_error cudaStreamIsCapturing(cuda_stream stream, int *status);
enum cuda_error cudaThreadExchangeStreamCaptureMode(int *mode);
enum cuda_error cudaStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags);
enum cuda_error cudaStreamAddCallback(cuda_stream stream, cuda_stream_callback callback, void *data,
                                      unsigned flags);
enum cuda_error cudaStreamAttachMemAsync(cuda_stream stream, void *pointer, size_t bytes,
                                         unsigned flags);
enum cuda_error cudaStreamCopyAttributes(cuda_stream to, cuda_stream from);
enum cuda_error cudaStreamGetAttribute(cuda_stream stream, int attribute, void *value);
enum cuda_error cudaStreamSetAttribute(cuda_stream stream, int attribute, const void *value);
enum cuda_error cudaEventCreateWithFlags(cuda_event *event, unsigned flags);
enum cuda_error cudaEventDestroy(cuda_event event);
enum cuda_error cudaEventRecordWithFlags(cuda_event event, cuda_stream stream, unsigned flags);
enum cuda_error cudaEventSynchronize(cuda_event event);
enum cuda_error cudaEventQuery(cuda_event event);
enum cuda_error cudaEventElapsedTime(float *milliseconds, cuda_event start, cuda_event end);

CUDART_API cu_result cuStreamCreate(cuda_stream *stream, unsigned flags) {
    return CUDADRV_RUN(cudaStreamCreateWithFlags(stream, flags));
}

CUDART_API cu_result cuStreamCreateWithPriority(cuda_stream *stream, unsigned flags, int priority) {
    return CUDADRV_RUN(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUDART_API cu_result cuStreamDestroy_v2(cuda_stream stream) {
    return CUDADRV_RUN(cudaStreamDestroy(stream));
}
CUDADRV_OLD_NAME(cuStreamDestroy, cuStreamDestroy_v2)

CUDART_API cu_result cuStreamSynchronize(cuda_stream stream) {
    return CUDADRV_RUN(cudaStreamSynchronize(stream));
}
CUDART_PER_THREAD(cuStreamSynchronize, _ptsz)

CUDART_API cu_result cuStreamQuery(cuda_stream stream) {
    return CUDADRV_RUN(cudaStreamQuery(stream));
}
CUDART_PER_THREAD(cuStreamQuery, _ptsz)

CUDART_API cu_result cuStreamGetFlags(cuda_stream stream, unsigned *flags) {
    return CUDADRV_RUN(cudaStreamGetFlags(stream, flags));
}
CUDART_PER_THREAD(cuStreamGetFlags, _ptsz)

CUDART_API cu_result cuStreamGetPriority(cuda_stream stream, int *priority) {
    return CUDADRV_RUN(cudaStreamGetPriority(stream, priority));
}
CUDART_PER_THREAD(cuStreamGetPriority, _ptsz)

CUDART_API cu_result cuStreamGetId(cuda_stream stream, unsigned long long *id) {
    return CUDADRV_RUN(cudaStreamGetId(stream, id));
}
CUDART_PER_THREAD(cuStreamGetId, _ptsz)

CUDART_API cu_result cuStreamGetDevice(cuda_stream stream, cu_device *device) {
    return CUDADRV_RUN(cudaStreamGetDevice(stream, device));
}
CUDART_PER_THREAD(cuStreamGetDevice, _ptsz)

// Streams are the device's; the context that asks is as good as the one that made it.
CUDART_API cu_result cuStreamGetCtx(cuda_stream stream, cu_context *context) {
    unsigned flags;
    if (!context)
        return cudaErrorInvalidValue;
    cu_result error = CUDADRV_RUN(cudaStreamGetFlags(stream, &flags));
    if (error != cudaSuccess)
        return error;
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    *context = cudadrv_current(state);
    pthread_mutex_unlock(&state->lock);
    return cudaSuccess;
}
CUDART_PER_THREAD(cuStreamGetCtx, _ptsz)

CUDART_API cu_result cuStreamIsCapturing(cuda_stream stream, int *status) {
    return CUDADRV_RUN(cudaStreamIsCapturing(stream, status));
}
CUDART_PER_THREAD(cuStreamIsCapturing, _ptsz)

CUDART_API cu_result cuThreadExchangeStreamCaptureMode(int *mode) {
    return CUDADRV_ASK(cudaThreadExchangeStreamCaptureMode(mode));
}

CUDART_API cu_result cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags) {
    return CUDADRV_RUN(cudaStreamWaitEvent(stream, event, flags));
}
CUDART_PER_THREAD(cuStreamWaitEvent, _ptsz)

CUDART_API cu_result cuStreamAddCallback(cuda_stream stream, cuda_stream_callback callback,
                                         void *data, unsigned flags) {
    return CUDADRV_RUN(cudaStreamAddCallback(stream, callback, data, flags));
}
CUDART_PER_THREAD(cuStreamAddCallback, _ptsz)

CUDART_API cu_result cuStreamAttachMemAsync(cuda_stream stream, cu_pointer pointer, size_t bytes,
                                            unsigned flags) {
    return CUDADRV_RUN(cudaStreamAttachMemAsync(stream, cudadrv_host(pointer), bytes, flags));
}
CUDART_PER_THREAD(cuStreamAttachMemAsync, _ptsz)

CUDART_API cu_result cuStreamCopyAttributes(cuda_stream to, cuda_stream from) {
    return CUDADRV_RUN(cudaStreamCopyAttributes(to, from));
}
CUDART_PER_THREAD(cuStreamCopyAttributes, _ptsz)

CUDART_API cu_result cuStreamGetAttribute(cuda_stream stream, int attribute, void *value) {
    return CUDADRV_RUN(cudaStreamGetAttribute(stream, attribute, value));
}
CUDART_PER_THREAD(cuStreamGetAttribute, _ptsz)

CUDART_API cu_result cuStreamSetAttribute(cuda_stream stream, int attribute, const void *value) {
    return CUDADRV_RUN(cudaStreamSetAttribute(stream, attribute, value));
}
CUDART_PER_THREAD(cuStreamSetAttribute, _ptsz)

// ---- Events -----------------------------------------------------------------------------------

CUDART_API cu_result cuEventCreate(cuda_event *event, unsigned flags) {
    return CUDADRV_RUN(cudaEventCreateWithFlags(event, flags));
}

CUDART_API cu_result cuEventDestroy_v2(cuda_event event) {
    return CUDADRV_RUN(cudaEventDestroy(event));
}
CUDADRV_OLD_NAME(cuEventDestroy, cuEventDestroy_v2)

CUDART_API cu_result cuEventRecordWithFlags(cuda_event event, cuda_stream stream, unsigned flags) {
    return CUDADRV_RUN(cudaEventRecordWithFlags(event, stream, flags));
}
CUDART_PER_THREAD(cuEventRecordWithFlags, _ptsz)

CUDART_API cu_result cuEventRecord(cuda_event event, cuda_stream stream) {
    return CUDADRV_RUN(cudaEventRecordWithFlags(event, stream, 0));
}
CUDART_PER_THREAD(cuEventRecord, _ptsz)

CUDART_API cu_result cuEventSynchronize(cuda_event event) {
    return CUDADRV_RUN(cudaEventSynchronize(event));
}

CUDART_API cu_result cuEventQuery(cuda_event event) {
    return CUDADRV_RUN(cudaEventQuery(event));
}

CUDART_API cu_result cuEventElapsedTime_v2(float *milliseconds, cuda_event start, cuda_event end) {
    return CUDADRV_RUN(cudaEventElapsedTime(milliseconds, start, end));
}

CUDART_API cu_result cuEventElapsedTime(float *milliseconds, cuda_event start, cuda_event end) {
    return cuEventElapsedTime_v2(milliseconds, start, end);
}
