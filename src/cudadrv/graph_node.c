// Nodes of graphs and their parameters. Most of these are laid out as the runtime's; copies and
// kernels are described in another way.
#include <string.h>

#include "cuda/graph/api.h"
#include "cuda/module/module.h"
#include "cudadrv/memcpy.h"

enum cuda_error cudaGraphKernelNodeSetAttribute(cuda_node node, int attribute, const void *value);
enum cuda_error cudaGraphKernelNodeGetAttribute(cuda_node node, int attribute, void *value);
enum cuda_error cudaGraphKernelNodeCopyAttributes(cuda_node target, cuda_node source);

typedef struct cuda_node_params params;

struct kernel_params { // CUDA_KERNEL_NODE_PARAMS
    struct cuda_kernel_node plain;
    void *kernel; // from version 2 on; the function may be NULL then
    cu_context context;
};

struct memcpy_params { // CUDA_MEMCPY_NODE_PARAMS
    int flags, reserved;
    cu_context context;
    struct cudadrv_copy copy;
};

struct all_params { // CUgraphNodeParams
    enum cuda_node_type type;
    int reserved[3];
    union {
        long long words[29];
        struct kernel_params kernel;
        struct memcpy_params memcpy;
    } u;
    long long reserved2;
};

// ---- Copies -----------------------------------------------------------------------------------

static bool is_place(const struct cudadrv_side *side) {
    return side->type == CUDADRV_MEMORY_HOST || side->type == CUDADRV_MEMORY_DEVICE ||
           side->type == CUDADRV_MEMORY_UNIFIED;
}

static struct cuda_pitched pitched_of(const struct cudadrv_side *side,
                                      const struct cudadrv_copy *copy) {
    return (struct cuda_pitched){
        .pointer = side->type == CUDADRV_MEMORY_HOST ? side->host : cudadrv_host(side->device),
        .pitch = side->pitch ? side->pitch : side->x + copy->width,
        .width = copy->width,
        .height = side->height ? side->height : side->y + copy->height,
    };
}

static enum cuda_memcpy_kind kind_of(int source, int target) {
    if (source == CUDADRV_MEMORY_UNIFIED || target == CUDADRV_MEMORY_UNIFIED)
        return CUDA_DEFAULT;
    if (source == CUDADRV_MEMORY_HOST)
        return target == CUDADRV_MEMORY_HOST ? CUDA_HOST_TO_HOST : CUDA_HOST_TO_DEVICE;
    return target == CUDADRV_MEMORY_HOST ? CUDA_DEVICE_TO_HOST : CUDA_DEVICE_TO_DEVICE;
}

static enum cuda_error copy_of(const struct cudadrv_copy *from, params *to) {
    *to = (params){.type = CUDA_NODE_MEMCPY};
    if (!from)
        return cudaErrorInvalidValue;
    const struct cudadrv_side *source = &from->source, *target = &from->target;
    if (source->type == CUDADRV_MEMORY_ARRAY || target->type == CUDADRV_MEMORY_ARRAY) {
        cuda_say("the driver API's nodes that copy from and to CUDA arrays are not supported");
        return cudaErrorNotSupported;
    }
    if (!is_place(source) || !is_place(target))
        return cudaErrorInvalidValue;
    to->u.memcpy.copy = (struct cuda_memcpy_3d){
        .source_position = {source->x, source->y, source->z},
        .source = pitched_of(source, from),
        .target_position = {target->x, target->y, target->z},
        .target = pitched_of(target, from),
        .extent = {from->width, from->height, from->depth},
        .kind = kind_of(source->type, target->type),
    };
    return cudaSuccess;
}

static void tell_side(void *array, const struct cuda_position *position,
                      const struct cuda_pitched *pitched, int type, struct cudadrv_side *side) {
    *side = (struct cudadrv_side){.x = position->x,
                                  .y = position->y,
                                  .z = position->z,
                                  .type = array ? CUDADRV_MEMORY_ARRAY : type,
                                  .array = array,
                                  .pitch = pitched->pitch,
                                  .height = pitched->height};
    if (!array && type == CUDADRV_MEMORY_HOST)
        side->host = pitched->pointer;
    else if (!array)
        side->device = (cu_pointer)(uintptr_t)pitched->pointer;
}

static void tell_copy(const struct cuda_memcpy_3d *from, struct cudadrv_copy *to) {
    static const int types[][2] = {
        [CUDA_HOST_TO_HOST] = {CUDADRV_MEMORY_HOST, CUDADRV_MEMORY_HOST},
        [CUDA_HOST_TO_DEVICE] = {CUDADRV_MEMORY_HOST, CUDADRV_MEMORY_DEVICE},
        [CUDA_DEVICE_TO_HOST] = {CUDADRV_MEMORY_DEVICE, CUDADRV_MEMORY_HOST},
        [CUDA_DEVICE_TO_DEVICE] = {CUDADRV_MEMORY_DEVICE, CUDADRV_MEMORY_DEVICE},
        [CUDA_DEFAULT] = {CUDADRV_MEMORY_UNIFIED, CUDADRV_MEMORY_UNIFIED},
    };
    tell_side(from->source_array, &from->source_position, &from->source, types[from->kind][0],
              &to->source);
    tell_side(from->target_array, &from->target_position, &from->target, types[from->kind][1],
              &to->target);
    to->width = from->extent.width;
    to->height = from->extent.height;
    to->depth = from->extent.depth;
}

static enum cuda_error add(cuda_node *node, cuda_graph graph, const cuda_node *before, size_t count,
                           params *all) {
    return cuda_node_add(node, graph, before, NULL, count, all);
}

static enum cuda_error add_copy(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                size_t count, const struct cudadrv_copy *copy) {
    params all;
    enum cuda_error error = copy_of(copy, &all);
    return error == cudaSuccess ? add(node, graph, before, count, &all) : error;
}

CUDART_API cu_result cuGraphAddMemcpyNode(cuda_node *node, cuda_graph graph,
                                          const cuda_node *before, size_t count,
                                          const struct cudadrv_copy *copy, cu_context context) {
    (void)context;
    return CUDADRV_RUN(add_copy(node, graph, before, count, copy));
}

static enum cuda_error get_copy(cuda_node node, struct cudadrv_copy *copy) {
    params all;
    if (!copy)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_node_tell(node, CUDA_NODE_MEMCPY, &all);
    if (error == cudaSuccess)
        tell_copy(&all.u.memcpy.copy, copy);
    return error;
}

CUDART_API cu_result cuGraphMemcpyNodeGetParams(cuda_node node, struct cudadrv_copy *copy) {
    return CUDADRV_RUN(get_copy(node, copy));
}

static enum cuda_error set_copy(cuda_exec exec, bool is_exec, cuda_node node,
                                const struct cudadrv_copy *copy) {
    params all;
    enum cuda_error error = copy_of(copy, &all);
    if (error != cudaSuccess)
        return error;
    return is_exec ? cuda_exec_set(exec, node, &all) : cuda_node_set(node, &all);
}

CUDART_API cu_result cuGraphMemcpyNodeSetParams(cuda_node node, const struct cudadrv_copy *copy) {
    return CUDADRV_RUN(set_copy(NULL, false, node, copy));
}

CUDART_API cu_result cuGraphExecMemcpyNodeSetParams(cuda_exec exec, cuda_node node,
                                                    const struct cudadrv_copy *copy,
                                                    cu_context context) {
    (void)context;
    return CUDADRV_RUN(set_copy(exec, true, node, copy));
}

// ---- What the runtime's calls do with its own structures --------------------------------------

#define NODE(type, what)                                                                           \
    enum cuda_error cudaGraphAdd##what##Node(cuda_node *, cuda_graph, const cuda_node *, size_t,   \
                                             const type *);                                        \
    enum cuda_error cudaGraph##what##NodeGetParams(cuda_node, type *);                             \
    enum cuda_error cudaGraph##what##NodeSetParams(cuda_node, const type *);                       \
    enum cuda_error cudaGraphExec##what##NodeSetParams(cuda_exec, cuda_node, const type *);
NODE(struct cuda_kernel_node, Kernel)
NODE(struct cuda_memset_node, Memset)
NODE(struct cuda_host_node, Host)

// The kernel is a function, or the kernel of a library.
static const struct cuda_kernel_node *plain(const struct kernel_params *from,
                                            struct cuda_kernel_node *to) {
    if (!from)
        return NULL;
    *to = from->plain;
    if (!to->function)
        to->function = from->kernel;
    return to;
}

CUDART_API cu_result cuGraphAddKernelNode_v2(cuda_node *node, cuda_graph graph,
                                             const cuda_node *before, size_t count,
                                             const struct kernel_params *given) {
    struct cuda_kernel_node own;
    return CUDADRV_RUN(cudaGraphAddKernelNode(node, graph, before, count, plain(given, &own)));
}

CUDART_API cu_result cuGraphAddKernelNode(cuda_node *node, cuda_graph graph,
                                          const cuda_node *before, size_t count,
                                          const struct cuda_kernel_node *given) {
    return CUDADRV_RUN(cudaGraphAddKernelNode(node, graph, before, count, given));
}

// The function is what the driver calls it.
static enum cuda_error get_kernel(cuda_node node, struct cuda_kernel_node *given) {
    enum cuda_error error = cudaGraphKernelNodeGetParams(node, given);
    if (error != cudaSuccess)
        return error;
    struct cuda_state *state = cuda_state();
    pthread_mutex_lock(&state->lock);
    given->function = cuda_function_known(state, given->function);
    pthread_mutex_unlock(&state->lock);
    return cudaSuccess;
}

CUDART_API cu_result cuGraphKernelNodeGetParams(cuda_node node, struct cuda_kernel_node *given) {
    return CUDADRV_RUN(get_kernel(node, given));
}

CUDART_API cu_result cuGraphKernelNodeGetParams_v2(cuda_node node, struct kernel_params *given) {
    if (!given)
        return cudaErrorInvalidValue;
    given->kernel = NULL;
    given->context = NULL;
    return cuGraphKernelNodeGetParams(node, &given->plain);
}

CUDART_API cu_result cuGraphKernelNodeSetParams_v2(cuda_node node,
                                                   const struct kernel_params *given) {
    struct cuda_kernel_node own;
    return CUDADRV_RUN(cudaGraphKernelNodeSetParams(node, plain(given, &own)));
}

CUDART_API cu_result cuGraphKernelNodeSetParams(cuda_node node,
                                                const struct cuda_kernel_node *given) {
    return CUDADRV_RUN(cudaGraphKernelNodeSetParams(node, given));
}

CUDART_API cu_result cuGraphExecKernelNodeSetParams_v2(cuda_exec exec, cuda_node node,
                                                       const struct kernel_params *given) {
    struct cuda_kernel_node own;
    return CUDADRV_RUN(cudaGraphExecKernelNodeSetParams(exec, node, plain(given, &own)));
}

CUDART_API cu_result cuGraphExecKernelNodeSetParams(cuda_exec exec, cuda_node node,
                                                    const struct cuda_kernel_node *given) {
    return CUDADRV_RUN(cudaGraphExecKernelNodeSetParams(exec, node, given));
}

CUDART_API cu_result cuGraphKernelNodeSetAttribute(cuda_node node, int attribute,
                                                   const void *value) {
    return CUDADRV_RUN(cudaGraphKernelNodeSetAttribute(node, attribute, value));
}

CUDART_API cu_result cuGraphKernelNodeGetAttribute(cuda_node node, int attribute, void *value) {
    return CUDADRV_RUN(cudaGraphKernelNodeGetAttribute(node, attribute, value));
}

CUDART_API cu_result cuGraphKernelNodeCopyAttributes(cuda_node target, cuda_node source) {
    return CUDADRV_RUN(cudaGraphKernelNodeCopyAttributes(target, source));
}

CUDART_API cu_result cuGraphAddMemsetNode(cuda_node *node, cuda_graph graph,
                                          const cuda_node *before, size_t count,
                                          const struct cuda_memset_node *given,
                                          cu_context context) {
    (void)context;
    return CUDADRV_RUN(cudaGraphAddMemsetNode(node, graph, before, count, given));
}

CUDART_API cu_result cuGraphMemsetNodeGetParams(cuda_node node, struct cuda_memset_node *given) {
    return CUDADRV_RUN(cudaGraphMemsetNodeGetParams(node, given));
}

CUDART_API cu_result cuGraphMemsetNodeSetParams(cuda_node node,
                                                const struct cuda_memset_node *given) {
    return CUDADRV_RUN(cudaGraphMemsetNodeSetParams(node, given));
}

CUDART_API cu_result cuGraphExecMemsetNodeSetParams(cuda_exec exec, cuda_node node,
                                                    const struct cuda_memset_node *given,
                                                    cu_context context) {
    (void)context;
    return CUDADRV_RUN(cudaGraphExecMemsetNodeSetParams(exec, node, given));
}

CUDART_API cu_result cuGraphAddHostNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                        size_t count, const struct cuda_host_node *given) {
    return CUDADRV_RUN(cudaGraphAddHostNode(node, graph, before, count, given));
}

CUDART_API cu_result cuGraphHostNodeGetParams(cuda_node node, struct cuda_host_node *given) {
    return CUDADRV_RUN(cudaGraphHostNodeGetParams(node, given));
}

CUDART_API cu_result cuGraphHostNodeSetParams(cuda_node node, const struct cuda_host_node *given) {
    return CUDADRV_RUN(cudaGraphHostNodeSetParams(node, given));
}

CUDART_API cu_result cuGraphExecHostNodeSetParams(cuda_exec exec, cuda_node node,
                                                  const struct cuda_host_node *given) {
    return CUDADRV_RUN(cudaGraphExecHostNodeSetParams(exec, node, given));
}

// ---- Graphs, nothing, events, memory ----------------------------------------------------------

#define OF_EVENT(what)                                                                             \
    enum cuda_error cudaGraphAddEvent##what##Node(cuda_node *, cuda_graph, const cuda_node *,      \
                                                  size_t, cuda_event);                             \
    enum cuda_error cudaGraphEvent##what##NodeGetEvent(cuda_node, cuda_event *);                   \
    enum cuda_error cudaGraphEvent##what##NodeSetEvent(cuda_node, cuda_event);                     \
    enum cuda_error cudaGraphExecEvent##what##NodeSetEvent(cuda_exec, cuda_node, cuda_event);
OF_EVENT(Record)
OF_EVENT(Wait)
enum cuda_error cudaGraphChildGraphNodeGetGraph(cuda_node node, cuda_graph *given);
enum cuda_error cudaGraphAddMemAllocNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                         size_t count, struct cuda_allocate_node *given);
enum cuda_error cudaGraphMemAllocNodeGetParams(cuda_node node, struct cuda_allocate_node *given);
enum cuda_error cudaGraphMemFreeNodeGetParams(cuda_node node, void **given);

CUDART_API cu_result cuGraphAddChildGraphNode(cuda_node *node, cuda_graph graph,
                                              const cuda_node *before, size_t count,
                                              cuda_graph child) {
    params all = {.type = CUDA_NODE_GRAPH, .u.child.graph = child};
    return CUDADRV_RUN(add(node, graph, before, count, &all));
}

CUDART_API cu_result cuGraphChildGraphNodeGetGraph(cuda_node node, cuda_graph *child) {
    return CUDADRV_RUN(cudaGraphChildGraphNodeGetGraph(node, child));
}

CUDART_API cu_result cuGraphExecChildGraphNodeSetParams(cuda_exec exec, cuda_node node,
                                                        cuda_graph child) {
    params all = {.type = CUDA_NODE_GRAPH, .u.child.graph = child};
    return CUDADRV_RUN(cuda_exec_set(exec, node, &all));
}

CUDART_API cu_result cuGraphAddEmptyNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                         size_t count) {
    params all = {.type = CUDA_NODE_EMPTY};
    return CUDADRV_RUN(add(node, graph, before, count, &all));
}

CUDART_API cu_result cuGraphAddEventRecordNode(cuda_node *node, cuda_graph graph,
                                               const cuda_node *before, size_t count,
                                               cuda_event event) {
    return CUDADRV_RUN(cudaGraphAddEventRecordNode(node, graph, before, count, event));
}

CUDART_API cu_result cuGraphEventRecordNodeGetEvent(cuda_node node, cuda_event *event) {
    return CUDADRV_RUN(cudaGraphEventRecordNodeGetEvent(node, event));
}

CUDART_API cu_result cuGraphEventRecordNodeSetEvent(cuda_node node, cuda_event event) {
    return CUDADRV_RUN(cudaGraphEventRecordNodeSetEvent(node, event));
}

CUDART_API cu_result cuGraphExecEventRecordNodeSetEvent(cuda_exec exec, cuda_node node,
                                                        cuda_event event) {
    return CUDADRV_RUN(cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
}

CUDART_API cu_result cuGraphAddEventWaitNode(cuda_node *node, cuda_graph graph,
                                             const cuda_node *before, size_t count,
                                             cuda_event event) {
    return CUDADRV_RUN(cudaGraphAddEventWaitNode(node, graph, before, count, event));
}

CUDART_API cu_result cuGraphEventWaitNodeGetEvent(cuda_node node, cuda_event *event) {
    return CUDADRV_RUN(cudaGraphEventWaitNodeGetEvent(node, event));
}

CUDART_API cu_result cuGraphEventWaitNodeSetEvent(cuda_node node, cuda_event event) {
    return CUDADRV_RUN(cudaGraphEventWaitNodeSetEvent(node, event));
}

CUDART_API cu_result cuGraphExecEventWaitNodeSetEvent(cuda_exec exec, cuda_node node,
                                                      cuda_event event) {
    return CUDADRV_RUN(cudaGraphExecEventWaitNodeSetEvent(exec, node, event));
}

CUDART_API cu_result cuGraphAddMemAllocNode(cuda_node *node, cuda_graph graph,
                                            const cuda_node *before, size_t count,
                                            struct cuda_allocate_node *given) {
    return CUDADRV_RUN(cudaGraphAddMemAllocNode(node, graph, before, count, given));
}

CUDART_API cu_result cuGraphMemAllocNodeGetParams(cuda_node node,
                                                  struct cuda_allocate_node *given) {
    return CUDADRV_RUN(cudaGraphMemAllocNodeGetParams(node, given));
}

CUDART_API cu_result cuGraphAddMemFreeNode(cuda_node *node, cuda_graph graph,
                                           const cuda_node *before, size_t count,
                                           cu_pointer address) {
    params all = {.type = CUDA_NODE_FREE, .u.freed = cudadrv_host(address)};
    return CUDADRV_RUN(add(node, graph, before, count, &all));
}

CUDART_API cu_result cuGraphMemFreeNodeGetParams(cuda_node node, cu_pointer *address) {
    return CUDADRV_RUN(cudaGraphMemFreeNodeGetParams(node, (void **)address));
}

// ---- Nodes of every kind ----------------------------------------------------------------------

static enum cuda_error convert(const struct all_params *from, params *to) {
    if (!from)
        return cudaErrorInvalidValue;
    if (from->type == CUDA_NODE_MEMCPY)
        return copy_of(&from->u.memcpy.copy, to);
    memcpy(to, from, sizeof *to);
    if (from->type == CUDA_NODE_KERNEL)
        plain(&from->u.kernel, &to->u.kernel);
    return cudaSuccess;
}

static enum cuda_error add_any(cuda_node *node, cuda_graph graph, const cuda_node *before,
                               const struct cuda_edge *data, size_t count,
                               struct all_params *given) {
    params all;
    enum cuda_error error = convert(given, &all);
    if (error == cudaSuccess)
        error = cuda_node_add(node, graph, before, data, count, &all);
    // An address, or graphs, which the node has made.
    if (error == cudaSuccess &&
        (all.type == CUDA_NODE_ALLOCATE || all.type == CUDA_NODE_CONDITIONAL))
        memcpy(given, &all, sizeof all);
    return error;
}

CUDART_API cu_result cuGraphAddNode_v2(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                       const struct cuda_edge *data, size_t count,
                                       struct all_params *given) {
    return CUDADRV_RUN(add_any(node, graph, before, data, count, given));
}

CUDART_API cu_result cuGraphAddNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                    size_t count, struct all_params *given) {
    return cuGraphAddNode_v2(node, graph, before, NULL, count, given);
}

static enum cuda_error set_any(cuda_exec exec, bool is_exec, cuda_node node,
                               const struct all_params *given) {
    params all;
    enum cuda_error error = convert(given, &all);
    if (error != cudaSuccess)
        return error;
    return is_exec ? cuda_exec_set(exec, node, &all) : cuda_node_set(node, &all);
}

CUDART_API cu_result cuGraphNodeSetParams(cuda_node node, const struct all_params *given) {
    return CUDADRV_RUN(set_any(NULL, false, node, given));
}

CUDART_API cu_result cuGraphExecNodeSetParams(cuda_exec exec, cuda_node node,
                                              const struct all_params *given) {
    return CUDADRV_RUN(set_any(exec, true, node, given));
}
