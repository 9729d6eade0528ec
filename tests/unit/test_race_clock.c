// The logical clock of the race checker: random programs of synchronisation against a plain
// implementation, in which each thread keeps what it knows of each other one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/race/clock.h"

// ---- Foreign knowledge: a set of bits -----------------------------------------------------------

struct clock_foreign {
    unsigned references, bits;
};

static unsigned foreign_alive;

static struct clock_foreign *new_foreign(unsigned bits) {
    struct clock_foreign *f = base_alloc(sizeof *f);
    *f = (struct clock_foreign){1, bits};
    foreign_alive++;
    return f;
}

static struct clock_foreign *join(void *context, struct clock_foreign *a, struct clock_foreign *b) {
    (void)context;
    return new_foreign(a->bits | b->bits);
}

static void keep(struct clock_foreign *f) {
    f->references++;
}

static void drop(struct clock_foreign *f) {
    if (--f->references)
        return;
    foreign_alive--;
    free(f);
}

static const struct clock_foreign_rules rules = {join, keep, drop, NULL};

// ---- The plain implementation -------------------------------------------------------------------

enum { MOST = 192, FLAGS = 5, ACCESSES = 4096 };

struct moment {
    uint32_t of[MOST]; // steps
    unsigned foreign;
};

struct plain {
    struct clock *clock;
    uint32_t blocks, block_threads, block_warps, numbers; // numbers: of threads, with gaps
    uint32_t step, random;
    struct moment thread[MOST], pending[MOST], flag[FLAGS];
    uint32_t fenced[CLOCK_SCOPES][MOST];
    bool has_pending[MOST];
    struct knowledge *knowledge[FLAGS]; // what the flags hold, for the clock
    struct {
        uint32_t thread, step, stamp;
    } access[ACCESSES];
    unsigned accesses;
};

static uint32_t pick(struct plain *p, uint32_t limit) {
    p->random = p->random * 1664525 + 1013904223;
    return (p->random >> 8) % limit;
}

static bool exists(const struct plain *p, uint32_t thread) {
    return thread % (p->block_warps * 32) < p->block_threads;
}

static uint32_t pick_thread(struct plain *p) {
    uint32_t thread;
    do
        thread = pick(p, p->numbers);
    while (!exists(p, thread));
    return thread;
}

static uint32_t live_lanes(const struct plain *p, uint32_t warp) {
    return p->clock->warps[warp].live;
}

static void plain_join(struct moment *to, const struct moment *from) {
    for (uint32_t u = 0; u < MOST; u++)
        to->of[u] = to->of[u] > from->of[u] ? to->of[u] : from->of[u];
    to->foreign |= from->foreign;
}

static struct moment released(const struct plain *p, uint32_t thread, uint32_t step) {
    struct moment m = p->thread[thread];
    m.of[thread] = m.of[thread] > step ? m.of[thread] : step;
    return m;
}

// All of `from` release, all of `to` acquire it.
static void plain_meet(struct plain *p, const bool *from, const bool *to) {
    struct moment sum = {0};
    for (uint32_t t = 0; t < p->numbers; t++)
        if (from[t]) {
            struct moment m = released(p, t, p->step);
            plain_join(&sum, &m);
        }
    for (uint32_t t = 0; t < p->numbers; t++)
        if (to[t])
            plain_join(&p->thread[t], &sum);
}

static void do_access(struct plain *p, uint32_t thread) {
    const unsigned i = p->accesses < ACCESSES ? p->accesses++ : pick(p, ACCESSES);
    p->access[i].thread = thread;
    p->access[i].step = p->step++;
    p->access[i].stamp = clock_stamp(p->clock, thread / 32);
}

// ---- Operations ---------------------------------------------------------------------------------

static void do_warp_barrier(struct plain *p) {
    const uint32_t w = pick(p, p->numbers / 32);
    uint32_t mask = live_lanes(p, w);
    bool in[MOST] = {false};
    if (pick(p, 2))
        mask &= 0x0ff0u << pick(p, 12) | 1u << pick(p, 32);
    for (unsigned l = 0; l < 32; l++)
        in[w * 32 + l] = mask >> l & 1;
    plain_meet(p, in, in);
    if (mask)
        clock_warp_barrier(p->clock, w, mask);
}

static void do_block_barrier(struct plain *p) {
    const uint32_t rank = pick(p, p->blocks), first = rank * p->block_warps;
    bool in[MOST] = {false};
    for (uint32_t w = first; w < first + p->block_warps; w++) {
        clock_barrier_arrive(p->clock, w, live_lanes(p, w), 0, true);
        for (unsigned l = 0; l < 32; l++)
            in[w * 32 + l] = live_lanes(p, w) >> l & 1;
    }
    plain_meet(p, in, in);
    clock_barrier_complete(p->clock, rank, 0);
}

// Some warps arrive and go on, others wait.
static void do_named_barrier(struct plain *p) {
    const uint32_t rank = pick(p, p->blocks), first = rank * p->block_warps;
    struct moment sum = {0};
    bool waits[MOST] = {false};
    for (uint32_t w = first; w < first + p->block_warps; w++) {
        const uint32_t how = pick(p, 3);
        if (how == 2)
            continue;
        clock_barrier_arrive(p->clock, w, live_lanes(p, w), 3, how);
        for (unsigned l = 0; l < 32; l++) {
            const uint32_t t = w * 32 + l;
            if (!exists(p, t))
                continue;
            struct moment m = released(p, t, p->step);
            plain_join(&sum, &m);
            waits[t] = how;
        }
        p->step++;
        if (!how && exists(p, w * 32 + 3))
            do_access(p, w * 32 + 3);
    }
    for (uint32_t t = 0; t < p->numbers; t++)
        if (waits[t])
            plain_join(&p->thread[t], &sum);
    clock_barrier_complete(p->clock, rank, 3);
}

static void do_cluster_barrier(struct plain *p) {
    struct moment sum = {0};
    for (uint32_t w = 0; w < p->numbers / 32; w++) {
        clock_cluster_arrive(p->clock, w, live_lanes(p, w), true);
        for (unsigned l = 0; l < 32; l++)
            if (exists(p, w * 32 + l)) {
                struct moment m = released(p, w * 32 + l, p->step);
                plain_join(&sum, &m);
            }
        p->step++;
        do_access(p, w * 32);
    }
    clock_cluster_complete(p->clock);
    for (uint32_t w = 0; w < p->numbers / 32; w++)
        clock_cluster_wait(p->clock, w, live_lanes(p, w));
    for (uint32_t t = 0; t < p->numbers; t++)
        if (exists(p, t))
            plain_join(&p->thread[t], &sum);
}

static void set_flag(struct plain *p, unsigned flag, struct knowledge *k, const struct moment *m) {
    knowledge_drop(p->knowledge[flag]);
    p->knowledge[flag] = k;
    p->flag[flag] = *m;
}

static void do_release(struct plain *p) {
    const uint32_t t = pick_thread(p), flag = pick(p, FLAGS);
    const struct moment m = released(p, t, p->step);
    set_flag(p, flag, clock_release(p->clock, t), &m);
}

static void do_acquire(struct plain *p) {
    const uint32_t t = pick_thread(p), flag = pick(p, FLAGS);
    if (!p->knowledge[flag])
        return;
    if (pick(p, 3)) {
        clock_acquire(p->clock, t, p->knowledge[flag]);
        plain_join(&p->thread[t], &p->flag[flag]);
        return;
    }
    clock_acquire_at_fence(p->clock, t, p->knowledge[flag]);
    plain_join(&p->pending[t], &p->flag[flag]);
    p->has_pending[t] = true;
}

static void do_fence(struct plain *p) {
    const uint32_t w = pick_thread(p) / 32, mask = live_lanes(p, w) & p->random;
    const unsigned scope = pick(p, CLOCK_SCOPES);
    for (unsigned l = 0; l < 32; l++) {
        const uint32_t t = w * 32 + l;
        if (!(mask >> l & 1))
            continue;
        p->fenced[scope][t] = p->step;
        if (p->has_pending[t])
            plain_join(&p->thread[t], &p->pending[t]);
        p->pending[t] = (struct moment){0};
        p->has_pending[t] = false;
    }
    clock_fence(p->clock, w, mask, (enum event_scope)scope);
}

static void do_fenced_release(struct plain *p) {
    const uint32_t t = pick_thread(p), flag = pick(p, FLAGS), scope = pick(p, CLOCK_SCOPES);
    uint32_t step = 0;
    for (unsigned s = scope; s < CLOCK_SCOPES; s++)
        step = p->fenced[s][t] > step ? p->fenced[s][t] : step;
    struct knowledge *k = clock_release_fenced(p->clock, t, (enum event_scope)scope);
    assert_int_equal(k != NULL, step != 0);
    if (!k)
        return;
    const struct moment m = released(p, t, step);
    set_flag(p, flag, k, &m);
}

static void do_foreign(struct plain *p) {
    const uint32_t t = pick_thread(p), bits = 1u << pick(p, 32);
    struct knowledge *k = clock_foreign_knowledge(p->clock, new_foreign(bits));
    clock_acquire(p->clock, t, k);
    knowledge_drop(k);
    p->thread[t].foreign |= bits;
}

static void do_gather(struct plain *p) {
    struct clock_gather gather = {0};
    struct moment sum = {0};
    const unsigned flag = pick(p, FLAGS);
    for (unsigned n = 1 + pick(p, 8); n; n--) {
        const uint32_t t = pick_thread(p);
        const struct moment m = released(p, t, p->step++);
        plain_join(&sum, &m);
        clock_gather_add(p->clock, &gather, t);
    }
    if (p->knowledge[flag])
        plain_join(&sum, &p->flag[flag]);
    set_flag(p, flag, clock_gather_end(p->clock, &gather, p->knowledge[flag]), &sum);
}

// ---- Comparing ----------------------------------------------------------------------------------

static void compare(struct plain *p) {
    for (uint32_t t = 0; t < p->numbers; t++) {
        if (!exists(p, t))
            continue;
        const struct clock_foreign *foreign = clock_foreign(p->clock, t);
        assert_int_equal(foreign ? foreign->bits : 0, p->thread[t].foreign);
        for (unsigned i = 0; i < p->accesses; i++) {
            const uint32_t u = p->access[i].thread;
            const bool is_known = t == u || p->thread[t].of[u] >= p->access[i].step;
            if (clock_knows(p->clock, t, u, p->access[i].stamp) != is_known)
                fail_msg("step %u: thread %u, access of %u at step %u, stamp %u: known %d", p->step,
                         t, u, p->access[i].step, p->access[i].stamp, is_known);
        }
    }
}

static void run_random(uint32_t blocks, uint32_t block_threads, uint32_t seed) {
    static void (*const operations[])(struct plain *) = {
        do_warp_barrier, do_warp_barrier, do_block_barrier, do_named_barrier,  do_cluster_barrier,
        do_release,      do_release,      do_acquire,       do_acquire,        do_acquire,
        do_fence,        do_foreign,      do_gather,        do_fenced_release,
    };
    enum { OPERATIONS = sizeof operations / sizeof operations[0] };
    struct plain *p = base_alloc(sizeof *p);
    p->blocks = blocks;
    p->block_threads = block_threads;
    p->block_warps = (block_threads + 31) / 32;
    p->numbers = blocks * p->block_warps * 32;
    p->random = seed;
    p->step = 1;
    p->clock = clock_create(blocks, block_threads, &rules);
    for (unsigned i = 0; i < 150; i++) {
        for (unsigned n = pick(p, 6); n; n--)
            do_access(p, pick_thread(p));
        const uint32_t which = pick(p, OPERATIONS);
        if (operations[which] != do_cluster_barrier || blocks > 1)
            operations[which](p);
        p->step++;
        compare(p);
    }
    for (unsigned i = 0; i < FLAGS; i++)
        knowledge_drop(p->knowledge[i]);
    clock_free(p->clock);
    assert_int_equal(foreign_alive, 0);
    free(p);
}

static void same_as_plain(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        run_random(1, 64, seed);
        run_random(1, 40, seed);
        run_random(2, 96, seed);
    }
}

static void ends_with_time(void **state) {
    (void)state;
    struct clock *c = clock_create(1, 64, NULL);
    c->now = c->warps[0].now = c->warps[1].now = CLOCK_END - 1;
    assert_false(clock_knows(c, 0, 1, clock_stamp(c, 0)));
    knowledge_drop(clock_release(c, 1));
    knowledge_drop(clock_release(c, 1));
    knowledge_drop(clock_release(c, 1));
    assert_true(clock_knows(c, 33, 1, clock_stamp(c, 0)));
    clock_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_plain),
        cmocka_unit_test(ends_with_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
