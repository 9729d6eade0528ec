#include "check/race/flags.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "check/race/domain.h"

// ---- The table ----------------------------------------------------------------------------

static struct race_flag *slot_of(const struct race_flags *flags, uint64_t key) {
    size_t at = hash_bytes(&key, sizeof key) & (flags->capacity - 1);
    while (flags->list[at].key && flags->list[at].key != key)
        at = (at + 1) & (flags->capacity - 1);
    return &flags->list[at];
}

static void grow(struct race_flags *flags) {
    enum { FIRST = 16 };
    struct race_flags old = *flags;
    flags->capacity = old.capacity ? 2 * old.capacity : FIRST;
    flags->list = base_alloc(flags->capacity * sizeof *flags->list);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.list[i].key)
            *slot_of(flags, old.list[i].key) = old.list[i];
    free(old.list);
}

struct race_flag *race_flag(struct race_flags *flags, uint32_t rank, uint32_t offset,
                            bool is_mbarrier) {
    const uint64_t key = (uint64_t)offset << 32 | (uint64_t)rank << 2 | 2u | is_mbarrier;
    if (2 * flags->count >= flags->capacity)
        grow(flags);
    struct race_flag *flag = slot_of(flags, key);
    flags->count += !flag->key;
    flag->key = key;
    return flag;
}

void race_flags_free(struct race_flags *flags, const struct clock *clock) {
    for (uint32_t i = 0; i < flags->capacity; i++) {
        knowledge_drop(flags->list[i].over);
        clock_gather_free(clock, &flags->list[i].gather);
    }
    free(flags->list);
    *flags = (struct race_flags){0};
}

// ---- Flags --------------------------------------------------------------------------------

static bool releases(enum event_order order) {
    return order == EVENT_RELEASE || order == EVENT_ACQ_REL || order == EVENT_SC;
}

// Who reads strongly what was released acquires it, fence or not: polling with volatile is
// published practice.
static void access_lane(struct race_domain *d, uint32_t thread, struct race_flag *flag,
                        const struct event_access *e) {
    if (e->intent != EVENT_WRITE && flag->over)
        clock_acquire(d->clock, thread, flag->over);
    if (e->intent == EVENT_READ)
        return;
    struct knowledge *released = releases(e->order)
                                     ? clock_release(d->clock, thread)
                                     : clock_release_fenced(d->clock, thread, EVENT_CTA);
    if (e->intent == EVENT_ATOMIC && flag->over) { // goes on with what was released before
        struct knowledge *both =
            released ? clock_join(d->clock, released, flag->over) : knowledge_keep(flag->over);
        knowledge_drop(released);
        released = both;
    }
    knowledge_drop(flag->over);
    flag->over = released;
}

void race_flag_access(struct race_domain *d, uint32_t warp_index, uint32_t rank,
                      const struct event_access *e) {
    if (!d->flags.has_released && e->order <= EVENT_RELAXED)
        return;
    d->flags.has_released = true;
    for (uint32_t rest = e->mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        struct race_flag *flag = race_flag(&d->flags, rank, e->offsets[l], false);
        access_lane(d, clock_thread(warp_index, l), flag, e);
    }
}

// ---- mbarriers ----------------------------------------------------------------------------

uint32_t race_mbarrier_extra(struct race_domain *d, struct race_flag *flag) {
    if (!flag->extra)
        flag->extra = clock_extra(d->clock);
    return flag->extra;
}

static void arrive(struct race_domain *d, struct race_flag *flag, uint32_t thread,
                   const struct event_sync *e) {
    if (e->order != EVENT_RELAXED)
        clock_gather_add(d->clock, &flag->gather, thread);
}

static void forget(struct race_domain *d, struct race_flag *flag) {
    knowledge_drop(flag->over);
    flag->over = NULL;
    clock_gather_free(d->clock, &flag->gather);
}

// One lane's.
void race_mbarrier(struct race_domain *d, uint32_t warp_index, uint32_t rank,
                   const struct event_sync *e) {
    struct race_flag *flag = race_flag(&d->flags, rank, e->offset, true);
    const unsigned lane = (unsigned)__builtin_ctz(e->mask);
    const uint32_t thread = clock_thread(warp_index, lane);
    if (e->kind == EVENT_MBARRIER_INIT || e->kind == EVENT_MBARRIER_INVALIDATE)
        forget(d, flag);
    else if (e->kind == EVENT_MBARRIER_ARRIVE)
        arrive(d, flag, thread, e);
    else if (e->kind == EVENT_MBARRIER_COPIES)
        race_copy_give(d, warp_index, lane, race_mbarrier_extra(d, flag));
    else if (e->kind == EVENT_MBARRIER_WAIT && flag->over)
        clock_acquire(d->clock, thread, flag->over);
    if (flag->extra && (e->kind == EVENT_MBARRIER_COPIES || e->kind == EVENT_MBARRIER_COMPLETE_TX))
        clock_gather_extra(d->clock, &flag->gather, flag->extra);
    if (!e->ends_phase)
        return;
    struct knowledge *over = clock_gather_end(d->clock, &flag->gather, flag->over);
    knowledge_drop(flag->over);
    flag->over = over;
}
