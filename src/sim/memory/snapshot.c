// See sim/snapshot.h. Pages that nobody has written since they were allocated (fresh.h) are not
// copied: the system still knows what they hold, and gives that again once it may forget what was
// written.
#include "sim/snapshot.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/mapping.h"
#include "sim/sim_internal.h"

enum { PAGE = 4096, BATCH = 512 }; // BATCH: pages that are asked about at once

struct part { // one allocation
    uint64_t address, bytes;
    bool is_ours;    // memory that starts as zeros, not the host's
    uint8_t *copy;   // mapped; NULL: no bytes
    uint8_t *copied; // of each page that it lies in: 1; 0: it was as allocated
};

struct sim_snapshot {
    struct sim *sim;
    struct sim_space *space;
    uint64_t rover, timer, launches;
    int pagemap; // -1: there is none, every page may hold something
    VEC(struct part) parts;
};

static uint64_t pages_of(const struct part *part) {
    return (part->address + part->bytes + PAGE - 1) / PAGE - part->address / PAGE;
}

static bool is_kept(const struct sim_allocation *allocation) {
    return allocation->kind != SIM_INTERNAL && !allocation->is_read_only;
}

static void list_part(struct sim_allocation *allocation, void *context) {
    struct sim_snapshot *shot = context;
    const struct sim_space *space = shot->space;
    if (!is_kept(allocation))
        return;
    struct part part = {.address = allocation->address,
                        .bytes = allocation->bytes,
                        .is_ours = allocation->address - space->begin < space->end - space->begin};
    vec_push(&shot->parts, part);
}

// ---- Pages --------------------------------------------------------------------------------

// A page's part of an allocation.
struct chunk {
    uint64_t offset; // in the allocation
    size_t bytes;
};

static struct chunk chunk_of(const struct part *part, uint64_t page) {
    const uint64_t first = part->address / PAGE * PAGE + page * PAGE;
    const uint64_t begin = first > part->address ? first : part->address;
    const uint64_t last = part->address + part->bytes;
    const uint64_t end = first + PAGE < last ? first + PAGE : last;
    return (struct chunk){begin - part->address, end - begin};
}

// Which of the pages from `page` on may hold something other than zeros.
static void ask(const struct sim_snapshot *shot, const struct part *part, uint64_t page,
                size_t count, bool has[BATCH]) {
    const uint64_t held = 3ull << 62, of_file = 1ull << 61; // held: in memory, or swapped out
    uint64_t entries[BATCH];
    const off_t at = (off_t)((part->address / PAGE + page) * sizeof *entries);
    const ssize_t bytes = (ssize_t)(count * sizeof *entries);
    const bool is_known = part->is_ours && shot->pagemap >= 0 &&
                          pread(shot->pagemap, entries, (size_t)bytes, at) == bytes;
    for (size_t i = 0; i < count; i++)
        has[i] = !is_known || (entries[i] & held && !(entries[i] & of_file));
}

static bool is_whole(struct chunk chunk) {
    return chunk.bytes == PAGE;
}

// Calls `visit` for each chunk that may have been written, until it says false. Pages that several
// allocations lie in belong to them all.
static void visit_chunks(const struct sim_snapshot *shot, struct part *part,
                         bool (*visit)(struct part *part, uint64_t page, struct chunk chunk,
                                       void *context),
                         void *context) {
    const uint64_t pages = pages_of(part);
    for (uint64_t page = 0; part->copy && page < pages; page += BATCH) {
        bool has[BATCH];
        const size_t count = pages - page < BATCH ? (size_t)(pages - page) : BATCH;
        ask(shot, part, page, count, has);
        for (size_t i = 0; i < count; i++) {
            const struct chunk chunk = chunk_of(part, page + i);
            if ((has[i] || part->copied[page + i] || !is_whole(chunk)) &&
                !visit(part, page + i, chunk, context))
                return;
        }
    }
}

static uint8_t *memory_of(const struct part *part, struct chunk chunk) {
    return (uint8_t *)(uintptr_t)(part->address + chunk.offset);
}

// ---- Take ---------------------------------------------------------------------------------

static bool take_chunk(struct part *part, uint64_t page, struct chunk chunk, void *context) {
    (void)context;
    memcpy(part->copy + chunk.offset, memory_of(part, chunk), chunk.bytes);
    part->copied[page] = 1;
    return true;
}

static bool take_part(const struct sim_snapshot *shot, struct part *part) {
    if (!part->bytes)
        return true;
    if (!part->is_ours && !mapping_allows(part->address, part->bytes, true))
        return false;
    void *copy = mmap(NULL, part->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    part->copy = copy;
    part->copied = base_alloc(pages_of(part));
    visit_chunks(shot, part, take_chunk, NULL);
    return true;
}

struct sim_snapshot *sim_snapshot_take(struct sim *sim) {
    struct sim_snapshot *shot = base_alloc(sizeof *shot);
    shot->sim = sim;
    shot->timer = sim->timer;
    shot->launches = sim->launches;
    shot->space = sim_memory_of(sim)->space;
    shot->rover = shot->space->rover;
    shot->pagemap =
        sysconf(_SC_PAGESIZE) == PAGE ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    sim_space_visit(shot->space, list_part, shot);
    for (size_t i = 0; i < shot->parts.length; i++)
        if (!take_part(shot, &shot->parts.data[i])) {
            sim_snapshot_free(shot);
            return NULL;
        }
    return shot;
}

void sim_snapshot_free(struct sim_snapshot *shot) {
    if (!shot)
        return;
    for (size_t i = 0; i < shot->parts.length; i++) {
        struct part *part = &shot->parts.data[i];
        if (part->copy)
            munmap(part->copy, part->bytes);
        free(part->copied);
    }
    if (shot->pagemap >= 0)
        close(shot->pagemap);
    vec_free(&shot->parts);
    free(shot);
}

// ---- Compare ------------------------------------------------------------------------------

struct fit {
    const struct sim_snapshot *shot;
    size_t seen;
    bool fits;
};

static void fit_part(struct sim_allocation *allocation, void *context) {
    struct fit *fit = context;
    if (!is_kept(allocation))
        return;
    const size_t at = fit->seen++;
    fit->fits &= at < fit->shot->parts.length &&
                 fit->shot->parts.data[at].address == allocation->address &&
                 fit->shot->parts.data[at].bytes == allocation->bytes;
}

bool sim_snapshot_fits(const struct sim_snapshot *shot) {
    struct fit fit = {.shot = shot, .fits = true};
    sim_space_visit(shot->space, fit_part, &fit);
    return fit.fits && fit.seen == shot->parts.length;
}

static void forget_page(const struct part *part, struct chunk chunk) {
    madvise(memory_of(part, chunk), PAGE, MADV_DONTNEED);
}

// What the page held: the copy, or as it was allocated, which goes into `fresh`.
static const uint8_t *content_of(const struct part *part, uint64_t page, struct chunk chunk,
                                 uint8_t fresh[PAGE]) {
    uint8_t now[PAGE];
    if (part->copied[page])
        return part->copy + chunk.offset;
    memcpy(now, memory_of(part, chunk), PAGE);
    forget_page(part, chunk);
    memcpy(fresh, memory_of(part, chunk), PAGE);
    memcpy(memory_of(part, chunk), now, PAGE);
    return fresh;
}

static bool compare_chunk(struct part *part, uint64_t page, struct chunk chunk, void *context) {
    uint64_t *found = context;
    uint8_t fresh[PAGE];
    const uint8_t *now = memory_of(part, chunk), *then = content_of(part, page, chunk, fresh);
    if (memcmp(now, then, chunk.bytes) == 0)
        return true;
    size_t at = 0;
    while (now[at] == then[at])
        at++;
    *found = part->address + chunk.offset + at;
    return false;
}

uint64_t sim_snapshot_next_difference(const struct sim_snapshot *shot, uint64_t behind) {
    for (size_t i = 0; i < shot->parts.length; i++) {
        struct part *part = &shot->parts.data[i];
        uint64_t found = 0;
        if (part->address > behind)
            visit_chunks(shot, part, compare_chunk, &found);
        if (found)
            return found;
    }
    return 0;
}

static bool put_chunk(struct part *part, uint64_t page, struct chunk chunk, void *context) {
    uint8_t *now = memory_of(part, chunk);
    const uint8_t *then = part->copy + chunk.offset;
    (void)context;
    if (!part->copied[page])
        forget_page(part, chunk);
    else if (memcmp(now, then, chunk.bytes) != 0)
        memcpy(now, then, chunk.bytes);
    return true;
}

void sim_snapshot_put_back(const struct sim_snapshot *shot) {
    for (size_t i = 0; i < shot->parts.length; i++)
        visit_chunks(shot, &shot->parts.data[i], put_chunk, NULL);
    pthread_mutex_lock(&shot->space->lock);
    shot->space->rover = shot->rover;
    pthread_mutex_unlock(&shot->space->lock);
    shot->sim->timer = shot->timer;
    shot->sim->launches = shot->launches;
}

size_t sim_snapshot_read(const struct sim_snapshot *shot, uint64_t address, size_t bytes,
                         void *out) {
    for (size_t i = 0; i < shot->parts.length; i++) {
        const struct part *part = &shot->parts.data[i];
        const uint64_t offset = address - part->address;
        if (offset >= part->bytes)
            continue;
        uint8_t fresh[PAGE];
        const uint64_t page = address / PAGE - part->address / PAGE;
        const struct chunk chunk = chunk_of(part, page);
        const size_t at = (size_t)(offset - chunk.offset);
        const size_t count = bytes < chunk.bytes - at ? bytes : chunk.bytes - at;
        memcpy(out, content_of(part, page, chunk, fresh) + at, count);
        return count;
    }
    return 0;
}
