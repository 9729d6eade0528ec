#define _GNU_SOURCE // MAP_ANONYMOUS
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cuda/core/ipc.h"
#include "sim/share.h"

// Opened memory lies at the same distance from a multiple of this as in its own process, on which
// allocators of programs rely.
enum { PLACE_UNIT = 2 << 20 };

struct cuda_ipc_opened {
    struct cuda_ipc_origin origin;
    uint64_t address;
    char *area; // that is mapped
    size_t area_bytes;
    unsigned device, count; // count: how often it is open
    struct cuda_ipc_opened *next;
};

static void *at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

void *cuda_ipc_open_again(struct cuda_state *state, struct cuda_ipc_origin origin) {
    for (struct cuda_ipc_opened *o = state->opened; o; o = o->next)
        if (o->origin.token == origin.token && o->origin.serial == origin.serial) {
            o->count++;
            return at(o->address);
        }
    return NULL;
}

// The pages of the file that hold the memory, in an area of their own in which the memory begins at
// opened->address. False: errno says why.
static bool map(struct cuda_ipc_opened *opened, const struct cuda_ipc_entry *entry, int file) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t first = (entry->address - entry->begin) / page * page;
    const uint64_t end = (entry->address - entry->begin + entry->bytes + page - 1) / page * page;
    const uint64_t skip = (entry->begin + first) % PLACE_UNIT;
    opened->area_bytes = (size_t)(end - first + 2 * PLACE_UNIT);
    opened->area = mmap(NULL, opened->area_bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (opened->area == MAP_FAILED)
        return false;
    const uint64_t begin = (uint64_t)(uintptr_t)opened->area;
    const uint64_t place = (begin + PLACE_UNIT - 1) / PLACE_UNIT * PLACE_UNIT + skip;
    opened->address = place + (entry->address - entry->begin - first);
    if (mmap(at(place), end - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             (off_t)first) != MAP_FAILED)
        return true;
    munmap(opened->area, opened->area_bytes);
    return false;
}

bool cuda_ipc_open(struct cuda_state *state, struct cuda_ipc_origin origin,
                   const struct cuda_ipc_entry *entry, int file, uint32_t also, void **pointer) {
    struct cuda_ipc_opened opened = {.origin = origin, .device = entry->device, .count = 1};
    if (!map(&opened, entry, file))
        return false;
    struct sim *sim = state->devices[entry->device].sim;
    if (!sim_register_shared(sim, at(opened.address), entry->bytes, also)) {
        munmap(opened.area, opened.area_bytes);
        return false;
    }
    opened.next = state->opened;
    state->opened = base_alloc(sizeof opened);
    *state->opened = opened;
    *pointer = at(opened.address);
    return true;
}

bool cuda_ipc_is_opened(const struct cuda_state *state, uint64_t address) {
    for (const struct cuda_ipc_opened *o = state->opened; o; o = o->next)
        if (o->address == address)
            return true;
    return false;
}

static void unmap(struct cuda_state *state, struct cuda_ipc_opened **link) {
    struct cuda_ipc_opened *old = *link;
    *link = old->next;
    sim_unregister_device(cuda_any_sim(state), at(old->address));
    munmap(old->area, old->area_bytes);
    free(old);
}

bool cuda_ipc_close(struct cuda_state *state, uint64_t address) {
    struct cuda_ipc_opened **link = &state->opened;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    if (!*link)
        return false;
    if (!--(*link)->count)
        unmap(state, link);
    return true;
}

void cuda_ipc_close_all(struct cuda_state *state, unsigned device) {
    for (struct cuda_ipc_opened **link = &state->opened; *link;)
        if ((*link)->device == device)
            unmap(state, link);
        else
            link = &(*link)->next;
}
