// The table of allocations: a sorted array that readers search without a lock. A writer makes the
// table's version odd, changes it in place and makes the version even again; a reader that saw an
// odd or a changed version searches again. Arrays that became too small are kept until the end,
// because a reader may still look at them.
//
// What is freed stays in the array as a dead entry (without a node) until half of the array is
// dead. No dead entry starts inside a living allocation, so the entry below an address decides.
#include "sim/memory.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

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
static uint64_t slot_bytes(uint64_t bytes) {
    return round_up(bytes + SIM_MEMORY_GUARD, SIM_MEMORY_ALIGN);
}

static struct sim_memory_table *new_table(size_t capacity) {
    struct sim_memory_table *table = base_alloc(sizeof *table + capacity * sizeof(struct entry));
    table->capacity = capacity;
    return table;
}

static void reserve_range(struct sim_memory *memory) {
    uint64_t bytes = memory->device_bytes * 4;
    if (bytes < MIN_RESERVE)
        bytes = MIN_RESERVE;
    for (; bytes >= (1ull << 20); bytes /= 2) {
        void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            continue;
        memory->mapped = at;
        memory->end = (uint64_t)(uintptr_t)at + bytes;
        memory->begin = bytes > RESERVE_ALIGN ? round_up((uint64_t)(uintptr_t)at, RESERVE_ALIGN)
                                              : (uint64_t)(uintptr_t)at;
        memory->rover = memory->begin + SIM_MEMORY_ALIGN;
        return;
    }
}

struct sim_memory *sim_memory_create(uint64_t device_bytes) {
    struct sim_memory *memory = base_alloc(sizeof *memory);
    memory->generation = 1;
    memory->device_bytes = device_bytes;
    memory->table = new_table(FIRST_CAPACITY);
    pthread_mutex_init(&memory->lock, NULL);
    reserve_range(memory);
    return memory;
}

void sim_memory_destroy(struct sim_memory *memory) {
    if (!memory)
        return;
    if (memory->mapped)
        munmap(memory->mapped, memory->end - (uint64_t)(uintptr_t)memory->mapped);
    memory->table->next = memory->retired;
    for (struct sim_memory_table *table = memory->table, *next; table; table = next) {
        next = table->next;
        free(table);
    }
    for (struct sim_memory_node *node = memory->nodes, *next; node; node = next) {
        next = node->next;
        free(node);
    }
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

// ---- Writers; the lock is held ------------------------------------------------------------

static void begin_change(struct sim_memory *memory) {
    STORE(memory->version, memory->version + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_change(struct sim_memory *memory) {
    __atomic_store_n(&memory->version, memory->version + 1, __ATOMIC_RELEASE);
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

static void drop_dead_entries(struct sim_memory *memory) {
    struct sim_memory_table *table = memory->table;
    size_t kept = 0;
    begin_change(memory);
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].node)
            copy_entry(&table->entries[kept++], &table->entries[i]);
    STORE(table->count, kept);
    table->dead = 0;
    end_change(memory);
}

// Whether an entry starts in the range.
static bool starts_within(const struct sim_memory_table *table, uint64_t address, uint64_t bytes) {
    size_t above = first_above(table, address);
    return (above && table->entries[above - 1].address == address) ||
           (above < table->count && table->entries[above].address - address < bytes);
}

static struct sim_memory_table *room_for_one(struct sim_memory *memory) {
    struct sim_memory_table *old = memory->table;
    if (old->count == old->capacity && old->dead > old->count / 4)
        drop_dead_entries(memory);
    if (old->count < old->capacity)
        return old;
    struct sim_memory_table *table = new_table(old->capacity * 2);
    memcpy(table->entries, old->entries, old->count * sizeof *old->entries);
    table->count = old->count;
    table->dead = old->dead;
    old->next = memory->retired;
    memory->retired = old;
    return table;
}

static struct sim_allocation *insert(struct sim_memory *memory, uint64_t address, uint64_t bytes,
                                     enum sim_allocation_kind kind, bool is_registered) {
    struct sim_memory_node *node = memory->free_nodes;
    if (node) {
        memory->free_nodes = node->next_free;
    } else {
        node = base_alloc(sizeof *node);
        node->next = memory->nodes;
        memory->nodes = node;
    }
    node->allocation = (struct sim_allocation){.address = address, .bytes = bytes, .kind = kind};
    node->is_registered = is_registered;
    if (memory->table->dead && starts_within(memory->table, address, bytes))
        drop_dead_entries(memory);
    struct sim_memory_table *table = room_for_one(memory);
    size_t at = first_above(table, address);
    begin_change(memory);
    for (size_t i = table->count; i > at; i--)
        copy_entry(&table->entries[i], &table->entries[i - 1]);
    copy_entry(&table->entries[at], &(struct entry){address, bytes, node});
    STORE(table->count, table->count + 1);
    __atomic_store_n(&memory->table, table, __ATOMIC_RELEASE);
    end_change(memory);
    return &node->allocation;
}

static void remove_at(struct sim_memory *memory, size_t at) {
    struct sim_memory_table *table = memory->table;
    struct entry entry = table->entries[at];
    begin_change(memory);
    STORE(table->entries[at].node, NULL);
    end_change(memory);
    if (++table->dead > table->count / 2)
        drop_dead_entries(memory);
    __atomic_fetch_add(&memory->generation, 1, __ATOMIC_SEQ_CST);
    memory->freed[memory->freed_count++ % SIM_MEMORY_FREED] =
        (struct sim_memory_freed){entry.address, entry.bytes};
    entry.node->next_free = memory->free_nodes;
    memory->free_nodes = entry.node;
}

// A gap of the reserved range, from the rover on and once around. 0: none.
static uint64_t find_gap(struct sim_memory *memory, uint64_t slot) {
    const struct sim_memory_table *table = memory->table;
    uint64_t cursor = memory->rover;
    for (int round = 0; round < 2; round++) {
        size_t i = cursor ? first_above(table, cursor - 1) : 0;
        for (;; i++) {
            const struct entry *entry = i < table->count ? &table->entries[i] : NULL;
            if (entry && !entry->node)
                continue;
            bool is_last = !entry || entry->address >= memory->end;
            uint64_t limit = is_last ? memory->end : entry->address;
            if (limit > cursor && limit - cursor >= slot)
                return cursor;
            if (is_last)
                break;
            cursor = entry->address + slot_bytes(entry->bytes);
        }
        cursor = memory->begin + SIM_MEMORY_ALIGN;
    }
    return 0;
}

static bool counts_as_device(enum sim_allocation_kind kind) {
    return kind != SIM_HOST;
}

struct sim_allocation *sim_memory_alloc(struct sim_memory *memory, uint64_t bytes,
                                        enum sim_allocation_kind kind) {
    if (bytes > memory->end - memory->begin)
        return NULL;
    struct sim_allocation *allocation = NULL;
    uint64_t slot = slot_bytes(bytes);
    pthread_mutex_lock(&memory->lock);
    uint64_t left = memory->device_bytes - memory->used_bytes;
    if (!counts_as_device(kind) || bytes <= left) {
        uint64_t address = find_gap(memory, slot);
        if (address) {
            memory->rover = address + slot;
            allocation = insert(memory, address, bytes, kind, false);
            if (counts_as_device(kind))
                memory->used_bytes += bytes;
        }
    }
    pthread_mutex_unlock(&memory->lock);
    return allocation;
}

struct sim_allocation *sim_memory_register(struct sim_memory *memory, uint64_t address,
                                           uint64_t bytes, enum sim_allocation_kind kind) {
    struct sim_allocation *allocation = NULL;
    pthread_mutex_lock(&memory->lock);
    drop_dead_entries(memory);
    const struct sim_memory_table *table = memory->table;
    size_t above = first_above(table, address);
    const struct entry *low = above ? &table->entries[above - 1] : NULL;
    bool overlaps = bytes == 0 || address + bytes < address ||
                    (low && (address - low->address < low->bytes || address == low->address)) ||
                    (above < table->count && table->entries[above].address < address + bytes);
    if (!overlaps)
        allocation = insert(memory, address, bytes, kind, true);
    pthread_mutex_unlock(&memory->lock);
    return allocation;
}

// Index of the living entry that starts at the address, or SIZE_MAX.
static size_t entry_at(const struct sim_memory *memory, uint64_t address) {
    const struct sim_memory_table *table = memory->table;
    size_t above = first_above(table, address);
    bool found =
        above && table->entries[above - 1].address == address && table->entries[above - 1].node;
    return found ? above - 1 : SIZE_MAX;
}

bool sim_memory_unregister(struct sim_memory *memory, uint64_t address) {
    pthread_mutex_lock(&memory->lock);
    size_t at = entry_at(memory, address);
    bool found = at != SIZE_MAX && memory->table->entries[at].node->is_registered;
    if (found)
        remove_at(memory, at);
    pthread_mutex_unlock(&memory->lock);
    return found;
}

// Makes a freed range read as zeros, and gives its pages back to the system.
static void clear_range(uint64_t address, uint64_t bytes) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t end = address + bytes;
    uint64_t first = round_up(address, page), last = end / page * page;
    if (last <= first || last - first < 4 * page ||
        madvise((void *)(uintptr_t)first, last - first, MADV_DONTNEED) != 0)
        first = last = end;
    memset((void *)(uintptr_t)address, 0, first - address);
    memset((void *)(uintptr_t)last, 0, end - last);
}

bool sim_memory_free(struct sim_memory *memory, uint64_t address, bool is_device_heap) {
    pthread_mutex_lock(&memory->lock);
    size_t at = entry_at(memory, address);
    bool found = false;
    if (at != SIZE_MAX) {
        const struct sim_memory_node *node = memory->table->entries[at].node;
        enum sim_allocation_kind kind = node->allocation.kind;
        uint64_t bytes = node->allocation.bytes;
        found = !node->is_registered && (kind == SIM_DEVICE_HEAP) == is_device_heap;
        if (found) {
            remove_at(memory, at);
            clear_range(address, bytes);
            if (counts_as_device(kind))
                memory->used_bytes -= bytes;
        }
    }
    pthread_mutex_unlock(&memory->lock);
    return found;
}

// ---- Readers ------------------------------------------------------------------------------

// The entry that starts at or below the address; node NULL: none, or it is dead.
static void search(const struct sim_memory *memory, uint64_t address, struct entry *below) {
    for (;;) {
        uint64_t version = __atomic_load_n(&memory->version, __ATOMIC_ACQUIRE);
        if (version & 1) {
            sched_yield();
            continue;
        }
        const struct sim_memory_table *table = __atomic_load_n(&memory->table, __ATOMIC_ACQUIRE);
        size_t above = first_above(table, address);
        *below = (struct entry){0};
        if (above)
            copy_entry(below, &table->entries[above - 1]);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (LOAD(memory->version) == version)
            return;
    }
}

bool sim_memory_lookup(const struct sim_memory *memory, uint64_t address, uint64_t bytes,
                       bool write, struct sim_site_cache *hit) {
    // Taken first: a free that comes later makes the hit stale at once.
    uint64_t generation = __atomic_load_n(&memory->generation, __ATOMIC_ACQUIRE);
    struct entry entry;
    search(memory, address, &entry);
    if (!entry.node || entry.bytes < bytes || address - entry.address > entry.bytes - bytes ||
        (write && entry.node->allocation.is_read_only))
        return false;
    *hit = (struct sim_site_cache){entry.address, entry.bytes, generation};
    return true;
}

// The living entries around an address that none holds; node NULL: there is none.
static void find_neighbours(struct sim_memory *memory, uint64_t address, struct entry *below,
                            struct entry *above) {
    *below = *above = (struct entry){0};
    pthread_mutex_lock(&memory->lock);
    const struct sim_memory_table *table = memory->table;
    size_t middle = first_above(table, address);
    for (size_t i = middle; i > 0 && !below->node; i--)
        *below = table->entries[i - 1];
    for (size_t i = middle; i < table->count && !above->node; i++)
        *above = table->entries[i];
    pthread_mutex_unlock(&memory->lock);
}

const struct sim_allocation *sim_memory_find(struct sim_memory *memory, uint64_t address,
                                             bool nearest) {
    struct entry below, above;
    search(memory, address, &below);
    if (below.node && address - below.address < below.bytes)
        return &below.node->allocation;
    if (!nearest)
        return NULL;
    find_neighbours(memory, address, &below, &above);
    if (!below.node)
        return above.node ? &above.node->allocation : NULL;
    uint64_t past = address - (below.address + below.bytes);
    bool is_above = above.node && above.address - address <= past;
    return is_above ? &above.node->allocation : &below.node->allocation;
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

bool sim_register_device(struct sim *sim, void *address, size_t bytes, bool is_read_only) {
    struct sim_allocation *allocation =
        sim_memory_register(sim_memory_of(sim), (uint64_t)(uintptr_t)address, bytes, SIM_DEVICE);
    if (allocation)
        allocation->is_read_only = is_read_only;
    return allocation != NULL;
}

bool sim_unregister_device(struct sim *sim, void *address) {
    return sim_unregister_host(sim, address);
}

const struct sim_allocation *sim_find(const struct sim *sim, uint64_t address, bool nearest) {
    return sim_memory_find(sim_memory_of(sim), address, nearest);
}

void sim_memory_info(const struct sim *sim, uint64_t *free_bytes, uint64_t *total_bytes) {
    struct sim_memory *memory = sim_memory_of(sim);
    pthread_mutex_lock(&memory->lock);
    *total_bytes = memory->device_bytes;
    *free_bytes = memory->device_bytes - memory->used_bytes;
    pthread_mutex_unlock(&memory->lock);
}
