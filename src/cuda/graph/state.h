// What graphs share beside their handles. One for the process, made when it is first needed.
#ifndef BANKRUN_CUDA_GRAPH_STATE_H
#define BANKRUN_CUDA_GRAPH_STATE_H

#include "cuda/graph/graph.h"

struct cuda_condition {
    unsigned value, assigned; // `assigned`: what a launch sets it to
    bool is_assigned;         // by each launch
    bool has_node;
    unsigned long long graph; // serial of the one that it was made for
};

struct cuda_graphs {
    unsigned long long serials, captures_made;
    VEC(struct cuda_capture *) captures; // that were begun and not ended
    VEC(struct cuda_region *) regions;
    VEC(struct cuda_condition) conditions; // by handle - 1; never taken away
    uint64_t memory[4];                    // by cudaGraphMemAttributeType
};

// Lock held.
struct cuda_graphs *cuda_graphs(struct cuda_state *state);

// What a kernel sets; for sim_launch, with the state. Needs no lock. False: no such condition.
bool cuda_condition_set(void *state, uint64_t handle, uint32_t value);

#endif
