#include "check/race/domain.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct race_domain *race_domain_create(const struct check_launch *launch, uint32_t blocks,
                                       uint32_t block_threads,
                                       const struct clock_foreign_rules *rules,
                                       struct check_notes *notes) {
    struct race_domain *d = base_alloc(sizeof *d);
    d->clock = clock_create(blocks, block_threads, rules);
    d->launch = launch;
    d->notes = notes;
    d->blocks = base_alloc(blocks * sizeof *d->blocks);
    d->copies = base_alloc(blocks * d->clock->block_warps * sizeof *d->copies);
    d->groups = (d->clock->block_warps + 3) / 4;
    d->tensors = base_alloc(blocks * d->groups * sizeof *d->tensors);
    for (uint32_t b = 0; b < blocks; b++)
        shared_words_init(&d->blocks[b].words,
                          (uint32_t)ir_shared_bytes(launch->layout, launch->dynamic_shared_bytes));
    return d;
}

static void drop_copies(struct race_domain *d) {
    const uint32_t warps = d->clock->blocks * d->clock->block_warps;
    for (uint32_t w = 0; w < warps; w++)
        race_copies_free(&d->copies[w]);
    for (uint32_t i = 0; i < 4 * d->clock->blocks * d->groups; i++)
        vec_free(&d->tensors[i / 4].commits[i % 4]);
    for (size_t i = 0; i < d->bulk.length; i++)
        free(d->bulk.data[i].pieces);
    d->bulk.length = 0;
    race_flags_free(&d->flags, d->clock);
}

void race_domain_free(struct race_domain *d) {
    for (uint32_t b = 0; b < d->clock->blocks; b++) {
        shared_words_free(&d->blocks[b].words);
        shared_log_free(&d->blocks[b].log);
        free(d->blocks[b].visitors.of);
    }
    drop_copies(d);
    race_proxy_free(&d->proxy);
    vec_free(&d->bulk);
    clock_free(d->clock);
    free(d->tensors);
    free(d->copies);
    free(d->blocks);
    free(d);
}

bool race_domain_reset(struct race_domain *d) {
    const uint32_t warps = d->clock->blocks * d->clock->block_warps;
    drop_copies(d);
    if (!clock_reset(d->clock))
        return false;
    race_proxy_reset(d);
    memset(d->copies, 0, warps * sizeof *d->copies);
    memset(d->tensors, 0, d->clock->blocks * d->groups * sizeof *d->tensors);
    for (uint32_t b = 0; b < d->clock->blocks; b++) {
        shared_words_clear(&d->blocks[b].words);
        shared_log_clear(&d->blocks[b].log);
        d->blocks[b].looked = 0;
        d->blocks[b].is_written = d->blocks[b].is_asynchronous = false;
        free(d->blocks[b].visitors.of);
        d->blocks[b].visitors = (struct race_visitors){0};
    }
    d->begun = 0;
    return true;
}

uint32_t race_domain_rank(const struct race_domain *d, uint64_t block_number) {
    for (uint32_t b = 0; b < d->begun; b++)
        if (d->blocks[b].number == block_number)
            return b;
    return UINT32_MAX;
}
