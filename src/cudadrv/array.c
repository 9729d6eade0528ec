// Arrays and mipmapped arrays: the runtime's, described in the driver's words.
#include "cuda/memory/calls.h"
#include "cudadrv/format.h"

// ---- Formats ------------------------------------------------------------------------------

static const struct {
    int format;
    enum cuda_channel_kind kind;
    int bits;
} formats[] = {
    {0x01, CUDA_CHANNEL_UNSIGNED, 8},  {0x02, CUDA_CHANNEL_UNSIGNED, 16},
    {0x03, CUDA_CHANNEL_UNSIGNED, 32}, {0x08, CUDA_CHANNEL_SIGNED, 8},
    {0x09, CUDA_CHANNEL_SIGNED, 16},   {0x0a, CUDA_CHANNEL_SIGNED, 32},
    {0x10, CUDA_CHANNEL_FLOAT, 16},    {0x20, CUDA_CHANNEL_FLOAT, 32},
};
enum { FORMATS = sizeof formats / sizeof *formats };

struct cuda_channel cudadrv_channel(int format, unsigned channels) {
    struct cuda_channel channel = {{0}, 0};
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i].format != format)
            continue;
        channel.kind = formats[i].kind;
        for (unsigned c = 0; c < channels && channels <= 4; c++)
            channel.bits[c] = formats[i].bits;
    }
    return channel;
}

void cudadrv_format(const struct cuda_channel *channel, int *format, unsigned *channels) {
    *format = 0;
    *channels = 0;
    while (*channels < 4 && channel->bits[*channels])
        ++*channels;
    for (size_t i = 0; i < FORMATS; i++)
        if ((int)formats[i].kind == channel->kind && formats[i].bits == channel->bits[0])
            *format = formats[i].format;
}

// ---- Arrays -------------------------------------------------------------------------------

struct description { // CUDA_ARRAY_DESCRIPTOR
    size_t width, height;
    int format;
    unsigned channels;
};

struct description_3d { // CUDA_ARRAY3D_DESCRIPTOR
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

// What some other library would have to give meaning to: depth textures, sparse and colour
// attachments, video formats.
static bool is_known(const struct description_3d *d) {
    enum { KNOWN_FLAGS = 15 };
    return !(d->flags & ~(unsigned)KNOWN_FLAGS);
}

static enum cuda_error create(struct cuda_state *state, struct cuda_array **array,
                              const struct description_3d *d) {
    if (!array || !d || !is_known(d))
        return cudaErrorInvalidValue;
    struct cuda_channel channel = cudadrv_channel(d->format, d->channels);
    struct cuda_extent extent = {d->width, d->height, d->depth};
    return cuda_malloc_3d_array(state, array, &channel, extent, d->flags);
}

CUDADRV_CALL(cuArray3DCreate_v2(struct cuda_array **array, const struct description_3d *d),
             create(state, array, d))

static enum cuda_error create_flat(struct cuda_state *state, struct cuda_array **array,
                                   const struct description *d) {
    if (!d)
        return cudaErrorInvalidValue;
    struct description_3d deep = {d->width, d->height, 0, d->format, d->channels, 0};
    return create(state, array, &deep);
}

CUDADRV_CALL(cuArrayCreate_v2(struct cuda_array **array, const struct description *d),
             create_flat(state, array, d))

static enum cuda_error destroy(struct cuda_state *state, void *array) {
    return array ? cuda_free_array(state, array) : cudaErrorInvalidResourceHandle;
}

CUDADRV_CALL(cuArrayDestroy(void *array), destroy(state, array))

static enum cuda_error describe(struct cuda_state *state, struct description_3d *out,
                                const void *array) {
    struct cuda_channel channel;
    struct cuda_extent extent;
    unsigned flags;
    enum cuda_error error =
        out ? cuda_array_get_info(state, &channel, &extent, &flags, array) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    *out = (struct description_3d){
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    cudadrv_format(&channel, &out->format, &out->channels);
    return cudaSuccess;
}

CUDADRV_CALL(cuArray3DGetDescriptor_v2(struct description_3d *out, const void *array),
             describe(state, out, array))

static enum cuda_error describe_flat(struct cuda_state *state, struct description *out,
                                     const void *array) {
    struct description_3d deep;
    enum cuda_error error = describe(state, out ? &deep : NULL, array);
    if (error == cudaSuccess)
        *out = (struct description){deep.width, deep.height, deep.format, deep.channels};
    return error;
}

CUDADRV_CALL(cuArrayGetDescriptor_v2(struct description *out, const void *array),
             describe_flat(state, out, array))

// ---- Mipmapped arrays ---------------------------------------------------------------------

static enum cuda_error create_mipmap(struct cuda_state *state, struct cuda_array **mipmap,
                                     const struct description_3d *d, unsigned levels) {
    if (!mipmap || !d || !is_known(d))
        return cudaErrorInvalidValue;
    struct cuda_channel channel = cudadrv_channel(d->format, d->channels);
    struct cuda_extent extent = {d->width, d->height, d->depth};
    return cuda_malloc_mipmapped_array(state, mipmap, &channel, extent, levels, d->flags);
}

CUDADRV_CALL(cuMipmappedArrayCreate(struct cuda_array **mipmap, const struct description_3d *d,
                                    unsigned levels),
             create_mipmap(state, mipmap, d, levels))

static enum cuda_error destroy_mipmap(struct cuda_state *state, void *mipmap) {
    return mipmap ? cuda_free_mipmapped_array(state, mipmap) : cudaErrorInvalidResourceHandle;
}

CUDADRV_CALL(cuMipmappedArrayDestroy(void *mipmap), destroy_mipmap(state, mipmap))
CUDADRV_CALL(cuMipmappedArrayGetLevel(struct cuda_array **level, const void *mipmap,
                                      unsigned number),
             cuda_get_mipmapped_array_level(state, level, mipmap, number))

// ---- What only arrays have that are mapped to memory later: there are none here ---------------

CUDADRV_CALL(cuArrayGetMemoryRequirements(void *out, const void *array, cu_device device),
             ((void)out, (void)array, (void)device, cudaErrorInvalidValue))
CUDADRV_CALL(cuMipmappedArrayGetMemoryRequirements(void *out, const void *mipmap, cu_device device),
             ((void)out, (void)mipmap, (void)device, cudaErrorInvalidValue))
CUDADRV_CALL(cuArrayGetSparseProperties(void *out, const void *array),
             ((void)out, (void)array, cudaErrorInvalidValue))
CUDADRV_CALL(cuMipmappedArrayGetSparseProperties(void *out, const void *mipmap),
             ((void)out, (void)mipmap, cudaErrorInvalidValue))

// Planes are those of video formats.
CUDADRV_CALL(cuArrayGetPlane(void **plane, const void *array, unsigned number),
             ((void)plane, (void)array, (void)number, cudaErrorInvalidValue))
