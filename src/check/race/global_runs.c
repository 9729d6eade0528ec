// One run of granules against what is known of its line.
#include <string.h>

#include "check/race/global_internal.h"

#define BIT(class) (1u << (class))
#define WEAK (BIT(GLOBAL_WRITE) | BIT(GLOBAL_READ))
#define STRONG_WRITES (BIT(GLOBAL_STRONG_WRITE) | BIT(GLOBAL_NARROW))

uint32_t global_conflicts(enum global_class class, bool is_across) {
    static const uint32_t within[GLOBAL_CLASSES] = {
        [GLOBAL_WRITE] = WEAK | STRONG_WRITES | BIT(GLOBAL_STRONG_READ),
        [GLOBAL_READ] = BIT(GLOBAL_WRITE) | STRONG_WRITES,
        [GLOBAL_STRONG_WRITE] = WEAK,
        [GLOBAL_STRONG_READ] = BIT(GLOBAL_WRITE),
        [GLOBAL_NARROW] = WEAK,
    };
    static const uint32_t across[GLOBAL_CLASSES] = {
        [GLOBAL_STRONG_WRITE] = BIT(GLOBAL_NARROW),
        [GLOBAL_STRONG_READ] = BIT(GLOBAL_NARROW),
        [GLOBAL_NARROW] = STRONG_WRITES | BIT(GLOBAL_STRONG_READ),
    };
    return within[class] | (is_across ? across[class] : 0);
}

// Whether the slot holds the line as a whole, each granule for the thread that the run is of.
static bool is_of_same_threads(const struct global_run *run, const struct global_slot *slot) {
    const struct global_stamp *all = &slot->all;
    return all->state == GLOBAL_WHOLE && all->domain == run->stamp.domain &&
           all->shift == run->stamp.shift && !(run->first & ((1u << all->shift) - 1)) &&
           all->thread + (run->first >> all->shift) == run->stamp.thread;
}

// Whether all threads of the block know it by a barrier.
static bool is_long_ago(const struct global_worker *w, const struct global_stamp *stamp) {
    return stamp->domain == w->domain && stamp->time <= clock_block_floor(w->clock, w->rank) &&
           clock_rank(w->clock, stamp->thread / WARP_LANES) == w->rank;
}

static bool is_known(const struct global_worker *w, uint32_t thread,
                     const struct global_stamp *stamp) {
    if (stamp->domain == w->domain && clock_knows(w->clock, thread, stamp->thread, stamp->time))
        return true;
    return w->race->order && global_order_knows(w->race->order, w->clock, thread, stamp);
}

static uint64_t address_of(const struct global_run *run, unsigned granule) {
    return run->page->address +
           ((uint64_t)(run->line * GLOBAL_LINE + granule) << run->page->granule_shift);
}

// Whether a write leaves what the one before it wrote.
static bool writes_same(const struct global_run *run, unsigned n) {
    const unsigned shift = run->page->granule_shift;
    const size_t at = (size_t)(run->line * GLOBAL_LINE + run->first + n) << shift;
    if (!run->values || !run->page->image)
        return false;
    for (unsigned b = 0; b < 1u << shift; b++)
        if (global_bit(run->page->unknown, at + b))
            return false;
    return !memcmp(run->page->image + at, run->values + ((size_t)n << shift), (size_t)1 << shift);
}

static void check_granule(struct global_worker *w, const struct global_run *run, unsigned n,
                          enum global_class class, const struct global_stamp *old) {
    const struct global_stamp now = global_run_at(run, n);
    const bool is_across = old->domain != now.domain;
    if (old->state == GLOBAL_NONE || (!is_across && old->thread == now.thread) ||
        !(global_conflicts(run->class, is_across) & BIT(class)) || is_known(w, now.thread, old))
        return;
    if (class == GLOBAL_WRITE && run->class == GLOBAL_WRITE && writes_same(run, n))
        return;
    const uint64_t address = address_of(run, run->first + n);
    if (class == GLOBAL_WRITE && run->class == GLOBAL_STRONG_READ && w->race->order &&
        global_order_is_flag(w->race->order, address, old))
        return;
    global_note(&w->notes, w->race, address, class, old, run->class, &now);
}

static void check_slot(struct global_worker *w, const struct global_run *run,
                       enum global_class class, const struct global_slot *slot) {
    if (slot->all.state == GLOBAL_NONE || is_of_same_threads(run, slot))
        return;
    if (slot->all.state == GLOBAL_WHOLE && is_long_ago(w, &slot->all))
        return;
    for (unsigned n = 0; n < run->count; n++) {
        const struct global_stamp old = global_at(slot, run->first + n);
        check_granule(w, run, n, class, &old);
    }
}

static void check(struct global_worker *w, const struct global_run *run) {
    const uint32_t conflicts = global_conflicts(run->class, w->race->order != NULL);
    for (unsigned s = 0; s < GLOBAL_SLOTS; s++)
        if (conflicts & BIT(s / GLOBAL_DEPTH) && run->page->slots[s])
            check_slot(w, run, s / GLOBAL_DEPTH, &run->page->slots[s][run->line]);
}

// ---- Remembering ---------------------------------------------------------------------------

static struct global_slot *slot_of(struct global_worker *w, const struct global_run *run,
                                   unsigned n) {
    return global_slot_make(&w->shadow, run->page, run->line,
                            (unsigned)run->class * GLOBAL_DEPTH + n);
}

static void set_whole(struct global_slot *slot, const struct global_run *run) {
    slot->all = run->stamp;
    slot->all.state = GLOBAL_WHOLE;
}

static void set_granule(struct global_worker *w, struct global_slot *slot,
                        const struct global_run *run, unsigned n) {
    global_slot_expand(&w->shadow, slot);
    slot->each[run->first + n] = global_run_at(run, n);
}

static void set(struct global_worker *w, struct global_slot *slot, const struct global_run *run) {
    if (global_run_is_line(run)) {
        set_whole(slot, run);
        return;
    }
    for (unsigned n = 0; n < run->count; n++)
        set_granule(w, slot, run, n);
}

// A stamp that the new one makes needless: whoever knows the new one knows it.
static bool is_behind(const struct global_worker *w, const struct global_stamp *old,
                      const struct global_stamp *now) {
    return old->state == GLOBAL_NONE ||
           (old->domain == now->domain && old->thread == now->thread) || is_long_ago(w, old);
}

static bool takes_whole(const struct global_worker *w, const struct global_run *run,
                        const struct global_slot *slot) {
    return slot->all.state == GLOBAL_NONE || is_of_same_threads(run, slot) ||
           (slot->all.state == GLOBAL_WHOLE && is_long_ago(w, &slot->all));
}

// Of reads and atomics those of two threads are kept, as nothing orders them among each other.
static void add_granule(struct global_worker *w, const struct global_run *run, unsigned n) {
    const struct global_stamp now = global_run_at(run, n);
    struct global_slot *first = slot_of(w, run, 0);
    const struct global_stamp old = global_at(first, run->first + n);
    struct global_slot *to = is_behind(w, &old, &now) ? first : slot_of(w, run, 1);
    set_granule(w, to, run, n);
}

static void add(struct global_worker *w, const struct global_run *run) {
    if (global_run_is_line(run)) {
        struct global_slot *first = slot_of(w, run, 0);
        if (takes_whole(w, run, first)) {
            set_whole(first, run);
            return;
        }
        struct global_slot *second = slot_of(w, run, 1);
        if (first->all.state == GLOBAL_WHOLE) {
            set_whole(second, run);
            return;
        }
    }
    for (unsigned n = 0; n < run->count; n++)
        add_granule(w, run, n);
}

// Whoever knows of the write knows of the reads before it, too, or a race was found.
static void forget_reads(struct global_worker *w, const struct global_run *run) {
    for (unsigned s = GLOBAL_READ * GLOBAL_DEPTH; s < GLOBAL_SLOTS; s++) {
        struct global_slot *slot = global_slot_of(run->page, run->line, s);
        if (!slot || slot->all.state == GLOBAL_NONE)
            continue;
        if (global_run_is_line(run)) {
            slot->all.state = GLOBAL_NONE;
            continue;
        }
        global_slot_expand(&w->shadow, slot);
        for (unsigned n = 0; n < run->count; n++)
            slot->each[run->first + n].state = GLOBAL_NONE;
    }
}

static bool was_written(const struct global_run *run, unsigned n) {
    const struct global_slot *slot = global_slot_of(run->page, run->line, 0);
    return slot && global_at(slot, run->first + n).state != GLOBAL_NONE;
}

// What was written stays to be compared with.
static void keep_values(struct global_worker *w, const struct global_run *run) {
    struct global_page *page = run->page;
    const unsigned shift = page->granule_shift;
    const size_t at = (size_t)(run->line * GLOBAL_LINE + run->first) << shift;
    const size_t one = (size_t)1 << shift, bytes = run->count * one;
    global_page_make_image(&w->shadow, page);
    for (unsigned n = 0; run->values && n < run->count; n++)
        if (was_written(run, n) && memcmp(page->image + at + n * one, run->values + n * one, one))
            global_set_bits(page->mixed, at + n * one, one, true);
    if (run->values)
        memcpy(page->image + at, run->values, bytes);
    global_set_bits(page->unknown, at, bytes, !run->values);
}

void global_visit_run(struct global_worker *w, const struct global_run *run) {
    check(w, run);
    run->page->touched[run->line / 32] |= 1u << run->line % 32;
    if (run->class != GLOBAL_WRITE) {
        add(w, run);
        return;
    }
    keep_values(w, run);
    if (w->race->order)
        forget_reads(w, run);
    set(w, slot_of(w, run, 0), run);
}
