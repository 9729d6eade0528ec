// Memory that graphs allocate. Its address is known when the node is made; the memory is there from
// the time that the node ran until it is freed.
#ifndef BANKRUN_CUDART_GRAPH_MEMORY_H
#define BANKRUN_CUDART_GRAPH_MEMORY_H

#include "cudart/state.h"

struct cudart_graph;
struct cudart_links;

struct cudart_region {
    char *at;
    size_t bytes, span; // asked for; of address space
    bool is_mapped;
    struct cudart_device *device;
    unsigned references;
};

// All of them: lock held, device made.

// A region for an allocation behind these nodes: one of the graph that they have freed, or a new
// one. NULL: no address space.
struct cudart_region *cudart_region_for(struct cudart_state *state, struct cudart_graph *graph,
                                        const struct cudart_links *before, size_t bytes);
struct cudart_region *cudart_region_retain(struct cudart_region *region);
void cudart_region_release(struct cudart_state *state, struct cudart_region *region);
// NULL: no region starts there.
struct cudart_region *cudart_region_at(struct cudart_state *state, const void *address);
enum cuda_error cudart_region_map(struct cudart_state *state, struct cudart_region *region);
enum cuda_error cudart_region_unmap(struct cudart_state *state, struct cudart_region *region);
// True when the address starts a region that is mapped, which it no longer is then.
bool cudart_region_free(struct cudart_state *state, const void *address);

// cudart_range_is_good, or, if may_wait, a part of a region, whether or not it is mapped.
bool cudart_range_is_usable(const struct cudart_state *state, const void *pointer, size_t bytes,
                            bool takes_pageable, bool may_wait);

#endif
