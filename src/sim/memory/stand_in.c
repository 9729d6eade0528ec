#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mremap, pipe2
#endif
#include "sim/memory/stand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

static void lock(struct sim_stand_ins *all) {
    while (__atomic_exchange_n(&all->lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(struct sim_stand_ins *all) {
    __atomic_store_n(&all->lock, 0, __ATOMIC_RELEASE);
}

static struct sim_stand_in *find(struct sim_stand_ins *all, uint64_t page) {
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].page == page)
            return &all->items[i];
    return NULL;
}

static void *map(void *place, size_t bytes, int access, int flags) {
    void *at = mmap(place, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static bool move(void *from, void *to, size_t bytes) {
    return mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

static bool is_mapped(void *page, size_t bytes) {
    unsigned char resident;
    return mincore(page, bytes, &resident) == 0;
}

// The program's page is gone.
static enum sim_stand_in_result fill_gap(void *place, size_t bytes) {
    void *at = map(place, bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
    if (at == place)
        return SIM_STAND_IN_THERE;
    if (!at)
        return errno == EEXIST ? SIM_STAND_IN_MAPPED : SIM_STAND_IN_NONE;
    // A system that does not know the flag (Linux before 4.17, qemu-user 7.2) goes elsewhere.
    munmap(at, bytes);
    return is_mapped(place, bytes) ? SIM_STAND_IN_MAPPED : SIM_STAND_IN_NONE;
}

// What can be read of a page, by way of the system, which says what cannot.
static void copy_readable(void *to, const void *from, size_t bytes) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    const ssize_t length = write(ends[1], from, bytes);
    if (length > 0)
        (void)!read(ends[0], to, (size_t)length);
    close(ends[0]);
    close(ends[1]);
}

// Other threads may read a page that they must not write: they go on finding what it holds.
static bool exchange(void *place, void *spare, void *aside, size_t bytes) {
    copy_readable(spare, place, bytes);
    if (!move(place, aside, bytes))
        return false;
    if (move(spare, place, bytes))
        return true;
    move(aside, place, bytes);
    return false;
}

static enum sim_stand_in_result replace(struct sim_stand_in *item, size_t bytes) {
    void *place = (void *)(uintptr_t)item->page;
    void *spare = map(NULL, bytes, PROT_READ | PROT_WRITE, 0);
    void *aside = map(NULL, bytes, PROT_NONE, 0);
    if (spare && aside && exchange(place, spare, aside, bytes)) {
        item->aside = aside;
        return SIM_STAND_IN_THERE;
    }
    if (spare)
        munmap(spare, bytes);
    if (aside)
        munmap(aside, bytes);
    return SIM_STAND_IN_NONE;
}

static enum sim_stand_in_result take(struct sim_stand_ins *all, uint64_t page, bool is_gap) {
    struct sim_stand_in *item = find(all, page);
    if (item) {
        item->users++;
        return SIM_STAND_IN_THERE;
    }
    if (all->count == SIM_STAND_INS)
        return SIM_STAND_IN_NONE;
    item = &all->items[all->count];
    *item = (struct sim_stand_in){.page = page, .users = 1};
    const enum sim_stand_in_result result = is_gap
                                                ? fill_gap((void *)(uintptr_t)page, all->page_bytes)
                                                : replace(item, all->page_bytes);
    all->count += result == SIM_STAND_IN_THERE;
    return result;
}

enum sim_stand_in_result sim_stand_in_take(struct sim_stand_ins *all, uint64_t page, bool is_gap) {
    lock(all);
    const enum sim_stand_in_result result = take(all, page, is_gap);
    unlock(all);
    return result;
}

void sim_stand_in_drop(struct sim_stand_ins *all, uint64_t page) {
    lock(all);
    struct sim_stand_in *item = find(all, page);
    if (item && --item->users == 0) {
        void *place = (void *)(uintptr_t)page;
        if (item->aside)
            move(item->aside, place, all->page_bytes);
        else
            munmap(place, all->page_bytes);
        *item = all->items[--all->count];
    }
    unlock(all);
}
