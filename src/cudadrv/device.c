// The driver itself, and its devices.
#include <stdio.h>
#include <string.h>

#include "cuda/device/device.h"
#include "cudadrv/context.h"

enum cuda_error cudaDeviceGetPCIBusId(char *text, int length, int device);
enum cuda_error cudaDeviceGetByPCIBusId(int *device, const char *text);
enum cuda_error cudaDeviceCanAccessPeer(int *can, int device, int peer);
enum cuda_error cudaDeviceEnablePeerAccess(int peer, unsigned flags);
enum cuda_error cudaDeviceDisablePeerAccess(int peer);
enum cuda_error cudaDeviceGetP2PAttribute(int *value, int attribute, int source, int target);
enum cuda_error cudaDeviceGetAttribute(int *value, int attribute, int device);
enum cuda_error cudaGetDeviceCount(int *count);
enum cuda_error cudaDeviceGetDefaultMemPool(cuda_pool *pool, int device);
enum cuda_error cudaDeviceGetMemPool(cuda_pool *pool, int device);
enum cuda_error cudaDeviceSetMemPool(int device, cuda_pool pool);
enum cuda_error cudaProfilerStart(void);
enum cuda_error cudaProfilerStop(void);

CUDART_API cu_result cuInit(unsigned flags) {
    if (flags)
        return cudaErrorInvalidValue;
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    bool is_forked = state->is_forked; // the parent's device cannot be used
    state->driver.is_initialized |= !is_forked;
    pthread_mutex_unlock(&state->lock);
    return is_forked ? (cu_result)CUDADRV_NOT_INITIALIZED : cudaSuccess;
}

CUDART_API cu_result cuDriverGetVersion(int *version) {
    if (!version)
        return cudaErrorInvalidValue;
    *version = CUDA_DRIVER_VERSION;
    return cudaSuccess;
}

CUDART_API cu_result cuDeviceGetCount(int *count) {
    return CUDADRV_ASK(cudaGetDeviceCount(count));
}

static enum cuda_error check(cu_device device, const void *out) {
    int count;
    cudaGetDeviceCount(&count);
    if (!out)
        return cudaErrorInvalidValue;
    return device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice;
}

CUDART_API cu_result cuDeviceGet(cu_device *device, int ordinal) {
    cu_result error = CUDADRV_ASK(check(ordinal, device));
    if (error == cudaSuccess)
        *device = ordinal;
    return error;
}

CUDART_API cu_result cuDeviceGetName(char *name, int length, cu_device device) {
    cu_result error = CUDADRV_ASK(check(device, name));
    if (error == cudaSuccess && length <= 0)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        snprintf(name, (size_t)length, "%s", cuda_state()->device.name);
    return error;
}

CUDART_API cu_result cuDeviceGetUuid(char *uuid, cu_device device) {
    cu_result error = CUDADRV_ASK(check(device, uuid));
    if (error == cudaSuccess)
        device_uuid(device, uuid);
    return error;
}

CUDART_API cu_result cuDeviceGetUuid_v2(char *uuid, cu_device device) {
    return cuDeviceGetUuid(uuid, device);
}

static enum cuda_error total(size_t *bytes, cu_device device) {
    enum cuda_error error = cuda_enter_device(device);
    if (error == cudaSuccess && !bytes)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *bytes = cuda_device_bytes(cuda_state());
    return cuda_leave(error);
}

CUDART_API cu_result cuDeviceTotalMem_v2(size_t *bytes, cu_device device) {
    return CUDADRV_ASK(total(bytes, device));
}

CUDART_API cu_result cuDeviceGetAttribute(int *value, int attribute, cu_device device) {
    return CUDADRV_ASK(cudaDeviceGetAttribute(value, attribute, device));
}

CUDART_API cu_result cuDeviceComputeCapability(int *major, int *minor, cu_device device) {
    cu_result error = CUDADRV_ASK(check(device, major && minor ? major : NULL));
    if (error == cudaSuccess) {
        *major = (int)cuda_state()->device.arch / 10;
        *minor = (int)cuda_state()->device.arch % 10;
    }
    return error;
}

struct old_properties { // CUdevprop
    int block_threads, block[3], grid[3];
    int shared_bytes, const_bytes, warp, pitch, registers, clock_khz, texture_alignment;
};

static int attribute_of(int attribute) {
    int value = 0;
    device_model_attribute(&cuda_state()->device, attribute, &value);
    return value;
}

CUDART_API cu_result cuDeviceGetProperties(struct old_properties *out, cu_device device) {
    cu_result error = CUDADRV_ASK(check(device, out));
    if (error != cudaSuccess)
        return error;
    *out = (struct old_properties){
        .block_threads = attribute_of(1),
        .block = {attribute_of(2), attribute_of(3), attribute_of(4)},
        .grid = {attribute_of(5), attribute_of(6), attribute_of(7)},
        .shared_bytes = attribute_of(8),
        .const_bytes = attribute_of(9),
        .warp = attribute_of(10),
        .pitch = attribute_of(11),
        .registers = attribute_of(12),
        .clock_khz = attribute_of(13),
        .texture_alignment = attribute_of(14),
    };
    return cudaSuccess;
}

CUDART_API cu_result cuDeviceGetPCIBusId(char *text, int length, cu_device device) {
    return CUDADRV_ASK(cudaDeviceGetPCIBusId(text, length, device));
}

CUDART_API cu_result cuDeviceGetByPCIBusId(cu_device *device, const char *text) {
    return CUDADRV_ASK(cudaDeviceGetByPCIBusId(device, text));
}

CUDART_API cu_result cuDeviceCanAccessPeer(int *can, cu_device device, cu_device peer) {
    return CUDADRV_ASK(cudaDeviceCanAccessPeer(can, device, peer));
}

CUDART_API cu_result cuDeviceGetP2PAttribute(int *value, int attribute, cu_device source,
                                             cu_device target) {
    return CUDADRV_ASK(cudaDeviceGetP2PAttribute(value, attribute, source, target));
}

CUDART_API cu_result cuDeviceGetDefaultMemPool(cuda_pool *pool, cu_device device) {
    return CUDADRV_ASK(cudaDeviceGetDefaultMemPool(pool, device));
}

CUDART_API cu_result cuDeviceGetMemPool(cuda_pool *pool, cu_device device) {
    return CUDADRV_ASK(cudaDeviceGetMemPool(pool, device));
}

CUDART_API cu_result cuDeviceSetMemPool(cu_device device, cuda_pool pool) {
    return CUDADRV_ASK(cudaDeviceSetMemPool(device, pool));
}

// Contexts of a device share its memory, so access to one is access to all.
static int device_of(cu_context context) {
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    const struct cudadrv_context *known =
        context ? cuda_handle_find(state, CUDA_CONTEXT, context) : NULL;
    int device = known ? (int)known->handle.device->number : -1;
    pthread_mutex_unlock(&state->lock);
    return device;
}

CUDART_API cu_result cuCtxEnablePeerAccess(cu_context context, unsigned flags) {
    int peer = device_of(context);
    if (peer < 0)
        return (cu_result)CUDADRV_INVALID_CONTEXT;
    return CUDADRV_RUN(cudaDeviceEnablePeerAccess(peer, flags));
}

CUDART_API cu_result cuCtxDisablePeerAccess(cu_context context) {
    int peer = device_of(context);
    if (peer < 0)
        return (cu_result)CUDADRV_INVALID_CONTEXT;
    return CUDADRV_RUN(cudaDeviceDisablePeerAccess(peer));
}

CUDART_API cu_result cuProfilerStart(void) {
    return CUDADRV_RUN(cudaProfilerStart());
}

CUDART_API cu_result cuProfilerStop(void) {
    return CUDADRV_RUN(cudaProfilerStop());
}
