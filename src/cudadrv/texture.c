// Texture and surface objects: the runtime's, described in the driver's words.
#include "cuda/texture/texture.h"

#include <string.h>

#include "cuda/memory/array.h"
#include "cudadrv/format.h"

enum cuda_error cudaDestroyTextureObject(uint64_t number);
enum cuda_error cudaGetTextureObjectResourceDesc(struct cuda_resource *out, uint64_t number);
enum cuda_error cudaGetTextureObjectResourceViewDesc(struct cuda_view *out, uint64_t number);
enum cuda_error cudaCreateSurfaceObject(uint64_t *number, const struct cuda_resource *resource);
enum cuda_error cudaDestroySurfaceObject(uint64_t number);
enum cuda_error cudaGetSurfaceObjectResourceDesc(struct cuda_resource *out, uint64_t number);

enum texture_flag {
    READ_AS_INTEGER = 0x01,
    NORMALIZED_COORDINATES = 0x02,
    SRGB = 0x10,
    DISABLES_TRILINEAR = 0x20,
    SEAMLESS_CUBEMAP = 0x40,
    ALL_FLAGS = 0x73,
};

struct resource { // CUDA_RESOURCE_DESC
    int type;
    union {
        void *array;
        struct {
            cu_pointer pointer;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            cu_pointer pointer;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
};

struct texture { // CUDA_TEXTURE_DESC
    int address[3];
    int filter;
    unsigned flags, anisotropy;
    int mip_filter;
    float bias, least_level, most_level;
    float border[4];
    int reserved[12];
};

struct view { // CUDA_RESOURCE_VIEW_DESC
    struct cuda_view view;
    unsigned reserved[16];
};

// ---- Resources ----------------------------------------------------------------------------

static enum cuda_error read_resource(const struct resource *from, struct cuda_resource *out) {
    memset(out, 0, sizeof *out);
    if (from->flags)
        return cudaErrorInvalidValue;
    out->type = (enum cuda_resource_type)from->type;
    switch (from->type) {
    case CUDA_RESOURCE_ARRAY:
    case CUDA_RESOURCE_MIPMAP:
        out->of.array = from->of.array;
        return cudaSuccess;
    case CUDA_RESOURCE_LINEAR:
        out->of.linear.pointer = cudadrv_host(from->of.linear.pointer);
        out->of.linear.channel = cudadrv_channel(from->of.linear.format, from->of.linear.channels);
        out->of.linear.bytes = from->of.linear.bytes;
        return cudaSuccess;
    case CUDA_RESOURCE_PITCHED:
        out->of.pitched.pointer = cudadrv_host(from->of.pitched.pointer);
        out->of.pitched.channel =
            cudadrv_channel(from->of.pitched.format, from->of.pitched.channels);
        out->of.pitched.width = from->of.pitched.width;
        out->of.pitched.height = from->of.pitched.height;
        out->of.pitched.pitch = from->of.pitched.pitch;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

static void write_resource(const struct cuda_resource *from, struct resource *out) {
    memset(out, 0, sizeof *out);
    out->type = (int)from->type;
    if (from->type == CUDA_RESOURCE_ARRAY || from->type == CUDA_RESOURCE_MIPMAP) {
        out->of.array = from->of.array;
    } else if (from->type == CUDA_RESOURCE_LINEAR) {
        out->of.linear.pointer = (cu_pointer)(uintptr_t)from->of.linear.pointer;
        cudadrv_format(&from->of.linear.channel, &out->of.linear.format, &out->of.linear.channels);
        out->of.linear.bytes = from->of.linear.bytes;
    } else {
        out->of.pitched.pointer = (cu_pointer)(uintptr_t)from->of.pitched.pointer;
        cudadrv_format(&from->of.pitched.channel, &out->of.pitched.format,
                       &out->of.pitched.channels);
        out->of.pitched.width = from->of.pitched.width;
        out->of.pitched.height = from->of.pitched.height;
        out->of.pitched.pitch = from->of.pitched.pitch;
    }
}

// ---- Textures -----------------------------------------------------------------------------

// Small integers are read as parts of 1 unless READ_AS_INTEGER is set; what else there is, as it
// is.
static bool may_be_normalized(const struct cuda_resource *resource, const struct cuda_view *view) {
    enum { FIRST_32_BITS = 13, FIRST_FLOAT = 19 };
    if (view && view->format)
        return view->format < FIRST_32_BITS;
    struct cuda_channel channel = {{0}, CUDA_CHANNEL_FLOAT};
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    const struct cuda_array *array = NULL;
    if (resource->type == CUDA_RESOURCE_ARRAY)
        array = cuda_array_find(state, resource->of.array);
    else if (resource->type == CUDA_RESOURCE_MIPMAP)
        array = cuda_mipmap_find(state, resource->of.mipmap);
    else
        channel = resource->type == CUDA_RESOURCE_LINEAR ? resource->of.linear.channel
                                                         : resource->of.pitched.channel;
    if (array)
        channel = array->channel;
    pthread_mutex_unlock(&state->lock);
    return channel.kind != CUDA_CHANNEL_FLOAT && channel.bits[0] < 32;
}

static enum cuda_error create(uint64_t *object, const struct resource *resource,
                              const struct texture *texture, const struct view *view) {
    struct cuda_resource own;
    if (!object || !resource || !texture || texture->flags & ~(unsigned)ALL_FLAGS)
        return cudaErrorInvalidValue;
    enum cuda_error error = read_resource(resource, &own);
    if (error != cudaSuccess)
        return error;
    unsigned flags = texture->flags;
    struct cuda_texture sampler = {
        .address = {texture->address[0], texture->address[1], texture->address[2]},
        .filter = texture->filter,
        .read_mode =
            !(flags & READ_AS_INTEGER) && may_be_normalized(&own, view ? &view->view : NULL),
        .srgb = (flags & SRGB) != 0,
        .normalized = (flags & NORMALIZED_COORDINATES) != 0,
        .anisotropy = texture->anisotropy,
        .mip_filter = texture->mip_filter,
        .bias = texture->bias,
        .least_level = texture->least_level,
        .most_level = texture->most_level,
        .disables_trilinear = (flags & DISABLES_TRILINEAR) != 0,
        .seamless = (flags & SEAMLESS_CUBEMAP) != 0,
    };
    memcpy(sampler.border, texture->border, sizeof sampler.border);
    return cuda_texture_create(object, &own, &sampler, view ? &view->view : NULL, sizeof sampler);
}

CUDART_API cu_result cuTexObjectCreate(uint64_t *object, const struct resource *resource,
                                       const struct texture *texture, const struct view *view) {
    return CUDADRV_RUN(create(object, resource, texture, view));
}

CUDART_API cu_result cuTexObjectDestroy(uint64_t object) {
    return CUDADRV_RUN(cudaDestroyTextureObject(object));
}

CUDART_API cu_result cuTexObjectGetResourceDesc(struct resource *out, uint64_t object) {
    struct cuda_resource own;
    cu_result error = CUDADRV_RUN(cudaGetTextureObjectResourceDesc(out ? &own : NULL, object));
    if (error == cudaSuccess)
        write_resource(&own, out);
    return error;
}

CUDART_API cu_result cuTexObjectGetTextureDesc(struct texture *out, uint64_t object) {
    struct cuda_texture own;
    struct cuda_resource resource;
    cu_result error = CUDADRV_RUN(cuda_texture_get(out ? &own : NULL, object, sizeof own));
    if (error == cudaSuccess)
        error = CUDADRV_RUN(cudaGetTextureObjectResourceDesc(&resource, object));
    if (error != cudaSuccess)
        return error;
    bool is_integer = !own.read_mode && may_be_normalized(&resource, NULL);
    *out = (struct texture){
        .address = {own.address[0], own.address[1], own.address[2]},
        .filter = own.filter,
        .flags = (is_integer ? READ_AS_INTEGER : 0u) |
                 (own.normalized ? NORMALIZED_COORDINATES : 0u) | (own.srgb ? SRGB : 0u) |
                 (own.disables_trilinear ? DISABLES_TRILINEAR : 0u) |
                 (own.seamless ? SEAMLESS_CUBEMAP : 0u),
        .anisotropy = own.anisotropy,
        .mip_filter = own.mip_filter,
        .bias = own.bias,
        .least_level = own.least_level,
        .most_level = own.most_level,
    };
    memcpy(out->border, own.border, sizeof out->border);
    return cudaSuccess;
}

CUDART_API cu_result cuTexObjectGetResourceViewDesc(struct view *out, uint64_t object) {
    struct cuda_view own;
    cu_result error = CUDADRV_RUN(cudaGetTextureObjectResourceViewDesc(out ? &own : NULL, object));
    if (error == cudaSuccess)
        *out = (struct view){.view = own};
    return error;
}

static size_t texel_bytes(int format, unsigned channels) {
    struct cuda_channel channel = cudadrv_channel(format, channels);
    return (size_t)(channel.bits[0] + channel.bits[1] + channel.bits[2] + channel.bits[3]) / 8;
}

CUDART_API cu_result cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format,
                                                        unsigned channels, cu_device device) {
    size_t texel = texel_bytes(format, channels);
    if (!width || !texel)
        return cudaErrorInvalidValue;
    if (!cuda_is_device(cuda_state(), device))
        return cudaErrorInvalidDevice;
    *width = (size_t)(1ull << 32) / texel;
    return cudaSuccess;
}

// ---- Surfaces -----------------------------------------------------------------------------

static enum cuda_error create_surface(uint64_t *object, const struct resource *resource) {
    struct cuda_resource own;
    if (!object || !resource || resource->type != CUDA_RESOURCE_ARRAY)
        return cudaErrorInvalidValue;
    enum cuda_error error = read_resource(resource, &own);
    return error == cudaSuccess ? cudaCreateSurfaceObject(object, &own) : error;
}

CUDART_API cu_result cuSurfObjectCreate(uint64_t *object, const struct resource *resource) {
    return CUDADRV_RUN(create_surface(object, resource));
}

CUDART_API cu_result cuSurfObjectDestroy(uint64_t object) {
    return CUDADRV_RUN(cudaDestroySurfaceObject(object));
}

CUDART_API cu_result cuSurfObjectGetResourceDesc(struct resource *out, uint64_t object) {
    struct cuda_resource own;
    cu_result error = CUDADRV_RUN(cudaGetSurfaceObjectResourceDesc(out ? &own : NULL, object));
    if (error == cudaSuccess)
        write_resource(&own, out);
    return error;
}
