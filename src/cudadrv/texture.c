// Texture and surface objects: the runtime's, described in the driver's words.
#include "cuda/texture/texture.h"

#include <string.h>

#include "cuda/memory/array.h"
#include "cuda/texture/calls.h"
#include "cudadrv/format.h"

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
static bool may_be_normalized(struct cuda_state *state, const struct cuda_resource *resource,
                              const struct cuda_view *view) {
    enum { FIRST_32_BITS = 13, FIRST_FLOAT = 19 };
    if (view && view->format)
        return view->format < FIRST_32_BITS;
    struct cuda_channel channel = {{0}, CUDA_CHANNEL_FLOAT};
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
    return channel.kind != CUDA_CHANNEL_FLOAT && channel.bits[0] < 32;
}

static enum cuda_error create(struct cuda_state *state, uint64_t *object,
                              const struct resource *resource, const struct texture *texture,
                              const struct view *view) {
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
            !(flags & READ_AS_INTEGER) && may_be_normalized(state, &own, view ? &view->view : NULL),
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
    return cuda_texture_create(state, object, &own, &sampler, view ? &view->view : NULL,
                               sizeof sampler);
}

CUDADRV_CALL(cuTexObjectCreate(uint64_t *object, const struct resource *resource,
                               const struct texture *texture, const struct view *view),
             create(state, object, resource, texture, view))
CUDADRV_CALL(cuTexObjectDestroy(uint64_t object), cuda_object_destroy(state, object, false))

static enum cuda_error tell_resource(struct cuda_state *state, struct resource *out,
                                     uint64_t object) {
    struct cuda_resource own;
    enum cuda_error error = cuda_get_texture_object_resource_desc(state, out ? &own : NULL, object);
    if (error == cudaSuccess)
        write_resource(&own, out);
    return error;
}

CUDADRV_CALL(cuTexObjectGetResourceDesc(struct resource *out, uint64_t object),
             tell_resource(state, out, object))

static enum cuda_error tell_texture(struct cuda_state *state, struct texture *out,
                                    uint64_t object) {
    struct cuda_texture own;
    struct cuda_resource resource;
    enum cuda_error error = cuda_texture_get(state, out ? &own : NULL, object, sizeof own);
    if (error == cudaSuccess)
        error = cuda_get_texture_object_resource_desc(state, &resource, object);
    if (error != cudaSuccess)
        return error;
    bool is_integer = !own.read_mode && may_be_normalized(state, &resource, NULL);
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

CUDADRV_CALL(cuTexObjectGetTextureDesc(struct texture *out, uint64_t object),
             tell_texture(state, out, object))

static enum cuda_error tell_view(struct cuda_state *state, struct view *out, uint64_t object) {
    struct cuda_view own;
    enum cuda_error error =
        cuda_get_texture_object_resource_view_desc(state, out ? &own : NULL, object);
    if (error == cudaSuccess)
        *out = (struct view){.view = own};
    return error;
}

CUDADRV_CALL(cuTexObjectGetResourceViewDesc(struct view *out, uint64_t object),
             tell_view(state, out, object))

static size_t texel_bytes(int format, unsigned channels) {
    struct cuda_channel channel = cudadrv_channel(format, channels);
    return (size_t)(channel.bits[0] + channel.bits[1] + channel.bits[2] + channel.bits[3]) / 8;
}

static enum cuda_error linear_width(struct cuda_state *state, size_t *width, int format,
                                    unsigned channels, cu_device device) {
    size_t texel = texel_bytes(format, channels);
    if (!width || !texel)
        return cudaErrorInvalidValue;
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    *width = (size_t)(1ull << 32) / texel;
    return cudaSuccess;
}

CUDADRV_EARLY_CALL(cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format, unsigned channels,
                                                      cu_device device),
                   linear_width(state, width, format, channels, device))

// ---- Surfaces -----------------------------------------------------------------------------

static enum cuda_error create_surface(struct cuda_state *state, uint64_t *object,
                                      const struct resource *resource) {
    struct cuda_resource own;
    if (!object || !resource || resource->type != CUDA_RESOURCE_ARRAY)
        return cudaErrorInvalidValue;
    enum cuda_error error = read_resource(resource, &own);
    return error == cudaSuccess ? cuda_create_surface_object(state, object, &own) : error;
}

CUDADRV_CALL(cuSurfObjectCreate(uint64_t *object, const struct resource *resource),
             create_surface(state, object, resource))
CUDADRV_CALL(cuSurfObjectDestroy(uint64_t object), cuda_object_destroy(state, object, true))

static enum cuda_error tell_surface(struct cuda_state *state, struct resource *out,
                                    uint64_t object) {
    struct cuda_resource own;
    enum cuda_error error = cuda_get_surface_object_resource_desc(state, out ? &own : NULL, object);
    if (error == cudaSuccess)
        write_resource(&own, out);
    return error;
}

CUDADRV_CALL(cuSurfObjectGetResourceDesc(struct resource *out, uint64_t object),
             tell_surface(state, out, object))
