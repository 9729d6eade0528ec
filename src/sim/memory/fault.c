// Words for addresses that may not be accessed.
#include <inttypes.h>
#include <stdio.h>

#include "base/mapping.h"
#include "sim/memory/memory.h"

// Further away than this an allocation says nothing about what went wrong.
static const uint64_t NEAR = 1ull << 30;

static void noun(const struct sim_allocation *allocation, char *text, size_t size) {
    static const char *const nouns[] = {
        [SIM_DEVICE] = "allocation",
        [SIM_HOST] = "host allocation",
        [SIM_MANAGED] = "managed allocation",
        [SIM_VARIABLE] = "variable",
        [SIM_DEVICE_HEAP] = "allocation of the kernel's malloc",
        [SIM_INTERNAL] = "allocation of bankrun's own",
    };
    int length =
        snprintf(text, size, "%" PRIu64 "-byte %s", allocation->bytes, nouns[allocation->kind]);
    if (allocation->name && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, " `%s`", allocation->name);
}

static bool describe_freed(struct sim_memory *memory, uint64_t address, char *text) {
    bool found = false;
    struct sim_space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    uint64_t kept = space->freed_count < SIM_MEMORY_FREED ? space->freed_count : SIM_MEMORY_FREED;
    for (uint64_t back = 1; back <= kept && !found; back++) {
        struct sim_memory_freed *freed =
            &space->freed[(space->freed_count - back) % SIM_MEMORY_FREED];
        found = address - freed->address < freed->bytes;
        if (found)
            snprintf(text, SIM_MEMORY_TEXT,
                     "inside an allocation of %" PRIu64 " bytes at 0x%" PRIx64 " that was freed",
                     freed->bytes, freed->address);
    }
    pthread_mutex_unlock(&space->lock);
    return found;
}

// Inside memory of another device. False: the device may touch it.
static bool describe_foreign(const struct sim_memory *memory,
                             const struct sim_allocation *allocation, char *text) {
    char what[SIM_MEMORY_TEXT / 2];
    if ((allocation->readers & allocation->writers) >> memory->device & 1)
        return false;
    noun(allocation, what, sizeof what);
    if (allocation->device == memory->device)
        snprintf(text, SIM_MEMORY_TEXT, "inside the %s at 0x%" PRIx64 ", which has no such access",
                 what, allocation->address);
    else
        snprintf(text, SIM_MEMORY_TEXT,
                 "inside the %s at 0x%" PRIx64 " of device %u, to which device %u has no access",
                 what, allocation->address, allocation->device, memory->device);
    return true;
}

static void describe_nearest(const struct sim_allocation *allocation, uint64_t address,
                             uint64_t bytes, char *text) {
    char what[SIM_MEMORY_TEXT / 2];
    noun(allocation, what, sizeof what);
    uint64_t end = allocation->address + allocation->bytes;
    if (address < allocation->address) {
        snprintf(text, SIM_MEMORY_TEXT, "%" PRIu64 " bytes before the %s at 0x%" PRIx64,
                 allocation->address - address, what, allocation->address);
    } else if (address < end && allocation->is_read_only && bytes <= end - address) {
        snprintf(text, SIM_MEMORY_TEXT, "inside the %s at 0x%" PRIx64 ", which is constant", what,
                 allocation->address);
    } else if (address < end) {
        snprintf(text, SIM_MEMORY_TEXT,
                 "%" PRIu64 " bytes of it lie past the end of the %s at 0x%" PRIx64,
                 address + bytes - end, what, allocation->address);
    } else if (address == end) {
        snprintf(text, SIM_MEMORY_TEXT, "right behind the end of the %s at 0x%" PRIx64, what,
                 allocation->address);
    } else {
        snprintf(text, SIM_MEMORY_TEXT, "%" PRIu64 " bytes past the end of the %s at 0x%" PRIx64,
                 address - end, what, allocation->address);
    }
}

// The program took it away, or lent it for reading alone.
static bool describe_unmapped(const struct sim_allocation *found, char *text) {
    const bool is_there = mapping_allows(found->address, found->bytes, false);
    if (found->kind != SIM_HOST || (is_there && mapping_allows(found->address, found->bytes, true)))
        return false;
    snprintf(text, SIM_MEMORY_TEXT,
             "inside the host memory that was registered at 0x%" PRIx64 " and %s", found->address,
             is_there ? "may only be read" : "is no longer mapped");
    return true;
}

void sim_memory_describe(struct sim_memory *memory, uint64_t address, uint64_t bytes,
                         char text[SIM_MEMORY_TEXT]) {
    const struct sim_allocation *found = sim_memory_find(memory, address, false);
    if (found ? describe_foreign(memory, found, text) || describe_unmapped(found, text)
              : describe_freed(memory, address, text))
        return;
    if (address < 4096) {
        snprintf(text, SIM_MEMORY_TEXT, "a null pointer%s", address ? " with an offset" : "");
        return;
    }
    found = sim_memory_find(memory, address, true);
    uint64_t distance = NEAR;
    if (found)
        distance = address < found->address ? found->address - address
                                            : address - found->address - found->bytes;
    if (!found)
        snprintf(text, SIM_MEMORY_TEXT, "there are no allocations");
    else if (address - found->address >= found->bytes && distance >= NEAR)
        snprintf(text, SIM_MEMORY_TEXT, "far from every allocation");
    else
        describe_nearest(found, address, bytes, text);
}
