// Graphs that were instantiated.
#ifndef BANKRUN_CUDA_GRAPH_EXEC_H
#define BANKRUN_CUDA_GRAPH_EXEC_H

#include "cuda/graph/graph.h"

struct cuda_exec {
    struct cuda_handle handle;
    struct cuda_graph *graph;  // a copy, scheduled; its nodes' origins are the program's nodes
    unsigned long long source; // serial of the program's graph
    unsigned long long flags;
    bool has_memory;  // nodes that allocate or free
    unsigned running; // launches under way: functions of the host run without the lock
    bool is_doomed;   // it was destroyed meanwhile, and goes when they end
};

// Lock held. NULL: no live one.
struct cuda_exec *cuda_exec_find(struct cuda_state *state, const void *exec);
// Lock held. One that runs goes when it has ended.
void cuda_exec_free(struct cuda_state *state, struct cuda_exec *exec);

#endif
