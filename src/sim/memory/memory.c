// The table of allocations: a sorted array that readers search without a lock. A writer makes the
// table's version odd, changes it in place and makes the version even again; a reader that saw an
// odd or a changed version searches again. Arrays that became too small are kept until the end,
// because a reader may still look at them.
//
// What is freed stays in the array as a dead entry (without a node) until half of the array is
// dead. No dead entry starts inside a living allocation, so the entry below an address decides.
#include "sim/memory/pages.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sim/memory/stand_in.h"

struct entry {
    uint64_t address, bytes;
    struct sim_memory_node *node;
};

struct sim_memory_table {
    struct sim_memory_table *next; // retired
    size_t capacity, count;
    size_t dead; // of the count; writers only
    struct entry entries[];
};

// Nodes are never given back before the end: who found one may still read it.
struct sim_memory_node {
    struct sim_allocation allocation;
    struct sim_memory_node *next_free;
    struct sim_memory_node *next; // of all nodes
    bool is_registered;
    bool is_shown; // to the host
};

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define STORE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)

enum { FIRST_CAPACITY = 64 };
static const uint64_t MIN_RESERVE = 64ull << 30; // address space, not memory
// The lower bits of an allocation's address are the same in every run: what asynchronous copies
// cost depends on them.
static const uint64_t RESERVE_ALIGN = 64ull << 20;

static uint64_t round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

// Bytes of address space that an allocation takes, its guard included.
static uint64_t slot_bytes(uint64_t bytes, bool is_shown) {
    return round_up(bytes + SIM_MEMORY_GUARD,
                    is_shown ? (uint64_t)sysconf(_SC_PAGESIZE) : SIM_MEMORY_ALIGN);
}

static struct sim_memory_table *new_table(size_t capacity) {
    struct sim_memory_table *table = base_alloc(sizeof *table + capacity * sizeof(struct entry));
    table->capacity = capacity;
    return table;
}

static void reserve_range(struct sim_space *space, uint64_t bytes, uint64_t place) {
    if (bytes < MIN_RESERVE)
        bytes = MIN_RESERVE;
    for (; bytes >= (1ull << 20); bytes /= 2) {
        void *at = mmap((void *)(uintptr_t)place, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            continue;
        space->mapped = at;
        space->end = (uint64_t)(uintptr_t)at + bytes;
        space->begin = bytes > RESERVE_ALIGN ? round_up((uint64_t)(uintptr_t)at, RESERVE_ALIGN)
                                             : (uint64_t)(uintptr_t)at;
        space->rover = space->begin + SIM_MEMORY_ALIGN;
        return;
    }
}

struct sim_space *sim_space_create(uint64_t bytes, uint64_t place) {
    struct sim_space *space = base_alloc(sizeof *space);
    space->table = new_table(FIRST_CAPACITY);
    pthread_mutex_init(&space->lock, NULL);
    reserve_range(space, bytes, place);
    space->stand_ins = base_alloc(sizeof *space->stand_ins);
    space->stand_ins->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    return space;
}

void sim_space_destroy(struct sim_space *space) {
    if (space->mapped)
        munmap(space->mapped, space->end - (uint64_t)(uintptr_t)space->mapped);
    space->table->next = space->retired;
    for (struct sim_memory_table *table = space->table, *next; table; table = next) {
        next = table->next;
        free(table);
    }
    for (struct sim_memory_node *node = space->nodes, *next; node; node = next) {
        next = node->next;
        free(node);
    }
    sim_pages_free(space->pages);
    sim_fresh_free(&space->fresh);
    sim_shared_free(space);
    free(space->stand_ins);
    sim_undefined_free(&space->undefined);
    pthread_mutex_destroy(&space->lock);
    free(space);
}

// ---- Writers; the lock is held ------------------------------------------------------------

static void begin_change(struct sim_space *space) {
    assert(!(space->version & 1));
    STORE(space->version, space->version + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_change(struct sim_space *space) {
    assert(space->version & 1);
    __atomic_store_n(&space->version, space->version + 1, __ATOMIC_RELEASE);
}

static void copy_entry(struct entry *to, const struct entry *from) {
    STORE(to->address, LOAD(from->address));
    STORE(to->bytes, LOAD(from->bytes));
    STORE(to->node, LOAD(from->node));
}

// Index of the first entry that starts above the address.
static size_t first_above(const struct sim_memory_table *table, uint64_t address) {
    size_t low = 0, high = LOAD(table->count);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (LOAD(table->entries[middle].address) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void drop_dead_entries(struct sim_space *space) {
    struct sim_memory_table *table = space->table;
    size_t kept = 0;
    begin_change(space);
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].node)
            copy_entry(&table->entries[kept++], &table->entries[i]);
    STORE(table->count, kept);
    table->dead = 0;
    end_change(space);
}

// Whether an entry starts in the range.
static bool starts_within(const struct sim_memory_table *table, uint64_t address, uint64_t bytes) {
    size_t above = first_above(table, address);
    return (above && table->entries[above - 1].address == address) ||
           (above < table->count && table->entries[above].address - address < bytes);
}

// Whether the place is free, and the table stays sorted when it is taken there.
__attribute__((unused)) static bool is_gap(const struct sim_memory_table *table, size_t at,
                                           uint64_t address, uint64_t bytes) {
    const struct entry *below = at ? &table->entries[at - 1] : NULL;
    if (at < table->count && table->entries[at].address - address < bytes)
        return false;
    return !below ||
           (below->address < address && (!below->node || below->bytes <= address - below->address));
}

static struct sim_memory_table *room_for_one(struct sim_space *space) {
    struct sim_memory_table *old = space->table;
    if (old->count == old->capacity && old->dead > old->count / 4)
        drop_dead_entries(space);
    if (old->count < old->capacity)
        return old;
    struct sim_memory_table *table = new_table(old->capacity * 2);
    memcpy(table->entries, old->entries, old->count * sizeof *old->entries);
    table->count = old->count;
    table->dead = old->dead;
    old->next = space->retired;
    space->retired = old;
    return table;
}

// Device memory that is registered is the caller's own, who does not take it away.
static void count_host(struct sim_space *space, const struct sim_memory_node *node, uint64_t by) {
    if (node->is_registered && node->allocation.kind == SIM_HOST)
        STORE(space->host_count, space->host_count + by);
}

static struct sim_allocation *insert(struct sim_space *space, uint64_t address, uint64_t bytes,
                                     enum sim_allocation_kind kind, bool is_registered,
                                     bool is_shown) {
    struct sim_memory_node *node = space->free_nodes;
    if (node) {
        space->free_nodes = node->next_free;
    } else {
        node = base_alloc(sizeof *node);
        node->next = space->nodes;
        space->nodes = node;
    }
    node->allocation = (struct sim_allocation){.address = address, .bytes = bytes, .kind = kind};
    node->is_registered = is_registered;
    node->is_shown = is_shown;
    count_host(space, node, 1);
    if (space->table->dead && starts_within(space->table, address, bytes))
        drop_dead_entries(space);
    struct sim_memory_table *table = room_for_one(space);
    size_t at = first_above(table, address);
    assert(table->count < table->capacity && is_gap(table, at, address, bytes));
    begin_change(space);
    for (size_t i = table->count; i > at; i--)
        copy_entry(&table->entries[i], &table->entries[i - 1]);
    copy_entry(&table->entries[at], &(struct entry){address, bytes, node});
    STORE(table->count, table->count + 1);
    __atomic_store_n(&space->table, table, __ATOMIC_RELEASE);
    end_change(space);
    return &node->allocation;
}

void sim_space_forget(struct sim_space *space) {
    for (unsigned d = 0; d < SIM_DEVICES; d++)
        if (space->views[d])
            __atomic_fetch_add(&space->views[d]->generation, 1, __ATOMIC_SEQ_CST);
}

static void remove_at(struct sim_space *space, size_t at) {
    struct sim_memory_table *table = space->table;
    struct entry entry = table->entries[at];
    assert(at < table->count && entry.node);
    begin_change(space);
    STORE(table->entries[at].node, NULL);
    end_change(space);
    if (++table->dead > table->count / 2)
        drop_dead_entries(space);
    sim_space_forget(space);
    count_host(space, entry.node, (uint64_t)-1);
    if (entry.node->allocation.kind != SIM_INTERNAL)
        space->freed[space->freed_count++ % SIM_MEMORY_FREED] =
            (struct sim_memory_freed){entry.address, entry.bytes};
    entry.node->next_free = space->free_nodes;
    space->free_nodes = entry.node;
}

// A gap of the reserved range, from the rover on and once around. 0: none.
static uint64_t find_gap(struct sim_space *space, uint64_t slot) {
    const struct sim_memory_table *table = space->table;
    uint64_t cursor = space->rover;
    for (int round = 0; round < 2; round++) {
        size_t i = cursor ? first_above(table, cursor - 1) : 0;
        for (;; i++) {
            const struct entry *entry = i < table->count ? &table->entries[i] : NULL;
            if (entry && !entry->node)
                continue;
            bool is_last = !entry || entry->address >= space->end;
            uint64_t limit = is_last ? space->end : entry->address;
            if (limit > cursor && limit - cursor >= slot)
                return cursor;
            if (is_last)
                break;
            cursor = entry->address + slot_bytes(entry->bytes, entry->node->is_shown);
        }
        cursor = space->begin + SIM_MEMORY_ALIGN;
    }
    return 0;
}

// Variables have initial values, and are zeros without.
static bool is_filled(enum sim_allocation_kind kind) {
    return kind != SIM_VARIABLE && kind != SIM_INTERNAL;
}

// Random bytes are the same in every run: the address's lower bits are, unless kernels allocate, in
// whatever order their blocks come.
static uint64_t salt_of(uint64_t address, enum sim_allocation_kind kind) {
    return kind == SIM_DEVICE_HEAP ? 0 : address % RESERVE_ALIGN;
}

// Kernels allocate while the pool runs them.
static void fill(struct sim_space *space, enum sim_allocation_kind kind, uint64_t address,
                 uint64_t bytes) {
    struct pool *pool = kind == SIM_DEVICE_HEAP ? NULL : space->pool;
    if (!is_filled(kind))
        return;
    if (kind == SIM_DEVICE && !space->pages)
        sim_fresh_track(&space->fresh, address, bytes);
    sim_fresh_fill(&space->fresh, pool, salt_of(address, kind), address, bytes);
}

static bool counts_as_device(enum sim_allocation_kind kind) {
    return kind != SIM_HOST;
}

// Memory of the host, and managed memory, are everybody's.
static void give(const struct sim_memory *memory, struct sim_allocation *allocation) {
    allocation->device = memory->device;
    allocation->has_own_access = allocation->kind == SIM_HOST || allocation->kind == SIM_MANAGED;
    allocation->readers = allocation->writers =
        allocation->has_own_access ? SIM_ALL_DEVICES : memory->guests;
}

// What an allocation's address is a multiple of. Measured on an H100 (driver 580): beyond 1 MiB, of
// cuMemAlloc, managed and page-locked memory alike, 2 MiB, on which allocators of programs rely.
static uint64_t alignment_of(uint64_t bytes, enum sim_allocation_kind kind, bool is_shown) {
    if (bytes > SIM_PAGE_SMALL && (kind == SIM_HOST || kind == SIM_MANAGED || kind == SIM_DEVICE))
        return SIM_PAGE_BYTES;
    return is_shown ? (uint64_t)sysconf(_SC_PAGESIZE) : SIM_MEMORY_ALIGN;
}

// 0: there is no such place. The next one is looked for behind it.
static uint64_t take_gap(struct sim_space *space, uint64_t bytes, uint64_t alignment,
                         bool is_shown) {
    const uint64_t own = slot_bytes(bytes, is_shown), slot = own + alignment - SIM_MEMORY_ALIGN;
    const uint64_t gap = find_gap(space, slot), address = round_up(gap, alignment);
    assert(address % SIM_MEMORY_ALIGN == 0 && (!gap || gap + slot <= space->end));
    if (gap)
        space->rover = address + own;
    return address;
}

// Where so many bytes of the kind can lie; 0: nowhere.
static uint64_t find_place(const struct sim_memory *memory, uint64_t bytes,
                           enum sim_allocation_kind kind, bool is_shown) {
    struct sim_space *space = memory->space;
    const struct sim_allocation wanted = {.bytes = bytes, .kind = kind, .device = memory->device};
    if (space->pages)
        return sim_pages_take(space->pages, &wanted);
    const uint64_t alignment = alignment_of(bytes, kind, is_shown);
    const uint64_t address = take_gap(space, bytes, alignment, is_shown);
    // Where the system granted little address space there is memory rather than alignment.
    return address || alignment != SIM_PAGE_BYTES
               ? address
               : take_gap(space, bytes, alignment_of(0, kind, is_shown), is_shown);
}

static struct sim_allocation *allocate(struct sim_memory *memory, uint64_t bytes,
                                       enum sim_allocation_kind kind, bool is_shown) {
    struct sim_space *space = memory->space;
    if (bytes > space->end - space->begin)
        return NULL;
    struct sim_allocation *allocation = NULL;
    pthread_mutex_lock(&space->lock);
    uint64_t left = memory->device_bytes - memory->used_bytes;
    if (!counts_as_device(kind) || bytes <= left) {
        uint64_t address = find_place(memory, bytes, kind, is_shown);
        if (address) {
            allocation = insert(space, address, bytes, kind, false, is_shown);
            if (is_shown)
                sim_shared_clear(space, address, bytes);
            give(memory, allocation);
            fill(space, kind, address, bytes);
            // The host may write the others without being seen.
            sim_undefined_begin(&space->undefined, address, bytes,
                                kind != SIM_DEVICE && kind != SIM_DEVICE_HEAP);
            if (counts_as_device(kind))
                memory->used_bytes += bytes;
        }
    }
    pthread_mutex_unlock(&space->lock);
    return allocation;
}

struct sim_allocation *sim_memory_alloc(struct sim_memory *memory, uint64_t bytes,
                                        enum sim_allocation_kind kind) {
    return allocate(memory, bytes, kind, kind == SIM_HOST || kind == SIM_MANAGED);
}

struct sim_allocation *sim_memory_alloc_shown(struct sim_memory *memory, uint64_t bytes,
                                              enum sim_allocation_kind kind) {
    return allocate(memory, bytes, kind, true);
}

struct sim_allocation *sim_memory_register(struct sim_memory *memory, uint64_t address,
                                           uint64_t bytes, enum sim_allocation_kind kind) {
    struct sim_space *space = memory->space;
    struct sim_allocation *allocation = NULL;
    pthread_mutex_lock(&space->lock);
    drop_dead_entries(space);
    const struct sim_memory_table *table = space->table;
    size_t above = first_above(table, address);
    const struct entry *low = above ? &table->entries[above - 1] : NULL;
    bool overlaps = bytes == 0 || address + bytes < address ||
                    (low && (address - low->address < low->bytes || address == low->address)) ||
                    (above < table->count && table->entries[above].address < address + bytes);
    if (!overlaps)
        allocation = insert(space, address, bytes, kind, true, false);
    if (allocation)
        give(memory, allocation);
    pthread_mutex_unlock(&space->lock);
    return allocation;
}

// Index of the living entry that starts at the address, or SIZE_MAX.
static size_t entry_at(const struct sim_space *space, uint64_t address) {
    const struct sim_memory_table *table = space->table;
    size_t above = first_above(table, address);
    bool found =
        above && table->entries[above - 1].address == address && table->entries[above - 1].node;
    return found ? above - 1 : SIZE_MAX;
}

bool sim_memory_unregister(struct sim_memory *memory, uint64_t address) {
    struct sim_space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    size_t at = entry_at(space, address);
    bool found = at != SIZE_MAX && space->table->entries[at].node->is_registered;
    if (found)
        remove_at(space, at);
    pthread_mutex_unlock(&space->lock);
    return found;
}

// Makes a freed range read as zeros, and gives its pages back to the system.
static void clear_range(uint64_t address, uint64_t bytes) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t end = address + bytes;
    uint64_t first = round_up(address, page), last = end / page * page;
    if (last <= first || last - first < 4 * page || !sim_fresh_drop(first, last - first))
        first = last = end;
    memset((void *)(uintptr_t)address, 0, first - address);
    memset((void *)(uintptr_t)last, 0, end - last);
}

// The entry's allocation goes; lock held.
static void free_at(struct sim_space *space, size_t at) {
    const struct sim_memory_node *node = space->table->entries[at].node;
    const struct sim_allocation old = node->allocation;
    bool is_registered = node->is_registered;
    remove_at(space, at);
    if (is_registered)
        return;
    sim_fresh_forget(&space->fresh, old.address, old.bytes);
    if (old.is_shared)
        sim_shared_end(space, &old);
    if (space->pages)
        sim_pages_give_back(space->pages, &old);
    else
        clear_range(old.address, old.bytes);
    if (counts_as_device(old.kind)) {
        assert(space->views[old.device]->used_bytes >= old.bytes);
        space->views[old.device]->used_bytes -= old.bytes;
    }
}

bool sim_memory_free(struct sim_memory *memory, uint64_t address, bool is_device_heap) {
    struct sim_space *space = memory->space;
    pthread_mutex_lock(&space->lock);
    size_t at = entry_at(space, address);
    bool found = false;
    if (at != SIZE_MAX) {
        const struct sim_memory_node *node = space->table->entries[at].node;
        found =
            !node->is_registered && (node->allocation.kind == SIM_DEVICE_HEAP) == is_device_heap;
        if (found)
            free_at(space, at);
    }
    pthread_mutex_unlock(&space->lock);
    return found;
}

// False: the table's entries moved, look again.
static bool drop_some(struct sim_space *space, unsigned device) {
    for (size_t i = 0, count = space->table->count; i < count; i++) {
        const struct sim_memory_node *node = space->table->entries[i].node;
        if (!node || node->allocation.device != device)
            continue;
        free_at(space, i);
        if (space->table->count != count)
            return false;
    }
    return true;
}

void sim_space_drop_device(struct sim_space *space, unsigned device) {
    pthread_mutex_lock(&space->lock);
    while (!drop_some(space, device))
        continue;
    pthread_mutex_unlock(&space->lock);
}

void sim_space_visit(struct sim_space *space,
                     void (*visit)(struct sim_allocation *allocation, void *context),
                     void *context) {
    pthread_mutex_lock(&space->lock);
    for (size_t i = 0; i < space->table->count; i++)
        if (space->table->entries[i].node)
            visit(&space->table->entries[i].node->allocation, context);
    sim_space_forget(space);
    pthread_mutex_unlock(&space->lock);
}

// ---- Readers ------------------------------------------------------------------------------

// The entry that starts at or below the address; node NULL: none, or it is dead.
static void search(const struct sim_space *space, uint64_t address, struct entry *below) {
    for (;;) {
        uint64_t version = __atomic_load_n(&space->version, __ATOMIC_ACQUIRE);
        if (version & 1) {
            sched_yield();
            continue;
        }
        const struct sim_memory_table *table = __atomic_load_n(&space->table, __ATOMIC_ACQUIRE);
        size_t above = first_above(table, address);
        *below = (struct entry){0};
        if (above)
            copy_entry(below, &table->entries[above - 1]);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (LOAD(space->version) == version)
            return;
    }
}

bool sim_memory_lookup(const struct sim_memory *memory, uint64_t address, uint64_t bytes,
                       bool write, struct sim_site_cache *hit) {
    // Taken first: a free that comes later makes the hit stale at once.
    uint64_t generation = __atomic_load_n(&memory->generation, __ATOMIC_ACQUIRE);
    struct entry entry;
    search(memory->space, address, &entry);
    if (!entry.node || entry.bytes < bytes || address - entry.address > entry.bytes - bytes)
        return false;
    const struct sim_allocation *allocation = &entry.node->allocation;
    uint32_t devices = write ? LOAD(allocation->writers) : LOAD(allocation->readers);
    if (!(devices >> memory->device & 1) || (write && allocation->is_read_only))
        return false;
    *hit = (struct sim_site_cache){entry.address, entry.bytes, generation};
    return true;
}

static bool is_named(const struct entry *entry) {
    return entry->node && entry->node->allocation.kind != SIM_INTERNAL;
}

// The living entries of the user around an address that none holds; node NULL: there is none.
static void find_neighbours(struct sim_space *space, uint64_t address, struct entry *below,
                            struct entry *above) {
    *below = *above = (struct entry){0};
    pthread_mutex_lock(&space->lock);
    const struct sim_memory_table *table = space->table;
    size_t middle = first_above(table, address);
    for (size_t i = middle; i > 0 && !below->node; i--)
        if (is_named(&table->entries[i - 1]))
            *below = table->entries[i - 1];
    for (size_t i = middle; i < table->count && !above->node; i++)
        if (is_named(&table->entries[i]))
            *above = table->entries[i];
    pthread_mutex_unlock(&space->lock);
}

const struct sim_allocation *sim_memory_find(struct sim_memory *memory, uint64_t address,
                                             bool nearest) {
    struct sim_space *space = memory->space;
    struct entry below, above;
    search(space, address, &below);
    if (below.node && address - below.address < below.bytes)
        return &below.node->allocation;
    if (!nearest)
        return NULL;
    find_neighbours(space, address, &below, &above);
    if (!below.node)
        return above.node ? &above.node->allocation : NULL;
    uint64_t past = address - (below.address + below.bytes);
    bool is_above = above.node && above.address - address <= past;
    return is_above ? &above.node->allocation : &below.node->allocation;
}
