// Whole calls of the API that several of its functions are made of: they enter and leave.
#ifndef BANKRUN_CUDA_GRAPH_API_H
#define BANKRUN_CUDA_GRAPH_API_H

#include "cuda/graph/graph.h"

enum cuda_error cuda_node_add(cuda_node *node, cuda_graph graph, const cuda_node *before,
                              const struct cuda_edge *edges, size_t count,
                              struct cuda_node_params *params);
// The type is the one that the program takes the node to have.
enum cuda_error cuda_node_tell(cuda_node node, enum cuda_node_type type,
                               struct cuda_node_params *params);
enum cuda_error cuda_node_set(cuda_node node, struct cuda_node_params *params);
enum cuda_error cuda_exec_set(cuda_exec exec, cuda_node node, struct cuda_node_params *params);

enum cuda_error cuda_graph_edges(cuda_graph graph, cuda_node *from, cuda_node *to,
                                 struct cuda_edge *data, size_t *count);
// The nodes before it, or after it.
enum cuda_error cuda_node_neighbours(cuda_node node, bool after, cuda_node *list,
                                     struct cuda_edge *data, size_t *count);
// Adds edges, or takes them away.
enum cuda_error cuda_graph_connect(cuda_graph graph, const cuda_node *from, const cuda_node *to,
                                   const struct cuda_edge *data, size_t count, bool adds);

enum cuda_error cuda_instantiate(cuda_exec *exec, cuda_graph graph,
                                 struct cuda_instantiate_params *params);
enum cuda_error cuda_update(cuda_exec exec, cuda_graph graph, struct cuda_update_info *info);

struct cuda_capture_info {
    enum cuda_capture_status *status; // required; the others may be NULL
    unsigned long long *id;
    cuda_graph *graph;
    const cuda_node **nodes;
    const struct cuda_edge **edges;
    size_t *count;
};
enum cuda_error cuda_capture_tell(cuda_stream stream, const struct cuda_capture_info *info);
enum cuda_error cuda_capture_update(cuda_stream stream, const cuda_node *nodes,
                                    const struct cuda_edge *edges, size_t count, unsigned flags);

// No whole call: gives a node another operation of the same kind. Lock held.
void cuda_node_replace(struct cuda_state *state, struct cuda_node *node,
                       struct cuda_operation *operation);

#endif
