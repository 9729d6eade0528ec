// The devices, and which one a thread works on.
#include "cuda/core/thread.h"
#include "cuda/device/calls.h"
#include "cudart/call.h"

static enum cuda_error tell(int *out, int value) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = value;
    return cudaSuccess;
}

// Children of a process that used CUDA are told, too; to ask is to use it.
static enum cuda_error count_devices(int *count) {
    struct cuda_state *state = cuda_state();
    state->is_in_use = true;
    return cuda_get_device_count(state, count);
}

CUDART_ALWAYS(cudaGetDeviceCount(int *count), count_devices(count))
CUDART_TELL(cudaGetDevice(int *device), tell(device, (int)cuda_thread_device()))

// Where CUDA cannot be used after fork() that shows in the next call.
CUDA_API enum cuda_error cudaSetDevice(int device) {
    struct cuda_state *state = cudart_begin();
    return cudart_record(state ? cuda_end(state, cuda_set_device(state, device)) : cudaSuccess);
}

CUDART_CALL(cudaInitDevice(int device, unsigned device_flags, unsigned flags),
            ((void)device_flags, (void)flags, cuda_enter_device(state, device)))
CUDART_TELL(cudaSetValidDevices(const int *devices, int count),
            cuda_set_valid_devices(state, devices, count))
CUDART_TELL(cudaChooseDevice(int *device, const void *properties),
            properties ? tell(device, 0) : cudaErrorInvalidValue)
CUDART_TELL(cudaDeviceGetAttribute(int *value, int attribute, int device),
            cuda_device_get_attribute(state, value, attribute, device))
CUDART_ALWAYS(cudaDriverGetVersion(int *version), tell(version, CUDA_DRIVER_VERSION))

CUDART_CALL(cudaDeviceSynchronize(void), cuda_device_synchronize(state))
CUDART_CALL(cudaDeviceReset(void), cuda_device_reset(state))

// ---- Settings: kept, most of them without effect ----------------------------------------------

CUDART_CALL(cudaSetDeviceFlags(unsigned flags), cuda_set_device_flags(state, flags))
CUDART_CALL(cudaGetDeviceFlags(unsigned *flags), cuda_get_device_flags(state, flags))
CUDART_CALL(cudaDeviceSetLimit(enum cuda_limit limit, size_t value),
            cuda_device_set_limit(state, limit, value))
CUDART_CALL(cudaDeviceGetLimit(size_t *value, enum cuda_limit limit),
            cuda_device_get_limit(state, value, limit))
CUDART_CALL(cudaDeviceSetCacheConfig(int config), cuda_device_set_cache_config(state, config))
CUDART_CALL(cudaDeviceGetCacheConfig(int *config), cuda_device_get_cache_config(state, config))
CUDART_CALL(cudaDeviceSetSharedMemConfig(int config),
            cuda_device_set_shared_mem_config(state, config))
CUDART_CALL(cudaDeviceGetSharedMemConfig(int *config),
            cuda_device_get_shared_mem_config(state, config))
CUDART_CALL(cudaCtxResetPersistingL2Cache(void), cuda_enter(state))
CUDART_CALL(cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope),
            ((void)target, (void)scope, cuda_enter(state)))

// ---- Where it is ------------------------------------------------------------------------------

CUDART_TELL(cudaDeviceGetPCIBusId(char *text, int length, int device),
            cuda_device_get_pci_bus_id(state, text, length, device))
CUDART_TELL(cudaDeviceGetByPCIBusId(int *device, const char *text),
            cuda_device_get_by_pci_bus_id(state, device, text))

// ---- Peers ------------------------------------------------------------------------------------

CUDART_TELL(cudaDeviceCanAccessPeer(int *can, int device, int peer),
            cuda_device_can_access_peer(state, can, device, peer))
CUDART_CALL(cudaDeviceEnablePeerAccess(int peer, unsigned flags),
            cuda_device_enable_peer_access(state, peer, flags))
CUDART_CALL(cudaDeviceDisablePeerAccess(int peer), cuda_device_disable_peer_access(state, peer))
CUDART_TELL(cudaDeviceGetP2PAttribute(int *value, int attribute, int source, int target),
            cuda_device_get_p2p_attribute(state, value, attribute, source, target))
