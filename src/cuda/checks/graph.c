// Graphs: what each node comes after, and in which branch it runs.
#include <stdlib.h>

#include "base/alloc.h"
#include "cuda/checks/checker.h"
#include "cuda/graph/graph.h"

struct cuda_check_graph {
    struct cuda_check_site site;
    struct check_clock before; // of the node under way
    unsigned branches;         // so far
};

struct node {
    struct check_clock after;
    unsigned branch;
    bool is_continued; // by a node behind it
};

struct cuda_check_nodes {
    const struct cuda_graph *graph;
    struct check_clock start, end;
    unsigned branch; // that the first node without others before it takes
    bool is_taken;
    struct node *nodes; // as in the schedule
};

static bool is_chain(const struct cuda_graph *graph) {
    size_t first = 0;
    for (size_t i = 0; i < graph->nodes.length; i++) {
        const struct cuda_node *node = graph->nodes.data[i];
        first += !node->before.nodes.length;
        if (node->after.length > 1 || node->operation.kind == CUDA_NODE_GRAPH ||
            node->operation.kind == CUDA_NODE_CONDITIONAL)
            return false;
    }
    return first <= 1;
}

struct cuda_check_graph *cuda_check_graph_begin(struct cuda_state *state, cuda_stream stream,
                                                const struct cuda_graph *graph) {
    if (!state->checker)
        return NULL;
    struct cuda_check_graph *check = base_alloc(sizeof *check);
    check->site.stream = cuda_check_enter(state, stream, &check->before);
    check->site.handle = stream;
    check->site.is_in_graph = true;
    check->branches = 1;
    if (!is_chain(graph))
        check_order_expect_branches(state->checker->order);
    return check;
}

void cuda_check_graph_end(struct cuda_state *state, struct cuda_check_graph *check) {
    if (!check)
        return;
    if (state->checker)
        check_order_wait(state->checker->order, check->site.stream, &check->before);
    check_clock_free(&check->before);
    free(check);
}

unsigned cuda_check_graph_branches(const struct cuda_check_graph *check) {
    return check ? check->branches : 0;
}

void cuda_check_graph_again(struct cuda_check_graph *check, unsigned branches) {
    if (check)
        check->branches = branches;
}

struct cuda_check_nodes *cuda_check_nodes_begin(struct cuda_check_graph *check,
                                                const struct cuda_graph *graph) {
    if (!check)
        return NULL;
    struct cuda_check_nodes *nodes = base_alloc(sizeof *nodes);
    nodes->graph = graph;
    nodes->nodes = base_alloc((graph->schedule.length + 1) * sizeof *nodes->nodes);
    nodes->branch = check->site.branch;
    check_clock_copy(&nodes->start, &check->before);
    check_clock_copy(&nodes->end, &check->before);
    for (size_t i = 0; i < graph->schedule.length; i++)
        graph->schedule.data[i]->mark = (uint32_t)i;
    return nodes;
}

void cuda_check_node_begin(struct cuda_check_graph *check, struct cuda_check_nodes *nodes,
                           const struct cuda_node *node) {
    if (!check)
        return;
    struct node *own = &nodes->nodes[node->mark], *continued = NULL;
    const bool is_first = !node->before.nodes.length;
    check_clock_copy(&check->before, &nodes->start);
    for (size_t i = 0; i < node->before.nodes.length; i++) {
        struct node *other = &nodes->nodes[node->before.nodes.data[i]->mark];
        check_clock_join(&check->before, &other->after);
        continued = !continued && !other->is_continued ? other : continued;
    }
    if (is_first && !nodes->is_taken) {
        own->branch = nodes->branch;
        nodes->is_taken = true;
    } else if (continued) {
        own->branch = continued->branch;
        continued->is_continued = true;
    } else {
        own->branch = check->branches++;
    }
    check->site.branch = own->branch;
}

enum cuda_error cuda_check_run_node(struct cuda_state *state, struct cuda_check_graph *check,
                                    const struct cuda_operation *operation) {
    if (!check || !state->checker)
        return cuda_operation_run(state, operation);
    return cuda_check_run_at(state, &check->site, &check->before, operation);
}

void cuda_check_node_end(struct cuda_check_graph *check, struct cuda_check_nodes *nodes,
                         const struct cuda_node *node) {
    if (!check)
        return;
    check_clock_copy(&nodes->nodes[node->mark].after, &check->before);
    check_clock_join(&nodes->end, &check->before);
}

void cuda_check_nodes_end(struct cuda_check_graph *check, struct cuda_check_nodes *nodes) {
    if (!check)
        return;
    check_clock_copy(&check->before, &nodes->end);
    for (size_t i = 0; i < nodes->graph->schedule.length; i++)
        check_clock_free(&nodes->nodes[i].after);
    check_clock_free(&nodes->start);
    check_clock_free(&nodes->end);
    free(nodes->nodes);
    free(nodes);
}
