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

// Whether each granule that both are of was accessed by the thread that the run is of.
static bool is_of_same_threads(const struct global_run *run, const struct global_slot *slot) {
    const struct global_stamp *all = &slot->all;
    const int behind = (int)run->first - slot->first, piece = 1 << all->shift;
    return all->state == GLOBAL_WHOLE && all->domain == run->stamp.domain &&
           all->shift == run->stamp.shift && behind % piece == 0 &&
           all->thread + behind / piece == run->stamp.thread;
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
    for (unsigned b = 0; run->page->is_unclear && b < 1u << shift; b++)
        if (global_bit(run->page->unknown, at + b))
            return false;
    return !memcmp(run->page->image + at, run->values + ((size_t)n << shift), (size_t)1 << shift);
}

// Strong writes keep the later of two stamps in the second slot.
static bool keeps_order(const struct global_worker *w, enum global_class class) {
    return w->race->order && (class == GLOBAL_STRONG_WRITE || class == GLOBAL_NARROW);
}

// Whether a later atomic on the granule is known: it saw this one, itself or through those between.
static bool is_seen_by_atomic(const struct global_worker *w, const struct global_run *run,
                              unsigned n, unsigned s, uint32_t thread) {
    if (!keeps_order(w, s / GLOBAL_DEPTH) || s % GLOBAL_DEPTH)
        return false;
    const struct global_slot *second = global_slot_of(run->page, run->line, s + 1);
    if (!second || second->all.state == GLOBAL_NONE)
        return false;
    const struct global_stamp later = global_at(second, run->first + n);
    if (later.state == GLOBAL_NONE || !later.is_atomic)
        return false;
    return (later.domain == run->stamp.domain && later.thread == thread) ||
           is_known(w, thread, &later);
}

static void check_granule(struct global_worker *w, const struct global_run *run, unsigned n,
                          unsigned s, const struct global_stamp *old) {
    const enum global_class class = s / GLOBAL_DEPTH;
    const struct global_stamp now = global_run_at(run, n);
    const bool is_across = old->domain != now.domain;
    if (old->state == GLOBAL_NONE || (!is_across && old->thread == now.thread) ||
        !(global_conflicts(run->class, is_across) & BIT(class)) || is_known(w, now.thread, old))
        return;
    if (class == GLOBAL_WRITE && run->class == GLOBAL_WRITE && writes_same(run, n))
        return;
    if (is_seen_by_atomic(w, run, n, s, now.thread))
        return;
    const uint64_t address = address_of(run, run->first + n);
    if (class == GLOBAL_WRITE && run->class == GLOBAL_STRONG_READ && w->race->order &&
        global_order_is_flag(w->race->order, address, old))
        return;
    global_note(&w->notes, w->race, address, class, old, run->class, &now);
}

// What is known of granule n of the run, and of those behind it up to `end`, while their threads go
// on as the run's do.
static struct global_stamp piece_of(const struct global_run *run, const struct global_slot *slot,
                                    unsigned n, unsigned *end) {
    const unsigned rest = n & ((1u << run->stamp.shift) - 1);
    unsigned last = run->first + *end;
    if (rest && n + (1u << run->stamp.shift) - rest < *end)
        last = run->first + n + (1u << run->stamp.shift) - rest;
    const struct global_stamp old = global_piece(slot, run->first + n, &last);
    *end = global_alike(run->first + n, last, &old, &run->stamp) - run->first;
    return old;
}

static void check_slot(struct global_worker *w, const struct global_run *run, unsigned s,
                       const struct global_slot *slot) {
    if (slot->all.state == GLOBAL_NONE || is_of_same_threads(run, slot))
        return;
    if (slot->all.state == GLOBAL_WHOLE && is_long_ago(w, &slot->all))
        return;
    for (unsigned n = 0, end; n < run->count; n = end) {
        end = run->count;
        const struct global_stamp piece = piece_of(run, slot, n, &end);
        if (piece.state == GLOBAL_NONE || is_long_ago(w, &piece))
            continue;
        for (unsigned one = n; one < end; one++) {
            const struct global_stamp old = global_at(slot, run->first + one);
            check_granule(w, run, one, s, &old);
        }
    }
}

static void check(struct global_worker *w, const struct global_run *run) {
    const uint32_t conflicts = global_conflicts(run->class, w->race->order != NULL);
    for (unsigned s = 0; s < GLOBAL_SLOTS; s++)
        if (conflicts & BIT(s / GLOBAL_DEPTH) && run->page->slots[s])
            check_slot(w, run, s, &run->page->slots[s][run->line]);
}

// ---- Remembering ---------------------------------------------------------------------------

static struct global_slot *slot_of(struct global_worker *w, const struct global_run *run,
                                   unsigned n) {
    return global_slot_make(&w->shadow, run->page, run->line,
                            (unsigned)run->class * GLOBAL_DEPTH + n);
}

static bool covers(const struct global_run *run, const struct global_slot *slot) {
    return run->first <= slot->first && run->first + run->count >= slot->first + slot->count;
}

static bool is_covered(const struct global_run *run, const struct global_slot *slot) {
    return slot->all.state == GLOBAL_WHOLE && slot->first <= run->first &&
           slot->first + slot->count >= run->first + run->count;
}

static void set_whole(struct global_slot *slot, const struct global_run *run) {
    global_slot_set(slot, run->first, run->count, &run->stamp);
}

// Granules of the run from n on up to `end`.
static void put(struct global_worker *w, struct global_slot *slot, const struct global_run *run,
                unsigned n, unsigned end) {
    struct global_stamp stamp = global_run_at(run, n);
    stamp.shift = run->stamp.shift;
    global_slot_put(&w->shadow, slot, run->first + n, end - n, &stamp);
}

static void set(struct global_worker *w, struct global_slot *slot, const struct global_run *run) {
    if (run->count == GLOBAL_LINE || (slot->all.state == GLOBAL_WHOLE && covers(run, slot)))
        set_whole(slot, run);
    else
        put(w, slot, run, 0, run->count);
}

// A stamp that the new one makes needless: whoever knows the new one knows it.
static bool is_behind(const struct global_worker *w, const struct global_stamp *old,
                      const struct global_stamp *now) {
    return old->state == GLOBAL_NONE ||
           (old->domain == now->domain && old->thread == now->thread) || is_long_ago(w, old);
}

static bool takes_whole(const struct global_worker *w, const struct global_run *run,
                        const struct global_slot *slot) {
    return slot->all.state == GLOBAL_NONE ||
           (slot->all.state == GLOBAL_WHOLE && covers(run, slot) &&
            (is_of_same_threads(run, slot) || is_long_ago(w, &slot->all)));
}

// Holds of each granule that both are of what is as good as what the run would say.
static bool is_as_good(const struct global_worker *w, const struct global_run *run,
                       const struct global_slot *slot) {
    return slot->all.state == GLOBAL_WHOLE && !is_of_same_threads(run, slot) &&
           !is_long_ago(w, &slot->all);
}

static bool is_enough(const struct global_worker *w, const struct global_run *run,
                      const struct global_slot *slot) {
    return is_covered(run, slot) && is_as_good(w, run, slot);
}

// Of reads and atomics those of two threads are kept, as nothing orders them among each other: who
// conflicts with a third conflicts with one of them, unless only the third is unordered.
static void add_pieces(struct global_worker *w, const struct global_run *run) {
    struct global_slot *first = slot_of(w, run, 0), *second = slot_of(w, run, 1);
    for (unsigned n = 0, end; n < run->count; n = end) {
        end = run->count;
        const struct global_stamp old = piece_of(run, first, n, &end);
        const struct global_stamp other = piece_of(run, second, n, &end);
        const struct global_stamp now = global_run_at(run, n);
        if (is_behind(w, &old, &now))
            put(w, first, run, n, end);
        else if (w->race->order || is_behind(w, &other, &now))
            put(w, second, run, n, end);
    }
}

// The same where the second slot's stamp is to be the later one.
static void add_pieces_in_order(struct global_worker *w, const struct global_run *run) {
    struct global_slot *first = slot_of(w, run, 0), *second = slot_of(w, run, 1);
    for (unsigned n = 0, end; n < run->count; n = end) {
        end = run->count;
        const struct global_stamp old = piece_of(run, first, n, &end);
        const struct global_stamp other = piece_of(run, second, n, &end);
        const struct global_stamp now = global_run_at(run, n), none = {0};
        if (!is_behind(w, &old, &now)) {
            put(w, second, run, n, end);
            continue;
        }
        const bool is_last = is_behind(w, &other, &now);
        put(w, is_last ? first : second, run, n, end);
        if (!is_last)
            global_slot_put(&w->shadow, first, run->first + n, end - n, &other);
        else if (other.state != GLOBAL_NONE)
            global_slot_put(&w->shadow, second, run->first + n, end - n, &none);
    }
}

static void add_in_order(struct global_worker *w, const struct global_run *run) {
    struct global_slot *first = slot_of(w, run, 0), *second = slot_of(w, run, 1);
    if (second->all.state == GLOBAL_NONE && takes_whole(w, run, first))
        set_whole(first, run);
    else if (is_enough(w, run, first) && takes_whole(w, run, second))
        set_whole(second, run);
    else
        add_pieces_in_order(w, run);
}

// As add_pieces where the first slot holds enough of each granule, and nothing orders domains.
static void add_second(struct global_worker *w, const struct global_run *run,
                       struct global_slot *second) {
    const bool is_good = is_as_good(w, run, second);
    const unsigned held = second->first, held_end = held + (is_good ? second->count : 0);
    for (unsigned n = 0, end; n < run->count; n = end) {
        end = run->count;
        const struct global_stamp other = piece_of(run, second, n, &end);
        const struct global_stamp now = global_run_at(run, n);
        const unsigned granule = run->first + n;
        if ((granule < held || granule >= held_end) && is_behind(w, &other, &now))
            put(w, second, run, n, end);
    }
}

static void add(struct global_worker *w, const struct global_run *run) {
    if (keeps_order(w, run->class)) {
        add_in_order(w, run);
        return;
    }
    struct global_slot *first = slot_of(w, run, 0);
    if (takes_whole(w, run, first)) {
        set_whole(first, run);
        return;
    }
    struct global_slot *second = slot_of(w, run, 1);
    if (first->all.state == GLOBAL_WHOLE && run->count > first->count && covers(run, first) &&
        second->all.state == GLOBAL_NONE) { // the wider one is first
        const struct global_slot empty = *second;
        *second = *first;
        *first = empty;
        set_whole(first, run);
        return;
    }
    const bool is_first_enough = is_enough(w, run, first);
    if (is_first_enough && takes_whole(w, run, second))
        set_whole(second, run);
    else if (is_first_enough && !w->race->order)
        add_second(w, run, second);
    else
        add_pieces(w, run);
}

// Whoever knows of the write knows of the reads before it, too, or a race was found.
static void forget_reads(struct global_worker *w, const struct global_run *run) {
    for (unsigned s = GLOBAL_READ * GLOBAL_DEPTH; s < GLOBAL_SLOTS; s++) {
        struct global_slot *slot = global_slot_of(run->page, run->line, s);
        if (!slot || slot->all.state == GLOBAL_NONE)
            continue;
        const struct global_stamp none = {0};
        if (run->count == GLOBAL_LINE)
            slot->all.state = GLOBAL_NONE;
        else
            global_slot_put(&w->shadow, slot, run->first, run->count, &none);
    }
}

// Notes which granules get another value than the domain wrote there before.
static void note_mixed(const struct global_run *run, size_t at, size_t one) {
    struct global_page *page = run->page;
    const struct global_slot *slot = global_slot_of(page, run->line, 0);
    if (!slot || slot->all.state == GLOBAL_NONE ||
        !memcmp(page->image + at, run->values, run->count * one))
        return;
    for (unsigned n = 0; n < run->count; n++)
        if (global_at(slot, run->first + n).state != GLOBAL_NONE &&
            memcmp(page->image + at + n * one, run->values + n * one, one)) {
            global_set_bits(page->mixed, at + n * one, one, true);
            page->is_unclear = true;
        }
}

// What was written stays to be compared with.
static void keep_values(struct global_worker *w, const struct global_run *run) {
    struct global_page *page = run->page;
    const unsigned shift = page->granule_shift;
    const size_t at = (size_t)(run->line * GLOBAL_LINE + run->first) << shift;
    const size_t one = (size_t)1 << shift, bytes = run->count * one;
    global_page_make_image(&w->shadow, page);
    if (run->values) {
        note_mixed(run, at, one);
        memcpy(page->image + at, run->values, bytes);
    }
    page->is_unclear |= !run->values;
    if (page->is_unclear)
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
