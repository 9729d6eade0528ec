// What differs between libcudart.so.11.0, .12 and .13: this file is compiled once for each, with
// CUDART_MAJOR set.
#include <stdlib.h>
#include <string.h>

#include "cuda/device/calls.h"
#include "cuda/device/device.h"
#include "cuda/memory/calls.h"
#include "cuda/module/calls.h"
#include "cuda/texture/texture.h"
#include "cudart/call.h"

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

// Of several runtimes in one process each tells its own.
static enum cuda_error tell_own_version(int *version) {
    if (!version)
        return cudaErrorInvalidValue;
    *version = VERSION;
    return cudaSuccess;
}

CUDART_ALWAYS(cudaRuntimeGetVersion(int *version), tell_own_version(version))

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
static enum cuda_error properties(struct cuda_state *state, void *out, int device, size_t bytes) {
    if (!out)
        return cudaErrorInvalidValue;
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    struct cuda_properties all;
    fill(&all, state, device);
    // The total is known once there is a device. Asking works on a broken one too.
    if (cuda_make_device(state))
        all.global_bytes = cuda_device_bytes(state);
    memcpy(out, &all, bytes);
    return cudaSuccess;
}

#if CUDART_MAJOR < 13
CUDART_CALL(cudaGetDeviceProperties(void *out, int device),
            properties(state, out, device, offsetof(struct cuda_properties, host_register)))
#else
CUDART_CALL(cudaGetDeviceProperties(void *out, int device),
            properties(state, out, device, sizeof(struct cuda_properties)))
#endif

#if CUDART_MAJOR == 12
CUDART_CALL(cudaGetDeviceProperties_v2(void *out, int device),
            properties(state, out, device, sizeof(struct cuda_properties)))
#endif

// ---- Structures that grew ---------------------------------------------------------------------

static enum cuda_error function_attributes(struct cuda_state *state,
                                           struct cuda_function_attributes *out, const void *stub) {
    struct cuda_function_attributes all;
    enum cuda_error error = cuda_function_attributes(state, stub, out ? &all : NULL);
    // The reserved tail is left alone, as the real runtime does.
    if (error == cudaSuccess)
        memcpy(out, &all,
               CUDART_MAJOR == 11 ? offsetof(struct cuda_function_attributes, cluster_must_be_set)
                                  : offsetof(struct cuda_function_attributes, reserved));
    return error;
}

CUDART_CALL(cudaFuncGetAttributes(struct cuda_function_attributes *out, const void *stub),
            function_attributes(state, out, stub))

CUDART_CALL(cudaPointerGetAttributes(struct cuda_pointer_attributes *out, const void *pointer),
            cuda_pointer_attributes(state, out, pointer))

// ---- Calls whose device became a location -----------------------------------------------------

enum { LOCATION_DEVICE = 1, LAST_LOCATION = 4 };

// A device number, or -1 for some part of the host. False: no such location.
static bool device_of(struct cuda_location location, int *device) {
    *device = location.type == LOCATION_DEVICE ? location.id : -1;
    return location.type >= LOCATION_DEVICE && location.type <= LAST_LOCATION;
}

static enum cuda_error prefetch_to(struct cuda_state *state, const void *pointer, size_t bytes,
                                   struct cuda_location location, unsigned flags,
                                   cuda_stream stream) {
    int device;
    if (flags || !device_of(location, &device))
        return cudaErrorInvalidValue;
    return cuda_prefetch(state, pointer, bytes, device, stream);
}

static enum cuda_error advise_at(struct cuda_state *state, const void *pointer, size_t bytes,
                                 int advice, struct cuda_location location) {
    int device;
    // Advice that names no place comes with any location.
    if (!device_of(location, &device))
        device = 0;
    return cuda_advise(state, pointer, bytes, advice, device);
}

#if CUDART_MAJOR == 13
CUDART_CALL(cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cuda_location location,
                                 unsigned flags, cuda_stream stream),
            prefetch_to(state, pointer, bytes, location, flags, stream))
CUDA_PER_THREAD(cudaMemPrefetchAsync, _ptsz)

CUDART_CALL(cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                          struct cuda_location location),
            advise_at(state, pointer, bytes, advice, location))
#else
CUDART_CALL(cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cuda_stream stream),
            cuda_prefetch(state, pointer, bytes, device, stream))
CUDA_PER_THREAD(cudaMemPrefetchAsync, _ptsz)

CUDART_CALL(cudaMemAdvise(const void *pointer, size_t bytes, int advice, int device),
            cuda_advise(state, pointer, bytes, advice, device))

CUDART_CALL(cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                                    struct cuda_location location, unsigned flags,
                                    cuda_stream stream),
            prefetch_to(state, pointer, bytes, location, flags, stream))
CUDA_PER_THREAD(cudaMemPrefetchAsync_v2, _ptsz)

CUDART_CALL(cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice,
                             struct cuda_location location),
            advise_at(state, pointer, bytes, advice, location))
#endif

// ---- Names that CUDA 13 dropped ---------------------------------------------------------------

#if CUDART_MAJOR < 13
CUDART_CALL(cudaThreadSynchronize(void), cuda_device_synchronize(state))

CUDART_CALL(cudaThreadExit(void), cuda_device_reset(state))

CUDART_CALL(cudaThreadSetLimit(enum cuda_limit limit, size_t value),
            cuda_device_set_limit(state, limit, value))

CUDART_CALL(cudaThreadGetLimit(size_t *value, enum cuda_limit limit),
            cuda_device_get_limit(state, value, limit))

CUDART_CALL(cudaThreadSetCacheConfig(int config), cuda_device_set_cache_config(state, config))

CUDART_CALL(cudaThreadGetCacheConfig(int *config), cuda_device_get_cache_config(state, config))

// Doubles are doubles on every device since 1.3.
CUDART_TELL(cudaSetDoubleForDevice(double *value), value ? cudaSuccess : cudaErrorInvalidValue)
CUDART_TELL(cudaSetDoubleForHost(double *value), value ? cudaSuccess : cudaErrorInvalidValue)
#endif

// ---- Textures: CUDA 12 took over the longer description of CUDA 11 ------------------------------

enum {
    TEXTURE_BYTES =
        CUDART_MAJOR == 11 ? offsetof(struct cuda_texture, seamless) : sizeof(struct cuda_texture)
};

CUDART_CALL(cudaCreateTextureObject(uint64_t *object, const struct cuda_resource *resource,
                                    const struct cuda_texture *texture,
                                    const struct cuda_view *view),
            cuda_texture_create(state, object, resource, texture, view, TEXTURE_BYTES))

CUDART_CALL(cudaGetTextureObjectTextureDesc(struct cuda_texture *out, uint64_t object),
            cuda_texture_get(state, out, object, TEXTURE_BYTES))

#if CUDART_MAJOR == 11
CUDART_CALL(cudaCreateTextureObject_v2(uint64_t *object, const struct cuda_resource *resource,
                                       const struct cuda_texture *texture,
                                       const struct cuda_view *view),
            cuda_texture_create(state, object, resource, texture, view, sizeof *texture))

CUDART_CALL(cudaGetTextureObjectTextureDesc_v2(struct cuda_texture *out, uint64_t object),
            cuda_texture_get(state, out, object, sizeof *out))
#endif
