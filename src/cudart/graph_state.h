// What graphs share beside their handles. One for the process, made when it is first needed.
#ifndef BANKRUN_CUDART_GRAPH_STATE_H
#define BANKRUN_CUDART_GRAPH_STATE_H

#include "cudart/graph.h"

struct cudart_condition {
    unsigned value, assigned; // `assigned`: what a launch sets it to
    bool is_assigned;         // by each launch
    bool has_node;
    unsigned long long graph; // serial of the one that it was made for
};

struct cudart_graphs {
    unsigned long long serials, captures_made;
    VEC(struct cudart_capture *) captures; // that were begun and not ended
    VEC(struct cudart_region *) regions;
    VEC(struct cudart_condition) conditions; // by handle - 1; never taken away
    VEC(struct cuda_host_node) calls;        // destructors that wait for the lock to be free
    uint64_t memory[4];                      // by cudaGraphMemAttributeType
};

// Lock held.
struct cudart_graphs *cudart_graphs(struct cudart_state *state);

// What a kernel sets; for sim_launch, with the state. Needs no lock. False: no such condition.
bool cudart_condition_set(void *state, uint64_t handle, uint32_t value);

// cudart_leave, and calls destructors of objects that nothing refers to any more.
enum cuda_error cudart_leave_graphs(enum cuda_error error);

#endif
