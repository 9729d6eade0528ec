// Graphs: nodes that hold operations, and edges between them. What is instantiated is a graph of
// its own, copied from the program's.
#ifndef BANKRUN_CUDART_GRAPH_H
#define BANKRUN_CUDART_GRAPH_H

#include "cudart/handles.h"
#include "cudart/operation.h"

// Edges that come from some nodes.
struct cudart_links {
    VEC(struct cudart_node *) nodes;
    VEC(struct cuda_edge) edges; // as many
};

struct cudart_node {
    struct cudart_handle handle;
    struct cudart_graph *graph;
    unsigned long long serial; // never given twice
    unsigned long long origin; // the serial of the node that this one was copied from
    struct cudart_operation operation;
    struct cudart_links before;
    VEC(struct cudart_node *) after;
    bool is_disabled; // of an executable graph
    uint32_t mark;    // free use of whoever walks the graph
};

struct cudart_held { // a program's object that the graph keeps alive
    struct cudart_user_object *object;
    unsigned count;
};

struct cudart_graph {
    struct cudart_handle handle;
    unsigned long long serial;
    unsigned long long original;        // the serial of the graph that it was cloned from
    struct cudart_node *owner;          // the node that it is a child or a body of; NULL: none
    bool is_body;                       // of a conditional node
    bool has_executable;                // one with memory nodes, of which there may be one
    VEC(struct cudart_node *) nodes;    // in the order in which they were made
    VEC(struct cudart_node *) schedule; // of an executable graph: the order in which they run
    VEC(struct cudart_held) held;
    VEC(cuda_condition) conditions; // that were made for it
};

// All of them: lock held.

struct cudart_graph *cudart_graph_new(struct cudart_state *state);
void cudart_graph_free(struct cudart_state *state, struct cudart_graph *graph); // NULL is fine
// A copy with all that is in it, the order of nodes and edges included.
struct cudart_graph *cudart_graph_copy(struct cudart_state *state,
                                       const struct cudart_graph *graph);
void cudart_operation_copy(struct cudart_state *state, struct cudart_operation *to,
                           const struct cudart_operation *from);
// NULL: no live one.
struct cudart_graph *cudart_graph_find(struct cudart_state *state, const void *graph);
struct cudart_node *cudart_node_find(struct cudart_state *state, const void *node);

// Takes the operation over. The nodes before it are of the same graph, each only once.
struct cudart_node *cudart_graph_add(struct cudart_state *state, struct cudart_graph *graph,
                                     struct cudart_operation *operation,
                                     const struct cudart_links *before);
void cudart_graph_remove(struct cudart_state *state, struct cudart_node *node);
void cudart_graph_link(struct cudart_node *from, struct cudart_node *to, struct cuda_edge edge);
void cudart_graph_unlink(struct cudart_node *from, struct cudart_node *to);

void cudart_links_add(struct cudart_links *links, struct cudart_node *node, struct cuda_edge edge);
void cudart_links_copy(struct cudart_links *to, const struct cudart_links *from);
void cudart_links_free(struct cudart_links *links);
// The program's list: checks and takes it. The caller frees the links in any case.
enum cuda_error cudart_links_read(struct cudart_state *state, const struct cudart_graph *graph,
                                  const cuda_node *nodes, const struct cuda_edge *edges,
                                  size_t count, struct cudart_links *links);

// Whether the graph, or one in it, holds a node of the kind.
bool cudart_graph_has(const struct cudart_graph *graph, enum cuda_node_type kind);
// Fills the schedule. False: the edges make a cycle; *culprit is on it.
bool cudart_graph_schedule(struct cudart_graph *graph, struct cudart_node **culprit);
// Marks the nodes that the links come from, and all before them, with 1, the others with 0.
void cudart_graph_mark(struct cudart_graph *graph, const struct cudart_links *links);

// Whether one of the kind can be a node of the graph; else why not.
enum cuda_error cudart_operation_of(struct cudart_state *state, struct cudart_graph *graph,
                                    const struct cudart_links *before,
                                    struct cuda_node_params *params,
                                    struct cudart_operation *operation);
// What a program is told of an operation. False: there is nothing to tell.
bool cudart_operation_tell(struct cudart_operation *operation, struct cuda_node_params *params);

// Drops the graphs and captures of the current device, and what belongs to them.
void cudart_graphs_drop(struct cudart_state *state);
// Frees what is left when all devices were dropped.
void cudart_graphs_free(struct cudart_state *state);

#endif
