// What differs between libcudart.so.11.0, .12 and .13: this file is compiled once for each, with
// CUDART_MAJOR set.
#include <stdlib.h>
#include <string.h>

#include "cuda/core/state.h"
#include "cuda/device/device.h"
#include "cuda/memory/managed.h"
#include "cuda/module/function.h"
#include "cuda/texture/texture.h"

#if CUDART_MAJOR == 11
enum { VERSION = 11080 };
#elif CUDART_MAJOR == 12
enum { VERSION = 12090 };
#else
enum { VERSION = 13000 };
#endif

__attribute__((constructor)) static void tell_version(void) {
    cuda_set_version(VERSION);
}

// ---- Device properties ----------------------------------------------------------------------

#define ONE(type, field, attribute) type field;
#define LIST(type, field, count, ...) type field[count];
#if CUDART_MAJOR < 13
#define OLD(type, field, attribute) type field;
#define NEW(type, field, attribute)
#else
#define OLD(type, field, attribute)
#define NEW(type, field, attribute) type field;
#endif

struct cuda_properties {
    char name[256];
#include "cudart/properties.def"
    int reserved[CUDART_MAJOR < 13 ? 63 : 56];
};

#undef ONE
#undef LIST
#undef OLD
#undef NEW

// Copies in the attributes, 0-terminated lists of them behind one another.
static void fill(struct cuda_properties *out, const struct cuda_state *state, int device) {
#define ONE(type, field, attribute) out->field = (type)device_value(state, device, attribute);
#define LIST(type, field, count, ...)                                                              \
    {                                                                                              \
        static const int from[] = {__VA_ARGS__};                                                   \
        for (size_t i = 0; i < sizeof from / sizeof *from; i++)                                    \
            out->field[i] = (type)device_value(state, device, from[i]);                            \
    }
#if CUDART_MAJOR < 13
#define OLD ONE
#define NEW(type, field, attribute)
#else
#define OLD(type, field, attribute)
#define NEW ONE
#endif
    memset(out, 0, sizeof *out);
#include "cudart/properties.def"
    memcpy(out->name, state->device.name, sizeof state->device.name);
    device_uuid(device, (char *)out->uuid);
}

// `bytes` of the structure are the program's.
static enum cuda_error properties(void *out, int device, size_t bytes) {
    if (!out)
        return cuda_record(cudaErrorInvalidValue);
    struct cuda_state *state = cuda_state();
    if (!cuda_is_device(state, device))
        return cuda_record(cudaErrorInvalidDevice);
    struct cuda_properties all;
    fill(&all, state, device);
    // The total is known once there is a device. Asking works on a broken one too.
    pthread_mutex_lock(&state->lock);
    state->current = cuda_this_device(state);
    if (cuda_make_device(state))
        all.global_bytes = cuda_device_bytes(state);
    memcpy(out, &all, bytes);
    return cuda_leave(cudaSuccess);
}

CUDART_API enum cuda_error cudaGetDeviceProperties(void *out, int device) {
#if CUDART_MAJOR < 13
    return properties(out, device, offsetof(struct cuda_properties, host_register));
#else
    return properties(out, device, sizeof(struct cuda_properties));
#endif
}

#if CUDART_MAJOR == 12
CUDART_API enum cuda_error cudaGetDeviceProperties_v2(void *out, int device) {
    return properties(out, device, sizeof(struct cuda_properties));
}
#endif

// ---- Structures that grew ---------------------------------------------------------------------

CUDART_API enum cuda_error cudaFuncGetAttributes(struct cuda_function_attributes *out,
                                                 const void *stub) {
    struct cuda_function_attributes all;
    enum cuda_error error = cuda_function_attributes(stub, out ? &all : NULL);
    // The reserved tail is left alone, as the real runtime does.
    if (error == cudaSuccess)
        memcpy(out, &all,
               CUDART_MAJOR == 11 ? offsetof(struct cuda_function_attributes, cluster_must_be_set)
                                  : offsetof(struct cuda_function_attributes, reserved));
    return error;
}

CUDART_API enum cuda_error cudaPointerGetAttributes(struct cuda_pointer_attributes *out,
                                                    const void *pointer) {
    return cuda_pointer_attributes(out, pointer);
}

// ---- Calls whose device became a location -----------------------------------------------------

enum { LOCATION_DEVICE = 1, LAST_LOCATION = 4 };

// A device number, or -1 for some part of the host. False: no such location.
static bool device_of(struct cuda_location location, int *device) {
    *device = location.type == LOCATION_DEVICE ? location.id : -1;
    return location.type >= LOCATION_DEVICE && location.type <= LAST_LOCATION;
}

static enum cuda_error prefetch_to(const void *pointer, size_t bytes, struct cuda_location location,
                                   unsigned flags, cuda_stream stream) {
    int device;
    if (flags || !device_of(location, &device))
        return cuda_record(cudaErrorInvalidValue);
    return cuda_prefetch(pointer, bytes, device, stream);
}

static enum cuda_error advise_at(const void *pointer, size_t bytes, int advice,
                                 struct cuda_location location) {
    int device;
    // Advice that names no place comes with any location.
    if (!device_of(location, &device))
        device = 0;
    return cuda_advise(pointer, bytes, advice, device);
}

#if CUDART_MAJOR == 13
CUDART_API enum cuda_error cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                                struct cuda_location location, unsigned flags,
                                                cuda_stream stream) {
    return prefetch_to(pointer, bytes, location, flags, stream);
}
CUDART_PER_THREAD(cudaMemPrefetchAsync, _ptsz)

CUDART_API enum cuda_error cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                                         struct cuda_location location) {
    return advise_at(pointer, bytes, advice, location);
}
#else
CUDART_API enum cuda_error cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                                cuda_stream stream) {
    return cuda_prefetch(pointer, bytes, device, stream);
}
CUDART_PER_THREAD(cudaMemPrefetchAsync, _ptsz)

CUDART_API enum cuda_error cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                                         int device) {
    return cuda_advise(pointer, bytes, advice, device);
}

CUDART_API enum cuda_error cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                                                   struct cuda_location location, unsigned flags,
                                                   cuda_stream stream) {
    return prefetch_to(pointer, bytes, location, flags, stream);
}
CUDART_PER_THREAD(cudaMemPrefetchAsync_v2, _ptsz)

CUDART_API enum cuda_error cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice,
                                            struct cuda_location location) {
    return advise_at(pointer, bytes, advice, location);
}
#endif

// ---- Names that CUDA 13 dropped ---------------------------------------------------------------

#if CUDART_MAJOR < 13
enum cuda_error cudaDeviceSynchronize(void);
enum cuda_error cudaDeviceReset(void);
enum cuda_error cudaDeviceSetLimit(enum cuda_limit limit, size_t value);
enum cuda_error cudaDeviceGetLimit(size_t *value, enum cuda_limit limit);
enum cuda_error cudaDeviceSetCacheConfig(int config);
enum cuda_error cudaDeviceGetCacheConfig(int *config);

CUDART_API enum cuda_error cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}

CUDART_API enum cuda_error cudaThreadExit(void) {
    return cudaDeviceReset();
}

CUDART_API enum cuda_error cudaThreadSetLimit(enum cuda_limit limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}

CUDART_API enum cuda_error cudaThreadGetLimit(size_t *value, enum cuda_limit limit) {
    return cudaDeviceGetLimit(value, limit);
}

CUDART_API enum cuda_error cudaThreadSetCacheConfig(int config) {
    return cudaDeviceSetCacheConfig(config);
}

CUDART_API enum cuda_error cudaThreadGetCacheConfig(int *config) {
    return cudaDeviceGetCacheConfig(config);
}

// Doubles are doubles on every device since 1.3.
CUDART_API enum cuda_error cudaSetDoubleForDevice(double *value) {
    return value ? cudaSuccess : cuda_record(cudaErrorInvalidValue);
}

CUDART_API enum cuda_error cudaSetDoubleForHost(double *value) {
    return value ? cudaSuccess : cuda_record(cudaErrorInvalidValue);
}
#endif

// ---- Textures: CUDA 12 took over the longer description of CUDA 11 ------------------------------

enum {
    TEXTURE_BYTES =
        CUDART_MAJOR == 11 ? offsetof(struct cuda_texture, seamless) : sizeof(struct cuda_texture)
};

CUDART_API enum cuda_error cudaCreateTextureObject(uint64_t *object,
                                                   const struct cuda_resource *resource,
                                                   const struct cuda_texture *texture,
                                                   const struct cuda_view *view) {
    return cuda_texture_create(object, resource, texture, view, TEXTURE_BYTES);
}

CUDART_API enum cuda_error cudaGetTextureObjectTextureDesc(struct cuda_texture *out,
                                                           uint64_t object) {
    return cuda_texture_get(out, object, TEXTURE_BYTES);
}

#if CUDART_MAJOR == 11
CUDART_API enum cuda_error cudaCreateTextureObject_v2(uint64_t *object,
                                                      const struct cuda_resource *resource,
                                                      const struct cuda_texture *texture,
                                                      const struct cuda_view *view) {
    return cuda_texture_create(object, resource, texture, view, sizeof *texture);
}

CUDART_API enum cuda_error cudaGetTextureObjectTextureDesc_v2(struct cuda_texture *out,
                                                              uint64_t object) {
    return cuda_texture_get(out, object, sizeof *out);
}
#endif
