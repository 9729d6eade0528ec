// Barriers of blocks, warps and clusters, and what mbarriers need of them.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/race/internal.h"

// ---- Gathers ------------------------------------------------------------------------------

static uint32_t *gather_times(const struct clock *c, struct clock_gather *g) {
    if (!g->times) {
        g->times = base_alloc((c->threads + CLOCK_EXTRAS) * sizeof *g->times);
        g->last_warp = UINT32_MAX;
    }
    return g->times;
}

// What the thread knows, but its own accesses.
static void gather_known(struct clock *c, struct clock_gather *g, uint32_t thread) {
    const uint32_t w = thread / WARP_LANES, rank = clock_rank(c, w);
    const struct clock_lanes *lanes = c->warps[w].lanes;
    struct knowledge *held = clock_held(c, thread);
    const bool is_parted = lanes && lanes->is_parted;
    const struct clock_gather now = {.last_held = held ? held->id : 0,
                                     .last_warp = w,
                                     .last_warp_base = c->warps[w].base,
                                     .last_block_base = c->block[rank].base,
                                     .last_base = c->base};
    if (!is_parted && g->last_held == now.last_held && g->last_warp == w &&
        g->last_warp_base == now.last_warp_base && g->last_block_base == now.last_block_base &&
        g->last_base == now.last_base)
        return;
    const uint32_t threads = c->block_warps * WARP_LANES;
    const struct knowledge k = {.own = is_parted ? 0 : 1,
                                .thread = thread,
                                .base = c->base,
                                .block_first = rank * threads,
                                .block_last = (rank + 1) * threads,
                                .block_base = c->block[rank].base,
                                .warp_base = c->warps[w].base,
                                .held = held};
    knowledge_join_into(g->times, c->threads + CLOCK_EXTRAS, &k);
    for (unsigned l = 0; is_parted && l < WARP_LANES; l++) {
        uint32_t *time = &g->times[w * WARP_LANES + l];
        const uint32_t known = lanes->known[thread % WARP_LANES][l];
        const uint32_t least = known > c->warps[w].base ? known : c->warps[w].base;
        *time = *time > least ? *time : least;
    }
    struct clock_foreign *old = g->foreign;
    g->foreign = knowledge_join_foreign(c->rules, old, held ? held->foreign : NULL);
    if (old)
        c->rules->drop(old);
    g->last_held = now.last_held;
    g->last_warp = is_parted ? UINT32_MAX : w;
    g->last_warp_base = now.last_warp_base;
    g->last_block_base = now.last_block_base;
    g->last_base = now.last_base;
}

static void gather_thread(struct clock *c, struct clock_gather *g, uint32_t thread, uint32_t own) {
    uint32_t *times = gather_times(c, g);
    gather_known(c, g, thread);
    if (own > times[thread])
        times[thread] = own;
}

static void gather_lanes(struct clock *c, struct clock_gather *g, uint32_t warp_index,
                         uint32_t mask) {
    const uint32_t own = clock_tick(c, warp_index);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        gather_thread(c, g, clock_thread(warp_index, (unsigned)__builtin_ctz(rest)), own);
    c->block[clock_rank(c, warp_index)].is_irregular = true;
}

void clock_gather_add(struct clock *c, struct clock_gather *g, uint32_t thread) {
    gather_lanes(c, g, thread / WARP_LANES, 1u << thread % WARP_LANES);
}

void clock_gather_extra(struct clock *c, struct clock_gather *g, uint32_t extra) {
    gather_times(c, g)[extra] = c->now;
    clock_next(c);
}

struct knowledge *clock_gather_end(struct clock *c, struct clock_gather *g,
                                   struct knowledge *earlier) {
    struct knowledge *k = clock_new(c);
    if (g->times)
        memcpy(k->times, g->times, k->count * sizeof *k->times);
    if (earlier)
        knowledge_join_into(k->times, k->count, earlier);
    k->foreign = knowledge_join_foreign(c->rules, g->foreign, earlier ? earlier->foreign : NULL);
    clock_gather_free(c, g);
    return k;
}

void clock_gather_free(const struct clock *c, struct clock_gather *g) {
    if (g->foreign)
        c->rules->drop(g->foreign);
    free(g->times);
    *g = (struct clock_gather){0};
}

// ---- Warps --------------------------------------------------------------------------------

// What lanes hold becomes the same for all of them.
static void share_held(struct clock *c, uint32_t warp_index, uint32_t mask) {
    struct knowledge *sum = NULL, *held;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        held = clock_held(c, clock_thread(warp_index, (unsigned)__builtin_ctz(rest)));
        if (!held || held == sum)
            continue;
        struct knowledge *more = clock_join(c, sum, held);
        knowledge_drop(sum);
        sum = more;
    }
    for (uint32_t rest = mask; sum && rest; rest &= rest - 1)
        clock_hold(c, clock_thread(warp_index, (unsigned)__builtin_ctz(rest)), sum);
    knowledge_drop(sum);
}

// Some of the lanes: all of them know what any of them knew.
static void share_known(struct clock_lanes *lanes, uint32_t mask, uint32_t now) {
    uint32_t sum[WARP_LANES] = {0};
    if (!lanes->is_parted)
        memset(lanes->known, 0, sizeof lanes->known);
    lanes->is_parted = true;
    for (unsigned t = 0; t < WARP_LANES; t++)
        for (unsigned u = 0; mask >> t & 1 && u < WARP_LANES; u++)
            sum[u] = sum[u] > lanes->known[t][u] ? sum[u] : lanes->known[t][u];
    for (unsigned u = 0; u < WARP_LANES; u++)
        sum[u] = mask >> u & 1 ? now : sum[u];
    for (unsigned t = 0; t < WARP_LANES; t++)
        if (mask >> t & 1)
            memcpy(lanes->known[t], sum, sizeof sum);
}

void clock_warp_barrier(struct clock *c, uint32_t warp_index, uint32_t mask) {
    struct clock_warp *warp = &c->warps[warp_index];
    const bool is_full = !(warp->live & ~mask);
    if (!is_full && !(mask & (mask - 1)))
        return; // one lane alone
    const uint32_t now = clock_tick(c, warp_index);
    if (warp->lanes)
        share_held(c, warp_index, mask);
    if (!is_full) {
        share_known(clock_lanes(c, warp_index), mask, now);
        return;
    }
    warp->base = now;
    if (warp->lanes)
        warp->lanes->is_parted = false;
}

// ---- Blocks -------------------------------------------------------------------------------

static struct clock_barrier *barrier_of(struct clock *c, uint32_t rank, unsigned id) {
    struct clock_barrier *barrier = &c->block[rank].barriers[id];
    if (!barrier->waiting)
        barrier->waiting = base_alloc(c->block_warps * sizeof *barrier->waiting);
    return barrier;
}

void clock_barrier_arrive(struct clock *c, uint32_t warp_index, uint32_t mask, unsigned id,
                          bool waits) {
    const uint32_t rank = clock_rank(c, warp_index), w = warp_index % c->block_warps;
    struct clock_barrier *barrier = barrier_of(c, rank, id);
    if (waits) {
        barrier->waiting[w] |= mask;
        return;
    }
    barrier->is_early = true;
    gather_lanes(c, &barrier->early, warp_index, mask);
}

static bool all_wait(const struct clock *c, const struct clock_warp *warps,
                     const struct clock_barrier *barrier) {
    for (uint32_t w = 0; w < c->block_warps; w++)
        if (warps[w].live & ~barrier->waiting[w])
            return false;
    return !barrier->is_early;
}

// All threads wait: they know each other. What they hold is of other blocks and domains alone.
static void join_block(struct clock *c, uint32_t rank) {
    struct clock_warp *warps = &c->warps[rank * c->block_warps];
    struct knowledge *sum = NULL;
    for (uint32_t t = 0; c->holders && t < c->block_warps * WARP_LANES; t++) {
        struct knowledge *held = clock_held(c, rank * c->block_warps * WARP_LANES + t);
        if (!held || held == sum)
            continue;
        struct knowledge *more = clock_join(c, sum, held);
        knowledge_drop(sum);
        sum = more;
    }
    if (sum && c->blocks == 1 && !sum->foreign) {
        knowledge_drop(sum);
        sum = NULL; // all of it is below the block's base
    }
    for (uint32_t t = 0; c->holders && t < c->block_warps * WARP_LANES; t++)
        clock_hold(c, rank * c->block_warps * WARP_LANES + t, sum);
    knowledge_drop(sum);
    c->block[rank].base = c->now;
    clock_next(c);
    for (uint32_t w = 0; w < c->block_warps; w++) {
        warps[w].now = c->now;
        if (warps[w].lanes)
            warps[w].lanes->is_parted = false;
    }
}

// Some of the threads, or some that went on: who waits knows what all knew when they arrived.
static void join_part(struct clock *c, uint32_t rank, struct clock_barrier *barrier) {
    const uint32_t first = rank * c->block_warps;
    for (uint32_t w = 0; w < c->block_warps; w++)
        if (barrier->waiting[w])
            gather_lanes(c, &barrier->early, first + w, barrier->waiting[w]);
    struct knowledge *k = clock_gather_end(c, &barrier->early, NULL);
    for (uint32_t w = 0; w < c->block_warps; w++)
        for (uint32_t rest = barrier->waiting[w]; rest; rest &= rest - 1)
            clock_hold(c, clock_thread(first + w, (unsigned)__builtin_ctz(rest)), k);
    knowledge_drop(k);
}

bool clock_barrier_is_whole(struct clock *c, uint32_t rank, unsigned id) {
    return all_wait(c, &c->warps[rank * c->block_warps], barrier_of(c, rank, id));
}

void clock_barrier_complete(struct clock *c, uint32_t rank, unsigned id) {
    struct clock_barrier *barrier = barrier_of(c, rank, id);
    if (all_wait(c, &c->warps[rank * c->block_warps], barrier))
        join_block(c, rank);
    else
        join_part(c, rank, barrier);
    barrier->is_early = false;
    memset(barrier->waiting, 0, c->block_warps * sizeof *barrier->waiting);
}

void clock_exit(struct clock *c, uint32_t warp_index, uint32_t mask) {
    c->warps[warp_index].live &= ~mask;
}

// ---- Clusters -----------------------------------------------------------------------------

void clock_cluster_arrive(struct clock *c, uint32_t warp_index, uint32_t mask, bool releases) {
    if (releases) {
        gather_lanes(c, &c->cluster, warp_index, mask);
        return;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const uint32_t thread = clock_thread(warp_index, (unsigned)__builtin_ctz(rest));
        struct knowledge *k = clock_release_fenced(c, thread, EVENT_CLUSTER);
        if (k)
            gather_thread(c, &c->cluster, thread, k->own);
        knowledge_drop(k);
    }
}

void clock_cluster_complete(struct clock *c) {
    struct knowledge *over = clock_gather_end(c, &c->cluster, c->cluster_over);
    knowledge_drop(c->cluster_over);
    c->cluster_over = over;
}

void clock_cluster_wait(struct clock *c, uint32_t warp_index, uint32_t mask) {
    for (uint32_t rest = mask; c->cluster_over && rest; rest &= rest - 1)
        clock_acquire(c, clock_thread(warp_index, (unsigned)__builtin_ctz(rest)), c->cluster_over);
}
