// See pages.h.
#include "sim/memory/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { SLOTS = SIM_PAGE_BYTES / SIM_PAGE_SLOT };

struct page {
    uint32_t living;  // allocations that lie in it, or in part; atomic
    uint16_t taken;   // slots
    uint16_t hint;    // no slot below is free
    uint8_t kind;     // enum sim_allocation_kind, of a page with something living
    uint8_t device;   // whose
    uint8_t *is_used; // by slot; NULL: one large allocation has it
};

struct sim_pages {
    uint64_t begin; // a multiple of SIM_PAGE_BYTES
    size_t count;
    size_t top;   // pages from here on were never used
    size_t rover; // where the next run of pages is looked for
    struct page pages[];
};

struct sim_pages *sim_pages_create(struct sim_space *space) {
    const uint64_t begin = (space->begin + SIM_PAGE_BYTES - 1) / SIM_PAGE_BYTES * SIM_PAGE_BYTES;
    if (!space->mapped || space->end < begin + SIM_PAGE_BYTES)
        return NULL;
    const size_t count = (space->end - begin) / SIM_PAGE_BYTES;
    struct sim_pages *pages = base_alloc(sizeof *pages + count * sizeof(struct page));
    pages->begin = begin;
    pages->count = count;
    pages->rover = 1; // nothing lies before the first allocation
    return pages;
}

void sim_pages_free(struct sim_pages *pages) {
    for (size_t i = 0; pages && i < pages->top; i++)
        free(pages->pages[i].is_used);
    free(pages);
}

static uint64_t address_of(const struct sim_pages *pages, size_t page) {
    return pages->begin + page * SIM_PAGE_BYTES;
}

static uint64_t slots_of(uint64_t bytes) {
    return bytes ? (bytes + SIM_PAGE_SLOT - 1) / SIM_PAGE_SLOT : 1;
}

static uint32_t living(const struct page *page) {
    return __atomic_load_n(&page->living, __ATOMIC_ACQUIRE);
}

// ---- Runs of pages ------------------------------------------------------------------------

// The first of so many pages in a row that nobody has, and one behind them; 0: there are none.
static size_t find_run(const struct sim_pages *pages, size_t from, size_t wanted) {
    size_t length = 0;
    for (size_t i = from; i < pages->count; i++) {
        length = pages->pages[i].living ? 0 : length + 1;
        if (length == wanted + 1)
            return i - wanted;
    }
    return 0;
}

// Marks them as the allocation's. Returns the first; 0: there are none.
static size_t take_run(struct sim_pages *pages, const struct sim_allocation *wanted, size_t count) {
    size_t first = find_run(pages, pages->rover, count);
    if (!first && pages->rover > 1)
        first = find_run(pages, 1, count);
    for (size_t i = first; first && i < first + count; i++) {
        struct page *page = &pages->pages[i];
        *page = (struct page){.kind = (uint8_t)wanted->kind, .device = (uint8_t)wanted->device};
        __atomic_store_n(&page->living, 1, __ATOMIC_RELEASE);
    }
    if (!first)
        return 0;
    pages->rover = first + count + 1;
    if (pages->top < first + count)
        pages->top = first + count;
    return first;
}

// ---- Slots of a page ----------------------------------------------------------------------

// The first of so many free slots in a row, SLOTS: there are none.
static size_t find_slots(const struct page *page, size_t wanted) {
    size_t length = 0;
    for (size_t i = page->hint; i < SLOTS; i++) {
        length = page->is_used[i] ? 0 : length + 1;
        if (length == wanted)
            return i + 1 - wanted;
    }
    return SLOTS;
}

static void take_slots(struct page *page, size_t first, size_t count) {
    memset(page->is_used + first, 1, count);
    page->taken = (uint16_t)(page->taken + count);
    while (page->hint < SLOTS && page->is_used[page->hint])
        page->hint++;
}

// A page of the kind with room, or a new one. Sets *slot; returns NULL when no page is left.
static struct page *find_room(struct sim_pages *pages, const struct sim_allocation *wanted,
                              size_t count, size_t *slot) {
    for (size_t i = 1; i < pages->top; i++) {
        struct page *page = &pages->pages[i];
        if (!page->living || !page->is_used || page->kind != wanted->kind ||
            page->device != wanted->device || SLOTS - page->taken < (int)count)
            continue;
        *slot = find_slots(page, count);
        if (*slot < SLOTS) {
            __atomic_add_fetch(&page->living, 1, __ATOMIC_RELEASE);
            return page;
        }
    }
    const size_t first = take_run(pages, wanted, 1);
    if (!first)
        return NULL;
    *slot = 0;
    pages->pages[first].is_used = base_alloc(SLOTS);
    return &pages->pages[first];
}

// ---- Allocations --------------------------------------------------------------------------

uint64_t sim_pages_take(struct sim_pages *pages, const struct sim_allocation *wanted) {
    if (wanted->bytes > SIM_PAGE_SMALL) {
        const uint64_t count = (wanted->bytes + SIM_PAGE_BYTES - 1) / SIM_PAGE_BYTES;
        const size_t first = count < pages->count ? take_run(pages, wanted, count) : 0;
        return first ? address_of(pages, first) : 0;
    }
    size_t slot;
    const size_t count = slots_of(wanted->bytes);
    struct page *page = find_room(pages, wanted, count, &slot);
    if (!page)
        return 0;
    take_slots(page, slot, count);
    const uint64_t address =
        address_of(pages, (size_t)(page - pages->pages)) + (uint64_t)slot * SIM_PAGE_SLOT;
    memset((void *)(uintptr_t)address, 0, count * SIM_PAGE_SLOT); // somebody may have been there
    return address;
}

// Its bytes are 0 again, and cost nothing.
static void drop_page(struct sim_pages *pages, struct page *page) {
    void *at = (void *)(uintptr_t)address_of(pages, (size_t)(page - pages->pages));
    free(page->is_used);
    page->is_used = NULL;
    if (!sim_fresh_drop((uint64_t)(uintptr_t)at, SIM_PAGE_BYTES))
        memset(at, 0, SIM_PAGE_BYTES);
}

static void give_slots_back(struct page *page, size_t first, size_t count) {
    memset(page->is_used + first, 0, count);
    page->taken = (uint16_t)(page->taken - count);
    page->hint = (uint16_t)(page->hint < first ? page->hint : first);
}

void sim_pages_give_back(struct sim_pages *pages, const struct sim_allocation *old) {
    const uint64_t offset = old->address - pages->begin, bytes = old->bytes ? old->bytes : 1;
    const size_t last = (offset + bytes - 1) / SIM_PAGE_BYTES;
    for (size_t i = offset / SIM_PAGE_BYTES; i <= last; i++) {
        struct page *page = &pages->pages[i];
        if (page->is_used)
            give_slots_back(page, offset % SIM_PAGE_BYTES / SIM_PAGE_SLOT, slots_of(old->bytes));
        if (__atomic_sub_fetch(&page->living, 1, __ATOMIC_ACQ_REL) == 0)
            drop_page(pages, page);
    }
}

// ---- Accesses -----------------------------------------------------------------------------

// Memory of the host, and what is bankrun's own, are no memory of the device.
static bool is_open(const struct sim_memory *memory, const struct page *page) {
    if (!living(page) || page->kind == SIM_HOST || page->kind == SIM_INTERNAL)
        return false;
    const struct sim_memory *owner = memory->space->views[page->device];
    return page->kind == SIM_MANAGED || (owner && owner->guests >> memory->device & 1);
}

static bool may_access(const struct sim_memory *memory, uint64_t address, bool write) {
    const struct sim_allocation *found =
        sim_memory_find((struct sim_memory *)memory, address, false);
    if (!found)
        return true;
    const uint32_t devices = write ? found->writers : found->readers;
    return devices >> memory->device & 1 && !(write && found->is_read_only);
}

bool sim_pages_let_pass(struct sim_memory *memory, uint64_t address, uint64_t bytes, bool write) {
    const struct sim_pages *pages = memory->space->pages;
    if (!pages || !bytes || address < pages->begin)
        return false;
    const uint64_t from = address - pages->begin, all = (uint64_t)pages->count * SIM_PAGE_BYTES;
    if (from >= all || bytes > all - from)
        return false;
    for (size_t i = from / SIM_PAGE_BYTES; i <= (from + bytes - 1) / SIM_PAGE_BYTES; i++)
        if (!is_open(memory, &pages->pages[i]))
            return false;
    // Allocations begin at slots, so that each byte is its slot's first one's, or the slot's.
    for (uint64_t at = address; at - address < bytes; at = (at / SIM_PAGE_SLOT + 1) * SIM_PAGE_SLOT)
        if (!may_access(memory, at, write))
            return false;
    return true;
}
