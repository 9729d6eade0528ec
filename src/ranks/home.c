#include "ranks/home_pages.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ranks/page_form.h"
#include "ranks/watch.h"

enum state {
    OUTSIDE,   // no kernel may touch it, or it is not known yet
    PROTECTED, // as it was
    BUSY,      // somebody makes its twin
    OPEN,      // written, or may be: its twin is there
};

enum { MERGES = 64 };

struct ranks_home {
    uint64_t base, bytes;
    uint8_t *states;         // atomic; of each page
    uint8_t *mixed;          // of each page: somebody else may write what kernels do not touch
    uint32_t *twins;         // of each page: number of its twin
    uint8_t *twin_memory;    // as large as the memory; what is not used takes nothing
    uint32_t twin_count;     // atomic
    uint64_t *pages_written; // of each twin: its page
    struct ranks_range *ranges;
    size_t range_count;
    uint64_t first, last;           // pages that may be touched: [first, last)
    bool is_active;                 // atomic
    pthread_mutex_t merges[MERGES]; // of pages: one thread at a time puts in what others wrote
    struct ranks_packer *packer;
    struct ranks_watch *watch; // NULL: the system does not tell what was written
    uint8_t *asked;            // of each page: somebody else has asked for it in this launch
    struct ranks_run_list unwritten;
};

static void *reserve(size_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void release(void *at, size_t bytes) {
    if (at)
        munmap(at, bytes);
}

static size_t count_of(const struct ranks_home *home) {
    return (size_t)(home->bytes / RANKS_PAGE);
}

struct ranks_home *ranks_home_create(uint64_t base, uint64_t bytes) {
    struct ranks_home *home = base_alloc(sizeof *home);
    home->base = base;
    home->bytes = bytes;
    for (unsigned i = 0; i < MERGES; i++)
        pthread_mutex_init(&home->merges[i], NULL);
    const size_t pages = count_of(home);
    home->states = reserve(pages);
    home->mixed = reserve(pages);
    home->twins = reserve(pages * sizeof *home->twins);
    home->pages_written = reserve(pages * sizeof *home->pages_written);
    home->twin_memory = reserve((size_t)bytes);
    ranks_ask_for_large(home->twin_memory, (size_t)bytes);
    home->packer = ranks_packer_create(pages);
    home->asked = reserve(pages);
    home->watch = ranks_watch_create(base, pages);
    if (home->states && home->mixed && home->twins && home->pages_written && home->twin_memory &&
        home->packer && home->asked)
        return home;
    ranks_home_free(home);
    return NULL;
}

void ranks_home_free(struct ranks_home *home) {
    if (!home)
        return;
    const size_t pages = count_of(home);
    release(home->states, pages);
    release(home->mixed, pages);
    release(home->twins, pages * sizeof *home->twins);
    release(home->pages_written, pages * sizeof *home->pages_written);
    release(home->twin_memory, (size_t)home->bytes);
    release(home->asked, pages);
    ranks_packer_free(home->packer);
    ranks_watch_free(home->watch);
    vec_free(&home->unwritten);
    free(home->ranges);
    free(home);
}

struct ranks_packer *ranks_home_packer(const struct ranks_home *home) {
    return home->packer;
}

void ranks_home_asked(struct ranks_home *home, uint64_t page) {
    if (page < count_of(home))
        home->asked[page] = 1;
}

// ---- Pages ------------------------------------------------------------------------------------

static uint8_t *page_at(const struct ranks_home *home, uint64_t page) {
    return (uint8_t *)(uintptr_t)(home->base + page * RANKS_PAGE);
}

static uint8_t state_of(const struct ranks_home *home, uint64_t page) {
    return __atomic_load_n(&home->states[page], __ATOMIC_ACQUIRE);
}

static void set_state(struct ranks_home *home, uint64_t page, uint8_t state) {
    __atomic_store_n(&home->states[page], state, __ATOMIC_RELEASE);
}

static uint8_t *twin_of(const struct ranks_home *home, uint64_t page) {
    return home->twin_memory + (uint64_t)home->twins[page] * RANKS_PAGE;
}

// The caller has made the page BUSY. Async-signal-safe.
static void make_twin(struct ranks_home *home, uint64_t page) {
    const uint32_t number = __atomic_fetch_add(&home->twin_count, 1, __ATOMIC_RELAXED);
    home->twins[page] = number;
    home->pages_written[number] = page;
    memcpy(twin_of(home, page), page_at(home, page), RANKS_PAGE);
}

// True: this thread is to make the twin. False: it is there.
static bool begin_twin(struct ranks_home *home, uint64_t page) {
    for (;;) {
        uint8_t state = state_of(home, page);
        if (state == OPEN || state == OUTSIDE)
            return false;
        if (state == PROTECTED &&
            __atomic_compare_exchange_n(&home->states[page], &state, BUSY, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return true;
        sched_yield();
    }
}

// The caller has made the page BUSY. Async-signal-safe.
static void open_page(struct ranks_home *home, uint64_t page) {
    make_twin(home, page);
    const bool is_open = mprotect(page_at(home, page), RANKS_PAGE, PROT_READ | PROT_WRITE) == 0;
    if (!is_open) // the system has no more mappings: all of it in one
        mprotect((void *)(uintptr_t)home->base, (size_t)home->bytes, PROT_READ | PROT_WRITE);
    if (!is_open)
        abort(); // pages without twins could change unseen
    set_state(home, page, OPEN);
}

bool ranks_home_fault(struct ranks_home *home, uint64_t address) {
    if (!__atomic_load_n(&home->is_active, __ATOMIC_ACQUIRE) || address - home->base >= home->bytes)
        return false;
    const uint64_t page = (address - home->base) / RANKS_PAGE;
    if (state_of(home, page) == OUTSIDE)
        return false;
    if (begin_twin(home, page))
        open_page(home, page);
    return true;
}

void ranks_home_read(struct ranks_home *home, uint64_t page, uint8_t bytes[RANKS_PAGE]) {
    if (page >= count_of(home) || state_of(home, page) == OUTSIDE) {
        memset(bytes, 0, RANKS_PAGE);
        return;
    }
    if (state_of(home, page) == PROTECTED)
        memcpy(bytes, page_at(home, page), RANKS_PAGE);
    if (state_of(home, page) == PROTECTED) // still, so that nobody wrote
        return;
    while (state_of(home, page) != OPEN)
        sched_yield();
    memcpy(bytes, twin_of(home, page), RANKS_PAGE);
}

uint64_t ranks_home_hash(struct ranks_home *home, uint64_t page) {
    uint8_t copy[RANKS_PAGE];
    if (page < count_of(home) && state_of(home, page) == PROTECTED) {
        const uint64_t hash = hash_bytes(page_at(home, page), RANKS_PAGE);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (state_of(home, page) == PROTECTED) // still, so that nobody wrote
            return hash;
    }
    ranks_home_read(home, page, copy);
    return hash_bytes(copy, RANKS_PAGE);
}

// ---- A launch ---------------------------------------------------------------------------------

static uint64_t page_of(const struct ranks_home *home, uint64_t address) {
    return (address - home->base) / RANKS_PAGE;
}

static void mark(struct ranks_home *home, const struct ranks_range *range, uint8_t state) {
    if (!range->bytes || range->address - home->base >= home->bytes)
        return;
    const uint64_t last = page_of(home, range->address + range->bytes - 1);
    for (uint64_t page = page_of(home, range->address); page <= last; page++)
        if (state == PROTECTED || home->states[page] == PROTECTED)
            home->states[page] = state;
}

static bool protect(struct ranks_home *home, int access) {
    uint64_t from = home->first;
    bool is_good = true;
    for (uint64_t page = home->first; page <= home->last; page++) {
        if (page < home->last && home->states[page] == PROTECTED)
            continue;
        if (page > from)
            is_good &= mprotect(page_at(home, from), (page - from) * RANKS_PAGE, access) == 0;
        from = page + 1;
    }
    return is_good;
}

// Pages that somebody else may write meanwhile are kept at once.
static void keep_mixed(struct ranks_home *home) {
    for (uint64_t page = home->first; page < home->last; page++)
        if (home->states[page] == BUSY) {
            make_twin(home, page);
            home->mixed[page] = 1;
            home->states[page] = OPEN;
        }
}

// What was asked for, and not written, is worth being watched.
static void want_asked(struct ranks_home *home) {
    for (uint64_t page = home->first; page < home->last; page++)
        if (home->asked[page]) {
            home->asked[page] = 0;
            if (home->watch && home->states[page] == PROTECTED)
                ranks_watch_want(home->watch, page);
        }
}

static void find_unwritten(struct ranks_home *home) {
    home->unwritten.length = 0;
    if (home->watch)
        ranks_watch_look(home->watch, home->first, home->last, &home->unwritten);
    for (size_t i = 0; i < home->unwritten.length; i++) {
        const struct ranks_run *run = &home->unwritten.data[i];
        for (uint64_t page = run->first; page < run->first + run->count; page++)
            ranks_packer_keep(home->packer, page);
    }
}

const struct ranks_run_list *ranks_home_unwritten(const struct ranks_home *home) {
    return &home->unwritten;
}

static void forget(struct ranks_home *home) {
    if (home->last > home->first)
        memset(home->states + home->first, OUTSIDE, home->last - home->first);
    if (home->last > home->first)
        memset(home->mixed + home->first, 0, home->last - home->first);
    // What the system gives anew has to be cleared first: some of it stays.
    if (home->twin_count > RANKS_TWINS_KEPT)
        madvise(home->twin_memory + (size_t)RANKS_TWINS_KEPT * RANKS_PAGE,
                (size_t)(home->twin_count - RANKS_TWINS_KEPT) * RANKS_PAGE, MADV_DONTNEED);
    home->twin_count = 0;
}

bool ranks_home_begin(struct ranks_home *home, const struct ranks_range *ranges, size_t count,
                      const struct ranks_range *others, size_t other_count) {
    free(home->ranges);
    home->ranges = base_alloc((count + 1) * sizeof *home->ranges);
    memcpy(home->ranges, ranges, count * sizeof *ranges);
    home->range_count = count;
    ranks_packer_next(home->packer);
    home->first = home->last = 0;
    if (count) {
        const struct ranks_range *last = &ranges[count - 1];
        home->first = page_of(home, ranges[0].address);
        home->last = page_of(home, last->address + (last->bytes ? last->bytes - 1 : 0)) + 1;
    }
    for (size_t i = 0; i < count; i++)
        mark(home, &ranges[i], PROTECTED);
    for (size_t i = 0; i < other_count; i++)
        mark(home, &others[i], BUSY);
    find_unwritten(home);
    keep_mixed(home);
    __atomic_store_n(&home->is_active, true, __ATOMIC_RELEASE);
    if (protect(home, PROT_READ))
        return true;
    ranks_home_open(home);
    forget(home);
    return false;
}

void ranks_home_open(struct ranks_home *home) {
    if (home->is_active)
        protect(home, PROT_READ | PROT_WRITE);
    __atomic_store_n(&home->is_active, false, __ATOMIC_RELEASE);
}

// What of a page kernels may have written.
static void undo_page(struct ranks_home *home, uint64_t page) {
    const uint64_t begin = home->base + page * RANKS_PAGE, end = begin + RANKS_PAGE;
    size_t low = 0, high = home->range_count; // the first range that ends behind the page's begin
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (home->ranges[middle].address + home->ranges[middle].bytes <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < home->range_count && home->ranges[i].address < end; i++) {
        const struct ranks_range *range = &home->ranges[i];
        const uint64_t from = range->address > begin ? range->address : begin;
        const uint64_t to =
            range->address + range->bytes < end ? range->address + range->bytes : end;
        if (range->may_write && to > from)
            memcpy((void *)(uintptr_t)from, twin_of(home, page) + (from - begin), to - from);
    }
}

void ranks_home_end(struct ranks_home *home, bool undoes) {
    ranks_home_open(home);
    for (uint32_t t = 0; undoes && t < home->twin_count; t++)
        undo_page(home, home->pages_written[t]);
    want_asked(home);
    forget(home);
}

// ---- Merging ----------------------------------------------------------------------------------

// Bytes that one rank wrote, where the page begins `offset` bytes before.
struct run {
    uint8_t *now;
    const uint8_t *then, *wrote;
    size_t bytes;
    bool is_mixed; // bytes that did not change may not be written either
};

// How many bytes are in order; all, unless two ranks disagree.
static size_t merge_bytes(const struct run *run, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (run->wrote[i] == run->then[i])
            continue;
        if (run->now[i] != run->then[i] && run->now[i] != run->wrote[i])
            return i;
        run->now[i] = run->wrote[i];
    }
    return to;
}

// Where nobody else wrote, all at once.
static size_t merge_stores(const struct run *run) {
    enum { PART = 64 };
    for (size_t at = 0; at < run->bytes; at += PART) {
        const size_t bytes = run->bytes - at < PART ? run->bytes - at : PART;
        if (!run->is_mixed && memcmp(run->now + at, run->then + at, bytes) == 0)
            memcpy(run->now + at, run->wrote + at, bytes);
        else if (merge_bytes(run, at, at + bytes) < at + bytes)
            return merge_bytes(run, at, at + bytes);
    }
    return run->bytes;
}

static uint64_t word_at(const uint8_t *at, unsigned bytes) {
    uint32_t narrow;
    uint64_t wide;
    if (bytes == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
}

static bool is_less(uint64_t a, uint64_t b, const struct ranks_merge *merge) {
    if (!merge->is_signed)
        return a < b;
    return merge->bytes == 8 ? (int64_t)a < (int64_t)b
                             : (int32_t)(uint32_t)a < (int32_t)(uint32_t)b;
}

static uint64_t combine(uint64_t now, uint64_t then, uint64_t wrote,
                        const struct ranks_merge *merge) {
    switch (merge->op) {
    case RANKS_ADD:
        return now + wrote - then;
    case RANKS_MIN:
        return is_less(wrote, now, merge) ? wrote : now;
    case RANKS_MAX:
        return is_less(now, wrote, merge) ? wrote : now;
    case RANKS_AND:
        return now & wrote;
    case RANKS_OR:
        return now | wrote;
    case RANKS_XOR:
        return now ^ wrote ^ then;
    default:
        return wrote;
    }
}

// Whole words, as the replica tells them. Where one rank alone changed a word it does not matter
// how.
static size_t merge_words(const struct run *run, const struct ranks_merge *merge) {
    for (size_t i = 0; i + merge->bytes <= run->bytes; i += merge->bytes) {
        const uint64_t now = word_at(run->now + i, merge->bytes);
        const uint64_t then = word_at(run->then + i, merge->bytes);
        const uint64_t wrote = word_at(run->wrote + i, merge->bytes);
        if (wrote == then)
            continue;
        if (now != then && merge->has_stores)
            return i;
        const uint64_t both = now == then ? wrote : combine(now, then, wrote, merge);
        memcpy(run->now + i, &both, merge->bytes);
    }
    return run->bytes;
}

static bool merge_run(struct ranks_home *home, uint64_t page, struct ranks_reader *wrote,
                      const struct ranks_merge *merge, uint64_t *address) {
    const uint64_t place = ranks_get_number(wrote);
    const size_t offset = (size_t)(place >> 32), bytes = (size_t)(uint32_t)place;
    *address = 0;
    if (offset >= RANKS_PAGE || bytes > RANKS_PAGE - offset)
        return false;
    const uint8_t *from = ranks_get(wrote, bytes);
    if (!from)
        return false;
    const struct run run = {page_at(home, page) + offset, twin_of(home, page) + offset, from, bytes,
                            home->mixed[page] != 0};
    const size_t good = merge->op == RANKS_STORES ? merge_stores(&run) : merge_words(&run, merge);
    *address = home->base + page * RANKS_PAGE + offset + good;
    return good == bytes;
}

bool ranks_home_merge(struct ranks_home *home, struct ranks_reader *wrote,
                      const struct ranks_merge *merge, uint64_t *address) {
    *address = 0;
    while (wrote->at < wrote->end) {
        const uint64_t page = ranks_get_number(wrote);
        const uint64_t runs = ranks_get_number(wrote);
        if (wrote->is_bad || page >= count_of(home) || home->states[page] == OUTSIDE)
            return false;
        if (begin_twin(home, page))
            open_page(home, page);
        pthread_mutex_lock(&home->merges[page % MERGES]);
        bool is_good = true;
        for (uint64_t r = 0; r < runs && is_good; r++)
            is_good = merge_run(home, page, wrote, merge, address);
        pthread_mutex_unlock(&home->merges[page % MERGES]);
        if (!is_good)
            return false;
    }
    return true;
}
