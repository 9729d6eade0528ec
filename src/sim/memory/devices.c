// Devices that share an address space: who owns what, and who may touch it. The functions of sim.h.
#include <assert.h>
#include <stdlib.h>

#include <string.h>

#include "base/alloc.h"
#include "sim/bulk.h"
#include "sim/memory/pages.h"

static struct sim_memory *new_view(struct sim_space *space, unsigned device,
                                   uint64_t device_bytes) {
    struct sim_memory *memory = base_alloc(sizeof *memory);
    assert(device < SIM_DEVICES && !space->views[device]);
    memory->generation = 1;
    memory->space = space;
    memory->device = device;
    memory->guests = 1u << device;
    memory->device_bytes = device_bytes;
    pthread_mutex_lock(&space->lock);
    space->views[device] = memory;
    pthread_mutex_unlock(&space->lock);
    return memory;
}

struct sim_memory *sim_memory_create(uint64_t device_bytes, unsigned device, unsigned devices,
                                     uint64_t place) {
    uint64_t bytes = device_bytes * 4 * (devices ? devices : 1);
    return new_view(sim_space_create(bytes, place), device, device_bytes);
}

void sim_memory_use_pages(struct sim_memory *memory) {
    memory->space->pages = sim_pages_create(memory->space);
}

void sim_memory_use_pool(struct sim_memory *memory, struct pool *pool) {
    memory->space->pool = pool;
}

void sim_memory_use_fill(struct sim_memory *memory, const struct sim_fill *fill) {
    memory->space->fresh.fill = *fill;
}

void sim_memory_track_undefined(struct sim_memory *memory) {
    struct sim_space *space = memory->space;
    if (space->mapped)
        sim_undefined_create(&space->undefined, space->begin, space->end - space->begin);
}

bool sim_memory_tracks_undefined(const struct sim_memory *memory) {
    return memory->space->undefined.bytes != 0;
}

struct sim_memory *sim_memory_join(struct sim_memory *other, unsigned device,
                                   uint64_t device_bytes) {
    return new_view(other->space, device, device_bytes);
}

void sim_memory_destroy(struct sim_memory *memory) {
    if (!memory)
        return;
    struct sim_space *space = memory->space;
    bool is_last = true;
    for (unsigned d = 0; d < SIM_DEVICES; d++)
        is_last &= !space->views[d] || space->views[d] == memory;
    if (!is_last)
        sim_space_drop_device(space, memory->device);
    space->views[memory->device] = NULL;
    if (is_last)
        sim_space_destroy(space);
    free(memory);
}

// ---- Access -------------------------------------------------------------------------------

static void open_to_guests(struct sim_allocation *allocation, void *context) {
    const struct sim_memory *owner = context;
    if (allocation->device == owner->device && !allocation->has_own_access)
        allocation->readers = allocation->writers = owner->guests;
}

void sim_set_peer(struct sim *sim, unsigned guest, bool may_access) {
    struct sim_memory *owner = sim_memory_of(sim);
    assert(guest < SIM_DEVICES);
    if (may_access)
        owner->guests |= 1u << guest;
    else
        owner->guests &= ~(1u << guest);
    sim_space_visit(owner->space, open_to_guests, owner);
}

struct wish {
    const void *owner;
    uint32_t readers, writers;
};

static void grant(struct sim_allocation *allocation, void *context) {
    const struct wish *wish = context;
    if (allocation->owner != wish->owner)
        return;
    allocation->has_own_access = true;
    allocation->readers = wish->readers;
    allocation->writers = wish->writers;
}

bool sim_set_access(struct sim *sim, const void *address, uint32_t readers, uint32_t writers) {
    struct sim_memory *memory = sim_memory_of(sim);
    uint64_t at = (uint64_t)(uintptr_t)address;
    struct sim_allocation *found = (struct sim_allocation *)sim_memory_find(memory, at, false);
    if (!found || found->address != at)
        return false;
    pthread_mutex_lock(&memory->space->lock);
    found->has_own_access = true;
    found->readers = readers;
    found->writers = writers;
    sim_space_forget(memory->space);
    pthread_mutex_unlock(&memory->space->lock);
    return true;
}

void sim_set_owner_access(struct sim *sim, const void *owner, uint32_t readers, uint32_t writers) {
    struct wish wish = {owner, readers, writers};
    sim_space_visit(sim_memory_of(sim)->space, grant, &wish);
}

struct move {
    struct sim_memory *heir;
    uint64_t address;
};

static void adopt(struct sim_allocation *allocation, void *context) {
    const struct move *move = context;
    struct sim_memory *heir = move->heir, *owner = heir->space->views[allocation->device];
    if (allocation->address != move->address)
        return;
    assert(owner && owner->used_bytes >= allocation->bytes);
    allocation->device = heir->device;
    owner->used_bytes -= allocation->bytes;
    heir->used_bytes += allocation->bytes;
}

void sim_memory_adopt(struct sim_memory *memory, uint64_t address) {
    struct move move = {memory, address};
    sim_space_visit(memory->space, adopt, &move);
}

// ---- The functions of sim.h ---------------------------------------------------------------

void *sim_alloc(struct sim *sim, size_t bytes, enum sim_allocation_kind kind) {
    const struct sim_allocation *allocation = sim_memory_alloc(sim_memory_of(sim), bytes, kind);
    return allocation ? (void *)(uintptr_t)allocation->address : NULL;
}

bool sim_free(struct sim *sim, void *address) {
    return sim_memory_free(sim_memory_of(sim), (uint64_t)(uintptr_t)address, false);
}

bool sim_register_host(struct sim *sim, void *address, size_t bytes) {
    return sim_memory_register(sim_memory_of(sim), (uint64_t)(uintptr_t)address, bytes, SIM_HOST) !=
           NULL;
}

bool sim_unregister_host(struct sim *sim, void *address) {
    return sim_memory_unregister(sim_memory_of(sim), (uint64_t)(uintptr_t)address);
}

bool sim_has_registered_host(const struct sim *sim) {
    return __atomic_load_n(&sim_memory_of(sim)->space->host_count, __ATOMIC_RELAXED) > 0;
}

bool sim_register_device(struct sim *sim, void *address, size_t bytes, uint32_t readers,
                         uint32_t writers) {
    struct sim_allocation *allocation =
        sim_memory_register(sim_memory_of(sim), (uint64_t)(uintptr_t)address, bytes, SIM_DEVICE);
    if (!allocation)
        return false;
    allocation->has_own_access = true;
    allocation->readers = readers;
    allocation->writers = writers;
    return true;
}

void sim_keep(struct sim *sim, uint64_t address, uint64_t bytes) {
    struct sim_space *space = sim_memory_of(sim)->space;
    space->kept = address;
    space->kept_bytes = bytes;
}

bool sim_unregister_device(struct sim *sim, void *address) {
    return sim_unregister_host(sim, address);
}

void sim_fill_fresh(struct sim *sim, void *address, size_t bytes) {
    struct sim_space *space = sim_memory_of(sim)->space;
    pthread_mutex_lock(&space->lock);
    sim_fresh_fill(&space->fresh, space->pool, 0, (uint64_t)(uintptr_t)address, bytes);
    pthread_mutex_unlock(&space->lock);
}

static struct sim_range overwrite(struct sim *sim, const void *at, size_t bytes) {
    struct sim_space *space = sim_memory_of(sim)->space;
    pthread_mutex_lock(&space->lock);
    const struct sim_range zeros =
        sim_fresh_overwrite(&space->fresh, (uint64_t)(uintptr_t)at, bytes);
    pthread_mutex_unlock(&space->lock);
    return zeros;
}

void sim_copy(struct sim *sim, void *to, const void *from, size_t bytes) {
    const uint64_t target = (uint64_t)(uintptr_t)to, source = (uint64_t)(uintptr_t)from;
    if (target - source < bytes || source - target < bytes) {
        memmove(to, from, bytes);
        return;
    }
    overwrite(sim, to, bytes);
    bulk_copy(sim_memory_of(sim)->space->pool, to, from, bytes);
}

void sim_set(struct sim *sim, void *to, size_t bytes, uint32_t value, unsigned element) {
    struct pool *pool = sim_memory_of(sim)->space->pool;
    const struct sim_range zeros = overwrite(sim, to, bytes);
    if (value || !zeros.bytes) {
        bulk_fill(pool, to, bytes, value, element);
        return;
    }
    const size_t before = zeros.address - (uint64_t)(uintptr_t)to;
    bulk_fill(pool, to, before, 0, 1);
    bulk_fill(pool, (char *)to + before + zeros.bytes, bytes - before - zeros.bytes, 0, 1);
}

void sim_define(struct sim *sim, const void *address, size_t bytes) {
    sim_undefined_define(&sim_memory_of(sim)->space->undefined, (uint64_t)(uintptr_t)address,
                         bytes);
}

void sim_define_copy(struct sim *sim, const void *to, const void *from, size_t bytes) {
    struct sim_undefined *undefined = &sim_memory_of(sim)->space->undefined;
    const struct sim_allocation *target =
        undefined->bytes ? sim_find(sim, (uint64_t)(uintptr_t)to, false) : NULL;
    if (target && target->kind == SIM_DEVICE)
        sim_undefined_copy(undefined, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes);
}

const struct sim_allocation *sim_find(const struct sim *sim, uint64_t address, bool nearest) {
    return sim_memory_find(sim_memory_of(sim), address, nearest);
}

void sim_memory_info(const struct sim *sim, uint64_t *free_bytes, uint64_t *total_bytes) {
    struct sim_memory *memory = sim_memory_of(sim);
    pthread_mutex_lock(&memory->space->lock);
    *total_bytes = memory->device_bytes;
    *free_bytes = memory->device_bytes - memory->used_bytes;
    pthread_mutex_unlock(&memory->space->lock);
}
