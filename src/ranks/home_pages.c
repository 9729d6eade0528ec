// Pages on their way: as they are known, compressed, or as they are. What several ranks ask for is
// looked at and compressed once: until the launch ends it stays as it was when that began.
#include "ranks/home_pages.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "ranks/page_form.h"

// What is kept of compressed pages, and how many threads look at pages: blocks need processors,
// too.
enum { MOST_KEPT = 256 << 20, OF_THREAD = 4, LEAST_THREADS = 2, MOST_THREADS = 8 };

struct kept {
    uint64_t hash;
    uint32_t launch; // whose hash it is
    uint32_t length; // of the bytes; 0: there are none
    char *bytes;     // compressed; of the hash
};

struct ranks_packer {
    size_t count;
    struct kept *kept; // of each page; what is not used takes nothing
    uint64_t *has;     // pages that have bytes
    size_t has_count, has_room, has_bytes;
    uint32_t launch;
    struct pool *pool;
};

struct wanted {
    uint64_t page, known;
    uint64_t form, hash;
    char *bytes; // of the form; `is_own`: not those that are kept
    size_t length;
    bool is_own;
};

struct ranks_packer *ranks_packer_create(size_t pages) {
    struct ranks_packer *packer = base_alloc(sizeof *packer);
    void *at = mmap(NULL, pages * sizeof *packer->kept, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    packer->kept = at == MAP_FAILED ? NULL : at;
    packer->count = pages;
    packer->launch = 1;
    if (packer->kept)
        return packer;
    free(packer);
    return NULL;
}

static void drop(struct ranks_packer *packer) {
    for (size_t i = 0; i < packer->has_count; i++) {
        struct kept *kept = &packer->kept[packer->has[i]];
        free(kept->bytes);
        kept->bytes = NULL;
        kept->length = 0;
    }
    packer->has_count = packer->has_bytes = 0;
}

void ranks_packer_free(struct ranks_packer *packer) {
    if (!packer)
        return;
    drop(packer);
    pool_destroy(packer->pool);
    munmap(packer->kept, packer->count * sizeof *packer->kept);
    free(packer->has);
    free(packer);
}

void ranks_packer_next(struct ranks_packer *packer) {
    packer->launch++;
    if (packer->has_bytes >= MOST_KEPT)
        drop(packer);
}

void ranks_packer_keep(struct ranks_packer *packer, uint64_t page) {
    if (page < packer->count && packer->kept[page].launch == packer->launch - 1)
        packer->kept[page].launch = packer->launch;
}

// ---- One page: on any thread ------------------------------------------------------------------

static bool take_kept(const struct kept *kept, struct wanted *wanted) {
    if (!kept->length || kept->hash != wanted->hash)
        return false;
    wanted->form = RANKS_PAGE_PACKED;
    wanted->bytes = kept->bytes;
    wanted->length = kept->length;
    return true;
}

static void pack(struct wanted *wanted, const uint8_t *page) {
    enum { WORTHWHILE = RANKS_PAGE / 8 * 7 };
    char packed[WORTHWHILE];
    const int size =
        LZ4_compress_default((const char *)page, packed, RANKS_PAGE, (int)sizeof packed);
    wanted->form = size > 0 ? RANKS_PAGE_PACKED : RANKS_PAGE_PLAIN;
    wanted->length = size > 0 ? (size_t)size : RANKS_PAGE;
    wanted->is_own = true;
    wanted->bytes = malloc(wanted->length);
    if (!wanted->bytes)
        base_out_of_memory(wanted->length);
    memcpy(wanted->bytes, size > 0 ? packed : (const char *)page, wanted->length);
}

static void look_at(struct ranks_home *home, const struct ranks_packer *packer,
                    struct wanted *wanted) {
    const struct kept *kept =
        wanted->page < packer->count ? &packer->kept[wanted->page] : &(struct kept){0};
    uint8_t page[RANKS_PAGE];
    const bool is_hashed = kept->launch == packer->launch;
    wanted->hash = is_hashed ? kept->hash : ranks_home_hash(home, wanted->page);
    if (wanted->known && wanted->known == wanted->hash) {
        wanted->form = RANKS_PAGE_KNOWN;
        return;
    }
    if (take_kept(kept, wanted))
        return;
    ranks_home_read(home, wanted->page, page);
    pack(wanted, page);
}

struct batch {
    struct ranks_home *home;
    const struct ranks_packer *packer;
    struct wanted *all;
    size_t count, next; // next: atomic
};

static void look_at_some(void *context, int worker) {
    struct batch *batch = context;
    (void)worker;
    for (;;) {
        const size_t at = __atomic_fetch_add(&batch->next, 1, __ATOMIC_RELAXED);
        if (at >= batch->count)
            return;
        look_at(batch->home, batch->packer, &batch->all[at]);
    }
}

// ---- All that was asked for -------------------------------------------------------------------

static void keep(struct ranks_packer *packer, struct wanted *wanted) {
    struct kept *kept = &packer->kept[wanted->page];
    const bool is_new = !kept->length;
    kept->launch = packer->launch;
    if (kept->hash != wanted->hash && kept->length) {
        packer->has_bytes -= kept->length;
        free(kept->bytes);
        kept->bytes = NULL;
        kept->length = 0;
    }
    kept->hash = wanted->hash;
    if (!wanted->is_own || kept->length || wanted->form != RANKS_PAGE_PACKED ||
        packer->has_bytes >= MOST_KEPT)
        return;
    if (is_new && packer->has_count == packer->has_room) {
        packer->has_room = packer->has_room ? 2 * packer->has_room : 256;
        packer->has = base_realloc(packer->has, packer->has_room * sizeof *packer->has);
    }
    if (is_new)
        packer->has[packer->has_count++] = wanted->page;
    kept->bytes = wanted->bytes;
    kept->length = (uint32_t)wanted->length;
    packer->has_bytes += wanted->length;
    wanted->is_own = false;
}

static void put(const struct wanted *wanted, struct strbuf *out) {
    ranks_put_number(out, wanted->page);
    ranks_put_number(out, wanted->form);
    ranks_put_number(out, wanted->length);
    if (wanted->length)
        ranks_put(out, wanted->bytes, wanted->length);
}

static struct pool *pool_of(struct ranks_packer *packer) {
    const int threads = pool_processors() / OF_THREAD;
    if (!packer->pool)
        packer->pool = pool_create(threads < LEAST_THREADS  ? LEAST_THREADS
                                   : threads > MOST_THREADS ? MOST_THREADS
                                                            : threads);
    return packer->pool;
}

bool ranks_home_pages(struct ranks_home *home, struct ranks_reader *need, struct strbuf *out) {
    struct ranks_packer *packer = ranks_home_packer(home);
    const size_t count = (size_t)(need->end - need->at) / (2 * sizeof(uint64_t));
    struct wanted *all = base_alloc((count + 1) * sizeof *all);
    struct batch batch = {home, packer, all, count, 0};
    for (size_t i = 0; i < count; i++) {
        all[i].page = ranks_get_number(need);
        all[i].known = ranks_get_number(need);
        ranks_home_asked(home, all[i].page);
    }
    pool_run(pool_of(packer), look_at_some, &batch);
    // Only here, where no other thread looks, what is kept changes.
    for (size_t i = 0; i < count; i++)
        put(&all[i], out);
    for (size_t i = 0; i < count; i++) {
        if (all[i].page < packer->count)
            keep(packer, &all[i]);
        if (all[i].is_own)
            free(all[i].bytes);
    }
    free(all);
    return need->at == need->end && !need->is_bad;
}
