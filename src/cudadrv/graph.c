// Graphs: all but the parameters of nodes.
#include "cuda/graph/calls.h"
#include "cudadrv/cudadrv.h"

CUDADRV_CALL(cuGraphCreate(cuda_graph *graph, unsigned flags),
             cuda_graph_create(state, graph, flags))
CUDADRV_CALL(cuGraphDestroy(cuda_graph graph), cuda_graph_destroy(state, graph))
CUDADRV_CALL(cuGraphClone(cuda_graph *clone, cuda_graph graph),
             cuda_graph_clone(state, clone, graph))
CUDADRV_CALL(cuGraphNodeFindInClone(cuda_node *found, cuda_node original, cuda_graph clone),
             cuda_graph_node_find_in_clone(state, found, original, clone))
CUDADRV_CALL(cuGraphGetNodes(cuda_graph graph, cuda_node *nodes, size_t *count),
             cuda_graph_get_nodes(state, graph, nodes, count))
CUDADRV_CALL(cuGraphGetRootNodes(cuda_graph graph, cuda_node *nodes, size_t *count),
             cuda_graph_get_root_nodes(state, graph, nodes, count))
CUDADRV_CALL(cuGraphNodeGetType(cuda_node node, enum cuda_node_type *type),
             cuda_graph_node_get_type(state, node, type))
CUDADRV_CALL(cuGraphDestroyNode(cuda_node node), cuda_graph_destroy_node(state, node))
CUDADRV_CALL(cuGraphDebugDotPrint(cuda_graph graph, const char *path, unsigned flags),
             cuda_graph_debug_dot_print(state, graph, path, flags))
CUDADRV_CALL(cuGraphConditionalHandleCreate(cuda_condition *handle, cuda_graph graph,
                                            cu_context context, unsigned value, unsigned flags),
             ((void)context,
              cuda_graph_conditional_handle_create(state, handle, graph, value, flags)))

// ---- Edges ------------------------------------------------------------------------------------

CUDADRV_CALL(cuGraphGetEdges_v2(cuda_graph graph, cuda_node *from, cuda_node *to,
                                struct cuda_edge *data, size_t *count),
             cuda_graph_edges(state, graph, from, to, data, count))
CUDADRV_CALL(cuGraphGetEdges(cuda_graph graph, cuda_node *from, cuda_node *to, size_t *count),
             cuda_graph_edges(state, graph, from, to, NULL, count))
CUDADRV_CALL(cuGraphNodeGetDependencies_v2(cuda_node node, cuda_node *list, struct cuda_edge *data,
                                           size_t *count),
             cuda_node_neighbours(state, node, false, list, data, count))
CUDADRV_CALL(cuGraphNodeGetDependencies(cuda_node node, cuda_node *list, size_t *count),
             cuda_node_neighbours(state, node, false, list, NULL, count))
CUDADRV_CALL(cuGraphNodeGetDependentNodes_v2(cuda_node node, cuda_node *list,
                                             struct cuda_edge *data, size_t *count),
             cuda_node_neighbours(state, node, true, list, data, count))
CUDADRV_CALL(cuGraphNodeGetDependentNodes(cuda_node node, cuda_node *list, size_t *count),
             cuda_node_neighbours(state, node, true, list, NULL, count))
CUDADRV_CALL(cuGraphAddDependencies_v2(cuda_graph graph, const cuda_node *from, const cuda_node *to,
                                       const struct cuda_edge *data, size_t count),
             cuda_graph_connect(state, graph, from, to, data, count, true))
CUDADRV_CALL(cuGraphAddDependencies(cuda_graph graph, const cuda_node *from, const cuda_node *to,
                                    size_t count),
             cuda_graph_connect(state, graph, from, to, NULL, count, true))
CUDADRV_CALL(cuGraphRemoveDependencies_v2(cuda_graph graph, const cuda_node *from,
                                          const cuda_node *to, const struct cuda_edge *data,
                                          size_t count),
             cuda_graph_connect(state, graph, from, to, data, count, false))
CUDADRV_CALL(cuGraphRemoveDependencies(cuda_graph graph, const cuda_node *from, const cuda_node *to,
                                       size_t count),
             cuda_graph_connect(state, graph, from, to, NULL, count, false))

// ---- Instantiated graphs ----------------------------------------------------------------------

CUDADRV_CALL(cuGraphInstantiateWithFlags(cuda_exec *exec, cuda_graph graph,
                                         unsigned long long flags),
             cuda_graph_instantiate_with_flags(state, exec, graph, flags))
CUDADRV_CALL(cuGraphInstantiateWithParams(cuda_exec *exec, cuda_graph graph,
                                          struct cuda_instantiate_params *params),
             cuda_instantiate(state, exec, graph, params))
CUDA_PER_THREAD(cuGraphInstantiateWithParams, _ptsz)

CUDADRV_CALL(cuGraphInstantiate_v2(cuda_exec *exec, cuda_graph graph, cuda_node *error_node,
                                   char *log, size_t bytes),
             cuda_instantiate_with_log(state, exec, graph, error_node, log, bytes))
CUDADRV_OLD_NAME(cuGraphInstantiate, cuGraphInstantiate_v2)

CUDADRV_CALL(cuGraphExecUpdate_v2(cuda_exec exec, cuda_graph graph, struct cuda_update_info *info),
             cuda_update(state, exec, graph, info))

CUDADRV_CALL(cuGraphExecUpdate(cuda_exec exec, cuda_graph graph, cuda_node *error_node,
                               enum cuda_update_result *result),
             cuda_update_node(state, exec, graph, error_node, result))

CUDADRV_CALL(cuGraphExecGetFlags(cuda_exec exec, unsigned long long *flags),
             cuda_graph_exec_get_flags(state, exec, flags))
CUDADRV_CALL(cuGraphExecDestroy(cuda_exec exec), cuda_graph_exec_destroy(state, exec))
CUDADRV_CALL(cuGraphLaunch(cuda_exec exec, cuda_stream stream),
             cuda_graph_launch(state, exec, stream))
CUDA_PER_THREAD(cuGraphLaunch, _ptsz)
CUDADRV_CALL(cuGraphUpload(cuda_exec exec, cuda_stream stream),
             cuda_graph_upload(state, exec, stream))
CUDA_PER_THREAD(cuGraphUpload, _ptsz)
CUDADRV_CALL(cuGraphNodeSetEnabled(cuda_exec exec, cuda_node node, unsigned is_enabled),
             cuda_graph_node_set_enabled(state, exec, node, is_enabled))
CUDADRV_CALL(cuGraphNodeGetEnabled(cuda_exec exec, cuda_node node, unsigned *is_enabled),
             cuda_graph_node_get_enabled(state, exec, node, is_enabled))

// ---- Memory and objects -----------------------------------------------------------------------

CUDADRV_DEVICE_CALL(cuDeviceGraphMemTrim(cu_device device),
                    cuda_device_graph_mem_trim(state, device))
CUDADRV_DEVICE_CALL(cuDeviceGetGraphMemAttribute(cu_device device, int attribute, uint64_t *value),
                    cuda_device_get_graph_mem_attribute(state, device, attribute, value))
CUDADRV_DEVICE_CALL(cuDeviceSetGraphMemAttribute(cu_device device, int attribute,
                                                 const uint64_t *value),
                    cuda_device_set_graph_mem_attribute(state, device, attribute, value))
CUDADRV_CALL(cuUserObjectCreate(cuda_user_object *object, void *data, cuda_host_function destroy,
                                unsigned references, unsigned flags),
             cuda_user_object_create(state, object, data, destroy, references, flags))
CUDADRV_CALL(cuUserObjectRetain(cuda_user_object object, unsigned count),
             cuda_user_object_retain(state, object, count))
CUDADRV_CALL(cuUserObjectRelease(cuda_user_object object, unsigned count),
             cuda_user_object_release(state, object, count))
CUDADRV_CALL(cuGraphRetainUserObject(cuda_graph graph, cuda_user_object object, unsigned count,
                                     unsigned flags),
             cuda_graph_retain_user_object(state, graph, object, count, flags))
CUDADRV_CALL(cuGraphReleaseUserObject(cuda_graph graph, cuda_user_object object, unsigned count),
             cuda_graph_release_user_object(state, graph, object, count))
