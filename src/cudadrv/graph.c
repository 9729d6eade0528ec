// Graphs: all but the parameters of nodes.
#include "cuda/graph/api.h"
#include "cudadrv/cudadrv.h"

enum cuda_error cudaGraphCreate(cuda_graph *graph, unsigned flags);
enum cuda_error cudaGraphDestroy(cuda_graph graph);
enum cuda_error cudaGraphClone(cuda_graph *clone, cuda_graph graph);
enum cuda_error cudaGraphNodeFindInClone(cuda_node *found, cuda_node original, cuda_graph clone);
enum cuda_error cudaGraphGetNodes(cuda_graph graph, cuda_node *nodes, size_t *count);
enum cuda_error cudaGraphGetRootNodes(cuda_graph graph, cuda_node *nodes, size_t *count);
enum cuda_error cudaGraphNodeGetType(cuda_node node, enum cuda_node_type *type);
enum cuda_error cudaGraphDestroyNode(cuda_node node);
enum cuda_error cudaGraphDebugDotPrint(cuda_graph graph, const char *path, unsigned flags);
enum cuda_error cudaGraphInstantiateWithFlags(cuda_exec *exec, cuda_graph graph,
                                              unsigned long long flags);
enum cuda_error cudaGraphExecGetFlags(cuda_exec exec, unsigned long long *flags);
enum cuda_error cudaGraphExecDestroy(cuda_exec exec);
enum cuda_error cudaGraphLaunch(cuda_exec exec, cuda_stream stream);
enum cuda_error cudaGraphUpload(cuda_exec exec, cuda_stream stream);
enum cuda_error cudaGraphNodeSetEnabled(cuda_exec exec, cuda_node node, unsigned is_enabled);
enum cuda_error cudaGraphNodeGetEnabled(cuda_exec exec, cuda_node node, unsigned *is_enabled);
enum cuda_error cudaUserObjectCreate(cuda_user_object *object, void *data,
                                     cuda_host_function destroy, unsigned references,
                                     unsigned flags);
enum cuda_error cudaUserObjectRetain(cuda_user_object object, unsigned count);
enum cuda_error cudaUserObjectRelease(cuda_user_object object, unsigned count);
enum cuda_error cudaGraphRetainUserObject(cuda_graph graph, cuda_user_object object, unsigned count,
                                          unsigned flags);
enum cuda_error cudaGraphReleaseUserObject(cuda_graph graph, cuda_user_object object,
                                           unsigned count);
enum cuda_error cudaGraphConditionalHandleCreate(cuda_condition *handle, cuda_graph graph,
                                                 unsigned value, unsigned flags);
enum cuda_error cudaDeviceGraphMemTrim(int device);
enum cuda_error cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *value);
enum cuda_error cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value);

CUDART_API cu_result cuGraphCreate(cuda_graph *graph, unsigned flags) {
    return CUDADRV_RUN(cudaGraphCreate(graph, flags));
}

CUDART_API cu_result cuGraphDestroy(cuda_graph graph) {
    return CUDADRV_RUN(cudaGraphDestroy(graph));
}

CUDART_API cu_result cuGraphClone(cuda_graph *clone, cuda_graph graph) {
    return CUDADRV_RUN(cudaGraphClone(clone, graph));
}

CUDART_API cu_result cuGraphNodeFindInClone(cuda_node *found, cuda_node original,
                                            cuda_graph clone) {
    return CUDADRV_RUN(cudaGraphNodeFindInClone(found, original, clone));
}

CUDART_API cu_result cuGraphGetNodes(cuda_graph graph, cuda_node *nodes, size_t *count) {
    return CUDADRV_RUN(cudaGraphGetNodes(graph, nodes, count));
}

CUDART_API cu_result cuGraphGetRootNodes(cuda_graph graph, cuda_node *nodes, size_t *count) {
    return CUDADRV_RUN(cudaGraphGetRootNodes(graph, nodes, count));
}

CUDART_API cu_result cuGraphNodeGetType(cuda_node node, enum cuda_node_type *type) {
    return CUDADRV_RUN(cudaGraphNodeGetType(node, type));
}

CUDART_API cu_result cuGraphDestroyNode(cuda_node node) {
    return CUDADRV_RUN(cudaGraphDestroyNode(node));
}

CUDART_API cu_result cuGraphDebugDotPrint(cuda_graph graph, const char *path, unsigned flags) {
    return CUDADRV_RUN(cudaGraphDebugDotPrint(graph, path, flags));
}

CUDART_API cu_result cuGraphConditionalHandleCreate(cuda_condition *handle, cuda_graph graph,
                                                    cu_context context, unsigned value,
                                                    unsigned flags) {
    (void)context;
    return CUDADRV_RUN(cudaGraphConditionalHandleCreate(handle, graph, value, flags));
}

// ---- Edges ------------------------------------------------------------------------------------

CUDART_API cu_result cuGraphGetEdges_v2(cuda_graph graph, cuda_node *from, cuda_node *to,
                                        struct cuda_edge *data, size_t *count) {
    return CUDADRV_RUN(cuda_graph_edges(graph, from, to, data, count));
}

CUDART_API cu_result cuGraphGetEdges(cuda_graph graph, cuda_node *from, cuda_node *to,
                                     size_t *count) {
    return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

CUDART_API cu_result cuGraphNodeGetDependencies_v2(cuda_node node, cuda_node *list,
                                                   struct cuda_edge *data, size_t *count) {
    return CUDADRV_RUN(cuda_node_neighbours(node, false, list, data, count));
}

CUDART_API cu_result cuGraphNodeGetDependencies(cuda_node node, cuda_node *list, size_t *count) {
    return cuGraphNodeGetDependencies_v2(node, list, NULL, count);
}

CUDART_API cu_result cuGraphNodeGetDependentNodes_v2(cuda_node node, cuda_node *list,
                                                     struct cuda_edge *data, size_t *count) {
    return CUDADRV_RUN(cuda_node_neighbours(node, true, list, data, count));
}

CUDART_API cu_result cuGraphNodeGetDependentNodes(cuda_node node, cuda_node *list, size_t *count) {
    return cuGraphNodeGetDependentNodes_v2(node, list, NULL, count);
}

CUDART_API cu_result cuGraphAddDependencies_v2(cuda_graph graph, const cuda_node *from,
                                               const cuda_node *to, const struct cuda_edge *data,
                                               size_t count) {
    return CUDADRV_RUN(cuda_graph_connect(graph, from, to, data, count, true));
}

CUDART_API cu_result cuGraphAddDependencies(cuda_graph graph, const cuda_node *from,
                                            const cuda_node *to, size_t count) {
    return cuGraphAddDependencies_v2(graph, from, to, NULL, count);
}

CUDART_API cu_result cuGraphRemoveDependencies_v2(cuda_graph graph, const cuda_node *from,
                                                  const cuda_node *to, const struct cuda_edge *data,
                                                  size_t count) {
    return CUDADRV_RUN(cuda_graph_connect(graph, from, to, data, count, false));
}

CUDART_API cu_result cuGraphRemoveDependencies(cuda_graph graph, const cuda_node *from,
                                               const cuda_node *to, size_t count) {
    return cuGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}

// ---- Instantiated graphs ----------------------------------------------------------------------

CUDART_API cu_result cuGraphInstantiateWithFlags(cuda_exec *exec, cuda_graph graph,
                                                 unsigned long long flags) {
    return CUDADRV_RUN(cudaGraphInstantiateWithFlags(exec, graph, flags));
}

CUDART_API cu_result cuGraphInstantiateWithParams(cuda_exec *exec, cuda_graph graph,
                                                  struct cuda_instantiate_params *params) {
    return CUDADRV_RUN(cuda_instantiate(exec, graph, params));
}
CUDART_PER_THREAD(cuGraphInstantiateWithParams, _ptsz)

CUDART_API cu_result cuGraphInstantiate_v2(cuda_exec *exec, cuda_graph graph, cuda_node *error_node,
                                           char *log, size_t bytes) {
    struct cuda_instantiate_params params = {0};
    cu_result result = cuGraphInstantiateWithParams(exec, graph, &params);
    if (error_node)
        *error_node = params.error_node;
    if (log && bytes)
        *log = 0;
    return result;
}
CUDADRV_OLD_NAME(cuGraphInstantiate, cuGraphInstantiate_v2)

CUDART_API cu_result cuGraphExecUpdate_v2(cuda_exec exec, cuda_graph graph,
                                          struct cuda_update_info *info) {
    return CUDADRV_RUN(cuda_update(exec, graph, info));
}

CUDART_API cu_result cuGraphExecUpdate(cuda_exec exec, cuda_graph graph, cuda_node *error_node,
                                       enum cuda_update_result *result) {
    struct cuda_update_info info = {.result = CUDA_UPDATE_ERROR};
    cu_result error = cuGraphExecUpdate_v2(exec, graph, &info);
    if (error_node)
        *error_node = info.error_node;
    if (result)
        *result = info.result;
    return error;
}

CUDART_API cu_result cuGraphExecGetFlags(cuda_exec exec, unsigned long long *flags) {
    return CUDADRV_RUN(cudaGraphExecGetFlags(exec, flags));
}

CUDART_API cu_result cuGraphExecDestroy(cuda_exec exec) {
    return CUDADRV_RUN(cudaGraphExecDestroy(exec));
}

CUDART_API cu_result cuGraphLaunch(cuda_exec exec, cuda_stream stream) {
    return CUDADRV_RUN(cudaGraphLaunch(exec, stream));
}
CUDART_PER_THREAD(cuGraphLaunch, _ptsz)

CUDART_API cu_result cuGraphUpload(cuda_exec exec, cuda_stream stream) {
    return CUDADRV_RUN(cudaGraphUpload(exec, stream));
}
CUDART_PER_THREAD(cuGraphUpload, _ptsz)

CUDART_API cu_result cuGraphNodeSetEnabled(cuda_exec exec, cuda_node node, unsigned is_enabled) {
    return CUDADRV_RUN(cudaGraphNodeSetEnabled(exec, node, is_enabled));
}

CUDART_API cu_result cuGraphNodeGetEnabled(cuda_exec exec, cuda_node node, unsigned *is_enabled) {
    return CUDADRV_RUN(cudaGraphNodeGetEnabled(exec, node, is_enabled));
}

// ---- Memory and objects -----------------------------------------------------------------------

CUDART_API cu_result cuDeviceGraphMemTrim(cu_device device) {
    return CUDADRV_ASK(cudaDeviceGraphMemTrim(device));
}

CUDART_API cu_result cuDeviceGetGraphMemAttribute(cu_device device, int attribute,
                                                  uint64_t *value) {
    return CUDADRV_ASK(cudaDeviceGetGraphMemAttribute(device, attribute, value));
}

CUDART_API cu_result cuDeviceSetGraphMemAttribute(cu_device device, int attribute,
                                                  const uint64_t *value) {
    return CUDADRV_ASK(cudaDeviceSetGraphMemAttribute(device, attribute, value));
}

CUDART_API cu_result cuUserObjectCreate(cuda_user_object *object, void *data,
                                        cuda_host_function destroy, unsigned references,
                                        unsigned flags) {
    return CUDADRV_RUN(cudaUserObjectCreate(object, data, destroy, references, flags));
}

CUDART_API cu_result cuUserObjectRetain(cuda_user_object object, unsigned count) {
    return CUDADRV_RUN(cudaUserObjectRetain(object, count));
}

CUDART_API cu_result cuUserObjectRelease(cuda_user_object object, unsigned count) {
    return CUDADRV_RUN(cudaUserObjectRelease(object, count));
}

CUDART_API cu_result cuGraphRetainUserObject(cuda_graph graph, cuda_user_object object,
                                             unsigned count, unsigned flags) {
    return CUDADRV_RUN(cudaGraphRetainUserObject(graph, object, count, flags));
}

CUDART_API cu_result cuGraphReleaseUserObject(cuda_graph graph, cuda_user_object object,
                                              unsigned count) {
    return CUDADRV_RUN(cudaGraphReleaseUserObject(graph, object, count));
}
