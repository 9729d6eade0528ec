// Contexts.
#include "cuda/device/calls.h"
#include "cuda/stream/calls.h"
#include "cudadrv/cudadrv.h"

// ---- The primary context ----------------------------------------------------------------------

CUDADRV_DEVICE_CALL(cuDevicePrimaryCtxRetain(cu_context *context, cu_device device),
                    cuda_context_retain(state, context, device))
CUDADRV_DEVICE_CALL(cuDevicePrimaryCtxRelease_v2(cu_device device),
                    cuda_context_release(state, device))
CUDADRV_OLD_NAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)
CUDADRV_DEVICE_CALL(cuDevicePrimaryCtxReset_v2(cu_device device), cuda_context_reset(state, device))
CUDADRV_OLD_NAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2)
CUDADRV_EARLY_CALL(cuDevicePrimaryCtxSetFlags_v2(cu_device device, unsigned flags),
                   cuda_context_set_flags(state, device, flags))
CUDADRV_OLD_NAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)
CUDADRV_EARLY_CALL(cuDevicePrimaryCtxGetState(cu_device device, unsigned *flags, int *active),
                   cuda_context_state(state, device, flags, active))

// ---- Other contexts ---------------------------------------------------------------------------

CUDADRV_DEVICE_CALL(cuCtxCreate_v2(cu_context *context, unsigned flags, cu_device device),
                    cuda_context_create(state, context, flags, device))
CUDADRV_OLD_NAME(cuCtxCreate, cuCtxCreate_v2)
CUDADRV_DEVICE_CALL(cuCtxCreate_v3(cu_context *context, void *affinities, int count, unsigned flags,
                                   cu_device device),
                    affinities || count ? cudaErrorUnsupportedExecAffinity
                                        : cuda_context_create(state, context, flags, device))

struct context_parameters { // CUctxCreateParams
    void *affinities;
    int affinity_count;
    void *graphics;
};

static enum cuda_error create(struct cuda_state *state, cu_context *context,
                              const struct context_parameters *parameters, unsigned flags,
                              cu_device device) {
    if (parameters && (parameters->affinities || parameters->affinity_count))
        return cudaErrorUnsupportedExecAffinity;
    if (parameters && parameters->graphics)
        return cudaErrorNotSupported;
    return cuda_context_create(state, context, flags, device);
}

CUDADRV_DEVICE_CALL(cuCtxCreate_v4(cu_context *context, const struct context_parameters *parameters,
                                   unsigned flags, cu_device device),
                    create(state, context, parameters, flags, device))

CUDADRV_DEVICE_CALL(cuCtxDestroy_v2(cu_context context), cuda_context_destroy(state, context))
CUDADRV_OLD_NAME(cuCtxDestroy, cuCtxDestroy_v2)
CUDADRV_DEVICE_CALL(cuCtxAttach(cu_context *context, unsigned flags),
                    cuda_context_attach(state, context, flags))
CUDADRV_DEVICE_CALL(cuCtxDetach(cu_context context), cuda_context_detach(state, context))

// ---- Which one is current ---------------------------------------------------------------------

CUDADRV_DEVICE_CALL(cuCtxPushCurrent_v2(cu_context context), cuda_context_push(state, context))
CUDADRV_OLD_NAME(cuCtxPushCurrent, cuCtxPushCurrent_v2)
CUDADRV_DEVICE_CALL(cuCtxPopCurrent_v2(cu_context *context), cuda_context_pop(state, context))
CUDADRV_OLD_NAME(cuCtxPopCurrent, cuCtxPopCurrent_v2)
CUDADRV_DEVICE_CALL(cuCtxSetCurrent(cu_context context), cuda_context_set(state, context))

static enum cuda_error get_current(struct cuda_state *state, cu_context *context) {
    if (!context)
        return cudaErrorInvalidValue;
    *context = cuda_context_current(state);
    return cudaSuccess;
}

CUDADRV_DEVICE_CALL(cuCtxGetCurrent(cu_context *context), get_current(state, context))

// ---- What a context says ----------------------------------------------------------------------

CUDADRV_DEVICE_CALL(cuCtxGetDevice_v2(cu_device *device, cu_context context),
                    cuda_context_device(state, device, context))
CUDADRV_DEVICE_CALL(cuCtxGetDevice(cu_device *device), cuda_context_device(state, device, NULL))
CUDADRV_DEVICE_CALL(cuCtxGetFlags(unsigned *flags), cuda_context_flags(state, flags))
CUDADRV_DEVICE_CALL(cuCtxSetFlags(unsigned flags), cuda_context_change_flags(state, flags))
CUDADRV_DEVICE_CALL(cuCtxGetId(cu_context context, unsigned long long *id),
                    cuda_context_id(state, context, id))

static enum cuda_error api_version(struct cuda_state *state, cu_context context,
                                   unsigned *version) {
    enum { API_VERSION = 3020 };
    if (!version)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_context_of(state, context, &context);
    if (error == cudaSuccess)
        *version = API_VERSION;
    return error;
}

CUDADRV_DEVICE_CALL(cuCtxGetApiVersion(cu_context context, unsigned *version),
                    api_version(state, context, version))

CUDADRV_CALL(cuCtxSynchronize(void), cuda_device_synchronize(state))
CUDADRV_DEVICE_CALL(cuCtxSynchronize_v2(cu_context context),
                    cuda_context_synchronize(state, context))
CUDADRV_CALL(cuCtxSetLimit(enum cuda_limit limit, size_t value),
             cuda_device_set_limit(state, limit, value))
CUDADRV_CALL(cuCtxGetLimit(size_t *value, enum cuda_limit limit),
             cuda_device_get_limit(state, value, limit))
CUDADRV_CALL(cuCtxSetCacheConfig(int config), cuda_device_set_cache_config(state, config))
CUDADRV_CALL(cuCtxGetCacheConfig(int *config), cuda_device_get_cache_config(state, config))
CUDADRV_CALL(cuCtxSetSharedMemConfig(int config), cuda_device_set_shared_mem_config(state, config))
CUDADRV_CALL(cuCtxGetSharedMemConfig(int *config), cuda_device_get_shared_mem_config(state, config))
CUDADRV_CALL(cuCtxGetStreamPriorityRange(int *lowest, int *highest),
             cuda_device_get_stream_priority_range(state, lowest, highest))
CUDADRV_CALL(cuCtxResetPersistingL2Cache(void), cudaSuccess)
CUDADRV_CALL(cuCtxEnablePeerAccess(cu_context context, unsigned flags),
             cuda_context_enable_peer(state, context, flags))
CUDADRV_CALL(cuCtxDisablePeerAccess(cu_context context), cuda_context_disable_peer(state, context))
