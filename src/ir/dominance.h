// Control flow as a graph, and who dominates whom in a graph: for passes that ask where paths part
// and meet.
#ifndef BANKRUN_IR_DOMINANCE_H
#define BANKRUN_IR_DOMINANCE_H

#include "ir/ir.h"

// Edges of a graph: those of node n lead to to[first[n]] .. to[first[n + 1] - 1].
struct ir_edges {
    uint32_t *first, *to;
};

// From block to block, and to one more node, number `block_count`, the exit: from the block
// `only_exit`, or where that is IR_NONE from every block that goes nowhere else.
struct ir_edges ir_flow(const struct ir_function *function, uint32_t only_exit);
struct ir_edges ir_edges_reverse(const struct ir_edges *edges, uint32_t nodes);
void ir_edges_free(struct ir_edges *edges);

struct ir_dominance {
    uint32_t reached; // nodes that can be reached from the root
    uint32_t *order;  // these in reverse post-order, the root first
    uint32_t *place;  // node -> its place there; IR_NONE: never reached
    uint32_t *parent; // node -> immediate dominator, of the root itself; IR_NONE: never reached
};

// `along` are the graph's edges, `against` the same reversed.
struct ir_dominance ir_dominance_find(const struct ir_edges *along, const struct ir_edges *against,
                                      uint32_t nodes, uint32_t root);
void ir_dominance_free(struct ir_dominance *dominance);

#endif
