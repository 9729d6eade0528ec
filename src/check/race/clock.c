#include "check/race/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/race/internal.h"

static void start_warps(struct clock *c) {
    for (uint32_t w = 0; w < c->blocks * c->block_warps; w++) {
        const uint32_t rest = c->block_threads - w % c->block_warps * WARP_LANES;
        c->warps[w] = (struct clock_warp){
            .now = c->now, .live = rest >= WARP_LANES ? UINT32_MAX : (1u << rest) - 1};
    }
}

struct clock *clock_create(uint32_t blocks, uint32_t block_threads,
                           const struct clock_foreign_rules *rules) {
    struct clock *c = base_alloc(sizeof *c);
    c->blocks = blocks;
    c->block_threads = block_threads;
    c->block_warps = (block_threads + WARP_LANES - 1) / WARP_LANES;
    c->threads = blocks * c->block_warps * WARP_LANES;
    c->rules = rules;
    c->warps = base_alloc(blocks * c->block_warps * sizeof *c->warps);
    c->block = base_alloc(blocks * sizeof *c->block);
    c->now = 1;
    start_warps(c);
    return c;
}

static void free_lanes(struct clock_lanes *lanes) {
    for (unsigned l = 0; lanes && l < WARP_LANES; l++) {
        knowledge_drop(lanes->held[l]);
        knowledge_drop(lanes->pending[l]);
    }
    free(lanes);
}

// All that anybody knows.
static void forget(struct clock *c) {
    for (uint32_t w = 0; w < c->blocks * c->block_warps; w++)
        free_lanes(c->warps[w].lanes);
    for (uint32_t b = 0; b < c->blocks; b++)
        for (unsigned id = 0; id < CLOCK_BARRIERS; id++) {
            clock_gather_free(c, &c->block[b].barriers[id].early);
            free(c->block[b].barriers[id].waiting);
        }
    clock_gather_free(c, &c->cluster);
    knowledge_drop(c->cluster_over);
    for (unsigned i = 0; i < CLOCK_JOINS; i++)
        knowledge_drop(c->joins[i].sum);
    knowledge_drop(c->last_foreign);
}

void clock_free(struct clock *c) {
    if (!c)
        return;
    forget(c);
    free(c->warps);
    free(c->block);
    free(c);
}

bool clock_reset(struct clock *c) {
    if (c->now > CLOCK_END / 2)
        return false;
    forget(c);
    memset(c->block, 0, c->blocks * sizeof *c->block);
    memset(c->joins, 0, sizeof c->joins);
    c->cluster_over = c->last_foreign = NULL;
    c->holders = c->extras = 0;
    c->base = c->now++;
    start_warps(c);
    return true;
}

// ---- What threads hold --------------------------------------------------------------------

struct clock_lanes *clock_lanes(struct clock *c, uint32_t warp_index) {
    struct clock_warp *warp = &c->warps[warp_index];
    if (!warp->lanes)
        warp->lanes = base_alloc(sizeof *warp->lanes);
    return warp->lanes;
}

struct knowledge *clock_held(const struct clock *c, uint32_t thread) {
    const struct clock_lanes *lanes = c->warps[thread / WARP_LANES].lanes;
    return lanes ? lanes->held[thread % WARP_LANES] : NULL;
}

void clock_hold(struct clock *c, uint32_t thread, struct knowledge *k) {
    struct knowledge *old = clock_held(c, thread);
    if (old == k)
        return;
    c->holders += (k != NULL) - (old != NULL);
    clock_lanes(c, thread / WARP_LANES)->held[thread % WARP_LANES] = knowledge_keep(k);
    knowledge_drop(old);
}

uint32_t clock_next(struct clock *c) {
    if (c->now < CLOCK_END)
        return ++c->now;
    c->base = c->now;
    return c->now;
}

uint32_t clock_tick(struct clock *c, uint32_t warp_index) {
    const uint32_t released = c->warps[warp_index].now;
    c->warps[warp_index].now = clock_next(c);
    return released;
}

// ---- Joining ------------------------------------------------------------------------------

static struct knowledge *remembered(const struct clock *c, uint64_t a, uint64_t b) {
    for (unsigned i = 0; i < CLOCK_JOINS; i++)
        if (c->joins[i].sum && c->joins[i].a == a && c->joins[i].b == b)
            return c->joins[i].sum;
    return NULL;
}

static void remember(struct clock *c, uint64_t a, uint64_t b, struct knowledge *sum) {
    struct clock_join *join = &c->joins[c->next_join++ % CLOCK_JOINS];
    knowledge_drop(join->sum);
    *join = (struct clock_join){a, b, knowledge_keep(sum)};
}

struct knowledge *clock_new(struct clock *c) {
    struct knowledge *k = knowledge_flat(c->threads + CLOCK_EXTRAS, ++c->next_id);
    k->rules = c->rules;
    return k;
}

struct knowledge *clock_join(struct clock *c, struct knowledge *a, struct knowledge *b) {
    if (a && knowledge_includes(a, b))
        return knowledge_keep(a);
    if (!a ? b->count != 0 : knowledge_includes(b, a) && b->count != 0)
        return knowledge_keep(b);
    const uint64_t a_id = a ? a->id : 0;
    struct knowledge *sum = remembered(c, a_id, b->id);
    if (sum)
        return knowledge_keep(sum);
    sum = clock_new(c);
    if (a)
        knowledge_join_into(sum->times, sum->count, a);
    knowledge_join_into(sum->times, sum->count, b);
    sum->foreign = knowledge_join_foreign(c->rules, a ? a->foreign : NULL, b->foreign);
    remember(c, a_id, b->id, sum);
    return sum;
}

// ---- Between any threads ------------------------------------------------------------------

static void fill_block(const struct clock *c, uint32_t warp_index, struct knowledge *k) {
    const uint32_t rank = clock_rank(c, warp_index), threads = c->block_warps * WARP_LANES;
    k->base = c->base;
    k->block_first = rank * threads;
    k->block_last = k->block_first + threads;
    k->block_base = c->block[rank].base;
    k->warp_base = c->warps[warp_index].base;
}

// With its own accesses up to `own`.
static struct knowledge *snapshot(struct clock *c, uint32_t thread, uint32_t own) {
    const uint32_t w = thread / WARP_LANES;
    const struct clock_lanes *lanes = c->warps[w].lanes;
    const bool is_parted = lanes && lanes->is_parted;
    struct knowledge *k = is_parted ? clock_new(c) : knowledge_flat(0, ++c->next_id);
    struct knowledge moment = {.thread = thread, .own = own, .held = clock_held(c, thread)};
    fill_block(c, w, &moment);
    k->rules = c->rules;
    k->foreign = knowledge_join_foreign(c->rules, clock_foreign(c, thread), NULL);
    k->thread = thread;
    k->own = own;
    c->block[clock_rank(c, w)].is_irregular = true;
    if (is_parted) {
        const uint32_t *known = lanes->known[thread % WARP_LANES];
        knowledge_join_into(k->times, k->count, &moment);
        for (unsigned l = 0; l < WARP_LANES; l++)
            if (known[l] > k->times[w * WARP_LANES + l])
                k->times[w * WARP_LANES + l] = known[l];
        return k;
    }
    k->held = knowledge_keep(moment.held);
    fill_block(c, w, k);
    return k;
}

struct knowledge *clock_release(struct clock *c, uint32_t thread) {
    return snapshot(c, thread, clock_tick(c, thread / WARP_LANES));
}

static unsigned scope_index(enum event_scope scope) {
    return scope == EVENT_CTA ? 0 : scope == EVENT_CLUSTER ? 1 : 2;
}

struct knowledge *clock_release_fenced(struct clock *c, uint32_t thread, enum event_scope scope) {
    const struct clock_lanes *lanes = c->warps[thread / WARP_LANES].lanes;
    uint32_t time = 0;
    for (unsigned s = scope_index(scope); lanes && s < CLOCK_SCOPES; s++)
        if (lanes->fenced[s][thread % WARP_LANES] > time)
            time = lanes->fenced[s][thread % WARP_LANES];
    return time ? snapshot(c, thread, time) : NULL;
}

void clock_acquire(struct clock *c, uint32_t thread, struct knowledge *k) {
    if (!k->count && !k->foreign && k->own && clock_knows(c, thread, k->thread, k->own))
        return; // it knew that thread then, and all that it knew
    struct knowledge *old = clock_held(c, thread), *sum = clock_join(c, old, k);
    if (sum != old)
        clock_tick(c, thread / WARP_LANES);
    clock_hold(c, thread, sum);
    knowledge_drop(sum);
}

void clock_acquire_at_fence(struct clock *c, uint32_t thread, struct knowledge *k) {
    struct knowledge **pending = &clock_lanes(c, thread / WARP_LANES)->pending[thread % WARP_LANES];
    struct knowledge *sum = clock_join(c, *pending, k);
    knowledge_drop(*pending);
    *pending = sum;
}

void clock_fence(struct clock *c, uint32_t warp_index, uint32_t mask, enum event_scope scope) {
    struct clock_lanes *lanes = clock_lanes(c, warp_index);
    const uint32_t time = clock_tick(c, warp_index);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        lanes->fenced[scope_index(scope)][l] = time;
        if (!lanes->pending[l])
            continue;
        clock_acquire(c, clock_thread(warp_index, l), lanes->pending[l]);
        knowledge_drop(lanes->pending[l]);
        lanes->pending[l] = NULL;
    }
}

void clock_know_extra(struct clock *c, uint32_t warp_index, uint32_t mask, uint32_t extra,
                      uint32_t time) {
    struct knowledge *k = clock_new(c);
    k->times[extra] = time;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        clock_acquire(c, clock_thread(warp_index, (unsigned)__builtin_ctz(rest)), k);
    knowledge_drop(k);
}

struct knowledge *clock_foreign_knowledge(struct clock *c, struct clock_foreign *foreign) {
    if (c->last_foreign && c->last_foreign->foreign == foreign) {
        c->rules->drop(foreign);
        return knowledge_keep(c->last_foreign);
    }
    struct knowledge *k = knowledge_flat(0, ++c->next_id);
    k->rules = c->rules;
    k->foreign = foreign;
    knowledge_drop(c->last_foreign);
    c->last_foreign = knowledge_keep(k);
    return k;
}

uint32_t clock_extra(struct clock *c) {
    return c->threads + c->extras++ % CLOCK_EXTRAS;
}
