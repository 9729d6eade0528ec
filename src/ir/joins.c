// Where paths join before the immediate post-dominator of the branch that parted them: behind
// conditions in a row that lead to one place, and at the end of a loop's body that can be left in
// between. The code generator has lanes wait for each other there, too, for those that still come.
#include "ir/build.h"
#include "ir/dominance.h"

#include <assert.h>

static void mark(struct ir_function *function, const struct ir_edges *in,
                 const struct ir_dominance *dominance, uint32_t b) {
    struct ir_block *block = &function->blocks[b];
    uint32_t ahead = 0, back = 0, last = 0;
    for (uint32_t e = in->first[b]; e < in->first[b + 1]; e++) {
        const uint32_t order = dominance->place[in->to[e]];
        if (order == IR_NONE)
            continue;
        ahead += order < block->order;
        back += order >= block->order;
        if (order >= block->order && order > last)
            last = order;
    }
    const uint32_t parted = dominance->parent[b];
    assert(parted < function->block_count && parted != b);
    block->is_join = (ahead > 1 && function->blocks[parted].post_dominator != b) || back > 1;
    block->loop_end = back > 1 ? last : 0;
}

void ir_find_joins(struct ir_function *function) {
    const uint32_t nodes = function->block_count + 1;
    struct ir_edges out = ir_flow(function, IR_NONE), in = ir_edges_reverse(&out, nodes);
    struct ir_dominance dominance = ir_dominance_find(&out, &in, nodes, 0);
    for (uint32_t b = 0; b < function->block_count; b++)
        function->blocks[b].order = dominance.place[b];
    for (uint32_t b = 1; b < function->block_count; b++)
        if (dominance.place[b] != IR_NONE)
            mark(function, &in, &dominance, b);
    ir_dominance_free(&dominance);
    ir_edges_free(&in);
    ir_edges_free(&out);
}
