// Immediate dominators, by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast
// Dominance Algorithm", 2001).
#include "ir/dominance.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"

// ---- Edges --------------------------------------------------------------------------------

static const struct ir_instruction *last_of(const struct ir_function *function, uint32_t block) {
    const struct ir_block *b = &function->blocks[block];
    return &function->instructions[b->first + b->count - 1];
}

static bool leads_to_exit(const struct ir_function *function, uint32_t block, uint32_t only_exit) {
    return !function->blocks[block].successor_count && !last_of(function, block)->target_count &&
           (only_exit == IR_NONE || only_exit == block);
}

struct ir_edges ir_flow(const struct ir_function *function, uint32_t only_exit) {
    const uint32_t count = function->block_count;
    struct ir_edges edges = {.first = base_alloc((count + 2) * sizeof *edges.first)};
    for (uint32_t b = 0; b < count; b++)
        edges.first[b + 1] = edges.first[b] + function->blocks[b].successor_count +
                             last_of(function, b)->target_count +
                             leads_to_exit(function, b, only_exit);
    edges.first[count + 1] = edges.first[count];
    edges.to = base_alloc((edges.first[count] + 1) * sizeof *edges.to);
    for (uint32_t b = 0; b < count; b++) {
        const struct ir_block *block = &function->blocks[b];
        const struct ir_instruction *last = last_of(function, b);
        uint32_t *to = &edges.to[edges.first[b]];
        for (uint32_t i = 0; i < block->successor_count; i++)
            *to++ = block->successors[i];
        for (uint32_t i = 0; i < last->target_count; i++)
            *to++ = last->targets[i];
        if (leads_to_exit(function, b, only_exit))
            *to++ = count;
        assert(to == &edges.to[edges.first[b + 1]]);
    }
    return edges;
}

struct ir_edges ir_edges_reverse(const struct ir_edges *edges, uint32_t nodes) {
    const uint32_t total = edges->first[nodes];
    struct ir_edges reversed = {.first = base_alloc((nodes + 1) * sizeof *reversed.first),
                                .to = base_alloc((total + 1) * sizeof *reversed.to)};
    uint32_t *filled = base_alloc((nodes + 1) * sizeof *filled);
    for (uint32_t e = 0; e < total; e++) {
        assert(edges->to[e] < nodes);
        reversed.first[edges->to[e] + 1]++;
    }
    for (uint32_t n = 0; n < nodes; n++)
        reversed.first[n + 1] += reversed.first[n];
    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t e = edges->first[n]; e < edges->first[n + 1]; e++) {
            const uint32_t to = edges->to[e];
            reversed.to[reversed.first[to] + filled[to]++] = n;
        }
    free(filled);
    return reversed;
}

void ir_edges_free(struct ir_edges *edges) {
    free(edges->first);
    free(edges->to);
}

// ---- Dominators ---------------------------------------------------------------------------

// Depth first, without recursion: kernels can be deep.
static void order_nodes(struct ir_dominance *d, const struct ir_edges *along, uint32_t nodes,
                        uint32_t root) {
    uint32_t *stack = base_alloc(nodes * sizeof *stack);
    uint32_t *next = base_alloc(nodes * sizeof *next);
    uint32_t *finished = base_alloc(nodes * sizeof *finished);
    bool *seen = base_alloc(nodes);
    uint32_t depth = 0;
    stack[depth++] = root;
    seen[root] = true;
    while (depth) {
        const uint32_t node = stack[depth - 1], at = along->first[node] + next[node];
        if (at == along->first[node + 1]) {
            finished[d->reached++] = node;
            depth--;
            continue;
        }
        next[node]++;
        if (!seen[along->to[at]]) {
            seen[along->to[at]] = true;
            stack[depth++] = along->to[at];
        }
    }
    for (uint32_t i = 0; i < d->reached; i++) {
        d->order[i] = finished[d->reached - 1 - i];
        d->place[d->order[i]] = i;
    }
    free(stack);
    free(next);
    free(finished);
    free(seen);
}

static uint32_t intersect(const struct ir_dominance *d, uint32_t a, uint32_t b) {
    assert(d->place[a] != IR_NONE && d->place[b] != IR_NONE);
    while (a != b) {
        while (d->place[a] > d->place[b])
            a = d->parent[a];
        while (d->place[b] > d->place[a])
            b = d->parent[b];
    }
    return a;
}

static bool update(struct ir_dominance *d, const struct ir_edges *against, uint32_t node) {
    uint32_t best = IR_NONE;
    for (uint32_t e = against->first[node]; e < against->first[node + 1]; e++) {
        const uint32_t from = against->to[e];
        if (d->parent[from] != IR_NONE)
            best = best == IR_NONE ? from : intersect(d, best, from);
    }
    if (best == d->parent[node])
        return false;
    d->parent[node] = best;
    return true;
}

struct ir_dominance ir_dominance_find(const struct ir_edges *along, const struct ir_edges *against,
                                      uint32_t nodes, uint32_t root) {
    assert(root < nodes);
    struct ir_dominance d = {.order = base_alloc(nodes * sizeof *d.order),
                             .place = base_alloc(nodes * sizeof *d.place),
                             .parent = base_alloc(nodes * sizeof *d.parent)};
    for (uint32_t n = 0; n < nodes; n++)
        d.place[n] = d.parent[n] = IR_NONE;
    order_nodes(&d, along, nodes, root);
    d.parent[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < d.reached; i++)
            changed |= update(&d, against, d.order[i]);
    }
    return d;
}

void ir_dominance_free(struct ir_dominance *dominance) {
    free(dominance->order);
    free(dominance->place);
    free(dominance->parent);
}
