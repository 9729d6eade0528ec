// Inside the race checker: what is known of each word of global memory. Pages of 4 KiB are made
// when they are touched. A page consists of lines of 32 granules: of 4 bytes, or of single bytes
// once something narrower was accessed there. Of each class of accesses a line remembers up to two,
// as one stamp when a warp accessed all of it at once, as a few when it was accessed in a few
// pieces, else as one for each granule.
#ifndef BANKRUN_CHECK_RACE_GLOBAL_SHADOW_H
#define BANKRUN_CHECK_RACE_GLOBAL_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "check/race/global_pool.h"

enum {
    GLOBAL_PAGE = 4096, // bytes
    GLOBAL_LINE = 32,   // granules
    GLOBAL_WORD = 4,    // bytes of a granule at first
    GLOBAL_LINES = GLOBAL_PAGE / GLOBAL_LINE,
};

// Accesses that conflict with the same others.
enum global_class {
    GLOBAL_WRITE,
    GLOBAL_READ,
    GLOBAL_STRONG_WRITE, // atomics, too
    GLOBAL_STRONG_READ,
    GLOBAL_NARROW, // strong writes whose scope does not reach beyond the block
    GLOBAL_CLASSES
};
enum { GLOBAL_DEPTH = 2, GLOBAL_SLOTS = GLOBAL_CLASSES * GLOBAL_DEPTH };

enum global_state { GLOBAL_NONE, GLOBAL_WHOLE, GLOBAL_PARTS, GLOBAL_EACH };

// Who accessed a granule: a thread of a domain, by the domain's clock. Of several side by side: the
// n-th was accessed by the thread `thread` + (n >> shift).
struct global_stamp {
    uint32_t domain, time, instruction;
    uint16_t thread;
    uint8_t shift : 7, is_atomic : 1;
    uint8_t state; // of one granule: GLOBAL_NONE or GLOBAL_WHOLE
};

enum { GLOBAL_MOST_PARTS = 4 };
struct global_part {
    struct global_stamp stamp; // of its first granule
    uint8_t first, count;
};

struct global_slot {
    struct global_stamp all; // GLOBAL_WHOLE: of `count` granules from `first` on, and of no others
    uint8_t first, count;
    uint8_t part_count; // GLOBAL_PARTS: the same but for these, of which later ones count more
    bool is_wide;       // there is room for `each`, else for parts alone, or for nothing
    union {
        struct global_part *parts;
        struct global_stamp *each; // of 32; holds what is known where all.state is GLOBAL_EACH
    };
};

// The part that holds the granule, NULL: none does. `end` becomes where another one begins, if that
// is before it.
static inline const struct global_part *global_part_of(const struct global_slot *slot,
                                                       unsigned granule, unsigned *end) {
    for (unsigned i = slot->part_count; i-- > 0;) {
        const struct global_part *part = &slot->parts[i];
        const unsigned edge =
            part->first > granule ? part->first : (unsigned)part->first + part->count;
        if (edge > granule && edge < *end)
            *end = edge;
        if (granule - part->first < part->count)
            return part;
    }
    return NULL;
}

// The stamp of a granule. It holds of those behind it, too, up to `end`, which is lowered to that.
static inline struct global_stamp global_piece(const struct global_slot *slot, unsigned granule,
                                               unsigned *end) {
    if (slot->all.state == GLOBAL_EACH) {
        *end = granule + 1;
        return slot->each[granule];
    }
    const struct global_part *part =
        slot->all.state == GLOBAL_PARTS ? global_part_of(slot, granule, end) : NULL;
    struct global_stamp stamp = part ? part->stamp : slot->all;
    const unsigned first = part ? part->first : slot->first;
    const unsigned behind = granule - first, count = part ? part->count : slot->count;
    if (stamp.state == GLOBAL_PARTS)
        stamp.state = GLOBAL_WHOLE;
    const unsigned edge = behind < count ? first + count : first;
    if (edge > granule && edge < *end)
        *end = edge;
    if (behind >= count) {
        stamp.state = GLOBAL_NONE;
        return stamp;
    }
    const unsigned rest = behind & ((1u << stamp.shift) - 1); // in the midst of a thread's granules
    if (rest && granule + (1u << stamp.shift) - rest < *end)
        *end = granule + (1u << stamp.shift) - rest;
    stamp.thread = (uint16_t)(stamp.thread + (behind >> stamp.shift));
    return stamp;
}

static inline struct global_stamp global_at(const struct global_slot *slot, unsigned granule) {
    unsigned end = granule + 1;
    return global_piece(slot, granule, &end);
}

// Granules whose threads go on by different steps go on alike only while neither does.
static inline unsigned global_alike(unsigned granule, unsigned end, const struct global_stamp *a,
                                    const struct global_stamp *b) {
    const unsigned shift = a->shift < b->shift ? a->shift : b->shift;
    const unsigned alike = granule + (1u << shift);
    return a->state == GLOBAL_NONE || b->state == GLOBAL_NONE || a->shift == b->shift || alike > end
               ? end
               : alike;
}

struct global_page {
    uint64_t address;
    uint32_t domain;       // whose accesses it holds, in a shadow of one domain after the other
    uint32_t lock;         // in the shadow of the grid
    uint8_t granule_shift; // 2: words, 0: bytes
    bool is_listed;        // by its worker
    bool is_unclear;       // bits of `mixed` or `unknown` may be set
    uint32_t touched[GLOBAL_LINES / 32];
    struct global_slot *slots[GLOBAL_SLOTS]; // of each line, class * GLOBAL_DEPTH + n; NULL: none
    uint8_t *image;                          // the bytes that were written last; NULL: none yet
    uint8_t *mixed;                          // a bit for each byte that was given several values
    uint8_t *unknown;                        // a bit for each byte whose value is not in the image
};

static inline unsigned global_lines(const struct global_page *page) {
    return GLOBAL_PAGE / GLOBAL_LINE >> page->granule_shift;
}
static inline struct global_slot *global_slot_of(const struct global_page *page, unsigned line,
                                                 unsigned slot) {
    return page->slots[slot] ? &page->slots[slot][line] : NULL;
}

// How much all shadows of a launch may take together.
struct global_budget {
    uint64_t used, limit; // used: atomic
    bool is_spent;        // atomic: some page was not made
};

// From addresses to pages. Workers may look into the same one; but for global_page_drop.
struct global_shadow {
    struct global_budget *budget;
    struct global_pool pool;
    void **roots;
    VEC(struct global_page *) idle;
};

void global_shadow_create(struct global_shadow *shadow, struct global_budget *budget);
void global_shadow_free(struct global_shadow *shadow);
// The page that holds the address. NULL: it is not there yet and the budget is spent.
struct global_page *global_page_at(struct global_shadow *shadow, uint64_t address);
// The same where it is there already; else NULL.
struct global_page *global_page_find(const struct global_shadow *shadow, uint64_t address);
// Forgets what the page knows.
void global_page_clear(struct global_page *page);
// The page is no longer there; another one will take its memory.
void global_page_drop(struct global_shadow *shadow, struct global_page *page);
// From now on each byte is a granule.
void global_page_refine(struct global_shadow *shadow, struct global_page *page);
// Makes room for the class.
struct global_slot *global_slot_make(struct global_shadow *shadow, struct global_page *page,
                                     unsigned line, unsigned slot);
// These granules, and no others, from now on.
static inline void global_slot_set(struct global_slot *slot, unsigned first, unsigned count,
                                   const struct global_stamp *stamp) {
    slot->all = *stamp;
    slot->first = (uint8_t)first;
    slot->count = (uint8_t)count;
}
// These granules, beside the others. `stamp` may be none.
void global_slot_put(struct global_shadow *shadow, struct global_slot *slot, unsigned first,
                     unsigned count, const struct global_stamp *stamp);
// Makes room for what was written.
void global_page_make_image(struct global_shadow *shadow, struct global_page *page);

static inline bool global_bit(const uint8_t *bits, size_t n) {
    return bits[n / 8] >> n % 8 & 1;
}
void global_set_bits(uint8_t *bits, size_t first, size_t count, bool value);

// All pages in the order of their addresses.
void global_shadow_each(const struct global_shadow *shadow,
                        void (*visit)(void *context, struct global_page *page), void *context);

#endif
