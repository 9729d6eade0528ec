#define _GNU_SOURCE // MAP_ANONYMOUS
#include "sim/memory/fresh.h"

#include <sys/mman.h>
#include <unistd.h>

#include "sim/bulk.h"

// MAPPED: allocations from here on may be mapped. The longer the file the fewer mappings it takes,
// of which a process may have some ten thousand.
enum { MAPPED = 256 << 10, SHORT_PERIOD = 2 << 20, LONG_PERIOD = 16 << 20, LONG_FROM = 64 << 20 };

// WRITTEN_MOST: so many bytes of large allocations are written at once. Most programs write most of
// what they allocate, and huge pages that are filled take a third of the time of small ones that
// are copied when they are written.
enum { WRITTEN_MOST = 256 << 20, HUGE_PAGE = 2 << 20 };

static void *at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

static uint64_t page_bytes(void) {
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

// Writes the file as far as is wanted.
static bool extend(struct sim_fresh *fresh, uint64_t period) {
    struct unnamed_file *file = &fresh->file;
    if (unnamed_file_descriptor(file) < 0 && !unnamed_file_make(file, "bankrun fresh memory"))
        return false;
    if (file->bytes >= period)
        return true;
    if (!unnamed_file_reach(file, period))
        return false;
    void *view = mmap(NULL, period, PROT_READ | PROT_WRITE, MAP_SHARED, file->number - 1, 0);
    if (view == MAP_FAILED) {
        unnamed_file_close(file); // rather than that it is taken for written
        return false;
    }
    sim_fill_bytes(&fresh->fill, 0, view, period);
    munmap(view, period);
    return true;
}

// Returns how many bytes from the first on it could map.
static uint64_t map_pages(struct sim_fresh *fresh, uint64_t first, uint64_t bytes) {
    const uint64_t period = bytes < LONG_FROM ? SHORT_PERIOD : LONG_PERIOD;
    if (!extend(fresh, period))
        return 0;
    for (uint64_t done = 0, piece; done < bytes; done += piece) {
        const uint64_t from = (first + done) % period;
        piece = bytes - done < period - from ? bytes - done : period - from;
        if (mmap(at(first + done), piece, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fresh->file.number - 1,
                 (off_t)from) == MAP_FAILED)
            return done;
    }
    return bytes;
}

static bool is_written(const struct sim_fresh *fresh, uint64_t bytes) {
    return bytes < MAPPED ||
           (fresh->fill.kind == SIM_FILL_PATTERN && bytes <= WRITTEN_MOST - fresh->written);
}

static void ask_for_huge_pages(uint64_t first, uint64_t last) {
    first = (first + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    last = last / HUGE_PAGE * HUGE_PAGE;
    if (first < last)
        madvise(at(first), last - first, MADV_HUGEPAGE);
}

static void write_all(const struct sim_fresh *fresh, struct pool *pool, uint64_t salt,
                      uint64_t address, uint64_t bytes) {
    if (fresh->fill.kind == SIM_FILL_PATTERN)
        bulk_fill(pool, at(address), bytes, SIM_FILL_BYTE, 1);
    else
        sim_fill_bytes(&fresh->fill, salt, at(address), bytes);
}

void sim_fresh_fill(struct sim_fresh *fresh, struct pool *pool, uint64_t salt, uint64_t address,
                    uint64_t bytes) {
    const uint64_t page = page_bytes(), end = address + bytes;
    uint64_t first = (address + page - 1) / page * page, last = end / page * page;
    if (fresh->fill.kind == SIM_FILL_ZERO)
        return;
    if (is_written(fresh, bytes)) {
        fresh->written += bytes < MAPPED ? 0 : bytes;
        ask_for_huge_pages(first, last);
        write_all(fresh, pool, salt, address, bytes);
        return;
    }
    last = first + map_pages(fresh, first, last - first);
    sim_fill_bytes(&fresh->fill, salt, at(address), first - address);
    sim_fill_bytes(&fresh->fill, salt + 1, at(last), end - last);
}

// ---- What is mapped and will be overwritten ------------------------------------------------

void sim_fresh_track(struct sim_fresh *fresh, uint64_t address, uint64_t bytes) {
    if (fresh->fill.kind != SIM_FILL_ZERO && !is_written(fresh, bytes))
        vec_push(&fresh->mapped, (struct sim_range){address, bytes});
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

// What is tracked at place `i` ends at `first` and goes on at `last`.
static void cut(struct sim_fresh *fresh, size_t i, uint64_t first, uint64_t last) {
    const struct sim_range whole = fresh->mapped.data[i];
    const uint64_t end = whole.address + whole.bytes;
    fresh->mapped.data[i] = fresh->mapped.data[--fresh->mapped.length];
    if (first - whole.address >= HUGE_PAGE)
        vec_push(&fresh->mapped, (struct sim_range){whole.address, first - whole.address});
    if (end - last >= HUGE_PAGE)
        vec_push(&fresh->mapped, (struct sim_range){last, end - last});
}

void sim_fresh_forget(struct sim_fresh *fresh, uint64_t address, uint64_t bytes) {
    for (size_t i = fresh->mapped.length; i-- > 0;) {
        const struct sim_range range = fresh->mapped.data[i];
        const uint64_t first = larger(address, range.address);
        const uint64_t last = smaller(address + bytes, range.address + range.bytes);
        if (first < last)
            cut(fresh, i, first, last);
    }
}

struct sim_range sim_fresh_overwrite(struct sim_fresh *fresh, uint64_t address, uint64_t bytes) {
    struct sim_range zeros = {0, 0};
    const uint64_t page = page_bytes();
    for (size_t i = fresh->mapped.length; i-- > 0;) {
        const struct sim_range range = fresh->mapped.data[i];
        uint64_t first = larger(address, range.address);
        uint64_t last = smaller(address + bytes, range.address + range.bytes);
        first = (first + page - 1) / page * page;
        last = last / page * page;
        if (first >= last || last - first < HUGE_PAGE || !sim_fresh_drop(first, last - first))
            continue;
        ask_for_huge_pages(first, last);
        zeros = (struct sim_range){first, last - first};
        cut(fresh, i, first, last);
    }
    return zeros;
}

bool sim_fresh_drop(uint64_t address, uint64_t bytes) {
    return mmap(at(address), bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void sim_fresh_free(struct sim_fresh *fresh) {
    unnamed_file_close(&fresh->file);
    vec_free(&fresh->mapped);
}
