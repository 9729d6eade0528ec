// Inside the race checker: the memory of the shadows of global memory, which is as much as what a
// launch touches. It comes in pieces of some KiB that stay until the launch has ended, from chunks
// that double in size; large ones ask the system for huge pages, of which it clears and maps one
// where it would have taken 512 faults.
#ifndef BANKRUN_CHECK_RACE_GLOBAL_POOL_H
#define BANKRUN_CHECK_RACE_GLOBAL_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

enum { GLOBAL_POOL_MOST = 64 << 10 }; // bytes of a piece

struct global_chunk {
    void *at;
    size_t bytes;
    bool is_mapped; // else from the heap
};

// Workers may take from one at once.
struct global_pool {
    pthread_mutex_t lock;
    VEC(struct global_chunk) chunks;
    char *free; // in the newest chunk
    size_t left;
    void *returned; // pieces of one size, each of which begins with the address of the next
};

void global_pool_create(struct global_pool *pool);
void global_pool_free(struct global_pool *pool);

// Zeroed memory, aligned for every type; at most GLOBAL_POOL_MOST.
void *global_pool_take(struct global_pool *pool, size_t bytes);
// The same for pieces that may be given back. All of a pool have one size, `bytes`.
void *global_pool_take_again(struct global_pool *pool, size_t bytes);
void global_pool_give(struct global_pool *pool, void *piece);

#endif
