// Launches of which other processes run a part: what of the device's memory they may have.
#include <stdlib.h>

#include "sim/sim_internal.h"

struct sim_apart_access {
    struct sim_allocation *allocation;
    uint32_t readers, writers;
};

void sim_space_of(const struct sim *sim, uint64_t *address, uint64_t *bytes) {
    const struct sim_space *space = sim_memory_of(sim)->space;
    *address = space->mapped ? space->begin : 0;
    *bytes = space->mapped ? space->end - space->begin : 0;
}

struct listing {
    const struct sim_space *space;
    unsigned device;
    VEC(struct sim_part) parts, others;
    VEC(struct sim_apart_access) accesses;
};

// Memory that the host has no address of, but by calls that wait for the launch, nor another
// process.
static bool is_own(const struct listing *listing, const struct sim_allocation *allocation) {
    const bool is_kind = allocation->kind == SIM_DEVICE || allocation->kind == SIM_DEVICE_HEAP ||
                         (allocation->kind == SIM_VARIABLE && !allocation->has_own_access);
    return is_kind && !allocation->is_shared && allocation->address >= listing->space->begin &&
           allocation->address + allocation->bytes <= listing->space->end;
}

static void list(struct sim_allocation *allocation, void *context) {
    struct listing *listing = context;
    const uint32_t own = 1u << listing->device;
    const struct sim_part part = {allocation->address, allocation->bytes,
                                  allocation->writers & own && !allocation->is_read_only};
    if (allocation->kind == SIM_INTERNAL)
        return;
    if (is_own(listing, allocation) && allocation->readers & own) {
        vec_push(&listing->parts, part);
        return;
    }
    if (allocation->address - listing->space->begin < listing->space->end - listing->space->begin)
        vec_push(&listing->others, part);
    const struct sim_apart_access access = {allocation, allocation->readers, allocation->writers};
    vec_push(&listing->accesses, access);
    allocation->readers &= ~own;
    allocation->writers &= ~own;
}

static int by_address(const void *a, const void *b) {
    const struct sim_part *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

void sim_apart_begin(struct sim *sim, struct sim_apart *apart) {
    struct sim_memory *memory = sim_memory_of(sim);
    struct listing listing = {.space = memory->space, .device = memory->device};
    sim_space_visit(memory->space, list, &listing);
    pthread_mutex_lock(&memory->space->lock);
    apart->rover = memory->space->rover;
    apart->timer = sim->timer;
    apart->launches = sim->launches;
    sim_space_forget(memory->space);
    pthread_mutex_unlock(&memory->space->lock);
    if (listing.parts.length)
        qsort(listing.parts.data, listing.parts.length, sizeof *listing.parts.data, by_address);
    apart->parts = listing.parts.data;
    apart->part_count = listing.parts.length;
    apart->others = listing.others.data;
    apart->other_count = listing.others.length;
    apart->accesses = listing.accesses.data;
    apart->access_count = listing.accesses.length;
}

void sim_apart_end(struct sim *sim, struct sim_apart *apart, bool undoes) {
    struct sim_space *space = sim_memory_of(sim)->space;
    pthread_mutex_lock(&space->lock);
    for (size_t i = 0; i < apart->access_count; i++) {
        apart->accesses[i].allocation->readers = apart->accesses[i].readers;
        apart->accesses[i].allocation->writers = apart->accesses[i].writers;
    }
    if (undoes)
        space->rover = apart->rover;
    sim->timer = undoes ? apart->timer : sim->timer;
    sim->launches = undoes ? apart->launches : sim->launches;
    sim_space_forget(space);
    pthread_mutex_unlock(&space->lock);
    free(apart->parts);
    free(apart->others);
    free(apart->accesses);
    *apart = (struct sim_apart){0};
}

const struct sim_config *sim_config_of(const struct sim *sim) {
    return &sim->config;
}

const char *sim_kernel_needs_one_process(const struct sim_kernel *kernel) {
    if (kernel->waits_for_blocks)
        return "its blocks may wait for each other";
    if (kernel->is_ordered)
        return "its blocks see how far others are: it uses what atomics return, adds "
               "floating-point numbers by atomics, or reads what others write meanwhile";
    if (kernel->reads_clock)
        return "it reads a clock";
    return kernel->launches    ? "it launches kernels"
           : kernel->allocates ? "it allocates memory"
                               : NULL;
}

void sim_ran_elsewhere(struct sim_kernel *kernel, uint64_t instructions, uint64_t all,
                       uint64_t blocks) {
    kernel->module->sim->timer += instructions * SIM_NANOSECONDS;
    kernel->instructions += instructions;
    kernel->block_instructions = blocks ? all / blocks : UINT64_MAX;
}

uint64_t sim_kernel_block_instructions(const struct sim_kernel *kernel) {
    return kernel->block_instructions;
}
