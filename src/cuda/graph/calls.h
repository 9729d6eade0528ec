// Whole calls, as the faces make them: see cuda_enter. Lock held.
#ifndef BANKRUN_CUDA_GRAPH_CALLS_H
#define BANKRUN_CUDA_GRAPH_CALLS_H

#include "cuda/graph/graph.h"

// build.c
enum cuda_error cuda_graph_create(struct cuda_state *state, cuda_graph *graph, unsigned flags);
enum cuda_error cuda_graph_destroy(struct cuda_state *state, cuda_graph graph);
enum cuda_error cuda_graph_clone(struct cuda_state *state, cuda_graph *clone, cuda_graph graph);
enum cuda_error cuda_graph_node_find_in_clone(struct cuda_state *state, cuda_node *found,
                                              cuda_node original, cuda_graph clone);
enum cuda_error cuda_graph_get_nodes(struct cuda_state *state, cuda_graph graph, cuda_node *nodes,
                                     size_t *count);
enum cuda_error cuda_graph_get_root_nodes(struct cuda_state *state, cuda_graph graph,
                                          cuda_node *nodes, size_t *count);
enum cuda_error cuda_graph_node_get_type(struct cuda_state *state, cuda_node node,
                                         enum cuda_node_type *type);
enum cuda_error cuda_graph_destroy_node(struct cuda_state *state, cuda_node node);

// attribute.c
enum cuda_error cuda_graph_kernel_node_set_attribute(struct cuda_state *state, cuda_node node,
                                                     int attribute, const void *value);
enum cuda_error cuda_graph_kernel_node_get_attribute(struct cuda_state *state, cuda_node node,
                                                     int attribute, void *value);
enum cuda_error cuda_graph_kernel_node_copy_attributes(struct cuda_state *state, cuda_node target,
                                                       cuda_node source);

// dot.c
enum cuda_error cuda_graph_debug_dot_print(struct cuda_state *state, cuda_graph graph,
                                           const char *path, unsigned flags);

// exec.c
enum cuda_error cuda_graph_instantiate_with_flags(struct cuda_state *state, cuda_exec *exec,
                                                  cuda_graph graph, unsigned long long flags);
enum cuda_error cuda_graph_launch(struct cuda_state *state, cuda_exec exec, cuda_stream stream);
enum cuda_error cuda_graph_upload(struct cuda_state *state, cuda_exec exec, cuda_stream stream);
enum cuda_error cuda_graph_exec_destroy(struct cuda_state *state, cuda_exec exec);
enum cuda_error cuda_graph_exec_get_flags(struct cuda_state *state, cuda_exec exec,
                                          unsigned long long *flags);

// memory.c
enum cuda_error cuda_device_graph_mem_trim(struct cuda_state *state, int device);
enum cuda_error cuda_device_get_graph_mem_attribute(struct cuda_state *state, int device,
                                                    int attribute, uint64_t *value);
enum cuda_error cuda_device_set_graph_mem_attribute(struct cuda_state *state, int device,
                                                    int attribute, const uint64_t *value);

// node.c
enum cuda_error cuda_graph_conditional_handle_create(struct cuda_state *state,
                                                     cuda_condition *handle, cuda_graph graph,
                                                     unsigned value, unsigned flags);

// object.c
enum cuda_error cuda_user_object_create(struct cuda_state *state, cuda_user_object *object,
                                        void *data, cuda_host_function destroy, unsigned references,
                                        unsigned flags);
enum cuda_error cuda_user_object_retain(struct cuda_state *state, cuda_user_object object,
                                        unsigned count);
enum cuda_error cuda_user_object_release(struct cuda_state *state, cuda_user_object object,
                                         unsigned count);
enum cuda_error cuda_graph_retain_user_object(struct cuda_state *state, cuda_graph graph,
                                              cuda_user_object object, unsigned count,
                                              unsigned flags);
enum cuda_error cuda_graph_release_user_object(struct cuda_state *state, cuda_graph graph,
                                               cuda_user_object object, unsigned count);

// The same with the part of the parameters alone that belongs to nodes of the type: a struct
// cuda_kernel_node, cuda_memcpy_3d, cuda_memset_node, cuda_host_node or cuda_allocate_node, a
// cuda_graph, cuda_event or an address that is freed; empty nodes have none.
enum cuda_error cuda_node_add_as(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                                 const cuda_node *before, size_t count, enum cuda_node_type type,
                                 const void *given);
enum cuda_error cuda_node_tell_as(struct cuda_state *state, cuda_node node,
                                  enum cuda_node_type type, void *out);
enum cuda_error cuda_node_set_as(struct cuda_state *state, cuda_node node, enum cuda_node_type type,
                                 const void *given);
enum cuda_error cuda_exec_set_as(struct cuda_state *state, cuda_exec exec, cuda_node node,
                                 enum cuda_node_type type, const void *given);

// A copy of one row, and one to or from a variable of the program.
struct cuda_memcpy_3d cuda_flat_copy(void *target, const void *source, size_t bytes,
                                     enum cuda_memcpy_kind kind);
struct cuda_symbol_copy {
    const void *symbol, *memory;
    size_t bytes, offset;
    enum cuda_memcpy_kind kind;
    bool to_symbol;
};
enum cuda_error cuda_node_add_symbol(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                                     const cuda_node *before, size_t count,
                                     const struct cuda_symbol_copy *asked);
enum cuda_error cuda_node_set_symbol(struct cuda_state *state, cuda_node node,
                                     const struct cuda_symbol_copy *asked);
enum cuda_error cuda_exec_set_symbol(struct cuda_state *state, cuda_exec exec, cuda_node node,
                                     const struct cuda_symbol_copy *asked);
enum cuda_error cuda_graph_add_mem_alloc_node(struct cuda_state *state, cuda_node *node,
                                              cuda_graph graph, const cuda_node *before,
                                              size_t count, struct cuda_allocate_node *given);

// update.c
enum cuda_error cuda_graph_node_set_enabled(struct cuda_state *state, cuda_exec exec,
                                            cuda_node node, unsigned is_enabled);
enum cuda_error cuda_graph_node_get_enabled(struct cuda_state *state, cuda_exec exec,
                                            cuda_node node, unsigned *is_enabled);

enum cuda_error cuda_node_add(struct cuda_state *state, cuda_node *node, cuda_graph graph,
                              const cuda_node *before, const struct cuda_edge *edges, size_t count,
                              struct cuda_node_params *params);
// The type is the one that the program takes the node to have.
enum cuda_error cuda_node_tell(struct cuda_state *state, cuda_node node, enum cuda_node_type type,
                               struct cuda_node_params *params);
enum cuda_error cuda_node_set(struct cuda_state *state, cuda_node node,
                              struct cuda_node_params *params);
enum cuda_error cuda_exec_set(struct cuda_state *state, cuda_exec exec, cuda_node node,
                              struct cuda_node_params *params);

enum cuda_error cuda_graph_edges(struct cuda_state *state, cuda_graph graph, cuda_node *from,
                                 cuda_node *to, struct cuda_edge *data, size_t *count);
// The nodes before it, or after it.
enum cuda_error cuda_node_neighbours(struct cuda_state *state, cuda_node node, bool after,
                                     cuda_node *list, struct cuda_edge *data, size_t *count);
// Adds edges, or takes them away.
enum cuda_error cuda_graph_connect(struct cuda_state *state, cuda_graph graph,
                                   const cuda_node *from, const cuda_node *to,
                                   const struct cuda_edge *data, size_t count, bool adds);

enum cuda_error cuda_instantiate(struct cuda_state *state, cuda_exec *exec, cuda_graph graph,
                                 struct cuda_instantiate_params *params);
// As the first versions of both APIs had it.
enum cuda_error cuda_instantiate_with_log(struct cuda_state *state, cuda_exec *exec,
                                          cuda_graph graph, cuda_node *error_node, char *log,
                                          size_t bytes);
enum cuda_error cuda_update_node(struct cuda_state *state, cuda_exec exec, cuda_graph graph,
                                 cuda_node *error_node, enum cuda_update_result *result);
enum cuda_error cuda_update(struct cuda_state *state, cuda_exec exec, cuda_graph graph,
                            struct cuda_update_info *info);

#endif
