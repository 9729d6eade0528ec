#define _GNU_SOURCE // memfd_create, syscall
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ranks/page_form.h"

enum state {
    ABSENT,
    STALE,  // holds something that may be what it is to hold
    WANTED, // somebody waits, or soon will
    VALID,  // can be read
    BUSY,   // somebody makes its twin
    DIRTY,  // written: its twin is there
};
// Pages are asked for ahead, as many as were touched one after the other before.
enum { QUEUE = 4096, MOST_AHEAD = 32 };
// The system's large pages, and how it is asked for them (MADV_COLLAPSE of newer headers).
enum { OF_LARGE = (2 << 20) / RANKS_PAGE, COLLAPSE = 25 };

struct ranks_replica {
    uint64_t base, bytes;
    int file;
    uint8_t *seen, *ours; // the same memory: as kernels have it, and always open
    uint32_t *states;     // atomic; of each page
    uint32_t *twins;
    uint32_t *kernels; // that touched each page last
    uint64_t *hashes;  // of what is there; 0: not known
    uint8_t *twin_memory;
    uint32_t twin_count; // atomic
    uint64_t *pages_written;
    uint32_t told;         // twins that ranks_replica_wrote is done with
    uint64_t queue[QUEUE]; // pages + 1
    uint64_t head, tail;   // atomic
    bool has_given_up;     // atomic
    uint32_t kernel;
    uint64_t waited;           // atomic: nanoseconds of all threads, of this launch
    uint64_t ahead, under_way; // pages looked at, and asked for but not here, of this launch
    uint64_t first, last;      // touched: [first, last)
    uint32_t number;           // of the launch that is under way, or was
    uint8_t *settled;          // of each large page: it was asked for, and nothing came since
    uint64_t next_large;
    bool has_no_large;
    void (*wake)(void);
};

static void *reserve(size_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static size_t count_of(const struct ranks_replica *replica) {
    return (size_t)(replica->bytes / RANKS_PAGE);
}

static bool map_both(struct ranks_replica *replica) {
    const size_t bytes = (size_t)replica->bytes;
    void *want = (void *)(uintptr_t)replica->base;
    replica->file = memfd_create("bankrun ranks", MFD_CLOEXEC);
    if (replica->file < 0 || ftruncate(replica->file, (off_t)bytes) != 0)
        return false;
    void *at = mmap(want, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                    replica->file, 0);
    if (at == MAP_FAILED)
        return false;
    replica->seen = at;
    void *ours =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, replica->file, 0);
    replica->ours = ours == MAP_FAILED ? NULL : ours;
    return at == want && replica->ours;
}

struct ranks_replica *ranks_replica_create(uint64_t base, uint64_t bytes, void (*wake)(void)) {
    struct ranks_replica *replica = base_alloc(sizeof *replica);
    *replica = (struct ranks_replica){.base = base, .bytes = bytes, .file = -1, .wake = wake};
    const size_t pages = count_of(replica);
    replica->states = reserve(pages * sizeof *replica->states);
    replica->twins = reserve(pages * sizeof *replica->twins);
    replica->kernels = reserve(pages * sizeof *replica->kernels);
    replica->hashes = reserve(pages * sizeof *replica->hashes);
    replica->settled = reserve((pages / OF_LARGE + 2) * sizeof *replica->settled);
    replica->pages_written = reserve(pages * sizeof *replica->pages_written);
    replica->twin_memory = reserve((size_t)bytes);
    ranks_ask_for_large(replica->twin_memory, (size_t)bytes);
    if (replica->states && replica->twins && replica->kernels && replica->hashes &&
        replica->settled && replica->pages_written && replica->twin_memory && map_both(replica))
        return replica;
    ranks_replica_free(replica);
    return NULL;
}

static void release(void *at, size_t bytes) {
    if (at)
        munmap(at, bytes);
}

void ranks_replica_free(struct ranks_replica *replica) {
    if (!replica)
        return;
    const size_t pages = count_of(replica);
    release(replica->states, pages * sizeof *replica->states);
    release(replica->twins, pages * sizeof *replica->twins);
    release(replica->kernels, pages * sizeof *replica->kernels);
    release(replica->hashes, pages * sizeof *replica->hashes);
    release(replica->settled, (pages / OF_LARGE + 2) * sizeof *replica->settled);
    release(replica->pages_written, pages * sizeof *replica->pages_written);
    release(replica->twin_memory, (size_t)replica->bytes);
    release(replica->seen, (size_t)replica->bytes);
    release(replica->ours, (size_t)replica->bytes);
    if (replica->file >= 0)
        close(replica->file);
    free(replica);
}

bool ranks_replica_fits(const struct ranks_replica *replica, uint64_t base, uint64_t bytes) {
    return replica && replica->base == base && replica->bytes == bytes;
}

// ---- States -----------------------------------------------------------------------------------

static uint32_t state_of(const struct ranks_replica *replica, uint64_t page) {
    return __atomic_load_n(&replica->states[page], __ATOMIC_ACQUIRE);
}

static bool change(struct ranks_replica *replica, uint64_t page, uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(&replica->states[page], &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

static void set_state(struct ranks_replica *replica, uint64_t page, uint32_t state) {
    __atomic_store_n(&replica->states[page], state, __ATOMIC_RELEASE);
    syscall(SYS_futex, &replica->states[page], FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static uint8_t *seen_at(const struct ranks_replica *replica, uint64_t page) {
    return replica->seen + page * RANKS_PAGE;
}

static uint8_t *ours_at(const struct ranks_replica *replica, uint64_t page) {
    return replica->ours + page * RANKS_PAGE;
}

static uint8_t *twin_of(const struct ranks_replica *replica, uint64_t page) {
    return replica->twin_memory + (uint64_t)replica->twins[page] * RANKS_PAGE;
}

static void allow(struct ranks_replica *replica, uint64_t page, int access) {
    if (mprotect(seen_at(replica, page), RANKS_PAGE, access) != 0)
        abort(); // the system has no more mappings
}

// ---- Faults: async-signal-safe ----------------------------------------------------------------

static void ask_for(struct ranks_replica *replica, uint64_t page) {
    const uint64_t at = __atomic_fetch_add(&replica->tail, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&replica->queue[at % QUEUE], page + 1, __ATOMIC_RELEASE);
    replica->wake();
}

static void wait_for(struct ranks_replica *replica, uint64_t page) {
    const struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    struct timespec begin, end;
    if (state_of(replica, page) != WANTED)
        return;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    syscall(SYS_futex, &replica->states[page], FUTEX_WAIT_PRIVATE, WANTED, &moment, NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const int64_t took = (end.tv_sec - begin.tv_sec) * 1000000000ll + (end.tv_nsec - begin.tv_nsec);
    __atomic_fetch_add(&replica->waited, (uint64_t)took, __ATOMIC_RELAXED);
}

double ranks_replica_waited(const struct ranks_replica *replica) {
    return (double)__atomic_load_n(&replica->waited, __ATOMIC_RELAXED) * 1e-9;
}

static void make_twin(struct ranks_replica *replica, uint64_t page) {
    const uint32_t number = __atomic_fetch_add(&replica->twin_count, 1, __ATOMIC_RELAXED);
    replica->twins[page] = number;
    replica->pages_written[number] = page;
    replica->hashes[page] = 0;
    memcpy(twin_of(replica, page), ours_at(replica, page), RANKS_PAGE);
}

static bool has_given_up(const struct ranks_replica *replica) {
    return __atomic_load_n(&replica->has_given_up, __ATOMIC_ACQUIRE);
}

bool ranks_replica_fault(struct ranks_replica *replica, uint64_t address) {
    if (address - replica->base >= replica->bytes)
        return false;
    const uint64_t page = (address - replica->base) / RANKS_PAGE;
    const uint32_t state = state_of(replica, page);
    if (has_given_up(replica)) { // what comes of it is nobody's
        allow(replica, page, PROT_READ | PROT_WRITE);
        return true;
    }
    if (state == VALID && change(replica, page, VALID, BUSY)) {
        make_twin(replica, page);
        allow(replica, page, PROT_READ | PROT_WRITE);
        set_state(replica, page, DIRTY);
    } else if ((state == ABSENT || state == STALE) && change(replica, page, state, WANTED)) {
        // Whether there is something to compare with is kept in the twin's number meanwhile.
        replica->twins[page] = state == STALE;
        ask_for(replica, page);
        wait_for(replica, page);
    } else {
        wait_for(replica, page);
    }
    return true;
}

// ---- Asking -----------------------------------------------------------------------------------

static bool is_inside(uint64_t base, uint64_t page, const struct ranks_range *ranges,
                      size_t count) {
    const uint64_t begin = base + page * RANKS_PAGE, end = begin + RANKS_PAGE;
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (ranges[middle].address + ranges[middle].bytes <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ranges[low].address < end;
}

static void note_touched(struct ranks_replica *replica, uint64_t page) {
    if (page < replica->first || replica->first == replica->last)
        replica->first = page;
    if (page >= replica->last)
        replica->last = page + 1;
}

static void put_need(struct ranks_replica *replica, uint64_t page, bool is_stale,
                     struct strbuf *out) {
    replica->under_way++;
    note_touched(replica, page); // even if the answer comes too late
    if (is_stale && !replica->hashes[page])
        replica->hashes[page] = hash_bytes(ours_at(replica, page), RANKS_PAGE);
    ranks_put_number(out, page);
    ranks_put_number(out, is_stale ? replica->hashes[page] : 0);
}

static bool is_there(const struct ranks_replica *replica, uint64_t page) {
    return state_of(replica, page) >= WANTED;
}

static void put_ahead(struct ranks_replica *replica, uint64_t page,
                      const struct ranks_range *ranges, size_t count, struct strbuf *out) {
    uint64_t ahead = 0;
    while (ahead < MOST_AHEAD && ahead < page && is_there(replica, page - 1 - ahead))
        ahead++;
    for (uint64_t next = page + 1; next <= page + ahead && next < count_of(replica); next++) {
        const uint32_t state = state_of(replica, next);
        if (state > STALE || !is_inside(replica->base, next, ranges, count) ||
            !change(replica, next, state, WANTED))
            return;
        put_need(replica, next, state == STALE, out);
    }
}

// What the kernel touched the last time.
static bool put_known(struct ranks_replica *replica, const struct ranks_range *ranges, size_t count,
                      struct strbuf *out) {
    enum { BATCH = 128, UNDER_WAY = 1024 };
    unsigned found = 0;
    while (replica->ahead < replica->last && found < BATCH && replica->under_way < UNDER_WAY) {
        const uint64_t page = replica->ahead++;
        if (replica->kernels[page] == replica->kernel && state_of(replica, page) == STALE &&
            is_inside(replica->base, page, ranges, count) && change(replica, page, STALE, WANTED)) {
            put_need(replica, page, true, out);
            found++;
        }
    }
    return found > 0;
}

bool ranks_replica_needs(struct ranks_replica *replica, const struct ranks_range *ranges,
                         size_t count, struct strbuf *out) {
    bool needs = false;
    while (replica->head < __atomic_load_n(&replica->tail, __ATOMIC_ACQUIRE)) {
        uint64_t *slot = &replica->queue[replica->head % QUEUE];
        const uint64_t page = __atomic_exchange_n(slot, 0, __ATOMIC_ACQ_REL);
        if (!page) // its thread is just about to say which
            return needs;
        replica->head++;
        put_need(replica, page - 1, replica->twins[page - 1] != 0, out);
        put_ahead(replica, page - 1, ranges, count, out);
        needs = true;
    }
    return needs || put_known(replica, ranges, count, out);
}

static bool fill(struct ranks_replica *replica, uint64_t page, uint64_t form, const void *bytes,
                 size_t length) {
    if (form == RANKS_PAGE_KNOWN)
        return true;
    replica->hashes[page] = 0;
    if (form == RANKS_PAGE_PACKED)
        return length < RANKS_PAGE && LZ4_decompress_safe(bytes, (char *)ours_at(replica, page),
                                                          (int)length, RANKS_PAGE) == RANKS_PAGE;
    if (length != RANKS_PAGE)
        return false;
    memcpy(ours_at(replica, page), bytes, RANKS_PAGE);
    return true;
}

// Pages one after the other, filled: opened at once, since each piece that the system looks at
// apart takes it time, and memory of its large pages.
static void open_run(struct ranks_replica *replica, uint64_t first, uint64_t end) {
    if (mprotect(seen_at(replica, first), (size_t)(end - first) * RANKS_PAGE, PROT_READ) != 0)
        abort(); // the system has no more mappings
    for (uint64_t page = first; page < end; page++) {
        set_state(replica, page, VALID);
        replica->under_way -= replica->under_way > 0;
        replica->kernels[page] = replica->kernel;
        replica->settled[page / OF_LARGE] = 0;
    }
}

bool ranks_replica_put(struct ranks_replica *replica, struct ranks_reader *pages) {
    uint64_t first = 0, end = 0; // of a run that is filled, and not open yet
    while (pages->at < pages->end) {
        const uint64_t page = ranks_get_number(pages), form = ranks_get_number(pages);
        const size_t length = (size_t)ranks_get_number(pages);
        const void *bytes = ranks_get(pages, length);
        if (first < end && page != end) {
            open_run(replica, first, end);
            first = end = 0;
        }
        if (pages->is_bad || page >= count_of(replica) || state_of(replica, page) != WANTED ||
            !fill(replica, page, form, bytes, length))
            break;
        first = first == end ? page : first;
        end = page + 1;
    }
    if (first < end)
        open_run(replica, first, end);
    return pages->at == pages->end && !pages->is_bad;
}

bool ranks_replica_expects(const struct ranks_replica *replica) {
    return replica->under_way > 0;
}

// ---- Large pages of the system ----------------------------------------------------------------

static bool is_whole(const struct ranks_replica *replica, uint64_t large) {
    for (uint64_t page = large * OF_LARGE; page < (large + 1) * OF_LARGE; page++)
        if (page >= count_of(replica) || state_of(replica, page) != VALID)
            return false;
    return true;
}

// Small ones cost kernels that go through memory in great steps a third of their time. A whole one
// is asked for once: what is opened piece by piece later is made of small ones again.
bool ranks_replica_settle(struct ranks_replica *replica) {
    enum { LOOKS = 256 };
    const uint64_t from = replica->first / OF_LARGE, to = replica->last / OF_LARGE + 1;
    if (replica->has_no_large || replica->first == replica->last ||
        (uintptr_t)replica->seen % (OF_LARGE * RANKS_PAGE))
        return false;
    for (unsigned looks = 0; looks < LOOKS; looks++) {
        if (replica->next_large < from || replica->next_large >= to)
            replica->next_large = from;
        const uint64_t large = replica->next_large++;
        if (replica->settled[large] || !is_whole(replica, large))
            continue;
        replica->settled[large] = 1;
        if (madvise(seen_at(replica, large * OF_LARGE), OF_LARGE * RANKS_PAGE, COLLAPSE) == 0)
            return true;
        replica->has_no_large = errno == EINVAL; // before Linux 6.1
        return false;
    }
    return false;
}

// ---- Launches ---------------------------------------------------------------------------------

// Pages of which nothing is known any more, from one that is on to one that is not.
struct closing {
    struct ranks_replica *replica;
    uint64_t first, end;
    bool has_any;    // some of them are open
    bool has_failed; // the system has no more mappings
};

static void close_run(struct closing *closing) {
    if (closing->has_any)
        closing->has_failed |=
            mprotect(seen_at(closing->replica, closing->first),
                     (size_t)(closing->end - closing->first) * RANKS_PAGE, PROT_NONE) != 0;
    closing->has_any = false;
}

static void close_page(struct closing *closing, uint64_t page) {
    uint32_t *state = &closing->replica->states[page];
    if (page != closing->end) {
        close_run(closing);
        closing->first = page;
    }
    closing->end = page + 1;
    closing->has_any |= *state == VALID || *state == DIRTY;
    if (*state != ABSENT)
        *state = STALE;
}

static void close_all(struct ranks_replica *replica) {
    const uint64_t count = replica->last - replica->first;
    for (uint64_t page = replica->first; page < replica->last; page++)
        if (replica->states[page] != ABSENT)
            replica->states[page] = STALE;
    if (count &&
        mprotect(seen_at(replica, replica->first), (size_t)count * RANKS_PAGE, PROT_NONE) != 0)
        abort(); // what is there would be taken for what it was
}

// What was there when the launch before began stays where nobody has written since.
static void keep(struct ranks_replica *replica, const struct ranks_run *unwritten, size_t count) {
    struct closing closing = {.replica = replica};
    size_t at = 0;
    for (uint64_t page = replica->first; page < replica->last; page++) {
        while (at < count && page >= unwritten[at].first + unwritten[at].count)
            at++;
        const bool is_kept =
            replica->states[page] == VALID && at < count && page >= unwritten[at].first;
        if (!is_kept)
            close_page(&closing, page);
    }
    close_run(&closing);
    if (closing.has_failed)
        close_all(replica);
}

void ranks_replica_begin(struct ranks_replica *replica, uint32_t kernel, uint32_t number,
                         const struct ranks_run *unwritten, size_t count) {
    keep(replica, unwritten, number == replica->number + 1 ? count : 0);
    replica->number = number;
    replica->kernel = kernel;
    replica->ahead = replica->first;
    replica->under_way = replica->waited = 0;
    __atomic_store_n(&replica->has_given_up, false, __ATOMIC_RELEASE);
    replica->told = 0;
}

void ranks_replica_give_up(struct ranks_replica *replica) {
    __atomic_store_n(&replica->has_given_up, true, __ATOMIC_RELEASE);
    for (uint64_t page = 0; page < count_of(replica); page++)
        if (state_of(replica, page) == WANTED) {
            set_state(replica, page, ABSENT);
            if (page < replica->first || replica->first == replica->last)
                replica->first = page;
            if (page >= replica->last)
                replica->last = page + 1;
        }
}

// The first word at or behind `at` that is another one, or is not.
static size_t find(const uint8_t *now, const uint8_t *then, size_t at, bool differs) {
    enum { MANY = 16 * sizeof(uint64_t) };
    while (at < RANKS_PAGE) {
        if (!differs || at % MANY || memcmp(now + at, then + at, MANY) != 0) {
            if ((memcmp(now + at, then + at, sizeof(uint64_t)) != 0) == differs)
                return at;
            at += sizeof(uint64_t);
        } else {
            at += MANY;
        }
    }
    return RANKS_PAGE;
}

// Words of eight bytes, so that those of reductions are whole. What did not change changes nothing
// where it comes, so that a few words of it cost less than another run.
static void put_runs(const uint8_t *now, const uint8_t *then, struct strbuf *out, uint64_t *runs) {
    enum { GAP = 8 * sizeof(uint64_t) };
    size_t at = find(now, then, 0, true);
    while (at < RANKS_PAGE) {
        size_t end = find(now, then, at, false), next = find(now, then, end, true);
        while (next < RANKS_PAGE && next - end <= GAP) {
            end = find(now, then, next, false);
            next = find(now, then, end, true);
        }
        ranks_put_number(out, (uint64_t)at << 32 | (end - at));
        ranks_put(out, now + at, end - at);
        ++*runs;
        at = next;
    }
}

static void put_written(const struct ranks_replica *replica, uint64_t page, struct strbuf *out) {
    const size_t before = out->length;
    uint64_t runs = 0;
    ranks_put_number(out, page);
    ranks_put_number(out, 0);
    put_runs(ours_at(replica, page), twin_of(replica, page), out, &runs);
    if (runs)
        memcpy(out->data + before + sizeof page, &runs, sizeof runs);
    else
        out->length = before;
}

bool ranks_replica_wrote(struct ranks_replica *replica, struct strbuf *out, size_t most) {
    const size_t begin = out->length;
    while (replica->told < replica->twin_count && out->length - begin < most)
        put_written(replica, replica->pages_written[replica->told++], out);
    return replica->told < replica->twin_count;
}

// Who went on after it was given up has opened pages anywhere.
static void forget_all(struct ranks_replica *replica) {
    const size_t pages = (size_t)count_of(replica);
    close_all(replica);
    mprotect(replica->seen, (size_t)replica->bytes, PROT_NONE);
    madvise(replica->hashes, pages * sizeof *replica->hashes, MADV_DONTNEED); // zeros again
}

void ranks_replica_end(struct ranks_replica *replica) {
    struct closing closing = {.replica = replica};
    if (has_given_up(replica))
        forget_all(replica);
    for (uint64_t page = replica->first; page < replica->last; page++)
        if (replica->states[page] != VALID)
            close_page(&closing, page);
    close_run(&closing);
    if (closing.has_failed)
        close_all(replica);
    if (replica->twin_count > RANKS_TWINS_KEPT)
        madvise(replica->twin_memory + (size_t)RANKS_TWINS_KEPT * RANKS_PAGE,
                (size_t)(replica->twin_count - RANKS_TWINS_KEPT) * RANKS_PAGE, MADV_DONTNEED);
    replica->twin_count = replica->told = 0;
}
