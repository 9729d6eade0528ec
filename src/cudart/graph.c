// Graphs.
#include "cuda/graph/calls.h"
#include "cudart/call.h"

CUDART_CALL(cudaGraphCreate(cuda_graph *graph, unsigned flags),
            cuda_graph_create(state, graph, flags))
CUDART_CALL(cudaGraphDestroy(cuda_graph graph), cuda_graph_destroy(state, graph))
CUDART_CALL(cudaGraphClone(cuda_graph *clone, cuda_graph graph),
            cuda_graph_clone(state, clone, graph))
CUDART_CALL(cudaGraphNodeFindInClone(cuda_node *found, cuda_node original, cuda_graph clone),
            cuda_graph_node_find_in_clone(state, found, original, clone))

// ---- Lists ------------------------------------------------------------------------------------

CUDART_CALL(cudaGraphGetNodes(cuda_graph graph, cuda_node *nodes, size_t *count),
            cuda_graph_get_nodes(state, graph, nodes, count))
CUDART_CALL(cudaGraphGetRootNodes(cuda_graph graph, cuda_node *nodes, size_t *count),
            cuda_graph_get_root_nodes(state, graph, nodes, count))
CUDART_CALL(cudaGraphNodeGetType(cuda_node node, enum cuda_node_type *type),
            cuda_graph_node_get_type(state, node, type))

// ---- Changes ----------------------------------------------------------------------------------

CUDART_CALL(cudaGraphDestroyNode(cuda_node node), cuda_graph_destroy_node(state, node))

// ---- Parameters -------------------------------------------------------------------------------

CUDART_CALL(cudaGraphNodeSetParams(cuda_node node, struct cuda_node_params *params),
            cuda_node_set(state, node, params))
CUDART_CALL(cudaGraphKernelNodeSetAttribute(cuda_node node, int attribute, const void *value),
            cuda_graph_kernel_node_set_attribute(state, node, attribute, value))
CUDART_CALL(cudaGraphKernelNodeGetAttribute(cuda_node node, int attribute, void *value),
            cuda_graph_kernel_node_get_attribute(state, node, attribute, value))
CUDART_CALL(cudaGraphKernelNodeCopyAttributes(cuda_node target, cuda_node source),
            cuda_graph_kernel_node_copy_attributes(state, target, source))
CUDART_CALL(cudaGraphDebugDotPrint(cuda_graph graph, const char *path, unsigned flags),
            cuda_graph_debug_dot_print(state, graph, path, flags))

// ---- Instantiation ----------------------------------------------------------------------------

CUDART_CALL(cudaGraphInstantiateWithFlags(cuda_exec *exec, cuda_graph graph,
                                          unsigned long long flags),
            cuda_graph_instantiate_with_flags(state, exec, graph, flags))
CUDART_CALL(cudaGraphInstantiateWithParams(cuda_exec *exec, cuda_graph graph,
                                           struct cuda_instantiate_params *params),
            cuda_instantiate(state, exec, graph, params))
CUDA_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz)

// ---- Launches ---------------------------------------------------------------------------------

CUDART_CALL(cudaGraphLaunch(cuda_exec exec, cuda_stream stream),
            cuda_graph_launch(state, exec, stream))
CUDA_PER_THREAD(cudaGraphLaunch, _ptsz)
CUDART_CALL(cudaGraphUpload(cuda_exec exec, cuda_stream stream),
            cuda_graph_upload(state, exec, stream))
CUDA_PER_THREAD(cudaGraphUpload, _ptsz)
CUDART_CALL(cudaGraphExecDestroy(cuda_exec exec), cuda_graph_exec_destroy(state, exec))
CUDART_CALL(cudaGraphExecGetFlags(cuda_exec exec, unsigned long long *flags),
            cuda_graph_exec_get_flags(state, exec, flags))

// ---- Memory and objects -----------------------------------------------------------------------

CUDART_CALL(cudaDeviceGraphMemTrim(int device), cuda_device_graph_mem_trim(state, device))
CUDART_CALL(cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *value),
            cuda_device_get_graph_mem_attribute(state, device, attribute, value))
CUDART_CALL(cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value),
            cuda_device_set_graph_mem_attribute(state, device, attribute, value))

// ---- Conditions -------------------------------------------------------------------------------

CUDART_CALL(cudaGraphConditionalHandleCreate(cuda_condition *handle, cuda_graph graph,
                                             unsigned value, unsigned flags),
            cuda_graph_conditional_handle_create(state, handle, graph, value, flags))
CUDART_CALL(cudaUserObjectCreate(cuda_user_object *object, void *data, cuda_host_function destroy,
                                 unsigned references, unsigned flags),
            cuda_user_object_create(state, object, data, destroy, references, flags))
CUDART_CALL(cudaUserObjectRetain(cuda_user_object object, unsigned count),
            cuda_user_object_retain(state, object, count))
CUDART_CALL(cudaUserObjectRelease(cuda_user_object object, unsigned count),
            cuda_user_object_release(state, object, count))
CUDART_CALL(cudaGraphRetainUserObject(cuda_graph graph, cuda_user_object object, unsigned count,
                                      unsigned flags),
            cuda_graph_retain_user_object(state, graph, object, count, flags))
CUDART_CALL(cudaGraphReleaseUserObject(cuda_graph graph, cuda_user_object object, unsigned count),
            cuda_graph_release_user_object(state, graph, object, count))

// ---- Kernels, fills, calls of the host --------------------------------------------------------

CUDART_CALL(cudaGraphAddKernelNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                   size_t count, const struct cuda_kernel_node *given),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_KERNEL, given))
CUDART_CALL(cudaGraphKernelNodeGetParams(cuda_node node, struct cuda_kernel_node *given),
            cuda_node_tell_as(state, node, CUDA_NODE_KERNEL, given))
CUDART_CALL(cudaGraphKernelNodeSetParams(cuda_node node, const struct cuda_kernel_node *given),
            cuda_node_set_as(state, node, CUDA_NODE_KERNEL, given))
CUDART_CALL(cudaGraphExecKernelNodeSetParams(cuda_exec exec, cuda_node node,
                                             const struct cuda_kernel_node *given),
            cuda_exec_set_as(state, exec, node, CUDA_NODE_KERNEL, given))
CUDART_CALL(cudaGraphAddMemsetNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                   size_t count, const struct cuda_memset_node *given),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_MEMSET, given))
CUDART_CALL(cudaGraphMemsetNodeGetParams(cuda_node node, struct cuda_memset_node *given),
            cuda_node_tell_as(state, node, CUDA_NODE_MEMSET, given))
CUDART_CALL(cudaGraphMemsetNodeSetParams(cuda_node node, const struct cuda_memset_node *given),
            cuda_node_set_as(state, node, CUDA_NODE_MEMSET, given))
CUDART_CALL(cudaGraphExecMemsetNodeSetParams(cuda_exec exec, cuda_node node,
                                             const struct cuda_memset_node *given),
            cuda_exec_set_as(state, exec, node, CUDA_NODE_MEMSET, given))
CUDART_CALL(cudaGraphAddHostNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                 size_t count, const struct cuda_host_node *given),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_HOST, given))
CUDART_CALL(cudaGraphHostNodeGetParams(cuda_node node, struct cuda_host_node *given),
            cuda_node_tell_as(state, node, CUDA_NODE_HOST, given))
CUDART_CALL(cudaGraphHostNodeSetParams(cuda_node node, const struct cuda_host_node *given),
            cuda_node_set_as(state, node, CUDA_NODE_HOST, given))
CUDART_CALL(cudaGraphExecHostNodeSetParams(cuda_exec exec, cuda_node node,
                                           const struct cuda_host_node *given),
            cuda_exec_set_as(state, exec, node, CUDA_NODE_HOST, given))

// ---- Copies -----------------------------------------------------------------------------------

CUDART_CALL(cudaGraphAddMemcpyNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                   size_t count, const struct cuda_memcpy_3d *given),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_MEMCPY, given))
CUDART_CALL(cudaGraphMemcpyNodeGetParams(cuda_node node, struct cuda_memcpy_3d *given),
            cuda_node_tell_as(state, node, CUDA_NODE_MEMCPY, given))
CUDART_CALL(cudaGraphMemcpyNodeSetParams(cuda_node node, const struct cuda_memcpy_3d *given),
            cuda_node_set_as(state, node, CUDA_NODE_MEMCPY, given))
CUDART_CALL(cudaGraphExecMemcpyNodeSetParams(cuda_exec exec, cuda_node node,
                                             const struct cuda_memcpy_3d *given),
            cuda_exec_set_as(state, exec, node, CUDA_NODE_MEMCPY, given))
CUDART_CALL(cudaGraphAddMemcpyNode1D(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                     size_t count, void *target, const void *source, size_t bytes,
                                     enum cuda_memcpy_kind kind),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_MEMCPY,
                             (struct cuda_memcpy_3d[]){
                                 cuda_flat_copy(target, source, bytes, kind)}))
CUDART_CALL(cudaGraphMemcpyNodeSetParams1D(cuda_node node, void *target, const void *source,
                                           size_t bytes, enum cuda_memcpy_kind kind),
            cuda_node_set_as(state, node, CUDA_NODE_MEMCPY,
                             (struct cuda_memcpy_3d[]){
                                 cuda_flat_copy(target, source, bytes, kind)}))
CUDART_CALL(cudaGraphExecMemcpyNodeSetParams1D(cuda_exec exec, cuda_node node, void *target,
                                               const void *source, size_t bytes,
                                               enum cuda_memcpy_kind kind),
            cuda_exec_set_as(state, exec, node, CUDA_NODE_MEMCPY,
                             (struct cuda_memcpy_3d[]){
                                 cuda_flat_copy(target, source, bytes, kind)}))
CUDART_CALL(
    cudaGraphAddMemcpyNodeToSymbol(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                   size_t count, const void *variable, const void *source,
                                   size_t bytes, size_t offset, enum cuda_memcpy_kind kind),
    cuda_node_add_symbol(state, node, graph, before, count,
                         &(struct cuda_symbol_copy){variable, source, bytes, offset, kind, true}))
CUDART_CALL(
    cudaGraphAddMemcpyNodeFromSymbol(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                     size_t count, void *target, const void *variable, size_t bytes,
                                     size_t offset, enum cuda_memcpy_kind kind),
    cuda_node_add_symbol(state, node, graph, before, count,
                         &(struct cuda_symbol_copy){variable, target, bytes, offset, kind, false}))
CUDART_CALL(
    cudaGraphMemcpyNodeSetParamsToSymbol(cuda_node node, const void *variable, const void *source,
                                         size_t bytes, size_t offset, enum cuda_memcpy_kind kind),
    cuda_node_set_symbol(state, node,
                         &(struct cuda_symbol_copy){variable, source, bytes, offset, kind, true}))
CUDART_CALL(
    cudaGraphMemcpyNodeSetParamsFromSymbol(cuda_node node, void *target, const void *variable,
                                           size_t bytes, size_t offset, enum cuda_memcpy_kind kind),
    cuda_node_set_symbol(state, node,
                         &(struct cuda_symbol_copy){variable, target, bytes, offset, kind, false}))
CUDART_CALL(
    cudaGraphExecMemcpyNodeSetParamsToSymbol(cuda_exec exec, cuda_node node, const void *variable,
                                             const void *source, size_t bytes, size_t offset,
                                             enum cuda_memcpy_kind kind),
    cuda_exec_set_symbol(state, exec, node,
                         &(struct cuda_symbol_copy){variable, source, bytes, offset, kind, true}))
CUDART_CALL(cudaGraphExecMemcpyNodeSetParamsFromSymbol(cuda_exec exec, cuda_node node, void *target,
                                                       const void *variable, size_t bytes,
                                                       size_t offset, enum cuda_memcpy_kind kind),
            cuda_exec_set_symbol(state, exec, node,
                                 &(struct cuda_symbol_copy){variable, target, bytes, offset, kind,
                                                            false}))

// ---- Graphs, nothing, events ------------------------------------------------------------------

CUDART_CALL(cudaGraphAddChildGraphNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                       size_t count, cuda_graph child),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_GRAPH, &child))
CUDART_CALL(cudaGraphChildGraphNodeGetGraph(cuda_node node, cuda_graph *given),
            cuda_node_tell_as(state, node, CUDA_NODE_GRAPH, given))
CUDART_CALL(cudaGraphExecChildGraphNodeSetParams(cuda_exec exec, cuda_node node, cuda_graph child),
            cuda_exec_set_as(state, exec, node, CUDA_NODE_GRAPH, &child))
CUDART_CALL(cudaGraphAddEmptyNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                  size_t count),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_EMPTY, NULL))
CUDART_CALL(cudaGraphAddEventRecordNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                        size_t count, cuda_event event),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_RECORD_EVENT, &event))
CUDART_CALL(cudaGraphEventRecordNodeGetEvent(cuda_node node, cuda_event *given),
            cuda_node_tell_as(state, node, CUDA_NODE_RECORD_EVENT, given))
CUDART_CALL(cudaGraphEventRecordNodeSetEvent(cuda_node node, cuda_event event),
            cuda_node_set_as(state, node, CUDA_NODE_RECORD_EVENT, &event))
CUDART_CALL(cudaGraphExecEventRecordNodeSetEvent(cuda_exec exec, cuda_node node, cuda_event event),
            cuda_exec_set_as(state, exec, node, CUDA_NODE_RECORD_EVENT, &event))
CUDART_CALL(cudaGraphAddEventWaitNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                      size_t count, cuda_event event),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_WAIT_EVENT, &event))
CUDART_CALL(cudaGraphEventWaitNodeGetEvent(cuda_node node, cuda_event *given),
            cuda_node_tell_as(state, node, CUDA_NODE_WAIT_EVENT, given))
CUDART_CALL(cudaGraphEventWaitNodeSetEvent(cuda_node node, cuda_event event),
            cuda_node_set_as(state, node, CUDA_NODE_WAIT_EVENT, &event))
CUDART_CALL(cudaGraphExecEventWaitNodeSetEvent(cuda_exec exec, cuda_node node, cuda_event event),
            cuda_exec_set_as(state, exec, node, CUDA_NODE_WAIT_EVENT, &event))

// ---- Memory -----------------------------------------------------------------------------------

CUDART_CALL(cudaGraphAddMemAllocNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                     size_t count, struct cuda_allocate_node *given),
            cuda_graph_add_mem_alloc_node(state, node, graph, before, count, given))
CUDART_CALL(cudaGraphMemAllocNodeGetParams(cuda_node node, struct cuda_allocate_node *given),
            cuda_node_tell_as(state, node, CUDA_NODE_ALLOCATE, given))
CUDART_CALL(cudaGraphAddMemFreeNode(cuda_node *node, cuda_graph graph, const cuda_node *before,
                                    size_t count, void *address),
            cuda_node_add_as(state, node, graph, before, count, CUDA_NODE_FREE, &address))
CUDART_CALL(cudaGraphMemFreeNodeGetParams(cuda_node node, void **given),
            cuda_node_tell_as(state, node, CUDA_NODE_FREE, given))

// ---- Nodes of instantiated graphs -------------------------------------------------------------

CUDART_CALL(cudaGraphExecNodeSetParams(cuda_exec exec, cuda_node node,
                                       struct cuda_node_params *params),
            cuda_exec_set(state, exec, node, params))
CUDART_CALL(cudaGraphNodeSetEnabled(cuda_exec exec, cuda_node node, unsigned is_enabled),
            cuda_graph_node_set_enabled(state, exec, node, is_enabled))
CUDART_CALL(cudaGraphNodeGetEnabled(cuda_exec exec, cuda_node node, unsigned *is_enabled),
            cuda_graph_node_get_enabled(state, exec, node, is_enabled))
