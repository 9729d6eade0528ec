#ifndef _GNU_SOURCE
#define _GNU_SOURCE // sched_getaffinity, pthread_setname_np
#endif
#include "base/pool.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

struct pool_worker {
    struct pool *pool;
    pthread_t thread;
    int number;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t start, finished;
    void (*work)(void *context, int worker);
    void *context;
    unsigned generation; // counts runs: a worker starts when it changes
    int running;         // workers that have not finished the current run
    bool stop;
    int threads;
    struct pool_worker *workers; // threads - 1: number 0 is the caller
};

enum { STACK_BYTES = 1 << 20 }; // of each thread, whatever `ulimit -s` says

int pool_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); // more processors than a cpu_set_t holds
    return online > 0 ? (int)online : 1;
}

static void *worker_main(void *argument) {
    struct pool_worker *self = argument;
    struct pool *pool = self->pool;
    unsigned seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->generation == seen && !pool->stop)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        pool->work(pool->context, self->number);
        pthread_mutex_lock(&pool->lock);
        if (--pool->running == 0)
            pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

// Signals that are sent to the process are for the program's own threads. Those that a thread
// raises itself cannot wait.
static void block_signals(sigset_t *old) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, old);
}

struct pool *pool_create(int threads) {
    return pool_create_deep(threads, STACK_BYTES);
}

struct pool *pool_create_deep(int threads, size_t stack_bytes) {
    if (threads <= 0)
        threads = pool_processors();
    struct pool *pool = base_alloc(sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->finished, NULL);
    pool->workers = base_alloc((size_t)threads * sizeof *pool->workers);
    pool->threads = 1;
    sigset_t old;
    block_signals(&old);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    // A host that grants fewer threads than asked for still runs all the work, on those.
    while (pool->threads < threads) {
        struct pool_worker *worker = &pool->workers[pool->threads - 1];
        *worker = (struct pool_worker){.pool = pool, .number = pool->threads};
        if (pthread_create(&worker->thread, &attributes, worker_main, worker) != 0)
            break;
        pthread_setname_np(worker->thread, POOL_THREADS "pool");
        pool->threads++;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return pool;
}

void pool_destroy(struct pool *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->threads - 1; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->lock);
    free(pool->workers);
    free(pool);
}

int pool_threads(const struct pool *pool) {
    return pool->threads;
}

void pool_run(struct pool *pool, void (*work)(void *context, int worker), void *context) {
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->running = pool->threads - 1;
    pool->generation++;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    work(context, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->running > 0)
        pthread_cond_wait(&pool->finished, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void pool_wait(pthread_cond_t *changed, pthread_mutex_t *lock, unsigned milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(changed, lock, &until);
}
