#define _GNU_SOURCE // MAP_ANONYMOUS, MADV_HUGEPAGE
#include "check/race/global_pool.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"

enum {
    ALIGNMENT = 16,
    FIRST_CHUNK = GLOBAL_POOL_MOST,
    LARGEST_CHUNK = 16 << 20,
    HUGE_PAGE = 2 << 20,
};

void global_pool_create(struct global_pool *pool) {
    *pool = (struct global_pool){0};
    pthread_mutex_init(&pool->lock, NULL);
}

void global_pool_free(struct global_pool *pool) {
    for (size_t i = 0; i < pool->chunks.length; i++) {
        const struct global_chunk *chunk = &pool->chunks.data[i];
        if (chunk->is_mapped)
            munmap(chunk->at, chunk->bytes);
        else
            free(chunk->at);
    }
    vec_free(&pool->chunks);
    pthread_mutex_destroy(&pool->lock);
}

// The system uses huge pages for whole ones only, so a chunk begins where one does: what lies
// before it in the mapping is never touched.
static char *map_chunk(struct global_pool *pool, size_t bytes) {
    char *at =
        mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    char *begin = at + (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
    madvise(begin, bytes, MADV_HUGEPAGE); // where there are none it takes small ones
    vec_push(&pool->chunks, ((struct global_chunk){at, bytes + HUGE_PAGE, true}));
    return begin;
}

static void add_chunk(struct global_pool *pool) {
    const size_t n = pool->chunks.length;
    size_t bytes = FIRST_CHUNK;
    for (size_t i = 0; i < n && bytes < LARGEST_CHUNK; i++)
        bytes *= 2;
    pool->free = bytes >= HUGE_PAGE ? map_chunk(pool, bytes) : NULL;
    if (!pool->free) {
        pool->free = base_alloc(bytes);
        vec_push(&pool->chunks, ((struct global_chunk){pool->free, bytes, false}));
    }
    pool->left = bytes;
}

static void *take(struct global_pool *pool, size_t bytes) {
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    assert(bytes <= FIRST_CHUNK);
    if (bytes > pool->left)
        add_chunk(pool);
    void *piece = pool->free;
    pool->free += bytes;
    pool->left -= bytes;
    return piece;
}

void *global_pool_take(struct global_pool *pool, size_t bytes) {
    pthread_mutex_lock(&pool->lock);
    void *piece = take(pool, bytes);
    pthread_mutex_unlock(&pool->lock);
    return piece;
}

void *global_pool_take_again(struct global_pool *pool, size_t bytes) {
    pthread_mutex_lock(&pool->lock);
    void *again = pool->returned;
    if (again)
        memcpy(&pool->returned, again, sizeof again);
    void *piece = again ? again : take(pool, bytes);
    pthread_mutex_unlock(&pool->lock);
    return again ? memset(piece, 0, bytes) : piece;
}

void global_pool_give(struct global_pool *pool, void *piece) {
    pthread_mutex_lock(&pool->lock);
    memcpy(piece, &pool->returned, sizeof piece);
    pool->returned = piece;
    pthread_mutex_unlock(&pool->lock);
}
