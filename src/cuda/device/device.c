// The devices, and which one a thread works on.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cuda/core/error.h"
#include "cuda/core/state.h"
#include "cuda/device/device.h"
#include "cuda/stream/capture.h"

enum { DEVICE_FLAGS = 0xbf, MAP_HOST = 8 };
enum { CACHE_CONFIGS = 4, SHARED_CONFIGS = 3 };

// Most of these neither need nor disturb the device: they work on a broken one too.
static enum cuda_error check_device(int device, const void *out) {
    if (!out)
        return cudaErrorInvalidValue;
    return cuda_is_device(cuda_state(), device) ? cudaSuccess : cudaErrorInvalidDevice;
}

CUDART_API enum cuda_error cudaGetDeviceCount(int *count) {
    if (!count)
        return cuda_record(cudaErrorInvalidValue);
    *count = (int)cuda_state()->device_count;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaGetDevice(int *device) {
    if (!device)
        return cuda_record(cudaErrorInvalidValue);
    *device = (int)cuda_thread_device();
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaSetDevice(int device) {
    if (!cuda_is_device(cuda_state(), device))
        return cuda_record(cudaErrorInvalidDevice);
    cuda_thread_choose((unsigned)device);
    if (cuda_version() < 12000)
        return cudaSuccess;
    // Since 12 the device is made here, and the driver can be used. A fault shows elsewhere.
    (void)cuda_enter_device(device);
    return cuda_leave(cudaSuccess);
}

CUDART_API enum cuda_error cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    (void)device_flags, (void)flags;
    return cuda_leave(cuda_enter_device(device));
}

CUDART_API enum cuda_error cudaSetValidDevices(const int *devices, int count) {
    for (int i = 0; i < count; i++)
        if (!devices || !cuda_is_device(cuda_state(), devices[i]))
            return cuda_record(cudaErrorInvalidDevice);
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaChooseDevice(int *device, const void *properties) {
    if (!device || !properties)
        return cuda_record(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaDeviceGetAttribute(int *value, int attribute, int device) {
    enum cuda_error error = check_device(device, value);
    if (error == cudaSuccess && !device_attribute(cuda_state(), device, attribute, value))
        error = cudaErrorInvalidValue;
    return cuda_record(error);
}

CUDART_API enum cuda_error cudaDriverGetVersion(int *version) {
    enum { DRIVER = 13000 };
    if (!version)
        return cuda_record(cudaErrorInvalidValue);
    *version = DRIVER;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaRuntimeGetVersion(int *version) {
    if (!version)
        return cuda_record(cudaErrorInvalidValue);
    *version = cuda_version();
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaDeviceSynchronize(void) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess)
        error = cuda_capture_forbids_waiting(cuda_state());
    return cuda_leave(error);
}

// Frees everything and mends a device that a fault broke.
CUDART_API enum cuda_error cudaDeviceReset(void) {
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    state->current = cuda_this_device(state);
    cuda_drop_device(state);
    return cuda_leave(cudaSuccess);
}

// ---- Settings: kept, most of them without effect
// ---------------------------------------------------------

CUDART_API enum cuda_error cudaSetDeviceFlags(unsigned flags) {
    if (flags & ~(unsigned)DEVICE_FLAGS)
        return cuda_record(cudaErrorInvalidValue);
    cuda_this_device(cuda_state())->flags = flags;
    return cudaSuccess;
}

CUDART_API enum cuda_error cudaGetDeviceFlags(unsigned *flags) {
    if (!flags)
        return cuda_record(cudaErrorInvalidValue);
    *flags = cuda_this_device(cuda_state())->flags | MAP_HOST;
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
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && limit == CUDA_LIMIT_SYNC_DEPTH)
        error = cudaErrorUnsupportedLimit;
    if (error == cudaSuccess && ((unsigned)limit >= CUDA_LIMITS || !round_limit(limit, &value)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_state()->current->limits[limit] = value;
    return cuda_leave(error);
}

CUDART_API enum cuda_error cudaDeviceGetLimit(size_t *value, enum cuda_limit limit) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && limit == CUDA_LIMIT_SYNC_DEPTH)
        error = cudaErrorUnsupportedLimit;
    if (error == cudaSuccess && (!value || (unsigned)limit >= CUDA_LIMITS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *value = cuda_state()->current->limits[limit];
    return cuda_leave(error);
}

static struct cuda_device *here(void) {
    return cuda_this_device(cuda_state());
}

static enum cuda_error keep(int *setting, int value, int count) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && (value < 0 || value >= count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *setting = value;
    return cuda_leave(error);
}

static enum cuda_error tell(const int *setting, int *value) {
    enum cuda_error error = cuda_enter();
    if (error == cudaSuccess && !value)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *value = *setting;
    return cuda_leave(error);
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
    bool has_choice = cuda_state()->config.arch / 10 == 3;
    return keep(has_choice ? &here()->shared_config : &ignored, config, SHARED_CONFIGS);
}

CUDART_API enum cuda_error cudaDeviceGetSharedMemConfig(int *config) {
    return tell(&here()->shared_config, config);
}

CUDART_API enum cuda_error cudaCtxResetPersistingL2Cache(void) {
    return cuda_leave(cuda_enter());
}

CUDART_API enum cuda_error cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope) {
    (void)target, (void)scope;
    return cuda_leave(cuda_enter());
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
    return cuda_record(error);
}

CUDART_API enum cuda_error cudaDeviceGetByPCIBusId(int *device, const char *text) {
    char own[BUS_ID_BYTES];
    if (!device || !text)
        return cuda_record(cudaErrorInvalidValue);
    for (unsigned d = 0; d < cuda_state()->device_count; d++) {
        bus_id_of((int)d, own);
        // The domain may be left out, and so may the function.
        if (strcasecmp(text, own) == 0 || strcasecmp(text, own + sizeof "0000") == 0) {
            *device = (int)d;
            return cudaSuccess;
        }
    }
    return cuda_record(cudaErrorInvalidValue);
}
