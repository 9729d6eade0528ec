// Immediate post-dominators: dominators of the reversed graph, with one virtual exit as its root.
//
// Lanes that end early are no reason for the others not to meet: where a branch's paths meet apart
// from those that end, they meet there. So the graph is solved twice, with all exits and with the
// last one alone, and the second answer is taken where there is one.
#include "ir/build.h"
#include "ir/dominance.h"

#include <assert.h>
#include <stdlib.h>

static void mark_reconvergence(struct ir_function *function, const struct ir_edges *out) {
    for (uint32_t b = 0; b < function->block_count; b++) {
        const uint32_t meets = function->blocks[b].post_dominator;
        if (out->first[b + 1] - out->first[b] > 1 && meets != IR_NONE)
            function->blocks[meets].is_reconvergence = true;
    }
}

static struct ir_dominance solve(const struct ir_edges *out, uint32_t exit) {
    struct ir_edges in = ir_edges_reverse(out, exit + 1);
    struct ir_dominance found = ir_dominance_find(&in, out, exit + 1, exit);
    ir_edges_free(&in);
    return found;
}

// The last block that ends and can be reached; the `ret` behind a body that ends in one cannot.
static uint32_t last_exit(const struct ir_edges *out, uint32_t exit, bool *is_only) {
    bool *reached = base_alloc(exit + 1);
    reached[0] = true;
    for (uint32_t e = 0; e < out->first[exit]; e++)
        reached[out->to[e]] = true;
    uint32_t found = IR_NONE, count = 0;
    for (uint32_t b = 0; b < exit; b++)
        if (reached[b] && out->to[out->first[b]] == exit) {
            found = b;
            count++;
        }
    *is_only = count < 2;
    free(reached);
    return found;
}

// Where the paths to the last exit alone meet, if they do.
static void prefer_last_exit(struct ir_function *function, uint32_t last) {
    const uint32_t exit = function->block_count;
    assert(last < exit);
    struct ir_edges out = ir_flow(function, last);
    struct ir_dominance found = solve(&out, exit);
    for (uint32_t b = 0; b < exit; b++)
        if (found.parent[b] < exit)
            function->blocks[b].post_dominator = found.parent[b];
    ir_dominance_free(&found);
    ir_edges_free(&out);
}

void ir_compute_post_dominators(struct ir_function *function) {
    assert(function->block_count); // ir_build_cfg came before
    const uint32_t exit = function->block_count;
    struct ir_edges out = ir_flow(function, IR_NONE);
    struct ir_dominance found = solve(&out, exit);
    bool is_only;
    const uint32_t last = last_exit(&out, exit, &is_only);
    for (uint32_t b = 0; b < exit; b++)
        function->blocks[b].post_dominator =
            found.parent[b] == exit ? (uint32_t)IR_NONE : found.parent[b];
    if (!is_only)
        prefer_last_exit(function, last);
    mark_reconvergence(function, &out);
    ir_dominance_free(&found);
    ir_edges_free(&out);
}
