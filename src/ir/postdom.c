// Immediate post-dominators, by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple,
// Fast Dominance Algorithm", 2001) on the reversed graph with one virtual exit.
//
// Lanes that end early are no reason for the others not to meet: where a branch's paths meet apart
// from those that end, they meet there. So the graph is solved twice, with all exits and with the
// last one alone, and the second answer is taken where there is one.
#include "ir/build.h"

#include <stdlib.h>

struct postdom {
    const struct ir_function *function;
    uint32_t count;     // blocks; node `count` is the virtual exit
    uint32_t *order;    // nodes in reverse post-order of the reversed graph
    uint32_t *number;   // node -> post-order number, IR_NONE: does not reach the exit
    uint32_t *parent;   // node -> immediate post-dominator
    uint32_t *in_first; // block -> first predecessor in `in`, count + 2 entries
    uint32_t *in;       // predecessors
    uint32_t visited;
    uint32_t only_exit; // the one block whose end counts as the exit; IR_NONE: every one
};

static const struct ir_instruction *last_of(const struct ir_function *function, uint32_t block) {
    const struct ir_block *b = &function->blocks[block];
    return &function->instructions[b->first + b->count - 1];
}

static uint32_t successor_count(const struct postdom *pd, uint32_t block) {
    const struct ir_instruction *last = last_of(pd->function, block);
    uint32_t count = pd->function->blocks[block].successor_count + last->target_count;
    bool is_exit = !count && (pd->only_exit == IR_NONE || pd->only_exit == block);
    return count + is_exit; // to the virtual exit
}

static uint32_t successor(const struct postdom *pd, uint32_t block, uint32_t i) {
    const struct ir_block *b = &pd->function->blocks[block];
    const struct ir_instruction *last = last_of(pd->function, block);
    if (i < b->successor_count)
        return b->successors[i];
    if (i - b->successor_count < last->target_count)
        return last->targets[i - b->successor_count];
    return pd->count;
}

static void collect_predecessors(struct postdom *pd) {
    uint32_t total = 0;
    for (uint32_t b = 0; b < pd->count; b++)
        for (uint32_t i = 0; i < successor_count(pd, b); i++, total++)
            pd->in_first[successor(pd, b, i) + 1]++;
    for (uint32_t n = 0; n <= pd->count; n++)
        pd->in_first[n + 1] += pd->in_first[n];
    pd->in = base_alloc((total + 1) * sizeof *pd->in);
    uint32_t *fill = base_alloc((pd->count + 1) * sizeof *fill);
    for (uint32_t b = 0; b < pd->count; b++)
        for (uint32_t i = 0; i < successor_count(pd, b); i++) {
            uint32_t s = successor(pd, b, i);
            pd->in[pd->in_first[s] + fill[s]++] = b;
        }
    free(fill);
}

// Depth first from the exit along predecessors, without recursion: kernels can be deep.
static void number_nodes(struct postdom *pd) {
    uint32_t nodes = pd->count + 1;
    uint32_t *stack = base_alloc(nodes * sizeof *stack);
    uint32_t *next = base_alloc(nodes * sizeof *next);
    bool *seen = base_alloc(nodes);
    uint32_t depth = 0;
    stack[depth++] = pd->count;
    seen[pd->count] = true;
    while (depth) {
        uint32_t node = stack[depth - 1];
        uint32_t at = pd->in_first[node] + next[node];
        if (at < pd->in_first[node + 1]) {
            next[node]++;
            uint32_t predecessor = pd->in[at];
            if (!seen[predecessor]) {
                seen[predecessor] = true;
                stack[depth++] = predecessor;
            }
            continue;
        }
        depth--;
        pd->number[node] = pd->visited;
        pd->order[nodes - 1 - pd->visited] = node;
        pd->visited++;
    }
    free(stack);
    free(next);
    free(seen);
}

static uint32_t intersect(const struct postdom *pd, uint32_t a, uint32_t b) {
    while (a != b) {
        while (pd->number[a] < pd->number[b])
            a = pd->parent[a];
        while (pd->number[b] < pd->number[a])
            b = pd->parent[b];
    }
    return a;
}

static bool update(struct postdom *pd, uint32_t node) {
    uint32_t best = IR_NONE;
    for (uint32_t i = 0; i < successor_count(pd, node); i++) {
        uint32_t s = successor(pd, node, i);
        if (pd->number[s] == IR_NONE || pd->parent[s] == IR_NONE)
            continue;
        best = best == IR_NONE ? s : intersect(pd, best, s);
    }
    if (pd->parent[node] == best)
        return false;
    pd->parent[node] = best;
    return true;
}

static void solve(struct postdom *pd) {
    pd->parent[pd->count] = pd->count;
    for (bool changed = true; changed;) {
        changed = false;
        uint32_t nodes = pd->count + 1;
        for (uint32_t i = nodes - pd->visited; i < nodes; i++)
            if (pd->order[i] != pd->count)
                changed |= update(pd, pd->order[i]);
    }
}

static void mark_reconvergence(struct ir_function *function) {
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        bool splits = block->successor_count > 1 || last_of(function, b)->target_count > 1;
        if (splits && block->post_dominator != IR_NONE)
            function->blocks[block->post_dominator].is_reconvergence = true;
    }
}

// parents: block -> immediate post-dominator, `block_count` for the virtual exit, IR_NONE for none.
static void compute(const struct ir_function *function, uint32_t only_exit, uint32_t *parents) {
    uint32_t nodes = function->block_count + 1;
    struct postdom pd = {
        .function = function, .count = function->block_count, .only_exit = only_exit};
    pd.order = base_alloc(nodes * sizeof *pd.order);
    pd.number = base_alloc(nodes * sizeof *pd.number);
    pd.in_first = base_alloc((nodes + 1) * sizeof *pd.in_first);
    pd.parent = parents;
    for (uint32_t n = 0; n < nodes; n++)
        pd.number[n] = pd.parent[n] = IR_NONE;
    collect_predecessors(&pd);
    number_nodes(&pd);
    solve(&pd);
    free(pd.order);
    free(pd.number);
    free(pd.in_first);
    free(pd.in);
}

static bool is_exit(const struct ir_function *function, uint32_t block) {
    return !function->blocks[block].successor_count && !last_of(function, block)->target_count;
}

// The last exit that can be reached; the `ret` behind a body that ends in one cannot.
static uint32_t last_exit(const struct ir_function *function, bool *is_only) {
    bool *reached = base_alloc(function->block_count);
    reached[0] = true;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        const struct ir_instruction *last = last_of(function, b);
        for (uint32_t i = 0; i < block->successor_count; i++)
            reached[block->successors[i]] = true;
        for (uint32_t i = 0; i < last->target_count; i++)
            reached[last->targets[i]] = true;
    }
    uint32_t found = IR_NONE, count = 0;
    for (uint32_t b = 0; b < function->block_count; b++)
        if (reached[b] && is_exit(function, b)) {
            found = b;
            count++;
        }
    *is_only = count < 2;
    free(reached);
    return found;
}

void ir_compute_post_dominators(struct ir_function *function) {
    uint32_t nodes = function->block_count + 1;
    uint32_t *all = base_alloc(nodes * sizeof *all);
    uint32_t *main_exit = base_alloc(nodes * sizeof *main_exit);
    bool is_only;
    uint32_t exit = last_exit(function, &is_only);
    compute(function, IR_NONE, all);
    if (!is_only)
        compute(function, exit, main_exit);
    for (uint32_t b = 0; b < function->block_count; b++) {
        uint32_t parent = all[b];
        if (!is_only && main_exit[b] < function->block_count)
            parent = main_exit[b];
        function->blocks[b].post_dominator =
            parent == function->block_count ? (uint32_t)IR_NONE : parent;
    }
    mark_reconvergence(function);
    free(all);
    free(main_exit);
}
