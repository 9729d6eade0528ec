// Programs launch a kernel many times: what was found of its blocks is kept, by kernel, shape and
// parameters.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "run/every_block.h"

enum { MOST_KEPT = 4096 };

struct key {
    uint64_t module;
    const void *kernel;
    uint32_t arch, block[3], grid[3], dynamic_bytes, must_know;
    uint64_t parameters; // hashed
};

struct kept {
    struct key key;
    struct run_every_block every;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map kept_by_key; // struct key -> struct kept
static size_t kept_count;

static void make_key(struct key *key, const struct run_launch *launch) {
    const struct ir_function *kernel = sim_kernel_function(launch->kernel);
    memset(key, 0, sizeof *key); // the bytes between members are compared, too
    key->module = kernel->module->serial;
    key->kernel = kernel;
    key->arch = launch->arch;
    memcpy(key->block, launch->sim.block, sizeof key->block);
    memcpy(key->grid, launch->sim.grid, sizeof key->grid);
    key->dynamic_bytes = launch->sim.dynamic_shared_bytes;
    key->must_know = launch->profile->has_left_out_blocks;
    key->parameters = hash_bytes(launch->sim.parameters, kernel->parameter_bytes);
}

static void find_or_search(struct run_every_block *every, const struct run_launch *launch) {
    struct key key;
    make_key(&key, launch);
    struct kept *kept = map_get(&kept_by_key, (const char *)&key, sizeof key);
    if (!kept) {
        run_every_block_search(every, launch);
        if (kept_count == MOST_KEPT)
            return;
        kept = base_alloc(sizeof *kept);
        memcpy(&kept->key, &key, sizeof key);
        kept->every = *every;
        kept->every.is_kept = true;
        map_put(&kept_by_key, (const char *)&kept->key, sizeof kept->key, kept);
        kept_count++;
    }
    *every = kept->every; // nothing that is kept changes any more
}

void run_every_block_find(struct run_every_block *every, const struct run_launch *launch) {
    *every = (struct run_every_block){.is_asked = launch->proves_blocks && launch->profile &&
                                                  !launch->profile->is_uncounted};
    if (!every->is_asked || run_every_block_refuse(every, launch))
        return;
    pthread_mutex_lock(&lock);
    find_or_search(every, launch);
    pthread_mutex_unlock(&lock);
}

void run_every_block_free(struct run_every_block *every) {
    if (every->is_kept)
        return;
    vec_free(&every->picks);
    vec_free(&every->pieces);
    free(every->has_other_sectors);
    free(every->why);
}
