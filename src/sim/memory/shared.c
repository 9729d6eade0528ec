#define _GNU_SOURCE // fallocate
#include "sim/memory/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sim/memory/memory.h"
#include "sim/share.h"

// PIECE: so much is in memory twice, for a moment. CHUNK: zeros that long are left out.
enum { PIECE = 8 << 20, CHUNK = 64 << 10 };

static uint64_t page_bytes(void) {
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static void *at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

static uint64_t page_number(const struct sim_space *space, uint64_t address) {
    return (address - space->begin) / page_bytes();
}

static bool is_in_file(const struct sim_space *space, uint64_t address) {
    const uint64_t page = page_number(space, address);
    return space->shared.pages[page / 8] >> page % 8 & 1;
}

static void note(struct sim_space *space, uint64_t address, uint64_t end, bool is_in_file) {
    for (uint64_t page = page_number(space, address); page < page_number(space, end); page++) {
        const uint8_t bit = (uint8_t)(1u << page % 8);
        space->shared.pages[page / 8] =
            (uint8_t)(is_in_file ? space->shared.pages[page / 8] | bit
                                 : space->shared.pages[page / 8] & ~bit);
    }
}

// Where the run of pages ends that are like the one at the address.
static uint64_t run_end(const struct sim_space *space, uint64_t address, uint64_t end) {
    const bool first = is_in_file(space, address);
    const uint64_t page = page_bytes();
    while (address < end && is_in_file(space, address) == first)
        address += page;
    return address;
}

// ---- Into the file ----------------------------------------------------------------------------

static bool is_zero(const char *bytes, size_t count) {
    return !bytes[0] && memcmp(bytes, bytes + 1, count - 1) == 0;
}

static bool write_chunk(const struct sim_space *space, uint64_t address, size_t bytes) {
    const int file = space->shared.file.number - 1;
    for (size_t done = 0; done < bytes;) {
        const ssize_t count =
            pwrite(file, at(address + done), bytes - done, (off_t)(address + done - space->begin));
        if (count <= 0 && errno != EINTR)
            return false;
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool empty(const struct sim_space *space, uint64_t address, uint64_t end) {
    return fallocate(space->shared.file.number - 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     (off_t)(address - space->begin), (off_t)(end - address)) == 0;
}

// What the pages hold goes into the file, which is then mapped over them. Nobody writes them
// meanwhile.
static bool move(struct sim_space *space, uint64_t address, uint64_t end) {
    const int file = space->shared.file.number - 1;
    const bool is_empty = empty(space, address, end); // of what an earlier allocation left there
    bool is_written = true;
    for (uint64_t from = address; is_written && from < end; from += CHUNK) {
        const size_t bytes = end - from < CHUNK ? (size_t)(end - from) : CHUNK;
        is_written = (is_empty && is_zero(at(from), bytes)) || write_chunk(space, from, bytes);
    }
    if (!is_written ||
        mmap(at(address), end - address, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             (off_t)(address - space->begin)) == MAP_FAILED) {
        const int why = errno;
        empty(space, address, end);
        errno = why;
        return false;
    }
    note(space, address, end, true);
    return true;
}

static bool move_all(struct sim_space *space, uint64_t address, uint64_t end) {
    for (uint64_t next; address < end; address = next) {
        const uint64_t piece = end - address < PIECE ? end : address + PIECE;
        next = run_end(space, address, piece);
        if (!is_in_file(space, address) && !move(space, address, next))
            return false;
    }
    return true;
}

// There is a file that reaches so far.
static bool prepare(struct sim_space *space, uint64_t end) {
    struct sim_shared *shared = &space->shared;
    if (!shared->file.number && !unnamed_file_make(&shared->file, "bankrun device memory"))
        return false;
    if (!shared->pages)
        shared->pages = base_alloc((space->end - space->begin) / page_bytes() / 8 + 1);
    return unnamed_file_reach(&shared->file, end - space->begin);
}

static void say_why(const struct sim_space *space, uint64_t end, char why[SIM_SHARE_TEXT]) {
    if (errno == EFBIG)
        snprintf(why, SIM_SHARE_TEXT,
                 "the process may not write a file of %llu bytes (RLIMIT_FSIZE, ulimit -f)",
                 (unsigned long long)(end - space->begin));
    else if (errno == EBADF)
        snprintf(why, SIM_SHARE_TEXT,
                 "the program closed the descriptor of the memory that it shares");
    else
        snprintf(why, SIM_SHARE_TEXT, "%s", strerror(errno));
}

// Memory of the caller's, and what lies as on a GPU (pages.h), cannot be.
static bool may_be_shared(const struct sim_space *space, const struct sim_allocation *found) {
    return found && found->kind == SIM_DEVICE && !space->pages &&
           found->address - space->begin < space->end - space->begin;
}

enum sim_share_result sim_share(struct sim *sim, uint64_t address, struct sim_share *share) {
    struct sim_memory *memory = sim_memory_of(sim);
    struct sim_space *space = memory->space;
    struct sim_allocation *found = (struct sim_allocation *)sim_memory_find(memory, address, false);
    if (!may_be_shared(space, found))
        return SIM_SHARE_REFUSED;
    const uint64_t page = page_bytes(),
                   end = (found->address + found->bytes + page - 1) / page * page;
    pthread_mutex_lock(&space->lock);
    sim_fresh_forget(&space->fresh, found->address, found->bytes);
    const bool is_done = prepare(space, end) && move_all(space, found->address / page * page, end);
    if (is_done) {
        found->is_shared = true;
        sim_undefined_share(&space->undefined, found->address, found->bytes);
        *share = (struct sim_share){.address = found->address,
                                    .bytes = found->bytes,
                                    .begin = space->begin,
                                    .file = space->shared.file.number - 1};
    } else {
        say_why(space, end, share->why);
    }
    pthread_mutex_unlock(&space->lock);
    return is_done ? SIM_SHARED : SIM_SHARE_FAILED;
}

// ---- Out of it --------------------------------------------------------------------------------

static void make_private(struct sim_space *space, uint64_t address, uint64_t end) {
    for (uint64_t next; address < end; address = next) {
        next = run_end(space, address, end);
        if (!is_in_file(space, address) || !sim_fresh_drop(address, next - address))
            continue;
        if (unnamed_file_descriptor(&space->shared.file) >= 0)
            empty(space, address, next);
        note(space, address, next, false);
    }
}

void sim_shared_end(struct sim_space *space, const struct sim_allocation *old) {
    const uint64_t page = page_bytes();
    make_private(space, (old->address + page - 1) / page * page,
                 (old->address + old->bytes) / page * page);
}

void sim_shared_clear(struct sim_space *space, uint64_t address, uint64_t bytes) {
    const uint64_t page = page_bytes();
    if (space->shared.pages)
        make_private(space, address / page * page, (address + bytes + page - 1) / page * page);
}

void sim_shared_free(struct sim_space *space) {
    unnamed_file_close(&space->shared.file);
    free(space->shared.pages);
    space->shared.pages = NULL;
}

bool sim_register_shared(struct sim *sim, void *address, size_t bytes, uint32_t also) {
    struct sim_memory *memory = sim_memory_of(sim);
    struct sim_allocation *allocation =
        sim_memory_register(memory, (uint64_t)(uintptr_t)address, bytes, SIM_DEVICE);
    if (!allocation)
        return false;
    allocation->is_shared = true;
    if (also & ~allocation->readers) {
        allocation->has_own_access = true;
        allocation->readers |= also;
        allocation->writers |= also;
    }
    return true;
}
