// The devices, and which one a thread works on.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cudart/capture.h"
#include "cudart/device.h"
#include "cudart/error.h"
#include "cudart/state.h"

enum { DEVICE_FLAGS = 0xbf, MAP_HOST = 8 };
enum { CACHE_CONFIGS = 4, SHARED_CONFIGS = 3 };

// Most of these neither need nor disturb the device: they work on a broken one too.
static enum cuda_error check_device(int device, const void *out) {
    if (!out)
        return cudaErrorInvalidValue;
    return cudart_is_device(cudart_state(), device) ? cudaSuccess : cudaErrorInvalidDevice;
}

CUDART_API enum cuda_error cudaGetDeviceCount(int *count) {
    if (!count)
        return cudart_record(cudaErrorInvalidValue);
    *count = (int)cudart_state()->device_count;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaGetDevice(int *device) {
    if (!device)
        return cudart_record(cudaErrorInvalidValue);
    *device = (int)cudart_thread_device();
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaSetDevice(int device) {
    if (!cudart_is_device(cudart_state(), device))
        return cudart_record(cudaErrorInvalidDevice);
    cudart_thread_choose((unsigned)device);
    if (cudart_version() < 12000)
        return cudaSuccess;
    // Since 12 the device is made here, and the driver can be used. A fault shows elsewhere.
    (void)cudart_enter_device(device);
    return cudart_leave(cudaSuccess);
}

CUDART_API enum cuda_error cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    (void)device_flags, (void)flags;
    return cudart_leave(cudart_enter_device(device));
}

CUDART_API enum cuda_error cudaSetValidDevices(const int *devices, int count) {
    for (int i = 0; i < count; i++)
        if (!devices || !cudart_is_device(cudart_state(), devices[i]))
            return cudart_record(cudaErrorInvalidDevice);
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaChooseDevice(int *device, const void *properties) {
    if (!device || !properties)
        return cudart_record(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaDeviceGetAttribute(int *value, int attribute, int device) {
    enum cuda_error error = check_device(device, value);
    if (error == cudaSuccess && !device_attribute(cudart_state(), device, attribute, value))
        error = cudaErrorInvalidValue;
    return cudart_record(error);
}

CUDART_API enum cuda_error cudaDriverGetVersion(int *version) {
    enum { DRIVER = 13000 };
    if (!version)
        return cudart_record(cudaErrorInvalidValue);
    *version = DRIVER;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaRuntimeGetVersion(int *version) {
    if (!version)
        return cudart_record(cudaErrorInvalidValue);
    *version = cudart_version();
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaDeviceSynchronize(void) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess)
        error = cudart_capture_forbids_waiting(cudart_state());
    return cudart_leave(error);
}

// Frees everything and mends a device that a fault broke.
CUDART_API enum cuda_error cudaDeviceReset(void) {
    struct cudart_state *state = cudart_state();
    pthread_mutex_lock(&state->lock);
    state->current = cudart_this_device(state);
    cudart_drop_device(state);
    return cudart_leave(cudaSuccess);
}

// ---- Settings: kept, most of them without effect
// ---------------------------------------------------------

CUDART_API enum cuda_error cudaSetDeviceFlags(unsigned flags) {
    if (flags & ~(unsigned)DEVICE_FLAGS)
        return cudart_record(cudaErrorInvalidValue);
    cudart_this_device(cudart_state())->flags = flags;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaGetDeviceFlags(unsigned *flags) {
    if (!flags)
        return cudart_record(cudaErrorInvalidValue);
    *flags = cudart_this_device(cudart_state())->flags | MAP_HOST;
    return cudaSuccess;
}

// Asked for and given, as an H200 does it. False: too much.
static bool round_limit(enum cuda_limit limit, size_t *value) {
    const size_t most_stack = 523264, least_printf = 512 << 10, least_heap = 4 << 20;
    if (limit == CUDA_LIMIT_STACK) {
        if (*value > most_stack)
            return false;
        *value = (*value + 15) / 16 * 16;
    }
    if (limit == CUDA_LIMIT_PRINTF && *value < least_printf)
        *value = least_printf;
    if (limit == CUDA_LIMIT_HEAP && *value < least_heap)
        *value = least_heap;
    return true;
}

CUDART_API enum cuda_error cudaDeviceSetLimit(enum cuda_limit limit, size_t value) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && limit == CUDA_LIMIT_SYNC_DEPTH)
        error = cudaErrorUnsupportedLimit;
    if (error == cudaSuccess && ((unsigned)limit >= CUDA_LIMITS || !round_limit(limit, &value)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cudart_state()->current->limits[limit] = value;
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaDeviceGetLimit(size_t *value, enum cuda_limit limit) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && limit == CUDA_LIMIT_SYNC_DEPTH)
        error = cudaErrorUnsupportedLimit;
    if (error == cudaSuccess && (!value || (unsigned)limit >= CUDA_LIMITS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *value = cudart_state()->current->limits[limit];
    return cudart_leave(error);
}

static struct cudart_device *here(void) {
    return cudart_this_device(cudart_state());
}

static enum cuda_error keep(int *setting, int value, int count) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && (value < 0 || value >= count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *setting = value;
    return cudart_leave(error);
}

static enum cuda_error tell(const int *setting, int *value) {
    enum cuda_error error = cudart_enter();
    if (error == cudaSuccess && !value)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *value = *setting;
    return cudart_leave(error);
}

CUDART_API enum cuda_error cudaDeviceSetCacheConfig(int config) {
    return keep(&here()->cache_config, config, CACHE_CONFIGS);
}

CUDART_API enum cuda_error cudaDeviceGetCacheConfig(int *config) {
    return tell(&here()->cache_config, config);
}

// Only 3.x has a choice; elsewhere banks are 4 bytes wide.
CUDART_API enum cuda_error cudaDeviceSetSharedMemConfig(int config) {
    int ignored;
    bool has_choice = cudart_state()->config.arch / 10 == 3;
    return keep(has_choice ? &here()->shared_config : &ignored, config, SHARED_CONFIGS);
}

CUDART_API enum cuda_error cudaDeviceGetSharedMemConfig(int *config) {
    return tell(&here()->shared_config, config);
}

CUDART_API enum cuda_error cudaCtxResetPersistingL2Cache(void) {
    return cudart_leave(cudart_enter());
}

CUDART_API enum cuda_error cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope) {
    (void)target, (void)scope;
    return cudart_leave(cudart_enter());
}

// ---- Where it is ------------------------------------------------------------------------------

enum { BUS_ID_BYTES = sizeof "0000:00:00.0" };

static void bus_id_of(int device, char text[BUS_ID_BYTES]) {
    snprintf(text, BUS_ID_BYTES, "0000:%02x:00.0", (unsigned)device & 0xff);
}

CUDART_API enum cuda_error cudaDeviceGetPCIBusId(char *text, int length, int device) {
    char own[BUS_ID_BYTES];
    enum cuda_error error = check_device(device, text);
    if (error == cudaSuccess && length < BUS_ID_BYTES)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        bus_id_of(device, own);
        memcpy(text, own, sizeof own);
    }
    return cudart_record(error);
}

CUDART_API enum cuda_error cudaDeviceGetByPCIBusId(int *device, const char *text) {
    char own[BUS_ID_BYTES];
    if (!device || !text)
        return cudart_record(cudaErrorInvalidValue);
    for (unsigned d = 0; d < cudart_state()->device_count; d++) {
        bus_id_of((int)d, own);
        // The domain may be left out, and so may the function.
        if (strcasecmp(text, own) == 0 || strcasecmp(text, own + sizeof "0000") == 0) {
            *device = (int)d;
            return cudaSuccess;
        }
    }
    return cudart_record(cudaErrorInvalidValue);
}
