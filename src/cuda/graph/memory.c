#define _GNU_SOURCE // MAP_ANONYMOUS
#include "cuda/graph/memory.h"
#include "cuda/graph/calls.h"

#include <sys/mman.h>

#include "base/alloc.h"
#include "cuda/graph/state.h"
#include "cuda/memory/pointer.h"

enum { USED_NOW, USED_MOST, RESERVED_NOW, RESERVED_MOST, MEMORY_ATTRIBUTES };
#define RESERVE_UNIT ((uint64_t)32 << 20) // graphs' memory of a device grows by this much
#define SPAN_UNIT ((size_t)2 << 20)

static uint64_t mapped_bytes(const struct cuda_graphs *graphs) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < graphs->regions.length; i++)
        if (graphs->regions.data[i]->is_mapped)
            bytes += graphs->regions.data[i]->bytes;
    return (bytes + RESERVE_UNIT - 1) / RESERVE_UNIT * RESERVE_UNIT;
}

// What is freed stays with the graphs until it is trimmed.
static void count(struct cuda_graphs *graphs, bool is_trimmed) {
    uint64_t bytes = mapped_bytes(graphs), *memory = graphs->memory;
    if (is_trimmed || memory[USED_NOW] < bytes)
        memory[USED_NOW] = memory[RESERVED_NOW] = bytes;
    for (int most = USED_MOST; most <= RESERVED_MOST; most += RESERVED_MOST - USED_MOST)
        if (memory[most] < memory[most - 1])
            memory[most] = memory[most - 1];
}

static struct cuda_region *new_region(struct cuda_state *state, size_t bytes) {
    size_t span = (bytes + SPAN_UNIT - 1) / SPAN_UNIT * SPAN_UNIT;
    if (span < bytes)
        return NULL;
    // More than is used, so that it can start at a multiple of the unit and ends in a guard.
    char *at = mmap(NULL, span + 2 * SPAN_UNIT, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    size_t skip = (SPAN_UNIT - (uintptr_t)at % SPAN_UNIT) % SPAN_UNIT;
    if (skip)
        munmap(at, skip);
    munmap(at + skip + span + SPAN_UNIT, SPAN_UNIT - skip);
    struct cuda_region *region = base_alloc(sizeof *region);
    *region = (struct cuda_region){
        .at = at + skip, .bytes = bytes, .span = span + SPAN_UNIT, .device = state->current};
    vec_push(&cuda_graphs(state)->regions, region);
    return region;
}

// How often the nodes of the graph allocate the region less how often they free it, and whether
// all of them come before a place.
static bool is_free_there(const struct cuda_graph *graph, const struct cuda_region *region) {
    int balance = 0;
    for (size_t i = 0; i < graph->nodes.length; i++) {
        const struct cuda_node *node = graph->nodes.data[i];
        const struct cuda_operation *operation = &node->operation;
        bool allocates =
            operation->kind == CUDA_NODE_ALLOCATE && operation->u.allocate.region == region;
        bool frees = operation->kind == CUDA_NODE_FREE && operation->u.freed == region;
        if ((allocates || frees) && !node->mark)
            return false;
        balance += allocates - frees;
    }
    return balance == 0;
}

struct cuda_region *cuda_region_for(struct cuda_state *state, struct cuda_graph *graph,
                                    const struct cuda_links *before, size_t bytes) {
    cuda_graph_mark(graph, before);
    for (size_t i = 0; i < graph->nodes.length; i++) {
        const struct cuda_operation *operation = &graph->nodes.data[i]->operation;
        if (operation->kind != CUDA_NODE_FREE || operation->u.freed->bytes != bytes)
            continue;
        if (is_free_there(graph, operation->u.freed))
            return cuda_region_retain(operation->u.freed);
    }
    struct cuda_region *region = new_region(state, bytes);
    return region ? cuda_region_retain(region) : NULL;
}

struct cuda_region *cuda_region_retain(struct cuda_region *region) {
    region->references++;
    return region;
}

void cuda_region_release(struct cuda_state *state, struct cuda_region *region) {
    if (--region->references)
        return;
    struct cuda_graphs *graphs = cuda_graphs(state);
    for (size_t i = 0; i < graphs->regions.length; i++)
        if (graphs->regions.data[i] == region)
            graphs->regions.data[i] = graphs->regions.data[--graphs->regions.length];
    munmap(region->at, region->span);
    free(region);
}

static struct cuda_region *around(const struct cuda_state *state, const void *address,
                                  size_t bytes) {
    for (size_t i = 0; state->graphs && i < state->graphs->regions.length; i++) {
        struct cuda_region *region = state->graphs->regions.data[i];
        uintptr_t offset = (uintptr_t)address - (uintptr_t)region->at;
        if (offset < region->span && bytes <= region->bytes && offset <= region->bytes - bytes)
            return region;
    }
    return NULL;
}

struct cuda_region *cuda_region_at(struct cuda_state *state, const void *address) {
    struct cuda_region *region = around(state, address, 0);
    return region && region->at == address ? region : NULL;
}

bool cuda_range_is_usable(const struct cuda_state *state, const void *pointer, size_t bytes,
                          bool takes_pageable, bool may_wait) {
    const struct cuda_region *region = around(state, pointer, bytes);
    if (region)
        return region->is_mapped || may_wait;
    return cuda_range_is_good(state, pointer, bytes, takes_pageable);
}

// Mapped memory is referred to by its being mapped.
enum cuda_error cuda_region_map(struct cuda_state *state, struct cuda_region *region) {
    const uint32_t own = UINT32_C(1) << region->device->number;
    if (region->is_mapped)
        return cudaErrorInvalidValue;
    if (mprotect(region->at, region->span - SPAN_UNIT, PROT_READ | PROT_WRITE) != 0 ||
        !sim_register_device(region->device->sim, region->at, region->bytes, own, own))
        return cudaErrorMemoryAllocation;
    sim_fill_fresh(region->device->sim, region->at, region->bytes);
    region->is_mapped = true;
    cuda_region_retain(region);
    count(cuda_graphs(state), false);
    return cudaSuccess;
}

enum cuda_error cuda_region_unmap(struct cuda_state *state, struct cuda_region *region) {
    if (!region->is_mapped)
        return cudaErrorInvalidValue;
    sim_unregister_device(region->device->sim, region->at);
    madvise(region->at, region->span - SPAN_UNIT, MADV_DONTNEED);
    mprotect(region->at, region->span - SPAN_UNIT, PROT_NONE);
    region->is_mapped = false;
    cuda_region_release(state, region);
    return cudaSuccess;
}

bool cuda_region_free(struct cuda_state *state, const void *address) {
    struct cuda_region *region = cuda_region_at(state, address);
    return region && cuda_region_unmap(state, region) == cudaSuccess;
}

// ---- What the device says of it ---------------------------------------------------------------

enum cuda_error cuda_device_graph_mem_trim(struct cuda_state *state, int device) {
    enum cuda_error error = cuda_enter_device(state, device);
    if (error == cudaSuccess)
        count(cuda_graphs(state), true);
    return error;
}

static enum cuda_error enter_with(struct cuda_state *state, int device, int attribute,
                                  const void *value) {
    enum cuda_error error = cuda_enter_device(state, device);
    if (error == cudaSuccess && (!value || attribute < 0 || attribute >= MEMORY_ATTRIBUTES))
        error = cudaErrorInvalidValue;
    return error;
}

enum cuda_error cuda_device_get_graph_mem_attribute(struct cuda_state *state, int device,
                                                    int attribute, uint64_t *value) {
    enum cuda_error error = enter_with(state, device, attribute, value);
    if (error == cudaSuccess)
        *value = cuda_graphs(state)->memory[attribute];
    return error;
}

// High watermarks can be set back to 0.
enum cuda_error cuda_device_set_graph_mem_attribute(struct cuda_state *state, int device,
                                                    int attribute, const uint64_t *value) {
    enum cuda_error error = enter_with(state, device, attribute, value);
    if (error == cudaSuccess && (*value || (attribute != USED_MOST && attribute != RESERVED_MOST)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cuda_graphs(state)->memory[attribute] = 0;
    return error;
}
