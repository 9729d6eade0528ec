// What all domains did, where nothing orders them: of each class of accesses to a granule the first
// stamps of the two lowest domains. So what is kept depends on no order in which workers come, and
// two accesses that conflict are among it if there are any.
#include <string.h>

#include "check/race/global_internal.h"

static void lock(struct global_page *page) {
    while (__atomic_exchange_n(&page->lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED))
            ;
}

static void unlock(struct global_page *page) {
    __atomic_store_n(&page->lock, 0, __ATOMIC_RELEASE);
}

// ---- Values --------------------------------------------------------------------------------

static bool is_set_anywhere(const uint8_t *bits, size_t first, size_t count) {
    for (size_t n = first; n < first + count; n++)
        if (global_bit(bits, n))
            return true;
    return false;
}

// Bytes of a granule become mixed where domains wrote different ones, or nobody knows.
static void add_value(struct global_page *to, const struct global_page *from, size_t at,
                      size_t bytes, bool is_first) {
    const bool is_unclear = from->is_unclear && (is_set_anywhere(from->mixed, at, bytes) ||
                                                 is_set_anywhere(from->unknown, at, bytes));
    if (is_unclear || (!is_first && memcmp(to->image + at, from->image + at, bytes)))
        global_set_bits(to->mixed, at, bytes, true);
    if (is_first)
        memcpy(to->image + at, from->image + at, bytes);
}

static void add_values(struct global_shadow *grid, struct global_page *to,
                       const struct global_page *from, unsigned line) {
    const struct global_slot *writes = global_slot_of(from, line, GLOBAL_WRITE * GLOBAL_DEPTH);
    if (!writes || writes->all.state == GLOBAL_NONE)
        return;
    global_page_make_image(grid, to);
    const struct global_slot *before = global_slot_of(to, line, GLOBAL_WRITE * GLOBAL_DEPTH);
    const bool is_first = !before || before->all.state == GLOBAL_NONE;
    const unsigned shift = to->granule_shift;
    const size_t at = (size_t)(line * GLOBAL_LINE) << shift;
    if (is_first && !from->is_unclear) {
        memcpy(to->image + at, from->image + at, (size_t)GLOBAL_LINE << shift);
        return;
    }
    for (unsigned g = 0; g < GLOBAL_LINE; g++)
        if (global_at(writes, g).state != GLOBAL_NONE)
            add_value(to, from, at + ((size_t)g << shift), (size_t)1 << shift,
                      is_first || global_at(before, g).state == GLOBAL_NONE);
}

// ---- Stamps --------------------------------------------------------------------------------

static bool is_before(const struct global_stamp *a, const struct global_stamp *b) {
    if (a->domain != b->domain)
        return a->domain < b->domain;
    return a->thread != b->thread ? a->thread < b->thread : a->instruction < b->instruction;
}

// first < second, of two domains.
static void add_stamp(struct global_stamp *first, struct global_stamp *second,
                      struct global_stamp stamp) {
    if (first->state == GLOBAL_NONE) {
        *first = stamp;
    } else if (first->domain == stamp.domain) {
        *first = is_before(&stamp, first) ? stamp : *first;
    } else if (is_before(&stamp, first)) {
        *second = *first;
        *first = stamp;
    } else if (second->state == GLOBAL_NONE || is_before(&stamp, second)) {
        *second = stamp;
    }
}

static bool is_line(const struct global_slot *slot) {
    return slot->all.state == GLOBAL_WHOLE && slot->count == GLOBAL_LINE;
}

static bool is_same_range(const struct global_slot *a, const struct global_slot *b) {
    return a->all.state == GLOBAL_NONE ||
           (a->all.state == GLOBAL_WHOLE && a->first == b->first && a->count == b->count);
}

// True: done. What was accessed as a whole stays whole.
static bool add_whole(struct global_slot *first, struct global_slot *second,
                      const struct global_slot *from) {
    const bool is_behind = is_line(first) && first->all.domain < from->all.domain;
    if (is_behind && is_line(second) && second->all.domain < from->all.domain)
        return true;
    if (is_behind && second->all.state == GLOBAL_NONE) {
        second->all = from->all;
        second->first = from->first;
        second->count = from->count;
        return true;
    }
    if (!is_same_range(first, from) || !is_same_range(second, from))
        return false;
    first->first = second->first = from->first;
    first->count = second->count = from->count;
    add_stamp(&first->all, &second->all, from->all);
    return true;
}

static struct global_stamp stamp_of(const struct global_slot *first,
                                    const struct global_slot *second, unsigned granule,
                                    unsigned *end) {
    const struct global_stamp none = {0};
    const struct global_stamp stamp = first ? global_piece(first, granule, end) : none;
    return stamp.state == GLOBAL_NONE && second ? global_piece(second, granule, end) : stamp;
}

static bool is_same(const struct global_stamp *a, const struct global_stamp *b) {
    return a->state == b->state && a->domain == b->domain && a->thread == b->thread &&
           a->instruction == b->instruction && a->shift == b->shift && a->time == b->time;
}

// The stamp holds of granule g and of those behind it up to `end`, which is lowered to where that
// is all the same.
static void add_piece(struct global_shadow *grid, struct global_slot *const slots[GLOBAL_DEPTH],
                      unsigned g, unsigned *end, const struct global_stamp *stamp) {
    struct global_stamp old[GLOBAL_DEPTH], new[GLOBAL_DEPTH];
    for (unsigned n = 0; n < GLOBAL_DEPTH; n++) {
        old[n] = new[n] = global_piece(slots[n], g, end);
        *end = global_alike(g, *end, &old[n], stamp);
    }
    add_stamp(&new[0], &new[1], *stamp);
    for (unsigned n = 0; n < GLOBAL_DEPTH; n++)
        if (!is_same(&old[n], &new[n]))
            global_slot_put(grid, slots[n], g, *end - g, &new[n]);
}

static bool is_empty(const struct global_slot *slot) {
    return !slot || slot->all.state == GLOBAL_NONE;
}

static void add_class(struct global_shadow *grid, struct global_page *to,
                      const struct global_page *from, unsigned line, unsigned class) {
    const struct global_slot *one = global_slot_of(from, line, class * GLOBAL_DEPTH);
    const struct global_slot *other = global_slot_of(from, line, class * GLOBAL_DEPTH + 1);
    if (is_empty(one) && is_empty(other))
        return;
    struct global_slot *first = global_slot_make(grid, to, line, class * GLOBAL_DEPTH);
    const bool is_whole =
        !is_empty(one) && (is_line(one) || (one->all.state == GLOBAL_WHOLE && is_empty(other)));
    if (is_whole && is_empty(first) &&
        is_empty(global_slot_of(to, line, class * GLOBAL_DEPTH + 1))) {
        global_slot_set(first, one->first, one->count, &one->all);
        return;
    }
    struct global_slot *second = global_slot_make(grid, to, line, class * GLOBAL_DEPTH + 1);
    if (is_whole && add_whole(first, second, one))
        return;
    for (unsigned g = 0, end; g < GLOBAL_LINE; g = end) {
        end = GLOBAL_LINE;
        const struct global_stamp stamp = stamp_of(one, other, g, &end);
        if (stamp.state != GLOBAL_NONE)
            add_piece(grid, (struct global_slot *[]){first, second}, g, &end, &stamp);
    }
}

void global_add_to_grid(struct global_worker *w, struct global_page *from) {
    struct global_shadow *grid = &w->race->grid;
    struct global_page *to = global_page_at(grid, from->address);
    if (!to)
        return;
    lock(to);
    if (to->granule_shift > from->granule_shift)
        global_page_refine(grid, to);
    if (from->granule_shift > to->granule_shift)
        global_page_refine(&w->shadow, from);
    for (unsigned l = 0; l < global_lines(from); l++) {
        if (!(from->touched[l / 32] >> l % 32 & 1))
            continue;
        add_values(grid, to, from, l);
        for (unsigned class = 0; class < GLOBAL_CLASSES; class ++)
            add_class(grid, to, from, l, class);
    }
    unlock(to);
}

// ---- The search ----------------------------------------------------------------------------

// The first of the pairs of stamps of two domains; false: there is none.
static bool find_pair(const struct global_page *page, unsigned line, unsigned granule,
                      const unsigned classes[2], struct global_stamp pair[2]) {
    bool found = false;
    for (unsigned n = 0; n < GLOBAL_DEPTH * GLOBAL_DEPTH; n++) {
        const struct global_slot *a =
            global_slot_of(page, line, classes[0] * GLOBAL_DEPTH + n / GLOBAL_DEPTH);
        const struct global_slot *b =
            global_slot_of(page, line, classes[1] * GLOBAL_DEPTH + n % GLOBAL_DEPTH);
        if (is_empty(a) || is_empty(b))
            continue;
        const struct global_stamp x = global_at(a, granule), y = global_at(b, granule);
        if (x.state == GLOBAL_NONE || y.state == GLOBAL_NONE || x.domain == y.domain)
            continue;
        if (found &&
            (is_before(&pair[0], &x) || (!is_before(&x, &pair[0]) && is_before(&pair[1], &y))))
            continue;
        pair[0] = x;
        pair[1] = y;
        found = true;
    }
    return found;
}

static void search_granule(struct global_race *race, const struct global_page *page, unsigned line,
                           unsigned granule) {
    const uint64_t at = (uint64_t)(line * GLOBAL_LINE + granule) << page->granule_shift;
    for (unsigned a = 0; a < GLOBAL_CLASSES; a++)
        for (unsigned b = a; b < GLOBAL_CLASSES; b++) {
            struct global_stamp pair[2];
            if (!(global_conflicts(a, true) >> b & 1) ||
                !find_pair(page, line, granule, (unsigned[]){a, b}, pair))
                continue;
            if (a == GLOBAL_WRITE && b == GLOBAL_WRITE &&
                !is_set_anywhere(page->mixed, at, (size_t)1 << page->granule_shift))
                continue;
            global_note(&race->notes, race, page->address + at, a, &pair[0], b, &pair[1]);
        }
}

// Whether one domain alone is known of in the slot.
static bool is_of_one(const struct global_slot *slot, uint32_t *domain, bool *has_one) {
    for (unsigned g = 0, end; g < GLOBAL_LINE; g = end) {
        end = GLOBAL_LINE;
        const struct global_stamp stamp = global_piece(slot, g, &end);
        if (stamp.state == GLOBAL_NONE)
            continue;
        if (*has_one && stamp.domain != *domain)
            return false;
        *domain = stamp.domain;
        *has_one = true;
    }
    return true;
}

// Whether one domain alone accessed the line, or nobody wrote there.
static bool is_quiet(const struct global_page *page, unsigned line) {
    bool is_written = false, is_one = true, has_one = false;
    uint32_t domain = 0;
    for (unsigned s = 0; s < GLOBAL_SLOTS; s++) {
        const struct global_slot *slot = global_slot_of(page, line, s);
        if (is_empty(slot))
            continue;
        is_written |= s / GLOBAL_DEPTH != GLOBAL_READ && s / GLOBAL_DEPTH != GLOBAL_STRONG_READ;
        is_one = is_one && is_of_one(slot, &domain, &has_one);
    }
    return !is_written || is_one;
}

static void search_page(void *context, struct global_page *page) {
    for (unsigned l = 0; l < global_lines(page); l++)
        if (!is_quiet(page, l))
            for (unsigned g = 0; g < GLOBAL_LINE; g++)
                search_granule(context, page, l, g);
}

void global_search_grid(struct global_race *race) {
    global_shadow_each(&race->grid, search_page, race);
}
