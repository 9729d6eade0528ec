// The driver itself, and its devices.
#include <stdio.h>
#include <string.h>

#include "cuda/device/calls.h"
#include "cuda/device/device.h"
#include "cuda/launch/calls.h"
#include "cuda/memory/calls.h"
#include "cudadrv/cudadrv.h"

static enum cuda_error initialize(struct cuda_state *state, unsigned flags) {
    if (flags)
        return cudaErrorInvalidValue;
    state->driver.is_initialized = true;
    state->is_in_use = true;
    return cudaSuccess;
}

CUDADRV_EARLY_CALL(cuInit(unsigned flags), initialize(state, flags))

CUDA_API cu_result cuDriverGetVersion(int *version) {
    if (!version)
        return cudaErrorInvalidValue;
    *version = CUDA_DRIVER_VERSION;
    return cudaSuccess;
}

CUDADRV_DEVICE_CALL(cuDeviceGetCount(int *count), cuda_get_device_count(state, count))

static enum cuda_error check(struct cuda_state *state, cu_device device, const void *out) {
    if (!out)
        return cudaErrorInvalidValue;
    return cuda_is_device(state, device) ? cudaSuccess : cudaErrorInvalidDevice;
}

static enum cuda_error get(struct cuda_state *state, cu_device *device, int ordinal) {
    enum cuda_error error = check(state, ordinal, device);
    if (error == cudaSuccess)
        *device = ordinal;
    return error;
}

CUDADRV_DEVICE_CALL(cuDeviceGet(cu_device *device, int ordinal), get(state, device, ordinal))

static enum cuda_error tell_name(struct cuda_state *state, char *name, int length,
                                 cu_device device) {
    enum cuda_error error = check(state, device, name);
    if (error == cudaSuccess && length <= 0)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        snprintf(name, (size_t)length, "%s", state->device.name);
    return error;
}

CUDADRV_DEVICE_CALL(cuDeviceGetName(char *name, int length, cu_device device),
                    tell_name(state, name, length, device))

static enum cuda_error tell_uuid(struct cuda_state *state, char *uuid, cu_device device) {
    enum cuda_error error = check(state, device, uuid);
    if (error == cudaSuccess)
        device_uuid(device, uuid);
    return error;
}

CUDADRV_DEVICE_CALL(cuDeviceGetUuid(char *uuid, cu_device device), tell_uuid(state, uuid, device))

CUDADRV_DEVICE_CALL(cuDeviceGetUuid_v2(char *uuid, cu_device device),
                    tell_uuid(state, uuid, device))

static enum cuda_error total(struct cuda_state *state, size_t *bytes, cu_device device) {
    enum cuda_error error = cuda_enter_device(state, device);
    if (error == cudaSuccess && !bytes)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *bytes = cuda_device_bytes(state);
    return error;
}

CUDADRV_DEVICE_CALL(cuDeviceTotalMem_v2(size_t *bytes, cu_device device),
                    total(state, bytes, device))
CUDADRV_DEVICE_CALL(cuDeviceGetAttribute(int *value, int attribute, cu_device device),
                    cuda_device_get_attribute(state, value, attribute, device))

static enum cuda_error tell_capability(struct cuda_state *state, int *major, int *minor,
                                       cu_device device) {
    enum cuda_error error = check(state, device, major && minor ? major : NULL);
    if (error == cudaSuccess) {
        *major = (int)state->device.arch / 10;
        *minor = (int)state->device.arch % 10;
    }
    return error;
}

CUDADRV_DEVICE_CALL(cuDeviceComputeCapability(int *major, int *minor, cu_device device),
                    tell_capability(state, major, minor, device))

struct old_properties { // CUdevprop
    int block_threads, block[3], grid[3];
    int shared_bytes, const_bytes, warp, pitch, registers, clock_khz, texture_alignment;
};

static int attribute_of(struct cuda_state *state, int attribute) {
    int value = 0;
    device_model_attribute(&state->device, attribute, &value);
    return value;
}

static enum cuda_error tell_properties(struct cuda_state *state, struct old_properties *out,
                                       cu_device device) {
    enum cuda_error error = check(state, device, out);
    if (error != cudaSuccess)
        return error;
    *out = (struct old_properties){
        .block_threads = attribute_of(state, 1),
        .block = {attribute_of(state, 2), attribute_of(state, 3), attribute_of(state, 4)},
        .grid = {attribute_of(state, 5), attribute_of(state, 6), attribute_of(state, 7)},
        .shared_bytes = attribute_of(state, 8),
        .const_bytes = attribute_of(state, 9),
        .warp = attribute_of(state, 10),
        .pitch = attribute_of(state, 11),
        .registers = attribute_of(state, 12),
        .clock_khz = attribute_of(state, 13),
        .texture_alignment = attribute_of(state, 14),
    };
    return cudaSuccess;
}

CUDADRV_DEVICE_CALL(cuDeviceGetProperties(struct old_properties *out, cu_device device),
                    tell_properties(state, out, device))

CUDADRV_DEVICE_CALL(cuDeviceGetPCIBusId(char *text, int length, cu_device device),
                    cuda_device_get_pci_bus_id(state, text, length, device))
CUDADRV_DEVICE_CALL(cuDeviceGetByPCIBusId(cu_device *device, const char *text),
                    cuda_device_get_by_pci_bus_id(state, device, text))
CUDADRV_DEVICE_CALL(cuDeviceCanAccessPeer(int *can, cu_device device, cu_device peer),
                    cuda_device_can_access_peer(state, can, device, peer))
CUDADRV_DEVICE_CALL(cuDeviceGetP2PAttribute(int *value, int attribute, cu_device source,
                                            cu_device target),
                    cuda_device_get_p2p_attribute(state, value, attribute, source, target))
CUDADRV_DEVICE_CALL(cuDeviceGetDefaultMemPool(cuda_pool *pool, cu_device device),
                    cuda_device_get_default_mem_pool(state, pool, device))
CUDADRV_DEVICE_CALL(cuDeviceGetMemPool(cuda_pool *pool, cu_device device),
                    cuda_device_get_mem_pool(state, pool, device))
CUDADRV_DEVICE_CALL(cuDeviceSetMemPool(cu_device device, cuda_pool pool),
                    cuda_device_set_mem_pool(state, device, pool))

CUDADRV_CALL(cuProfilerStart(void), cuda_profiler_start(state))
CUDADRV_CALL(cuProfilerStop(void), cuda_profiler_stop(state))
