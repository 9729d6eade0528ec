// See global_shadow.h. Pages are found through three tables of 4096 pointers, which covers
// addresses of 48 bits; whoever needs one first puts it there.
#include "check/race/global_shadow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { FAN_BITS = 12, FAN = 1 << FAN_BITS, PAGE_BITS = 12 };

_Static_assert(1 << PAGE_BITS == GLOBAL_PAGE, "pages");
_Static_assert(FAN * sizeof(void *) <= GLOBAL_POOL_MOST, "tables are pieces");

static void *take(struct global_budget *budget, size_t bytes) {
    __atomic_fetch_add(&budget->used, bytes, __ATOMIC_RELAXED);
    return base_alloc(bytes);
}

// What stays as long as the shadow.
static void *take_lasting(struct global_shadow *shadow, size_t bytes) {
    __atomic_fetch_add(&shadow->budget->used, bytes, __ATOMIC_RELAXED);
    return global_pool_take(&shadow->pool, bytes);
}

// Slots of each line of a page. Those of bytes, which are few, come from the heap.
static struct global_slot *take_slots(struct global_shadow *shadow,
                                      const struct global_page *page) {
    const size_t bytes = global_lines(page) * sizeof(struct global_slot);
    if (page->granule_shift == 0)
        return take(shadow->budget, bytes);
    __atomic_fetch_add(&shadow->budget->used, bytes, __ATOMIC_RELAXED);
    return global_pool_take_again(&shadow->pool, bytes);
}

void global_shadow_create(struct global_shadow *shadow, struct global_budget *budget) {
    *shadow = (struct global_shadow){.budget = budget};
    shadow->roots = take(budget, FAN * sizeof *shadow->roots);
    global_pool_create(&shadow->pool);
}

static void free_slots(struct global_shadow *shadow, struct global_page *page) {
    for (unsigned s = 0; s < GLOBAL_SLOTS; s++) {
        for (unsigned l = 0; page->slots[s] && l < global_lines(page); l++)
            free(page->slots[s][l].each);
        if (page->granule_shift == 0)
            free(page->slots[s]);
        else if (page->slots[s])
            global_pool_give(&shadow->pool, page->slots[s]);
        page->slots[s] = NULL;
    }
}

void global_shadow_free(struct global_shadow *shadow) {
    for (unsigned r = 0; shadow->roots && r < FAN; r++) {
        void **branch = shadow->roots[r];
        for (unsigned b = 0; branch && b < FAN; b++) {
            void **leaf = branch[b];
            for (unsigned p = 0; leaf && p < FAN; p++)
                if (leaf[p])
                    free_slots(shadow, leaf[p]);
        }
    }
    free(shadow->roots);
    shadow->roots = NULL;
    for (size_t i = 0; i < shadow->idle.length; i++)
        free_slots(shadow, shadow->idle.data[i]);
    vec_free(&shadow->idle);
    global_pool_free(&shadow->pool);
}

// Puts `fresh` into an empty place, unless somebody else was there first; it is left over then.
static void *put(void **place, void *fresh) {
    void *there = NULL;
    if (__atomic_compare_exchange_n(place, &there, fresh, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return fresh;
    return there;
}

static void **table_in(struct global_shadow *shadow, void **place) {
    void **table = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    return table ? table : put(place, take_lasting(shadow, FAN * sizeof *table));
}

static bool has_room(struct global_budget *budget) {
    if (__atomic_load_n(&budget->used, __ATOMIC_RELAXED) < budget->limit)
        return true;
    __atomic_store_n(&budget->is_spent, true, __ATOMIC_RELAXED);
    return false;
}

static unsigned index_of(uint64_t address, unsigned level) {
    return (unsigned)(address >> (PAGE_BITS + level * FAN_BITS)) % FAN;
}

struct global_page *global_page_at(struct global_shadow *shadow, uint64_t address) {
    void **branch = table_in(shadow, &shadow->roots[index_of(address, 2)]);
    void **leaf = table_in(shadow, &branch[index_of(address, 1)]);
    void **place = &leaf[index_of(address, 0)];
    struct global_page *page = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (page || !has_room(shadow->budget))
        return page;
    page = shadow->idle.length ? shadow->idle.data[--shadow->idle.length]
                               : take_lasting(shadow, sizeof *page);
    page->address = address & ~(uint64_t)(GLOBAL_PAGE - 1);
    page->granule_shift = 2;
    return put(place, page);
}

struct global_page *global_page_find(const struct global_shadow *shadow, uint64_t address) {
    void **branch = __atomic_load_n(&shadow->roots[index_of(address, 2)], __ATOMIC_ACQUIRE);
    void **leaf = branch ? __atomic_load_n(&branch[index_of(address, 1)], __ATOMIC_ACQUIRE) : NULL;
    return leaf ? __atomic_load_n(&leaf[index_of(address, 0)], __ATOMIC_ACQUIRE) : NULL;
}

void global_page_clear(struct global_page *page) {
    for (unsigned s = 0; s < GLOBAL_SLOTS; s++)
        for (unsigned l = 0; page->slots[s] && l < global_lines(page); l++)
            if (page->touched[l / 32] >> l % 32 & 1)
                page->slots[s][l].all.state = GLOBAL_NONE;
    memset(page->touched, 0, sizeof page->touched);
    if (page->is_unclear) {
        memset(page->mixed, 0, GLOBAL_PAGE / 8);
        memset(page->unknown, 0, GLOBAL_PAGE / 8);
        page->is_unclear = false;
    }
}

void global_page_drop(struct global_shadow *shadow, struct global_page *page) {
    void **branch = shadow->roots[index_of(page->address, 2)];
    void **leaf = branch[index_of(page->address, 1)];
    leaf[index_of(page->address, 0)] = NULL;
    global_page_clear(page);
    if (page->granule_shift == 0) // its lines are others than those of a new page
        free_slots(shadow, page);
    page->is_listed = false;
    vec_push(&shadow->idle, page);
}

void global_set_bits(uint8_t *bits, size_t first, size_t count, bool value) {
    for (size_t n = first; n < first + count; n++) {
        const uint8_t bit = (uint8_t)(1u << n % 8);
        bits[n / 8] = value ? bits[n / 8] | bit : bits[n / 8] & (uint8_t)~bit;
    }
}

void global_page_make_image(struct global_shadow *shadow, struct global_page *page) {
    if (page->image)
        return;
    page->image = take_lasting(shadow, GLOBAL_PAGE);
    page->mixed = take_lasting(shadow, GLOBAL_PAGE / 8);
    page->unknown = take_lasting(shadow, GLOBAL_PAGE / 8);
}

struct global_slot *global_slot_make(struct global_shadow *shadow, struct global_page *page,
                                     unsigned line, unsigned slot) {
    if (!page->slots[slot])
        page->slots[slot] = take_slots(shadow, page);
    return &page->slots[slot][line];
}

static void expand(struct global_shadow *shadow, struct global_slot *slot) {
    struct global_stamp each[GLOBAL_LINE];
    for (unsigned g = 0; g < GLOBAL_LINE; g++) {
        each[g] = global_at(slot, g);
        each[g].shift = 0;
    }
    if (!slot->is_wide) {
        free(slot->parts);
        slot->each = take(shadow->budget, sizeof each);
        slot->is_wide = true;
    }
    memcpy(slot->each, each, sizeof each);
    slot->all.state = GLOBAL_EACH;
}

// Parts of which the new one leaves nothing go.
static void drop_hidden_parts(struct global_slot *slot, unsigned first, unsigned count) {
    unsigned left = 0;
    for (unsigned i = 0; i < slot->part_count; i++) {
        const struct global_part *part = &slot->parts[i];
        if (part->first < first || part->first + part->count > first + count)
            slot->parts[left++] = *part;
    }
    slot->part_count = (uint8_t)left;
}

static bool goes_on(const struct global_stamp *a, unsigned count, const struct global_stamp *b) {
    return a->state == b->state && a->domain == b->domain && a->time == b->time &&
           a->instruction == b->instruction && a->shift == b->shift &&
           a->is_atomic == b->is_atomic && count % (1u << a->shift) == 0 &&
           a->thread + (count >> a->shift) == b->thread;
}

static bool extends_last(struct global_slot *slot, unsigned first, unsigned count,
                         const struct global_stamp *stamp) {
    if (!slot->part_count)
        return false;
    struct global_part *last = &slot->parts[slot->part_count - 1];
    if (last->first + last->count != first || !goes_on(&last->stamp, last->count, stamp))
        return false;
    last->count = (uint8_t)(last->count + count);
    return true;
}

static void put_part(struct global_shadow *shadow, struct global_slot *slot, unsigned first,
                     unsigned count, const struct global_stamp *stamp) {
    if (slot->all.state == GLOBAL_WHOLE) {
        slot->all.state = GLOBAL_PARTS;
        slot->part_count = 0;
    }
    if (!slot->parts)
        slot->parts = take(shadow->budget, GLOBAL_MOST_PARTS * sizeof *slot->parts);
    drop_hidden_parts(slot, first, count);
    if (!extends_last(slot, first, count, stamp))
        slot->parts[slot->part_count++] =
            (struct global_part){*stamp, (uint8_t)first, (uint8_t)count};
}

void global_slot_put(struct global_shadow *shadow, struct global_slot *slot, unsigned first,
                     unsigned count, const struct global_stamp *stamp) {
    const enum global_state state = slot->all.state;
    if (state == GLOBAL_NONE) {
        global_slot_set(slot, first, count, stamp);
        return;
    }
    if (state == GLOBAL_PARTS && slot->part_count == GLOBAL_MOST_PARTS)
        expand(shadow, slot);
    if (slot->all.state != GLOBAL_EACH) {
        put_part(shadow, slot, first, count, stamp);
        return;
    }
    for (unsigned n = 0; n < count; n++) {
        struct global_stamp *one = &slot->each[first + n];
        *one = *stamp;
        one->thread = (uint16_t)(one->thread + (n >> stamp->shift));
        one->shift = 0;
    }
}

// ---- From words to bytes ------------------------------------------------------------------

enum { WORDS = GLOBAL_LINE / GLOBAL_WORD }; // of a line of bytes

static void refine_slot(struct global_shadow *shadow, const struct global_slot *from, unsigned part,
                        struct global_slot *to) {
    *to = (struct global_slot){.all = from->all};
    if (from->all.state == GLOBAL_NONE)
        return;
    if (from->all.state == GLOBAL_WHOLE && from->count == GLOBAL_LINE) {
        to->all.thread = global_at(from, part * WORDS).thread;
        to->all.shift = (uint8_t)(from->all.shift + 2);
        to->count = GLOBAL_LINE;
        return;
    }
    to->all.state = GLOBAL_EACH;
    to->is_wide = true;
    to->each = take(shadow->budget, GLOBAL_LINE * sizeof *to->each);
    for (unsigned g = 0; g < GLOBAL_LINE; g++) {
        to->each[g] = global_at(from, part * WORDS + g / GLOBAL_WORD);
        to->each[g].shift = 0;
    }
}

static void refine_slots(struct global_shadow *shadow, struct global_slot **slots, unsigned lines) {
    struct global_slot *old = *slots;
    struct global_slot *fine = take(shadow->budget, (size_t)lines * GLOBAL_WORD * sizeof *fine);
    for (unsigned l = 0; l < lines; l++) {
        for (unsigned part = 0; part < GLOBAL_WORD; part++)
            refine_slot(shadow, &old[l], part, &fine[l * GLOBAL_WORD + part]);
        free(old[l].each);
    }
    global_pool_give(&shadow->pool, old);
    *slots = fine;
}

void global_page_refine(struct global_shadow *shadow, struct global_page *page) {
    if (page->granule_shift == 0)
        return;
    const unsigned lines = global_lines(page);
    for (unsigned s = 0; s < GLOBAL_SLOTS; s++)
        if (page->slots[s])
            refine_slots(shadow, &page->slots[s], lines);
    const uint32_t touched = page->touched[0];
    memset(page->touched, 0, sizeof page->touched);
    for (unsigned l = 0; l < lines; l++)
        if (touched >> l & 1)
            page->touched[l / WORDS] |= 0xfu << (l % WORDS * GLOBAL_WORD);
    page->granule_shift = 0;
}

// ---- All of them --------------------------------------------------------------------------

void global_shadow_each(const struct global_shadow *shadow,
                        void (*visit)(void *context, struct global_page *page), void *context) {
    for (unsigned r = 0; r < FAN; r++) {
        void **branch = shadow->roots[r];
        for (unsigned b = 0; branch && b < FAN; b++) {
            void **leaf = branch[b];
            for (unsigned p = 0; leaf && p < FAN; p++)
                if (leaf[p])
                    visit(context, leaf[p]);
        }
    }
}
