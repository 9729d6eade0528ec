// Nodes of graphs and their parameters. Most of these are laid out as the runtime's; copies and
// kernels are described in another way.
#include <string.h>

#include "cuda/core/gap.h"
#include "cuda/core/thread.h"
#include "cuda/device/context.h"
#include "cuda/graph/calls.h"
#include "cuda/module/module.h"
#include "cudadrv/memcpy.h"

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
        cuda_say_gap(cuda_state(), PROFILE_GAP_UNSUPPORTED,
                     "the driver API's nodes that copy from and to CUDA arrays are not supported");
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

static enum cuda_error add_copy(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                                const cuda_node *before, size_t count,
                                const struct cudadrv_copy *copy) {
    params all;
    enum cuda_error error = copy_of(copy, &all);
    return error == cudaSuccess ? cuda_node_add(state, node, graph, before, NULL, count, &all)
                                : error;
}

CUDADRV_CALL(cuGraphAddMemcpyNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                  size_t count, const struct cudadrv_copy *copy,
                                  cu_context context),
             ((void)context, add_copy(state, node, graph, before, count, copy)))

static enum cuda_error get_copy(struct cuda_state *state, cuda_node node,
                                struct cudadrv_copy *copy) {
    params all;
    if (!copy)
        return cudaErrorInvalidValue;
    enum cuda_error error = cuda_node_tell(state, node, CUDA_NODE_MEMCPY, &all);
    if (error == cudaSuccess)
        tell_copy(&all.u.memcpy.copy, copy);
    return error;
}

CUDADRV_CALL(cuGraphMemcpyNodeGetParams(cuda_node node, struct cudadrv_copy *copy),
             get_copy(state, node, copy))

static enum cuda_error set_copy(struct cuda_state *state, cuda_exec exec, bool is_exec,
                                cuda_node node, const struct cudadrv_copy *copy) {
    params all;
    enum cuda_error error = copy_of(copy, &all);
    if (error != cudaSuccess)
        return error;
    return is_exec ? cuda_exec_set(state, exec, node, &all) : cuda_node_set(state, node, &all);
}

CUDADRV_CALL(cuGraphMemcpyNodeSetParams(cuda_node node, const struct cudadrv_copy *copy),
             set_copy(state, NULL, false, node, copy))
CUDADRV_CALL(cuGraphExecMemcpyNodeSetParams(cuda_exec exec, cuda_node node,
                                            const struct cudadrv_copy *copy, cu_context context),
             ((void)context, set_copy(state, exec, true, node, copy)))

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

// The kernel of a library runs in the context that is given with it, if there is one: the thread's
// device is that one's until `leave`. A function has its own context.
static enum cuda_error enter(struct cuda_state *state, const struct kernel_params *given) {
    if (!given || given->plain.function || !given->context)
        return cudaSuccess;
    const struct cuda_context *context = cuda_context_find(state, given->context);
    if (!context)
        return (enum cuda_error)CUDADRV_INVALID_CONTEXT;
    cuda_thread_use(context->handle.device->number);
    return cudaSuccess;
}

static enum cuda_error leave(unsigned device, enum cuda_error error) {
    cuda_thread_use(device);
    return error;
}

static enum cuda_error add_kernel(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                                  const cuda_node *before, size_t count,
                                  const struct kernel_params *given) {
    struct cuda_kernel_node params;
    const unsigned device = cuda_thread_device();
    enum cuda_error error = enter(state, given);
    if (error == cudaSuccess)
        error = cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_KERNEL,
                                 plain(given, &params));
    return leave(device, error);
}

static enum cuda_error set_kernel(struct cuda_state *state, cuda_exec exec, bool is_exec,
                                  cuda_node node, const struct kernel_params *given) {
    struct cuda_kernel_node params;
    const unsigned device = cuda_thread_device();
    enum cuda_error error = enter(state, given);
    const struct cuda_kernel_node *all = plain(given, &params);
    if (error == cudaSuccess)
        error = is_exec ? cuda_exec_set_as(state, exec, node, CUDA_NODE_KERNEL, all)
                        : cuda_node_set_as(state, node, CUDA_NODE_KERNEL, all);
    return leave(device, error);
}

CUDADRV_CALL(cuGraphAddKernelNode_v2(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                     size_t count, const struct kernel_params *given),
             add_kernel(state, node, graph, before, count, given))

CUDADRV_CALL(cuGraphAddKernelNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                  size_t count, const struct cuda_kernel_node *given),
             cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_KERNEL, given))

// The function is what the driver calls it.
static enum cuda_error get_kernel(struct cuda_state *state, cuda_node node,
                                  struct cuda_kernel_node *given) {
    enum cuda_error error = cuda_node_tell_as(state, node, CUDA_NODE_KERNEL, given);
    if (error != cudaSuccess)
        return error;
    given->function = cuda_function_known(state, given->function);
    return cudaSuccess;
}

CUDADRV_CALL(cuGraphKernelNodeGetParams(cuda_node node, struct cuda_kernel_node *given),
             get_kernel(state, node, given))

static enum cuda_error get_kernel_v2(struct cuda_state *state, cuda_node node,
                                     struct kernel_params *given) {
    if (!given)
        return cudaErrorInvalidValue;
    *given = (struct kernel_params){0};
    enum cuda_error error = get_kernel(state, node, &given->plain);
    if (error != cudaSuccess)
        return error;
    struct cuda_function *function = given->plain.function;
    given->context = function->module->context;
    if (!given->context) {
        given->kernel = function;
        given->context =
            cuda_context_primary(state, cuda_node_find(state, node)->operation.u.kernel.device);
    }
    return cudaSuccess;
}

CUDADRV_CALL(cuGraphKernelNodeGetParams_v2(cuda_node node, struct kernel_params *given),
             get_kernel_v2(state, node, given))

CUDADRV_CALL(cuGraphKernelNodeSetParams_v2(cuda_node node, const struct kernel_params *given),
             set_kernel(state, NULL, false, node, given))

CUDADRV_CALL(cuGraphKernelNodeSetParams(cuda_node node, const struct cuda_kernel_node *given),
             cuda_node_set_as(state, node, CUDA_NODE_KERNEL, given))

CUDADRV_CALL(cuGraphExecKernelNodeSetParams_v2(cuda_exec exec, cuda_node node,
                                               const struct kernel_params *given),
             set_kernel(state, exec, true, node, given))

CUDADRV_CALL(cuGraphExecKernelNodeSetParams(cuda_exec exec, cuda_node node,
                                            const struct cuda_kernel_node *given),
             cuda_exec_set_as(state, exec, node, CUDA_NODE_KERNEL, given))
CUDADRV_CALL(cuGraphKernelNodeSetAttribute(cuda_node node, int attribute, const void *value),
             cuda_graph_kernel_node_set_attribute(state, node, attribute, value))
CUDADRV_CALL(cuGraphKernelNodeGetAttribute(cuda_node node, int attribute, void *value),
             cuda_graph_kernel_node_get_attribute(state, node, attribute, value))
CUDADRV_CALL(cuGraphKernelNodeCopyAttributes(cuda_node target, cuda_node source),
             cuda_graph_kernel_node_copy_attributes(state, target, source))
CUDADRV_CALL(cuGraphAddMemsetNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                  size_t count, const struct cuda_memset_node *given,
                                  cu_context context),
             ((void)context,
              cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_MEMSET, given)))
CUDADRV_CALL(cuGraphMemsetNodeGetParams(cuda_node node, struct cuda_memset_node *given),
             cuda_node_tell_as(state, node, CUDA_NODE_MEMSET, given))
CUDADRV_CALL(cuGraphMemsetNodeSetParams(cuda_node node, const struct cuda_memset_node *given),
             cuda_node_set_as(state, node, CUDA_NODE_MEMSET, given))
CUDADRV_CALL(cuGraphExecMemsetNodeSetParams(cuda_exec exec, cuda_node node,
                                            const struct cuda_memset_node *given,
                                            cu_context context),
             ((void)context, cuda_exec_set_as(state, exec, node, CUDA_NODE_MEMSET, given)))
CUDADRV_CALL(cuGraphAddHostNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                size_t count, const struct cuda_host_node *given),
             cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_HOST, given))
CUDADRV_CALL(cuGraphHostNodeGetParams(cuda_node node, struct cuda_host_node *given),
             cuda_node_tell_as(state, node, CUDA_NODE_HOST, given))
CUDADRV_CALL(cuGraphHostNodeSetParams(cuda_node node, const struct cuda_host_node *given),
             cuda_node_set_as(state, node, CUDA_NODE_HOST, given))
CUDADRV_CALL(cuGraphExecHostNodeSetParams(cuda_exec exec, cuda_node node,
                                          const struct cuda_host_node *given),
             cuda_exec_set_as(state, exec, node, CUDA_NODE_HOST, given))

// ---- Graphs, nothing, events, memory ----------------------------------------------------------

#define OF_EVENT(what)                                                                             \
    enum cuda_error cudaGraphAddEvent##what##Node(cuda_node *, cuda_graph, const cuda_node *,      \
                                                  size_t, cuda_event);                             \
    enum cuda_error cudaGraphEvent##what##NodeGetEvent(cuda_node, cuda_event *);                   \
    enum cuda_error cudaGraphEvent##what##NodeSetEvent(cuda_node, cuda_event);                     \
    enum cuda_error cudaGraphExecEvent##what##NodeSetEvent(cuda_exec, cuda_node, cuda_event);
OF_EVENT(Record)
OF_EVENT(Wait)

CUDADRV_CALL(cuGraphAddChildGraphNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                      size_t count, cuda_graph child),
             cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_GRAPH, &child))

CUDADRV_CALL(cuGraphChildGraphNodeGetGraph(cuda_node node, cuda_graph *child),
             cuda_node_tell_as(state, node, CUDA_NODE_GRAPH, child))

CUDADRV_CALL(cuGraphExecChildGraphNodeSetParams(cuda_exec exec, cuda_node node, cuda_graph child),
             cuda_exec_set_as(state, exec, node, CUDA_NODE_GRAPH, &child))

CUDADRV_CALL(cuGraphAddEmptyNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                 size_t count),
             cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_EMPTY, NULL))

CUDADRV_CALL(cuGraphAddEventRecordNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                       size_t count, cuda_event event),
             cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_RECORD_EVENT, &event))
CUDADRV_CALL(cuGraphEventRecordNodeGetEvent(cuda_node node, cuda_event *event),
             cuda_node_tell_as(state, node, CUDA_NODE_RECORD_EVENT, event))
CUDADRV_CALL(cuGraphEventRecordNodeSetEvent(cuda_node node, cuda_event event),
             cuda_node_set_as(state, node, CUDA_NODE_RECORD_EVENT, &event))
CUDADRV_CALL(cuGraphExecEventRecordNodeSetEvent(cuda_exec exec, cuda_node node, cuda_event event),
             cuda_exec_set_as(state, exec, node, CUDA_NODE_RECORD_EVENT, &event))
CUDADRV_CALL(cuGraphAddEventWaitNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                     size_t count, cuda_event event),
             cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_WAIT_EVENT, &event))
CUDADRV_CALL(cuGraphEventWaitNodeGetEvent(cuda_node node, cuda_event *event),
             cuda_node_tell_as(state, node, CUDA_NODE_WAIT_EVENT, event))
CUDADRV_CALL(cuGraphEventWaitNodeSetEvent(cuda_node node, cuda_event event),
             cuda_node_set_as(state, node, CUDA_NODE_WAIT_EVENT, &event))
CUDADRV_CALL(cuGraphExecEventWaitNodeSetEvent(cuda_exec exec, cuda_node node, cuda_event event),
             cuda_exec_set_as(state, exec, node, CUDA_NODE_WAIT_EVENT, &event))
CUDADRV_CALL(cuGraphAddMemAllocNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                    size_t count, struct cuda_allocate_node *given),
             cuda_graph_add_mem_alloc_node(state, node, graph, before, count, given))
CUDADRV_CALL(cuGraphMemAllocNodeGetParams(cuda_node node, struct cuda_allocate_node *given),
             cuda_node_tell_as(state, node, CUDA_NODE_ALLOCATE, given))

CUDADRV_CALL(cuGraphAddMemFreeNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                   size_t count, cu_pointer address),
             cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_FREE, &address))

CUDADRV_CALL(cuGraphMemFreeNodeGetParams(cuda_node node, cu_pointer *address),
             cuda_node_tell_as(state, node, CUDA_NODE_FREE, (void **)address))

// ---- Nodes of every kind ----------------------------------------------------------------------

// Enters the context of a kernel, too.
static enum cuda_error convert(struct cuda_state *state, const struct all_params *from,
                               params *to) {
    if (!from)
        return cudaErrorInvalidValue;
    if (from->type == CUDA_NODE_MEMCPY)
        return copy_of(&from->u.memcpy.copy, to);
    memcpy(to, from, sizeof *to);
    if (from->type == CUDA_NODE_KERNEL)
        plain(&from->u.kernel, &to->u.kernel);
    return from->type == CUDA_NODE_KERNEL ? enter(state, &from->u.kernel) : cudaSuccess;
}

static enum cuda_error add_any(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                               const cuda_node *before, const struct cuda_edge *data, size_t count,
                               struct all_params *given) {
    params all;
    const unsigned device = cuda_thread_device();
    enum cuda_error error = convert(state, given, &all);
    if (error == cudaSuccess)
        error = cuda_node_add(state, node, graph, before, data, count, &all);
    leave(device, error);
    // An address, or graphs, which the node has made.
    if (error == cudaSuccess &&
        (all.type == CUDA_NODE_ALLOCATE || all.type == CUDA_NODE_CONDITIONAL))
        memcpy(given, &all, sizeof all);
    return error;
}

CUDADRV_CALL(cuGraphAddNode_v2(cuda_node *node, cuda_graph graph, const cuda_node *before,
                               const struct cuda_edge *data, size_t count,
                               struct all_params *given),
             add_any(state, node, graph, before, data, count, given))
CUDADRV_CALL(cuGraphAddNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                            size_t count, struct all_params *given),
             add_any(state, node, graph, before, NULL, count, given))

static enum cuda_error set_any(struct cuda_state *state, cuda_exec exec, bool is_exec,
                               cuda_node node, const struct all_params *given) {
    params all;
    const unsigned device = cuda_thread_device();
    enum cuda_error error = convert(state, given, &all);
    if (error == cudaSuccess)
        error = is_exec ? cuda_exec_set(state, exec, node, &all) : cuda_node_set(state, node, &all);
    return leave(device, error);
}

CUDADRV_CALL(cuGraphNodeSetParams(cuda_node node, const struct all_params *given),
             set_any(state, NULL, false, node, given))
CUDADRV_CALL(cuGraphExecNodeSetParams(cuda_exec exec, cuda_node node,
                                      const struct all_params *given),
             set_any(state, exec, true, node, given))
