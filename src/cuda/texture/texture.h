// What texture and surface objects are made from, as programs describe it.
#ifndef BANKRUN_CUDA_TEXTURE_TEXTURE_H
#define BANKRUN_CUDA_TEXTURE_TEXTURE_H

#include "cuda/core/abi.h"

struct cuda_state;

enum cuda_resource_type {
    CUDA_RESOURCE_ARRAY,
    CUDA_RESOURCE_MIPMAP,
    CUDA_RESOURCE_LINEAR,
    CUDA_RESOURCE_PITCHED,
};

struct cuda_resource { // cudaResourceDesc; CUDA 13 appends reserved words and flags
    enum cuda_resource_type type;
    union {
        void *array;
        void *mipmap;
        struct {
            void *pointer;
            struct cuda_channel channel;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            struct cuda_channel channel;
            size_t width, height, pitch;
        } pitched;
    } of;
};

struct cuda_texture { // cudaTextureDesc; in CUDA 11 the last word is in cudaTextureDesc_v2 only
    int address[3];
    int filter, read_mode, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mip_filter;
    float bias, least_level, most_level;
    int disables_trilinear;
    int seamless;
};

struct cuda_view { // cudaResourceViewDesc; CUDA 13 appends reserved words
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
};

// Whole calls. `bytes` of the texture description are the program's.
enum cuda_error cuda_texture_create(struct cuda_state *state, uint64_t *object,
                                    const struct cuda_resource *resource,
                                    const struct cuda_texture *texture,
                                    const struct cuda_view *view, size_t bytes);
enum cuda_error cuda_texture_get(struct cuda_state *state, struct cuda_texture *out,
                                 uint64_t object, size_t bytes);

// Forgets all objects, when the device goes. Lock held.
void cuda_objects_drop(struct cuda_state *state);

#endif
