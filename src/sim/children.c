// What kernels launched, in a launch's result.
#include <stdlib.h>

#include "sim/launch.h"

void sim_children_free(struct sim_result *result) {
    for (size_t i = 0; i < result->child_count; i++)
        free(result->children[i].parameters);
    free(result->children);
    result->children = NULL;
    result->child_count = 0;
}

static int by_parent(const void *a, const void *b) {
    const struct sim_child *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void sim_children_sort(struct sim_result *result) {
    qsort(result->children, result->child_count, sizeof *result->children, by_parent);
}
