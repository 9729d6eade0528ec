// Texture and surface objects: descriptions become what the simulator fetches from.
#include "cuda/texture/texture.h"
#include "cuda/texture/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/core/gap.h"
#include "cuda/memory/array.h"
#include "cuda/memory/pointer.h"

enum { LINEAR_ALIGN = 512, PITCH_ALIGN = 32 };

struct cuda_object { // what a program made an object from
    bool is_surface, has_view;
    struct cuda_resource resource;
    struct cuda_texture texture;
    struct cuda_view view;
};

// The simulator's numbers run from 1 on for each device, whose number is in their upper half; those
// of textures and surfaces are one sequence.
static struct cuda_object **slot_of(struct cuda_state *state, uint64_t number) {
    uint64_t device = number >> SIM_OBJECT_DEVICE_SHIFT, place = (uint32_t)number;
    if (device >= state->device_count || !place)
        return NULL;
    struct cuda_device *owner = &state->devices[device];
    return place <= owner->objects.length ? &owner->objects.data[place - 1] : NULL;
}

static void put_object(struct cuda_state *state, uint64_t number,
                       const struct cuda_object *object) {
    struct cuda_object *copy = base_alloc(sizeof *copy);
    *copy = *object;
    while (state->current->objects.length < (uint32_t)number)
        vec_push(&state->current->objects, NULL);
    *slot_of(state, number) = copy;
}

static struct cuda_object *find_object(struct cuda_state *state, uint64_t number, bool is_surface) {
    struct cuda_object **slot = slot_of(state, number), *object = slot ? *slot : NULL;
    return object && object->is_surface == is_surface ? object : NULL;
}

// ---- Resources ----------------------------------------------------------------------------

static enum cuda_error read_linear(const struct cuda_state *state,
                                   const struct cuda_resource *resource, struct sim_image *image) {
    uint64_t address = (uint64_t)(uintptr_t)resource->of.linear.pointer;
    size_t bytes = resource->of.linear.bytes;
    if (!cuda_channel_read(&resource->of.linear.channel, image))
        return cudaErrorInvalidChannelDescriptor;
    unsigned texel = cuda_texel_bytes(image);
    const struct sim_allocation *allocation =
        address ? sim_find(state->current->sim, address, false) : NULL;
    if (!allocation || address % LINEAR_ALIGN || bytes > 1ull << 32)
        return cudaErrorInvalidValue;
    uint64_t rest = allocation->address + allocation->bytes - address;
    bytes = bytes < rest ? bytes : rest; // the real one asks no questions; beyond are zeros here
    image->shape = SIM_IMAGE_LINEAR;
    image->address = address;
    image->bytes = bytes;
    image->level[0] =
        (struct sim_image_level){0, (uint32_t)(bytes / texel), 1, 1, bytes / texel * texel, 0};
    return cudaSuccess;
}

static enum cuda_error read_pitched(const struct cuda_state *state,
                                    const struct cuda_resource *resource, struct sim_image *image) {
    uint64_t address = (uint64_t)(uintptr_t)resource->of.pitched.pointer;
    size_t width = resource->of.pitched.width, height = resource->of.pitched.height;
    size_t pitch = resource->of.pitched.pitch;
    if (!cuda_channel_read(&resource->of.pitched.channel, image))
        return cudaErrorInvalidChannelDescriptor;
    if (!address || address % LINEAR_ALIGN || !pitch || pitch % PITCH_ALIGN || width > 131072 ||
        height > 65000 || pitch > 2097120)
        return cudaErrorInvalidValue;
    size_t bytes = height ? (height - 1) * pitch + width * cuda_texel_bytes(image) : 0;
    if (!cuda_range_is_good(state, (void *)(uintptr_t)address, bytes, false))
        return cudaErrorInvalidValue;
    image->shape = SIM_IMAGE_2D;
    image->address = address;
    image->bytes = bytes;
    image->level[0] = (struct sim_image_level){
        0, (uint32_t)(width ? width : 1), (uint32_t)(height ? height : 1), 1, pitch, 0};
    return cudaSuccess;
}

static enum cuda_error read_resource(struct cuda_state *state, const struct cuda_resource *resource,
                                     struct sim_image *image) {
    const struct cuda_array *array;
    image->level_count = 1;
    switch (resource->type) {
    case CUDA_RESOURCE_ARRAY:
        array = cuda_array_find(state, resource->of.array);
        break;
    case CUDA_RESOURCE_MIPMAP:
        array = cuda_mipmap_find(state, resource->of.mipmap);
        break;
    case CUDA_RESOURCE_LINEAR:
        return read_linear(state, resource, image);
    case CUDA_RESOURCE_PITCHED:
        return read_pitched(state, resource, image);
    default:
        return cudaErrorInvalidValue;
    }
    if (!array)
        return cudaErrorInvalidResourceHandle;
    *image = array->image;
    return cudaSuccess;
}

// ---- Views --------------------------------------------------------------------------------

// Formats 1 to 24: kinds of 8, 16 and 32 bits with 1, 2 and 4 channels each.
static bool read_format(int format, struct sim_image *image) {
    static const struct {
        enum sim_channel_kind kind;
        unsigned bytes;
    } rows[] = {{SIM_CHANNEL_UNSIGNED, 1}, {SIM_CHANNEL_SIGNED, 1},   {SIM_CHANNEL_UNSIGNED, 2},
                {SIM_CHANNEL_SIGNED, 2},   {SIM_CHANNEL_UNSIGNED, 4}, {SIM_CHANNEL_SIGNED, 4},
                {SIM_CHANNEL_FLOAT, 2},    {SIM_CHANNEL_FLOAT, 4}};
    if (format < 1 || format > 24)
        return false;
    unsigned texel = cuda_texel_bytes(image);
    image->kind = rows[(format - 1) / 3].kind;
    image->channel_bytes = rows[(format - 1) / 3].bytes;
    image->channels = 1u << (format - 1) % 3;
    return cuda_texel_bytes(image) == texel;
}

static enum cuda_error apply_view(const struct cuda_resource *resource,
                                  const struct cuda_view *view, struct sim_image *image) {
    const struct sim_image_level *first = &image->level[0];
    bool is_array = resource->type == CUDA_RESOURCE_ARRAY || resource->type == CUDA_RESOURCE_MIPMAP;
    bool has_height = image->shape != SIM_IMAGE_1D && image->shape != SIM_IMAGE_1D_LAYERED;
    bool has_depth = image->shape != SIM_IMAGE_1D && image->shape != SIM_IMAGE_2D;
    bool has_layers = has_depth && image->shape != SIM_IMAGE_3D;
    if (view->format > 24) {
        cuda_say_gap(cuda_state(), PROFILE_GAP_UNSUPPORTED,
                     "views of block-compressed textures are not supported");
        return cudaErrorNotSupported;
    }
    if (!is_array || !read_format(view->format, image) || view->width != first->width ||
        view->height != (has_height ? first->height : 0) ||
        view->depth != (has_depth ? first->depth : 0))
        return cudaErrorInvalidValue;
    if (view->last_level < view->first_level || view->last_level >= image->level_count ||
        view->last_layer < view->first_layer || view->last_layer >= (has_layers ? first->depth : 1))
        return cudaErrorInvalidValue;
    image->level_count = view->last_level - view->first_level + 1;
    memmove(image->level, image->level + view->first_level,
            image->level_count * sizeof *image->level);
    if (!has_layers || (!view->first_layer && !view->last_layer))
        return cudaSuccess;
    for (unsigned l = 0; l < image->level_count; l++) {
        image->level[l].offset += view->first_layer * image->level[l].slice_bytes;
        image->level[l].depth = view->last_layer - view->first_layer + 1;
    }
    return cudaSuccess;
}

// ---- Samplers -----------------------------------------------------------------------------

static enum cuda_error read_sampler(const struct cuda_texture *texture,
                                    const struct sim_image *image, struct sim_sampler *sampler) {
    bool is_float = image->kind == SIM_CHANNEL_FLOAT;
    for (int i = 0; i < 3; i++) {
        if (texture->address[i] < 0 || texture->address[i] > 3)
            return cudaErrorInvalidValue;
        sampler->address[i] = (enum sim_address_mode)texture->address[i];
    }
    if (texture->filter < 0 || texture->filter > 1 || texture->read_mode < 0 ||
        texture->read_mode > 1 || texture->mip_filter < 0 || texture->mip_filter > 1)
        return cudaErrorInvalidValue;
    bool is_linear = texture->filter == 1 && image->shape != SIM_IMAGE_LINEAR;
    if (texture->read_mode && is_float)
        return cudaErrorInvalidNormSetting;
    bool gives_floats = is_float || (texture->read_mode && image->channel_bytes < 4);
    if (is_linear && !gives_floats)
        return cudaErrorInvalidFilterSetting;
    sampler->is_linear = is_linear;
    sampler->is_mip_linear = texture->mip_filter;
    sampler->is_normalized = texture->normalized;
    sampler->reads_normalized_floats = gives_floats && !is_float;
    sampler->is_srgb =
        texture->srgb && image->kind == SIM_CHANNEL_UNSIGNED && image->channel_bytes == 1;
    sampler->is_seamless = texture->seamless;
    sampler->anisotropy = texture->anisotropy;
    memcpy(sampler->border, texture->border, sizeof sampler->border);
    sampler->bias = texture->bias;
    sampler->least_level = texture->least_level;
    sampler->most_level = texture->most_level;
    return cudaSuccess;
}

// ---- Textures -----------------------------------------------------------------------------

static enum cuda_error create_texture(struct cuda_state *state, uint64_t *number,
                                      const struct cuda_object *object) {
    struct sim_image image = {.level_count = 0};
    struct sim_sampler sampler = {.is_linear = false};
    enum cuda_error error = read_resource(state, &object->resource, &image);
    if (error == cudaSuccess && object->has_view)
        error = apply_view(&object->resource, &object->view, &image);
    if (error == cudaSuccess)
        error = read_sampler(&object->texture, &image, &sampler);
    if (error != cudaSuccess)
        return error;
    *number = sim_texture_create(state->current->sim, &image, &sampler);
    put_object(state, *number, object);
    return cudaSuccess;
}

enum cuda_error cuda_texture_create(struct cuda_state *state, uint64_t *number,
                                    const struct cuda_resource *resource,
                                    const struct cuda_texture *texture,
                                    const struct cuda_view *view, size_t bytes) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!number || !resource))
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && !texture)
        error = cudaErrorInvalidResourceHandle; // what the real one says
    if (error == cudaSuccess) {
        struct cuda_object object = {.resource = *resource, .has_view = view != NULL};
        memcpy(&object.texture, texture, bytes);
        if (view)
            object.view = *view;
        error = create_texture(state, number, &object);
    }
    return error;
}

// Finds what an object was made from, for a question about it.
static enum cuda_error enter_object(struct cuda_state *state, uint64_t number, bool is_surface,
                                    const void *out, const struct cuda_object **object) {
    enum cuda_error error = cuda_enter(state);
    if (error != cudaSuccess)
        return error;
    *object = find_object(state, number, is_surface);
    return out && *object ? cudaSuccess : cudaErrorInvalidValue;
}

enum cuda_error cuda_texture_get(struct cuda_state *state, struct cuda_texture *out,
                                 uint64_t number, size_t bytes) {
    const struct cuda_object *object = NULL;
    enum cuda_error error = enter_object(state, number, false, out, &object);
    if (error == cudaSuccess)
        memcpy(out, &object->texture, bytes);
    return error;
}

enum cuda_error cuda_get_texture_object_resource_desc(struct cuda_state *state,
                                                      struct cuda_resource *out, uint64_t number) {
    const struct cuda_object *object = NULL;
    enum cuda_error error = enter_object(state, number, false, out, &object);
    if (error == cudaSuccess)
        *out = object->resource;
    return error;
}

enum cuda_error cuda_get_texture_object_resource_view_desc(struct cuda_state *state,
                                                           struct cuda_view *out, uint64_t number) {
    const struct cuda_object *object = NULL;
    enum cuda_error error = enter_object(state, number, false, out, &object);
    if (error == cudaSuccess)
        *out = object->view;
    return error;
}

enum cuda_error cuda_object_destroy(struct cuda_state *state, uint64_t number, bool is_surface) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_object *object =
        error == cudaSuccess ? find_object(state, number, is_surface) : NULL;
    if (error == cudaSuccess && number && !object)
        error = cudaErrorInvalidValue;
    if (object) {
        struct sim *sim = state->devices[number >> SIM_OBJECT_DEVICE_SHIFT].sim;
        if (is_surface)
            sim_surface_destroy(sim, number);
        else
            sim_texture_destroy(sim, number);
        *slot_of(state, number) = NULL;
        free(object);
    }
    return error;
}

// ---- Surfaces -----------------------------------------------------------------------------

static enum cuda_error create_surface(struct cuda_state *state, uint64_t *number,
                                      const struct cuda_resource *resource) {
    if (resource->type == CUDA_RESOURCE_LINEAR || resource->type == CUDA_RESOURCE_PITCHED)
        return cudaErrorInvalidChannelDescriptor; // what the real one says
    if (resource->type != CUDA_RESOURCE_ARRAY)
        return cudaErrorInvalidValue;
    const struct cuda_array *array = cuda_array_find(state, resource->of.array);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    *number = sim_surface_create(state->current->sim, &array->image);
    put_object(state, *number, &(struct cuda_object){.is_surface = true, .resource = *resource});
    return cudaSuccess;
}

enum cuda_error cuda_create_surface_object(struct cuda_state *state, uint64_t *number,
                                           const struct cuda_resource *resource) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess && (!number || !resource))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? create_surface(state, number, resource) : error;
}

enum cuda_error cuda_get_surface_object_resource_desc(struct cuda_state *state,
                                                      struct cuda_resource *out, uint64_t number) {
    const struct cuda_object *object = NULL;
    enum cuda_error error = enter_object(state, number, true, out, &object);
    if (error == cudaSuccess)
        *out = object->resource;
    return error;
}

// ---- Limits and the end ---------------------------------------------------------------------

enum cuda_error cuda_device_get_texture_1d_linear_max_width(struct cuda_state *state, size_t *width,
                                                            const struct cuda_channel *channel,
                                                            int device) {
    struct sim_image image;
    if (!width || !channel)
        return cudaErrorInvalidValue;
    if (!cuda_is_device(state, device))
        return cudaErrorInvalidDevice;
    if (!cuda_channel_read(channel, &image))
        return cudaErrorInvalidChannelDescriptor;
    *width = (size_t)((1ull << 32) / cuda_texel_bytes(&image));
    return cudaSuccess;
}

void cuda_objects_drop(struct cuda_state *state) {
    for (size_t i = 0; i < state->current->objects.length; i++)
        free(state->current->objects.data[i]);
    vec_free(&state->current->objects);
}
