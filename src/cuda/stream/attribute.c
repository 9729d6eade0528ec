// Attributes of streams: hints to a scheduler and a cache that nothing here depends on. They are
// kept, so that a program reads back what it set.
#include <string.h>

#include "cuda/stream/calls.h"
#include "cuda/stream/stream.h"

// Bytes of an attribute's value; 0: streams have no such attribute. A program of an old toolkit
// hands over no more than its own union, so no more is touched.
static size_t bytes_of(int attribute) {
    switch (attribute) {
    case CUDA_STREAM_ACCESS_POLICY_WINDOW:
        return sizeof(struct cuda_access_policy_window);
    case CUDA_STREAM_SYNCHRONIZATION_POLICY:
    case CUDA_STREAM_PRIORITY:
    case CUDA_STREAM_MEM_SYNC_DOMAIN:
        return sizeof(int);
    case CUDA_STREAM_MEM_SYNC_DOMAIN_MAP:
        return 2 * sizeof(unsigned char);
    default:
        return 0;
    }
}

static void *value_of(struct cuda_stream *stream, int attribute) {
    switch (attribute) {
    case CUDA_STREAM_ACCESS_POLICY_WINDOW:
        return &stream->window;
    case CUDA_STREAM_SYNCHRONIZATION_POLICY:
        return &stream->synchronization_policy;
    case CUDA_STREAM_PRIORITY:
        return &stream->priority;
    case CUDA_STREAM_MEM_SYNC_DOMAIN:
        return &stream->domain;
    default:
        return stream->domain_map;
    }
}

// Enters; *bytes is the size of the value, *kept where it lies.
static enum cuda_error enter_with(struct cuda_state *state, cuda_stream stream, int attribute,
                                  const void *program_value, void **kept, size_t *bytes) {
    enum cuda_error error = cuda_enter(state);
    *bytes = bytes_of(attribute);
    if (error == cudaSuccess && (!program_value || *bytes == 0))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        struct cuda_stream *known = cuda_stream_find(state, stream);
        error = known ? cudaSuccess : cudaErrorInvalidResourceHandle;
        *kept = known ? value_of(known, attribute) : NULL;
    }
    return error;
}

enum cuda_error cuda_stream_set_attribute(struct cuda_state *state, cuda_stream stream,
                                          int attribute, const void *value) {
    void *kept;
    size_t bytes;
    enum cuda_error error = enter_with(state, stream, attribute, value, &kept, &bytes);
    if (error == cudaSuccess)
        memcpy(kept, value, bytes);
    return error;
}

enum cuda_error cuda_stream_get_attribute(struct cuda_state *state, cuda_stream stream,
                                          int attribute, void *value) {
    void *kept;
    size_t bytes;
    enum cuda_error error = enter_with(state, stream, attribute, value, &kept, &bytes);
    if (error == cudaSuccess)
        memcpy(value, kept, bytes);
    return error;
}

enum cuda_error cuda_stream_copy_attributes(struct cuda_state *state, cuda_stream to,
                                            cuda_stream from) {
    enum cuda_error error = cuda_enter(state);
    if (error == cudaSuccess) {
        struct cuda_stream *target = cuda_stream_find(state, to);
        const struct cuda_stream *source = cuda_stream_find(state, from);
        if (target && source) {
            target->priority = source->priority;
            target->window = source->window;
            target->synchronization_policy = source->synchronization_policy;
            target->domain = source->domain;
            memcpy(target->domain_map, source->domain_map, sizeof target->domain_map);
        } else {
            error = cudaErrorInvalidResourceHandle;
        }
    }
    return error;
}
