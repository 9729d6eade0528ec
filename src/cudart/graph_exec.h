// Graphs that were instantiated.
#ifndef BANKRUN_CUDART_GRAPH_EXEC_H
#define BANKRUN_CUDART_GRAPH_EXEC_H

#include "cudart/graph.h"

struct cudart_exec {
    struct cudart_handle handle;
    struct cudart_graph *graph; // a copy, scheduled; its nodes' origins are the program's nodes
    unsigned long long source;  // serial of the program's graph
    unsigned long long flags;
    bool has_memory; // nodes that allocate or free
};

// Lock held. NULL: no live one.
struct cudart_exec *cudart_exec_find(struct cudart_state *state, const void *exec);
// Lock held.
void cudart_exec_free(struct cudart_state *state, struct cudart_exec *exec);

#endif
