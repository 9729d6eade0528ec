// The CUDA runtime's types as programs see them: public values and layouts, written down here so
// that no toolkit is needed to build. A test compares them with a toolkit's headers where there
// is one. Layouts that differ between CUDA 11, 12 and 13 are in versioned.c.
#ifndef BANKRUN_CUDA_CORE_ABI_H
#define BANKRUN_CUDA_CORE_ABI_H

#include <stddef.h>
#include <stdint.h>

// Marks what the libraries export; all else is hidden.
#define CUDA_API __attribute__((visibility("default")))

// The name that programs built for per-thread default streams call. Streams are in order and
// launches finish before they return, so it is the same function.
#define CUDA_PER_THREAD(name, suffix)                                                              \
    extern __typeof__(name) name##suffix CUDA_API __attribute__((alias(#name)));

#define X(value, name, text) name = value,
enum cuda_error {
#include "cuda/core/errors.def"
};
#undef X

struct cuda_dim3 {
    uint32_t x, y, z;
};

typedef struct cuda_stream *cuda_stream;
typedef struct cuda_event *cuda_event;
typedef struct cuda_pool *cuda_pool;
typedef void (*cuda_stream_callback)(cuda_stream stream, enum cuda_error status, void *data);
typedef void (*cuda_host_function)(void *data);

struct cuda_ipc_handle { // of memory or an event, for other processes
    char bytes[64];
};

// Handles that name a default stream.
#define CUDA_STREAM_LEGACY ((cuda_stream)1)
#define CUDA_STREAM_PER_THREAD ((cuda_stream)2)

enum cuda_stream_attribute {
    CUDA_STREAM_ACCESS_POLICY_WINDOW = 1,
    CUDA_STREAM_SYNCHRONIZATION_POLICY = 3,
    CUDA_STREAM_PRIORITY = 8,
    CUDA_STREAM_MEM_SYNC_DOMAIN_MAP = 9,
    CUDA_STREAM_MEM_SYNC_DOMAIN = 10,
};

struct cuda_access_policy_window {
    void *base;
    size_t bytes;
    float hit_ratio;
    int hit_property, miss_property;
};

enum cuda_memcpy_kind {
    CUDA_HOST_TO_HOST,
    CUDA_HOST_TO_DEVICE,
    CUDA_DEVICE_TO_HOST,
    CUDA_DEVICE_TO_DEVICE,
    CUDA_DEFAULT,
};

enum cuda_memory_type {
    CUDA_MEMORY_UNREGISTERED,
    CUDA_MEMORY_HOST,
    CUDA_MEMORY_DEVICE,
    CUDA_MEMORY_MANAGED,
};

struct cuda_extent {
    size_t width, height, depth;
};

struct cuda_position {
    size_t x, y, z;
};

struct cuda_pitched {
    void *pointer;
    size_t pitch, width, height;
};

struct cuda_memcpy_3d {
    void *source_array;
    struct cuda_position source_position;
    struct cuda_pitched source;
    void *target_array;
    struct cuda_position target_position;
    struct cuda_pitched target;
    struct cuda_extent extent;
    enum cuda_memcpy_kind kind;
};

struct cuda_memcpy_3d_peer {
    void *source_array;
    struct cuda_position source_position;
    struct cuda_pitched source;
    int source_device;
    void *target_array;
    struct cuda_position target_position;
    struct cuda_pitched target;
    int target_device;
    struct cuda_extent extent;
};

enum cuda_function_attribute {
    CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8,
    CUDA_FUNCTION_CARVEOUT = 9,
    CUDA_FUNCTION_CLUSTER_MUST_BE_SET = 10,
    CUDA_FUNCTION_CLUSTER_WIDTH = 11,
    CUDA_FUNCTION_CLUSTER_HEIGHT = 12,
    CUDA_FUNCTION_CLUSTER_DEPTH = 13,
    CUDA_FUNCTION_NON_PORTABLE_CLUSTER = 14,
    CUDA_FUNCTION_CLUSTER_SCHEDULING = 15,
};

// cudaFuncAttributes as CUDA 12 and 13 have it; CUDA 11 ends after `carveout`.
struct cuda_function_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode;
    int max_dynamic_shared, carveout;
    int cluster_must_be_set, cluster_width, cluster_height, cluster_depth;
    int cluster_scheduling, non_portable_cluster;
    int reserved[16];
};

// cudaPointerAttributes as all versions have it; CUDA 13 appends `long reserved[8]`.
struct cuda_pointer_attributes {
    enum cuda_memory_type type;
    int device;
    void *device_pointer, *host_pointer;
};

enum cuda_launch_attribute_id {
    CUDA_LAUNCH_IGNORE = 0,
    CUDA_LAUNCH_COOPERATIVE = 2,
    CUDA_LAUNCH_CLUSTER = 4,
    CUDA_LAUNCH_ATTRIBUTES = 17, // the ids below it are known
};

struct cuda_launch_attribute {
    enum cuda_launch_attribute_id id;
    char padding[4];
    union {
        char bytes[64];
        int cooperative;
        uint32_t cluster[3];
        uint64_t alignment;
    } value;
};

struct cuda_launch_config {
    struct cuda_dim3 grid, block;
    size_t dynamic_shared;
    cuda_stream stream;
    const struct cuda_launch_attribute *attributes;
    uint32_t attribute_count;
};

enum cuda_limit {
    CUDA_LIMIT_STACK,
    CUDA_LIMIT_PRINTF,
    CUDA_LIMIT_HEAP,
    CUDA_LIMIT_SYNC_DEPTH,
    CUDA_LIMIT_PENDING_LAUNCHES,
    CUDA_LIMIT_L2_FETCH,
    CUDA_LIMIT_PERSISTING_L2,
    CUDA_LIMITS,
};

struct cuda_location { // cudaMemLocation
    int type;
    int id;
};

struct cuda_pool_properties { // cudaMemPoolProps
    int allocation_type, handle_types;
    struct cuda_location location;
    void *windows;
    size_t most_bytes;
    unsigned short usage;
    unsigned char reserved[54];
};

struct cuda_channel { // cudaChannelFormatDesc
    int bits[4];
    int kind;
};

struct cuda_access { // cudaMemAccessDesc
    struct cuda_location location;
    int flags;
};

#endif
