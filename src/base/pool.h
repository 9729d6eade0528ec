// Thread pool: runs numbered tasks on N threads, the caller's included.
#ifndef BANKRUN_BASE_POOL_H
#define BANKRUN_BASE_POOL_H

#include <pthread.h>
#include <stddef.h>

struct pool;

// What the names of threads begin with that bankrun makes, those of pools and others: whoever looks
// at a program's threads can tell them apart. They leave signals to the program's threads.
#define POOL_THREADS "bankrun "

// How many processors this process may run on.
int pool_processors(void);

// threads >= 1; 0 means one for each processor that this process may run on.
struct pool *pool_create(int threads);
// Of work that calls itself many times: threads with so much stack. The caller's is its own.
struct pool *pool_create_deep(int threads, size_t stack_bytes);
void pool_destroy(struct pool *pool); // NULL is allowed
int pool_threads(const struct pool *pool);

// Calls work(context, worker) once on each thread, worker = 0..threads-1, and returns when all
// calls returned. Worker 0 is the calling thread. Not reentrant.
void pool_run(struct pool *pool, void (*work)(void *context, int worker), void *context);

// pthread_cond_wait, for so long at most.
void pool_wait(pthread_cond_t *changed, pthread_mutex_t *lock, unsigned milliseconds);

#endif
