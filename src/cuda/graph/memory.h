// Memory that graphs allocate. Its address is known when the node is made; the memory is there from
// the time that the node ran until it is freed.
#ifndef BANKRUN_CUDA_GRAPH_MEMORY_H
#define BANKRUN_CUDA_GRAPH_MEMORY_H

#include "cuda/core/state.h"

struct cuda_graph;
struct cuda_links;

struct cuda_region {
    char *at;
    size_t bytes, span; // asked for; of address space
    bool is_mapped;
    struct cuda_device *device;
    unsigned references;
};

// All of them: lock held, device made.

// A region for an allocation behind these nodes: one of the graph that they have freed, or a new
// one. NULL: no address space.
struct cuda_region *cuda_region_for(struct cuda_state *state, struct cuda_graph *graph,
                                    const struct cuda_links *before, size_t bytes);
struct cuda_region *cuda_region_retain(struct cuda_region *region);
void cuda_region_release(struct cuda_state *state, struct cuda_region *region);
// NULL: no region starts there.
struct cuda_region *cuda_region_at(struct cuda_state *state, const void *address);
enum cuda_error cuda_region_map(struct cuda_state *state, struct cuda_region *region);
enum cuda_error cuda_region_unmap(struct cuda_state *state, struct cuda_region *region);
// True when the address starts a region that is mapped, which it no longer is then.
bool cuda_region_free(struct cuda_state *state, const void *address);

// cuda_range_is_good, or, if may_wait, a part of a region, whether or not it is mapped.
bool cuda_range_is_usable(const struct cuda_state *state, const void *pointer, size_t bytes,
                          bool takes_pageable, bool may_wait);

#endif
