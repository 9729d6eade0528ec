#include "compiled/merges.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "compiled/plan.h"

struct place { // of a site
    const struct ir_function *function;
    uint64_t group, address;
    uint32_t site, width;
};

static int by_address(const void *left, const void *right) {
    const struct place *a = left, *b = right;
    if (a->function != b->function)
        return (uintptr_t)a->function < (uintptr_t)b->function ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool are_side_by_side(const struct place *a, const struct place *b) {
    return a->function == b->function && a->group == b->group && a->width == b->width &&
           a->width <= 8 && b->address - a->address <= a->width; // at one place: one is left out
}

bool *compiled_may_merge(const struct ir_function *kernel) {
    uint32_t count, length = 0;
    struct ir_kernel_site *sites = ir_kernel_sites(kernel, &count);
    struct place *places = base_alloc((count + 1) * sizeof *places);
    struct neighbours *neighbours = neighbours_create();
    bool *may_merge = base_alloc((count + 1) * sizeof *may_merge);
    for (uint32_t s = 0; s < count; s++) {
        struct place place = {sites[s].function, 0, 0, s, sites[s].site->width};
        if (combine_may(&sites[s]))
            place.group = neighbours_group(neighbours, &sites[s], &place.address);
        if (place.group)
            places[length++] = place;
    }
    qsort(places, length, sizeof *places, by_address);
    for (uint32_t i = 1; i < length; i++)
        if (are_side_by_side(&places[i - 1], &places[i]))
            may_merge[places[i - 1].site] = may_merge[places[i].site] = true;
    neighbours_free(neighbours);
    free(places);
    free(sites);
    return may_merge;
}
