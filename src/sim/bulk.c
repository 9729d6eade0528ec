#include "sim/bulk.h"

#include <string.h>

enum { PIECE = 1 << 20, WORTH_SHARING = 4 << 20 };

struct bulk {
    char *to;
    const char *from; // NULL: a fill
    size_t bytes;
    uint32_t value;
    unsigned element;
    size_t next; // atomic: the first byte that nobody has taken
};

static void fill(char *at, size_t bytes, uint32_t value, unsigned element) {
    if (element == 1) {
        memset(at, (int)(value & 0xff), bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i += element) // little endian: the low bytes come first
        memcpy(at + i, &value, element);
}

static void work(void *context, int worker) {
    struct bulk *bulk = context;
    (void)worker;
    for (;;) {
        const size_t at = __atomic_fetch_add(&bulk->next, PIECE, __ATOMIC_RELAXED);
        if (at >= bulk->bytes)
            return;
        const size_t bytes = bulk->bytes - at < PIECE ? bulk->bytes - at : PIECE;
        if (bulk->from)
            memcpy(bulk->to + at, bulk->from + at, bytes);
        else
            fill(bulk->to + at, bytes, bulk->value, bulk->element);
    }
}

static void share(struct pool *pool, struct bulk *bulk) {
    if (pool && bulk->bytes >= WORTH_SHARING)
        pool_run(pool, work, bulk);
    else
        work(bulk, 0);
}

void bulk_copy(struct pool *pool, void *to, const void *from, size_t bytes) {
    share(pool, &(struct bulk){.to = to, .from = from, .bytes = bytes});
}

void bulk_fill(struct pool *pool, void *to, size_t bytes, uint32_t value, unsigned element) {
    share(pool, &(struct bulk){.to = to, .bytes = bytes, .value = value, .element = element});
}
