// What the other ranks wrote, put in as it comes, by several threads.
#include <pthread.h>
#include <stdlib.h>

#include "base/pool.h"
#include "ranks/relay.h"
#include "spread/inside.h"
#include "spread/wrote.h"

// Its threads are few: what comes goes through the memory of one machine.
enum { OF_THREAD = 4, LEAST_THREADS = 2, MOST_THREADS = 8 };

bool spread_have_ended(const struct spread *spread) {
    for (unsigned r = 1; r < spread->ranks; r++)
        if (!spread->rank[r].has_ended)
            return false;
    return true;
}

// Lock held.
static bool next_wrote(struct spread *spread, struct body *wrote) {
    for (unsigned r = 1; r < spread->ranks; r++) {
        struct rank *rank = &spread->rank[r];
        if (rank->merged == rank->wrote.length)
            continue;
        *wrote = rank->wrote.data[rank->merged++];
        return true;
    }
    return false;
}

static void merge_one(struct spread *spread, const struct ranks_merge *merge,
                      const struct body *wrote) {
    size_t length = 0;
    uint64_t address = 0;
    char *plain = spread_unpack(wrote->bytes, wrote->length, &length);
    struct ranks_reader in = ranks_read(plain, length);
    const bool is_good = plain && ranks_home_merge(spread->home, &in, merge, &address);
    free(plain);
    if (is_good)
        return;
    pthread_mutex_lock(&spread->lock);
    if (!spread->has_failed)
        spread->race_address = address;
    spread_fail(spread, merge->op == RANKS_STORES
                            ? "blocks on two ranks wrote different values to one byte, which "
                              "is a race between blocks (bankrun check --check race)"
                            : "blocks on two ranks changed one word, by atomics and perhaps "
                              "by stores");
    pthread_mutex_unlock(&spread->lock);
}

struct merging {
    struct spread *spread;
    const struct run_launch *launch;
    const struct ranks_merge *merge;
    double waited; // of the thread that launches
};

// Lock held, but not meanwhile. For a moment at most.
static void wait_for_more(struct merging *merging, int worker) {
    struct spread *spread = merging->spread;
    const double begun = ranks_now();
    pool_wait(&spread->changed, &spread->lock, 100);
    if (merging->launch->stop && *merging->launch->stop)
        spread_fail(spread, "the program ends");
    merging->waited += worker ? 0 : ranks_now() - begun;
}

static void merge_some(void *context, int worker) {
    struct merging *merging = context;
    struct spread *spread = merging->spread;
    struct body wrote;
    pthread_mutex_lock(&spread->lock);
    while (!spread->has_failed) {
        if (next_wrote(spread, &wrote)) {
            pthread_mutex_unlock(&spread->lock);
            merge_one(spread, merging->merge, &wrote);
            free(wrote.bytes);
            pthread_mutex_lock(&spread->lock);
        } else if (spread_have_ended(spread)) {
            break;
        } else {
            wait_for_more(merging, worker);
        }
    }
    pthread_mutex_unlock(&spread->lock);
}

void spread_wait_and_merge(struct spread *spread, const struct run_launch *launch,
                           const struct ranks_merge *merge) {
    const int threads = pool_processors() / OF_THREAD;
    struct merging merging = {spread, launch, merge, 0};
    const double begun = ranks_now();
    if (!spread->mergers)
        spread->mergers = pool_create(threads < LEAST_THREADS  ? LEAST_THREADS
                                      : threads > MOST_THREADS ? MOST_THREADS
                                                               : threads);
    pool_run(spread->mergers, merge_some, &merging);
    spread->seconds.wait += merging.waited;
    spread->seconds.merge += ranks_now() - begun - merging.waited;
}
