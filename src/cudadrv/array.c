// Arrays and mipmapped arrays: the runtime's, described in the driver's words.
#include "cuda/memory/array.h"
#include "cudadrv/format.h"

enum cuda_error cudaMalloc3DArray(struct cuda_array **array, const struct cuda_channel *channel,
                                  struct cuda_extent extent, unsigned flags);
enum cuda_error cudaMallocMipmappedArray(struct cuda_array **mipmap,
                                         const struct cuda_channel *channel,
                                         struct cuda_extent extent, unsigned levels,
                                         unsigned flags);
enum cuda_error cudaFreeArray(void *array);
enum cuda_error cudaFreeMipmappedArray(void *mipmap);
enum cuda_error cudaGetMipmappedArrayLevel(struct cuda_array **level, const void *mipmap,
                                           unsigned number);
enum cuda_error cudaArrayGetInfo(struct cuda_channel *channel, struct cuda_extent *extent,
                                 unsigned *flags, const void *array);

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

static enum cuda_error create(struct cuda_array **array, const struct description_3d *d) {
    if (!array || !d || !is_known(d))
        return cudaErrorInvalidValue;
    struct cuda_channel channel = cudadrv_channel(d->format, d->channels);
    struct cuda_extent extent = {d->width, d->height, d->depth};
    return cudaMalloc3DArray(array, &channel, extent, d->flags);
}

CUDART_API cu_result cuArray3DCreate_v2(struct cuda_array **array, const struct description_3d *d) {
    return CUDADRV_RUN(create(array, d));
}

CUDART_API cu_result cuArrayCreate_v2(struct cuda_array **array, const struct description *d) {
    if (!d)
        return CUDADRV_RUN(cudaErrorInvalidValue);
    struct description_3d deep = {d->width, d->height, 0, d->format, d->channels, 0};
    return cuArray3DCreate_v2(array, &deep);
}

static enum cuda_error destroy(void *array) {
    return array ? cudaFreeArray(array) : cudaErrorInvalidResourceHandle;
}

CUDART_API cu_result cuArrayDestroy(void *array) {
    return CUDADRV_RUN(destroy(array));
}

static enum cuda_error describe(struct description_3d *out, const void *array) {
    struct cuda_channel channel;
    struct cuda_extent extent;
    unsigned flags;
    enum cuda_error error =
        out ? cudaArrayGetInfo(&channel, &extent, &flags, array) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    *out = (struct description_3d){
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    cudadrv_format(&channel, &out->format, &out->channels);
    return cudaSuccess;
}

CUDART_API cu_result cuArray3DGetDescriptor_v2(struct description_3d *out, const void *array) {
    return CUDADRV_RUN(describe(out, array));
}

CUDART_API cu_result cuArrayGetDescriptor_v2(struct description *out, const void *array) {
    struct description_3d deep;
    cu_result error = CUDADRV_RUN(describe(out ? &deep : NULL, array));
    if (error == cudaSuccess)
        *out = (struct description){deep.width, deep.height, deep.format, deep.channels};
    return error;
}

// ---- Mipmapped arrays ---------------------------------------------------------------------

static enum cuda_error create_mipmap(struct cuda_array **mipmap, const struct description_3d *d,
                                     unsigned levels) {
    if (!mipmap || !d || !is_known(d))
        return cudaErrorInvalidValue;
    struct cuda_channel channel = cudadrv_channel(d->format, d->channels);
    struct cuda_extent extent = {d->width, d->height, d->depth};
    return cudaMallocMipmappedArray(mipmap, &channel, extent, levels, d->flags);
}

CUDART_API cu_result cuMipmappedArrayCreate(struct cuda_array **mipmap,
                                            const struct description_3d *d, unsigned levels) {
    return CUDADRV_RUN(create_mipmap(mipmap, d, levels));
}

static enum cuda_error destroy_mipmap(void *mipmap) {
    return mipmap ? cudaFreeMipmappedArray(mipmap) : cudaErrorInvalidResourceHandle;
}

CUDART_API cu_result cuMipmappedArrayDestroy(void *mipmap) {
    return CUDADRV_RUN(destroy_mipmap(mipmap));
}

CUDART_API cu_result cuMipmappedArrayGetLevel(struct cuda_array **level, const void *mipmap,
                                              unsigned number) {
    return CUDADRV_RUN(cudaGetMipmappedArrayLevel(level, mipmap, number));
}

// ---- What only arrays have that are mapped to memory later: there are none here ---------------

static enum cuda_error refuse(void) {
    return cudaErrorInvalidValue;
}

CUDART_API cu_result cuArrayGetMemoryRequirements(void *out, const void *array, cu_device device) {
    (void)out, (void)array, (void)device;
    return CUDADRV_RUN(refuse());
}

CUDART_API cu_result cuMipmappedArrayGetMemoryRequirements(void *out, const void *mipmap,
                                                           cu_device device) {
    (void)out, (void)mipmap, (void)device;
    return CUDADRV_RUN(refuse());
}

CUDART_API cu_result cuArrayGetSparseProperties(void *out, const void *array) {
    (void)out, (void)array;
    return CUDADRV_RUN(refuse());
}

CUDART_API cu_result cuMipmappedArrayGetSparseProperties(void *out, const void *mipmap) {
    (void)out, (void)mipmap;
    return CUDADRV_RUN(refuse());
}

// Planes are those of video formats.
CUDART_API cu_result cuArrayGetPlane(void **plane, const void *array, unsigned number) {
    (void)plane, (void)array, (void)number;
    return CUDADRV_RUN(refuse());
}
