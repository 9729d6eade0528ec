#include "check/race/visitors.h"

#include "base/alloc.h"
#include "check/race/domain.h"

// Whether a thread of the block knew of the access before the block ended.
static bool block_knows(const struct clock *c, uint32_t rank, uint32_t thread, uint32_t stamp) {
    const uint32_t threads = c->block_warps * WARP_LANES;
    for (uint32_t t = 0; t < threads; t++)
        if (clock_knows(c, rank * threads + t, thread, stamp))
            return true;
    return false;
}

void race_visit_block(struct race_domain *d, uint32_t rank, uint32_t warp_index,
                      const struct event_access *e) {
    struct race_visitors *visitors = &d->blocks[rank].visitors;
    if (!visitors->of)
        visitors->of = base_alloc(d->clock->threads * sizeof *visitors->of);
    for (uint32_t rest = e->mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        const uint32_t thread = clock_thread(warp_index, l);
        visitors->of[thread] = (struct race_visitor){.stamp = clock_stamp(d->clock, warp_index),
                                                     .instruction = e->instruction,
                                                     .offset = e->offsets[l]};
        if (visitors->has_ended)
            shared_note_ended(d, thread, &visitors->of[thread]);
    }
}

void race_end_block(struct race_domain *d, uint32_t rank) {
    struct race_visitors *visitors = &d->blocks[rank].visitors;
    visitors->has_ended = true;
    for (uint32_t t = 0; visitors->of && t < d->clock->threads; t++)
        if (visitors->of[t].stamp && !block_knows(d->clock, rank, t, visitors->of[t].stamp))
            shared_note_ended(d, t, &visitors->of[t]);
}
