#include "check/race/proxy.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/race/domain.h"
#include "ptx/facts.h"

void race_proxy_free(struct race_proxy *proxy) {
    free(proxy->fenced);
    free(proxy->floor);
    *proxy = (struct race_proxy){0};
}

void race_proxy_reset(struct race_domain *d) {
    race_proxy_free(&d->proxy);
    d->proxy.start = d->clock->base;
}

// ---- Fences -------------------------------------------------------------------------------

static void raise(uint32_t *time, uint32_t to) {
    *time = *time > to ? *time : to;
}

// What lanes of the warp did before its last __syncwarp() is known to them all. Where knowledge
// went other ways than by barriers, a fence is taken to be behind all that was done so far.
static void fence_warp(struct race_domain *d, uint32_t warp_index, uint32_t mask, uint32_t time) {
    const struct clock_warp *warp = &d->clock->warps[warp_index];
    const bool is_parted = warp->lanes && warp->lanes->is_parted;
    uint32_t *fenced = &d->proxy.fenced[clock_thread(warp_index, 0)];
    for (unsigned l = 0; l < WARP_LANES; l++)
        raise(&fenced[l], is_parted || mask >> l & 1 ? time : warp->base);
}

void race_proxy_fence(struct race_domain *d, uint32_t warp_index, uint32_t mask) {
    struct race_proxy *p = &d->proxy;
    struct clock *c = d->clock;
    const uint32_t rank = clock_rank(c, warp_index);
    if (!p->fenced) {
        p->fenced = base_alloc(c->threads * sizeof *p->fenced);
        p->floor = base_alloc(c->blocks * sizeof *p->floor);
    }
    const uint32_t floor = clock_block_floor(c, rank);
    const uint32_t time = clock_tick(c, warp_index);
    fence_warp(d, warp_index, mask, time);
    const bool is_irregular = c->block[rank].is_irregular || c->blocks > 1;
    raise(&p->floor[rank], is_irregular ? time : floor);
}

// ---- Reads --------------------------------------------------------------------------------

// Of cp.async, whose threads wait for it, nothing is said here.
static bool is_store(const struct check_launch *launch, uint32_t number) {
    const struct ir_instruction *instruction = check_instruction(launch, number);
    const enum ptx_access access = instruction ? ptx_access_of(instruction->ptx) : PTX_ACCESS_NONE;
    return access == PTX_ACCESS_STORE || access == PTX_ACCESS_MATRIX_STORE ||
           access == PTX_ACCESS_FRAGMENT_STORE;
}

static bool is_fenced(const struct race_domain *d, uint32_t rank, uint32_t thread, uint32_t stamp) {
    const struct race_proxy *p = &d->proxy;
    return p->fenced && (stamp <= p->fenced[thread] || stamp <= p->floor[rank]);
}

// Words with more than one writer since the last barrier are left alone.
static void check_word(struct race_domain *d, const struct race_block *block,
                       const struct shared_visit *v, unsigned lane, uint32_t word) {
    const struct shared_words *words = &block->words;
    const uint32_t stamp = words->write_stamp[word], thread = words->write_thread[word];
    if (stamp <= d->proxy.start || stamp > CLOCK_END || thread >= d->clock->threads ||
        is_fenced(d, v->rank, thread, stamp) ||
        !is_store(d->launch, words->write_instruction[word]))
        return;
    shared_note_proxy(d, thread, words->write_instruction[word], v->thread + lane, v->instruction,
                      word * 4);
}

static void check_range(struct race_domain *d, const struct race_block *block,
                        const struct shared_visit *v, unsigned lane, uint32_t offset,
                        uint64_t bytes) {
    for (uint32_t word = offset / 4; word < (offset + bytes + 3) / 4; word++)
        check_word(d, block, v, lane, word);
}

void race_proxy_read(struct race_domain *d, const struct race_block *block,
                     const struct shared_visit *v, const struct event_access *e) {
    for (uint32_t rest = e->mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        if (!e->pieces)
            check_range(d, block, v, l, e->offsets[l], e->bulk_bytes ? e->bulk_bytes : e->width);
        for (uint64_t i = 0; e->pieces && i < e->bulk_bytes / EVENT_PIECE; i++)
            check_range(d, block, v, l, e->pieces[i], EVENT_PIECE);
    }
}
