// The types of graphs as programs see them: public values and layouts.
#ifndef BANKRUN_CUDA_GRAPH_ABI_H
#define BANKRUN_CUDA_GRAPH_ABI_H

#include "cuda/core/abi.h"

typedef struct cuda_graph *cuda_graph;
typedef struct cuda_node *cuda_node;
typedef struct cuda_exec *cuda_exec;
typedef struct cuda_user_object *cuda_user_object;
typedef unsigned long long cuda_condition; // cudaGraphConditionalHandle

enum cuda_node_type {
    CUDA_NODE_KERNEL,
    CUDA_NODE_MEMCPY,
    CUDA_NODE_MEMSET,
    CUDA_NODE_HOST,
    CUDA_NODE_GRAPH,
    CUDA_NODE_EMPTY,
    CUDA_NODE_WAIT_EVENT,
    CUDA_NODE_RECORD_EVENT,
    CUDA_NODE_SIGNAL_SEMAPHORE,
    CUDA_NODE_WAIT_SEMAPHORE,
    CUDA_NODE_ALLOCATE,
    CUDA_NODE_FREE,
    CUDA_NODE_BATCH, // of the driver API alone
    CUDA_NODE_CONDITIONAL,
    CUDA_NODE_TYPES,
};

enum cuda_conditional_type { CUDA_IF, CUDA_WHILE, CUDA_SWITCH };
enum { CUDA_CONDITION_ASSIGN_DEFAULT = 1 };

enum cuda_capture_mode { CUDA_CAPTURE_GLOBAL, CUDA_CAPTURE_THREAD_LOCAL, CUDA_CAPTURE_RELAXED };
enum cuda_capture_status { CUDA_CAPTURE_NONE, CUDA_CAPTURE_ACTIVE, CUDA_CAPTURE_INVALIDATED };
enum { CUDA_CAPTURE_ADD_DEPENDENCIES, CUDA_CAPTURE_SET_DEPENDENCIES };

enum cuda_instantiate_flags {
    CUDA_INSTANTIATE_AUTO_FREE = 1,
    CUDA_INSTANTIATE_UPLOAD = 2,
    CUDA_INSTANTIATE_DEVICE_LAUNCH = 4,
    CUDA_INSTANTIATE_NODE_PRIORITY = 8,
};

enum cuda_instantiate_result {
    CUDA_INSTANTIATE_SUCCESS,
    CUDA_INSTANTIATE_ERROR,
    CUDA_INSTANTIATE_INVALID_STRUCTURE,
    CUDA_INSTANTIATE_NODE_NOT_SUPPORTED,
    CUDA_INSTANTIATE_MULTIPLE_DEVICES,
    CUDA_INSTANTIATE_HANDLE_UNUSED,
};

enum cuda_update_result {
    CUDA_UPDATE_SUCCESS,
    CUDA_UPDATE_ERROR,
    CUDA_UPDATE_TOPOLOGY_CHANGED,
    CUDA_UPDATE_TYPE_CHANGED,
    CUDA_UPDATE_FUNCTION_CHANGED,
    CUDA_UPDATE_PARAMETERS_CHANGED,
    CUDA_UPDATE_NOT_SUPPORTED,
    CUDA_UPDATE_UNSUPPORTED_FUNCTION,
    CUDA_UPDATE_ATTRIBUTES_CHANGED,
};

struct cuda_edge { // cudaGraphEdgeData
    unsigned char from_port, to_port, type, reserved[5];
};

struct cuda_kernel_node { // cudaKernelNodeParams
    void *function;
    struct cuda_dim3 grid, block;
    unsigned shared;
    void **arguments, **extra;
};

struct cuda_memset_node { // cudaMemsetParams
    void *target;
    size_t pitch;
    unsigned value, element;
    size_t width, height; // elements of a row, rows
};

struct cuda_host_node { // cudaHostNodeParams
    cuda_host_function function;
    void *data;
};

struct cuda_memcpy_node { // cudaMemcpyNodeParams
    int flags, reserved[3];
    struct cuda_memcpy_3d copy;
};

struct cuda_child_node { // cudaChildGraphNodeParams
    cuda_graph graph;
    int is_moved; // else cloned
};

struct cuda_allocate_node { // cudaMemAllocNodeParams
    struct cuda_pool_properties pool;
    const struct cuda_access *access;
    size_t access_count, bytes;
    void *address;
};

struct cuda_conditional_node { // cudaConditionalNodeParams
    cuda_condition handle;
    enum cuda_conditional_type type;
    unsigned size;
    cuda_graph *bodies;
};

struct cuda_node_params { // cudaGraphNodeParams
    enum cuda_node_type type;
    int reserved[3];
    union {
        long long words[29];
        struct cuda_kernel_node kernel;
        struct cuda_memcpy_node memcpy;
        struct cuda_memset_node memset;
        struct cuda_host_node host;
        struct cuda_child_node child;
        cuda_event event;
        struct cuda_allocate_node allocate;
        void *freed;
        struct cuda_conditional_node conditional;
    } u;
    long long reserved2;
};

struct cuda_instantiate_params { // cudaGraphInstantiateParams
    unsigned long long flags;
    cuda_stream upload_stream;
    cuda_node error_node;
    enum cuda_instantiate_result result;
};

struct cuda_update_info { // cudaGraphExecUpdateResultInfo
    enum cuda_update_result result;
    cuda_node error_node, error_from;
};

#endif
