// Graphs: nodes that hold operations, and edges between them. What is instantiated is a graph of
// its own, copied from the program's.
#ifndef BANKRUN_CUDA_GRAPH_GRAPH_H
#define BANKRUN_CUDA_GRAPH_GRAPH_H

#include "cuda/core/handles.h"
#include "cuda/stream/operation.h"

// Edges that come from some nodes.
struct cuda_links {
    VEC(struct cuda_node *) nodes;
    VEC(struct cuda_edge) edges; // as many
};

struct cuda_node {
    struct cuda_handle handle;
    struct cuda_graph *graph;
    unsigned long long serial; // never given twice
    unsigned long long origin; // the serial of the node that this one was copied from
    struct cuda_operation operation;
    struct cuda_links before;
    VEC(struct cuda_node *) after;
    bool is_disabled; // of an executable graph
    uint32_t mark;    // free use of whoever walks the graph
};

struct cuda_held { // a program's object that the graph keeps alive
    struct cuda_user_object *object;
    unsigned count;
};

struct cuda_graph {
    struct cuda_handle handle;
    unsigned long long serial;
    unsigned long long original;      // the serial of the graph that it was cloned from
    struct cuda_node *owner;          // the node that it is a child or a body of; NULL: none
    bool is_body;                     // of a conditional node
    bool has_executable;              // one with memory nodes, of which there may be one
    VEC(struct cuda_node *) nodes;    // in the order in which they were made
    VEC(struct cuda_node *) schedule; // of an executable graph: the order in which they run
    VEC(struct cuda_held) held;
    VEC(cuda_condition) conditions; // that were made for it
};

// All of them: lock held.

struct cuda_graph *cuda_graph_new(struct cuda_state *state);
void cuda_graph_free(struct cuda_state *state, struct cuda_graph *graph); // NULL is fine
// A copy with all that is in it, the order of nodes and edges included.
struct cuda_graph *cuda_graph_copy(struct cuda_state *state, const struct cuda_graph *graph);
void cuda_operation_copy(struct cuda_state *state, struct cuda_operation *to,
                         const struct cuda_operation *from);
// NULL: no live one.
struct cuda_graph *cuda_graph_find(struct cuda_state *state, const void *graph);
struct cuda_node *cuda_node_find(struct cuda_state *state, const void *node);

// Takes the operation over. The nodes before it are of the same graph, each only once.
struct cuda_node *cuda_graph_add(struct cuda_state *state, struct cuda_graph *graph,
                                 struct cuda_operation *operation, const struct cuda_links *before);
void cuda_graph_remove(struct cuda_state *state, struct cuda_node *node);
void cuda_graph_link(struct cuda_node *from, struct cuda_node *to, struct cuda_edge edge);
void cuda_graph_unlink(struct cuda_node *from, struct cuda_node *to);

void cuda_links_add(struct cuda_links *links, struct cuda_node *node, struct cuda_edge edge);
void cuda_links_copy(struct cuda_links *to, const struct cuda_links *from);
void cuda_links_free(struct cuda_links *links);
// The program's list: checks and takes it. The caller frees the links in any case.
enum cuda_error cuda_links_read(struct cuda_state *state, const struct cuda_graph *graph,
                                const cuda_node *nodes, const struct cuda_edge *edges, size_t count,
                                struct cuda_links *links);

// Whether the graph, or one in it, holds a node of the kind.
bool cuda_graph_has(const struct cuda_graph *graph, enum cuda_node_type kind);
// Fills the schedule. False: the edges make a cycle; *culprit is on it.
bool cuda_graph_schedule(struct cuda_graph *graph, struct cuda_node **culprit);
// Marks the nodes that the links come from, and all before them, with 1, the others with 0.
void cuda_graph_mark(struct cuda_graph *graph, const struct cuda_links *links);

// Whether one of the kind can be a node of the graph; else why not.
enum cuda_error cuda_operation_of(struct cuda_state *state, struct cuda_graph *graph,
                                  const struct cuda_links *before, struct cuda_node_params *params,
                                  struct cuda_operation *operation);
// What a program is told of an operation. False: there is nothing to tell.
bool cuda_operation_tell(struct cuda_operation *operation, struct cuda_node_params *params);

// Drops the graphs and captures of the current device, and what belongs to them.
void cuda_graphs_drop(struct cuda_state *state);
// Frees what is left when all devices were dropped.
void cuda_graphs_free(struct cuda_state *state);

// Gives a node another operation of the same kind.
void cuda_node_replace(struct cuda_state *state, struct cuda_node *node,
                       struct cuda_operation *operation);

#endif
