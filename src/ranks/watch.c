#define _GNU_SOURCE // syscall
#include "ranks/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

// Of newer headers: linux/userfaultfd.h and linux/fs.h.
enum { USER_MODE_ONLY = 1, FEATURE_UNPOPULATED = 1 << 13, FEATURE_ASYNC = 1 << 15 };
enum { IS_WATCHED = 1 << 0, IS_WRITTEN = 1 << 1, IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4 };
enum { PROTECT_MATCHING = 1 << 0 };
struct scan_region {
    uint64_t start, end, categories;
};
struct scan {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, category_inverted,
        category_mask, category_anyof_mask, return_mask;
};
#define PAGEMAP_SCAN_CALL _IOWR('f', 16, struct scan)

// A page that is written at once whenever it is watched is left alone for 1, 3, 7 ... looks.
enum { MOST_TROUBLE = 6 };
struct page {
    uint8_t is_wanted, is_watched, was_quiet, trouble, skips;
};

struct ranks_watch {
    uint64_t base;
    size_t count;
    int fault, map;
    struct page *pages;   // what is not used takes nothing
    uint64_t first, last; // wanted or watched: [first, last)
    bool has_failed;
};

static bool open_both(struct ranks_watch *watch) {
    struct uffdio_api api = {.api = UFFD_API, .features = FEATURE_ASYNC | FEATURE_UNPOPULATED};
    watch->fault = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
    watch->map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return watch->fault >= 0 && watch->map >= 0 && ioctl(watch->fault, UFFDIO_API, &api) == 0;
}

struct ranks_watch *ranks_watch_create(uint64_t base, size_t pages) {
    struct ranks_watch *watch = base_alloc(sizeof *watch);
    *watch = (struct ranks_watch){.base = base, .count = pages, .fault = -1, .map = -1};
    void *at = mmap(NULL, pages * sizeof *watch->pages, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    watch->pages = at == MAP_FAILED ? NULL : at;
    if (watch->pages && open_both(watch))
        return watch;
    ranks_watch_free(watch);
    return NULL;
}

void ranks_watch_free(struct ranks_watch *watch) {
    if (!watch)
        return;
    if (watch->pages)
        munmap(watch->pages, watch->count * sizeof *watch->pages);
    if (watch->map >= 0)
        close(watch->map);
    if (watch->fault >= 0)
        close(watch->fault); // the system forgets what was protected for it
    free(watch);
}

void ranks_watch_want(struct ranks_watch *watch, uint64_t page) {
    if (page >= watch->count)
        return;
    watch->pages[page].is_wanted = 1;
    if (watch->first == watch->last || page < watch->first)
        watch->first = page;
    if (page >= watch->last)
        watch->last = page + 1;
}

static uint64_t address_of(const struct ranks_watch *watch, uint64_t page) {
    return watch->base + page * RANKS_PAGE;
}

// ---- What was written ---------------------------------------------------------------------------

// Bytes of which the system says that they were not: those of whole pages that are watched.
static void note_quiet(struct ranks_watch *watch, uint64_t begin, uint64_t end) {
    const uint64_t last = (end - watch->base) / RANKS_PAGE;
    for (uint64_t page = (begin - watch->base + RANKS_PAGE - 1) / RANKS_PAGE; page < last; page++)
        watch->pages[page].was_quiet = watch->pages[page].is_watched ? 2 : 0;
}

// Pages that were quiet this time have `was_quiet` 2 then.
static bool find_quiet(struct ranks_watch *watch, uint64_t first, uint64_t last) {
    enum { REGIONS = 256 };
    struct scan_region regions[REGIONS];
    const uint64_t end = address_of(watch, last);
    uint64_t at = address_of(watch, first), quiet = at, quiet_end = at; // what belongs together
    while (at < end) {
        struct scan scan = {.size = sizeof scan,
                            .start = at,
                            .end = end,
                            .vec = (uintptr_t)regions,
                            .vec_len = REGIONS,
                            .category_inverted = IS_WRITTEN,
                            .category_mask = IS_WATCHED | IS_WRITTEN,
                            .category_anyof_mask = IS_PRESENT | IS_SWAPPED,
                            .return_mask = IS_WATCHED};
        const int count = ioctl(watch->map, PAGEMAP_SCAN_CALL, &scan);
        if (count < 0)
            return false;
        for (int i = 0; i < count; i++) {
            if (regions[i].start != quiet_end) {
                note_quiet(watch, quiet, quiet_end);
                quiet = regions[i].start;
            }
            quiet_end = regions[i].end;
        }
        if (scan.walk_end <= at)
            return false;
        at = scan.walk_end;
    }
    note_quiet(watch, quiet, quiet_end);
    return true;
}

static void put_run(struct ranks_run_list *runs, uint64_t page) {
    struct ranks_run *last = runs->length ? &runs->data[runs->length - 1] : NULL;
    if (last && last->first + last->count == page)
        last->count++;
    else
        vec_push(runs, (struct ranks_run){page, 1});
}

// ---- What is to be watched ----------------------------------------------------------------------

// Whether the page is to be watched from now on, and is not yet.
static bool begins(struct page *page) {
    const bool is_quiet = page->was_quiet == 2;
    if (is_quiet) {
        page->trouble = 0;
        page->was_quiet = 1;
        return false; // it still is
    }
    if (page->is_watched) { // and was written
        page->trouble = page->was_quiet                ? 0
                        : page->trouble < MOST_TROUBLE ? page->trouble + 1
                                                       : MOST_TROUBLE;
        page->skips = (uint8_t)((1u << page->trouble) - 1);
    }
    page->is_watched = page->was_quiet = 0;
    if (!page->is_wanted)
        return false;
    if (page->skips) {
        page->skips--;
        return false;
    }
    page->is_wanted = 0;
    return true;
}

static bool protect(const struct ranks_watch *watch, uint64_t first, uint64_t end) {
    struct uffdio_register memory = {
        .range = {.start = address_of(watch, first), .len = (end - first) * RANKS_PAGE},
        .mode = UFFDIO_REGISTER_MODE_WP};
    struct scan scan = {.size = sizeof scan,
                        .flags = PROTECT_MATCHING,
                        .start = address_of(watch, first),
                        .end = address_of(watch, end),
                        .category_mask = IS_WRITTEN,
                        .return_mask = IS_WRITTEN};
    return ioctl(watch->fault, UFFDIO_REGISTER, &memory) == 0 &&
           ioctl(watch->map, PAGEMAP_SCAN_CALL, &scan) >= 0 && scan.walk_end == scan.end;
}

static void watch_run(struct ranks_watch *watch, uint64_t first, uint64_t end) {
    const bool is_watched = first < end && protect(watch, first, end);
    for (uint64_t page = first; page < end && is_watched; page++)
        watch->pages[page].is_watched = 1;
}

void ranks_watch_look(struct ranks_watch *watch, uint64_t first, uint64_t last,
                      struct ranks_run_list *unwritten) {
    uint64_t begin = 0, end = 0; // of a run that is to be watched
    first = first > watch->first ? first : watch->first;
    last = last < watch->last ? last : watch->last;
    if (first >= last)
        return;
    if (watch->has_failed || !find_quiet(watch, first, last)) {
        watch->has_failed = true;
        return;
    }
    for (uint64_t p = first; p < last; p++) {
        struct page *page = &watch->pages[p];
        const bool is_new = begins(page);
        if (page->was_quiet)
            put_run(unwritten, p);
        if (is_new && p != end) {
            watch_run(watch, begin, end);
            begin = p;
        }
        end = is_new ? p + 1 : end;
    }
    watch_run(watch, begin, end);
}
