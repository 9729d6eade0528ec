// Attributes of kernel nodes. Clusters and cooperation are a part of the launch; the others are
// hints that nothing here depends on, kept so that a program reads back what it set.
#include <string.h>

#include "cuda/core/gap.h"
#include "cuda/graph/calls.h"
#include "cuda/graph/graph.h"

enum {
    ACCESS_POLICY_WINDOW = 1,
    CLUSTER_SCHEDULING = 5,
    PRIORITY = 8,
    MEM_SYNC_DOMAIN_MAP = 9,
    MEM_SYNC_DOMAIN = 10,
    PREFERRED_CLUSTER = 11,
    DEVICE_UPDATABLE = 13,
    CARVEOUT = 14,
    NVLINK = 16,
};
enum { LOWEST_PRIORITY = 0, HIGHEST_PRIORITY = -5 }; // of a 9.0 device

// Bytes of an attribute's value; 0: kernel nodes have no such attribute. A program of an old
// toolkit hands over no more than its own union, so no more is touched.
static size_t bytes_of(int attribute) {
    switch (attribute) {
    case ACCESS_POLICY_WINDOW:
        return sizeof(struct cuda_access_policy_window);
    case CUDA_LAUNCH_CLUSTER:
    case PREFERRED_CLUSTER:
        return 3 * sizeof(uint32_t);
    case MEM_SYNC_DOMAIN_MAP:
        return 2 * sizeof(unsigned char);
    case CUDA_LAUNCH_COOPERATIVE:
    case CLUSTER_SCHEDULING:
    case PRIORITY:
    case MEM_SYNC_DOMAIN:
    case CARVEOUT:
    case NVLINK:
        return sizeof(int);
    default:
        return 0;
    }
}

// Enters; *kernel is the node's.
static enum cuda_error enter_with(struct cuda_state *state, cuda_node node, int attribute,
                                  const void *value, struct cuda_kernel **kernel) {
    enum cuda_error error = cuda_enter(state);
    struct cuda_node *known = error == cudaSuccess ? cuda_node_find(state, node) : NULL;
    *kernel = known ? &known->operation.u.kernel : NULL;
    if (error == cudaSuccess && attribute == DEVICE_UPDATABLE) {
        cuda_say_gap(state, PROFILE_GAP_UNSUPPORTED,
                     "kernel nodes that kernels update are not supported");
        return cudaErrorNotSupported;
    }
    if (error == cudaSuccess &&
        (!known || known->operation.kind != CUDA_NODE_KERNEL || !value || !bytes_of(attribute)))
        return cudaErrorInvalidValue;
    return error;
}

static struct cuda_launch_attribute *find(struct cuda_kernel *kernel, int attribute) {
    for (size_t i = 0; i < kernel->attributes.length; i++)
        if ((int)kernel->attributes.data[i].id == attribute)
            return &kernel->attributes.data[i];
    return NULL;
}

static void keep(struct cuda_kernel *kernel, int attribute, const void *value) {
    struct cuda_launch_attribute made = {.id = (enum cuda_launch_attribute_id)attribute};
    memcpy(&made.value, value, bytes_of(attribute));
    if (attribute == PRIORITY) {
        int *priority = &made.value.cooperative; // the int among the values
        *priority = *priority > LOWEST_PRIORITY    ? LOWEST_PRIORITY
                    : *priority < HIGHEST_PRIORITY ? HIGHEST_PRIORITY
                                                   : *priority;
    }
    struct cuda_launch_attribute *old = find(kernel, attribute);
    if (old)
        *old = made;
    else
        vec_push(&kernel->attributes, made);
}

enum cuda_error cuda_graph_kernel_node_set_attribute(struct cuda_state *state, cuda_node node,
                                                     int attribute, const void *value) {
    struct cuda_kernel *kernel;
    enum cuda_error error = enter_with(state, node, attribute, value, &kernel);
    if (error == cudaSuccess && attribute == CUDA_LAUNCH_COOPERATIVE) {
        kernel->launch.is_cooperative = *(const int *)value != 0;
    } else if (error == cudaSuccess && attribute == CUDA_LAUNCH_CLUSTER) {
        memcpy(&kernel->launch.cluster, value, sizeof kernel->launch.cluster);
        if (!cuda_is_cluster_good(state, kernel->function, &kernel->launch))
            error = cudaErrorInvalidClusterSize;
    } else if (error == cudaSuccess) {
        keep(kernel, attribute, value);
    }
    return error;
}

enum cuda_error cuda_graph_kernel_node_get_attribute(struct cuda_state *state, cuda_node node,
                                                     int attribute, void *value) {
    struct cuda_kernel *kernel;
    enum cuda_error error = enter_with(state, node, attribute, value, &kernel);
    const struct cuda_launch_attribute *kept =
        error == cudaSuccess ? find(kernel, attribute) : NULL;
    if (error == cudaSuccess && attribute == CUDA_LAUNCH_COOPERATIVE)
        *(int *)value = kernel->launch.is_cooperative;
    else if (error == cudaSuccess && attribute == CUDA_LAUNCH_CLUSTER)
        memcpy(value, &kernel->launch.cluster, sizeof kernel->launch.cluster);
    else if (kept)
        memcpy(value, &kept->value, bytes_of(attribute));
    else if (error == cudaSuccess)
        memset(value, 0, bytes_of(attribute));
    return error;
}

enum cuda_error cuda_graph_kernel_node_copy_attributes(struct cuda_state *state, cuda_node target,
                                                       cuda_node source) {
    struct cuda_kernel *from, *to = NULL;
    enum cuda_error error = enter_with(state, source, PRIORITY, &from, &from);
    struct cuda_node *node = error == cudaSuccess ? cuda_node_find(state, target) : NULL;
    if (error == cudaSuccess && (!node || node->operation.kind != CUDA_NODE_KERNEL))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        to = &node->operation.u.kernel;
        to->launch.is_cooperative = from->launch.is_cooperative;
        to->launch.cluster = from->launch.cluster;
        for (size_t i = 0; i < from->attributes.length; i++)
            keep(to, (int)from->attributes.data[i].id, &from->attributes.data[i].value);
    }
    return error;
}
