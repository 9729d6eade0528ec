#include "check/race/knowledge.h"

#include <stdlib.h>

#include "base/alloc.h"

struct knowledge *knowledge_flat(uint32_t count, uint64_t id) {
    struct knowledge *k = base_alloc(sizeof *k + count * sizeof *k->times);
    k->references = 1;
    k->count = count;
    k->id = id;
    return k;
}

void knowledge_drop(struct knowledge *k) {
    if (!k || __atomic_sub_fetch(&k->references, 1, __ATOMIC_ACQ_REL))
        return;
    if (k->foreign)
        k->rules->drop(k->foreign);
    knowledge_drop(k->held);
    free(k);
}

static void raise_times(uint32_t *times, uint32_t first, uint32_t last, uint32_t least) {
    for (uint32_t i = first; i < last; i++)
        times[i] = times[i] > least ? times[i] : least;
}

static void join_times(uint32_t *restrict times, const uint32_t *restrict more, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        times[i] = times[i] > more[i] ? times[i] : more[i];
}

void knowledge_join_into(uint32_t *times, uint32_t count, const struct knowledge *k) {
    if (k->count)
        join_times(times, k->times, k->count);
    if (k->held)
        join_times(times, k->held->times, k->held->count);
    if (k->base)
        raise_times(times, 0, count, k->base);
    if (k->block_base > k->base)
        raise_times(times, k->block_first, k->block_last, k->block_base);
    if (!k->own)
        return;
    const uint32_t warp = k->thread / 32 * 32;
    if (k->warp_base)
        raise_times(times, warp, warp + 32, k->warp_base);
    raise_times(times, k->thread, k->thread + 1, k->own);
}

struct clock_foreign *knowledge_join_foreign(const struct clock_foreign_rules *rules,
                                             struct clock_foreign *a, struct clock_foreign *b) {
    if (a && b && a != b)
        return rules->join(rules->context, a, b);
    struct clock_foreign *one = a ? a : b;
    if (one)
        rules->keep(one);
    return one;
}
