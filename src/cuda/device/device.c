// The devices, and which one a thread works on.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cuda/checks/check.h"
#include "cuda/core/state.h"
#include "cuda/core/thread.h"
#include "cuda/device/calls.h"
#include "cuda/device/device.h"
#include "cuda/stream/capture.h"

enum { DEVICE_FLAGS = 0xbf, MAP_HOST = 8 };
enum { CACHE_CONFIGS = 4, SHARED_CONFIGS = 3 };

// Most of these neither need nor disturb the device: they work on a broken one too.
static enum cuda_error check_device(struct cuda_state *state, int device, const void *out) {
    if (!out)
        return cudaErrorInvalidValue;
    return cuda_is_device(state, device) ? cudaSuccess : cudaErrorInvalidDevice;
}

enum cuda_error cuda_get_device_count(struct cuda_state *state, int *count) {
    if (!count)
        return cudaErrorInvalidValue;
    *count = (int)state->device_count;
    return cudaSuccess;
}

enum cuda_error cuda_set_device(struct cuda_state *state, int device) {
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    cuda_thread_choose((unsigned)device);
    if (cuda_version() < 12000)
        return cudaSuccess;
    // Since 12 the device is made here, and the driver can be used. A fault shows elsewhere.
    (void)cuda_enter_device(state, device);
    return cudaSuccess;
}

enum cuda_error cuda_set_valid_devices(struct cuda_state *state, const int *devices, int count) {
    for (int i = 0; i < count; i++)
        if (!devices || !cuda_is_device(state, devices[i]))
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

enum cuda_error cuda_device_get_attribute(struct cuda_state *state, int *value, int attribute,
                                          int device) {
    enum cuda_error error = check_device(state, device, value);
    if (error == cudaSuccess && !device_attribute(state, device, attribute, value))
        error = cudaErrorInvalidValue;
    return error;
}

enum cuda_error cuda_device_synchronize(struct cuda_state *state) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess)
        cuda_check_waits_for_device(state, state->current);
    return error == cudaSuccess ? cuda_capture_forbids_waiting(state) : error;
}

// Frees everything and mends a device that a fault broke.
enum cuda_error cuda_device_reset(struct cuda_state *state) {
    state->current = cuda_this_device(state);
    cuda_drop_device(state);
    return cudaSuccess;
}

// ---- Settings: kept, most of them without effect ----------------------------------------------

enum cuda_error cuda_set_device_flags(struct cuda_state *state, unsigned flags) {
    if (flags & ~(unsigned)DEVICE_FLAGS)
        return cudaErrorInvalidValue;
    cuda_this_device(state)->flags = flags;
    return cudaSuccess;
}

enum cuda_error cuda_get_device_flags(struct cuda_state *state, unsigned *flags) {
    if (!flags)
        return cudaErrorInvalidValue;
    *flags = cuda_this_device(state)->flags | MAP_HOST;
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

enum cuda_error cuda_device_set_limit(struct cuda_state *state, enum cuda_limit limit,
                                      size_t value) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && limit == CUDA_LIMIT_SYNC_DEPTH)
        error = cudaErrorUnsupportedLimit;
    if (error == cudaSuccess && ((unsigned)limit >= CUDA_LIMITS || !round_limit(limit, &value)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        state->current->limits[limit] = value;
    return error;
}

enum cuda_error cuda_device_get_limit(struct cuda_state *state, size_t *value,
                                      enum cuda_limit limit) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && limit == CUDA_LIMIT_SYNC_DEPTH)
        error = cudaErrorUnsupportedLimit;
    if (error == cudaSuccess && (!value || (unsigned)limit >= CUDA_LIMITS))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *value = state->current->limits[limit];
    return error;
}

static struct cuda_device *here(struct cuda_state *state) {
    return cuda_this_device(state);
}

static enum cuda_error keep(struct cuda_state *state, int *setting, int value, int count) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (value < 0 || value >= count))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *setting = value;
    return error;
}

static enum cuda_error tell(struct cuda_state *state, const int *setting, int *value) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && !value)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *value = *setting;
    return error;
}

enum cuda_error cuda_device_set_cache_config(struct cuda_state *state, int config) {
    return keep(state, &here(state)->cache_config, config, CACHE_CONFIGS);
}

enum cuda_error cuda_device_get_cache_config(struct cuda_state *state, int *config) {
    return tell(state, &here(state)->cache_config, config);
}

// Only 3.x has a choice; elsewhere banks are 4 bytes wide.
enum cuda_error cuda_device_set_shared_mem_config(struct cuda_state *state, int config) {
    int ignored;
    bool has_choice = state->config.arch / 10 == 3;
    return keep(state, has_choice ? &here(state)->shared_config : &ignored, config, SHARED_CONFIGS);
}

enum cuda_error cuda_device_get_shared_mem_config(struct cuda_state *state, int *config) {
    return tell(state, &here(state)->shared_config, config);
}

// ---- Where it is ------------------------------------------------------------------------------

enum { BUS_ID_BYTES = sizeof "0000:00:00.0" };

static void bus_id_of(int device, char text[BUS_ID_BYTES]) {
    snprintf(text, BUS_ID_BYTES, "0000:%02x:00.0", (unsigned)device & 0xff);
}

enum cuda_error cuda_device_get_pci_bus_id(struct cuda_state *state, char *text, int length,
                                           int device) {
    char own[BUS_ID_BYTES];
    enum cuda_error error = check_device(state, device, text);
    if (error == cudaSuccess && length < BUS_ID_BYTES)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        bus_id_of(device, own);
        memcpy(text, own, sizeof own);
    }
    return error;
}

enum cuda_error cuda_device_get_by_pci_bus_id(struct cuda_state *state, int *device,
                                              const char *text) {
    char own[BUS_ID_BYTES];
    if (!device || !text)
        return cudaErrorInvalidValue;
    for (unsigned d = 0; d < state->device_count; d++) {
        bus_id_of((int)d, own);
        // The domain may be left out, and so may the function.
        if (strcasecmp(text, own) == 0 || strcasecmp(text, own + sizeof "0000") == 0) {
            *device = (int)d;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidValue;
}
