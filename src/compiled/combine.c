#include "compiled/combine.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    WINDOWS = 32,  // held back at a time: bits of `open`
    PATIENCE = 256 // requests after which a window is no longer waited for
};

// Neighbouring bytes, 8 or 16, from an aligned address on; another address for each lane.
struct window {
    uint32_t base[WARP_LANES];
    struct event_access first; // that is in it
    uint32_t last_site;
    unsigned size;  // 0: free
    unsigned bytes; // which of them are accessed, bit n = byte n
    unsigned widths;
    bool reads_past, is_copied;
    uint64_t group;
    enum site_op op;
    uint64_t opened;
};

struct loaded { // what a site loaded last is in registers until something is stored
    uint64_t stores;
    uint32_t mask, offset; // of the first lane
    uint32_t by;           // the site
};

struct combiner {
    struct loaded *loaded; // by each site
    uint64_t stores;       // and atomics, and warps, that there were; from 1 on
    const struct combine_plan *plan;
    void (*hear)(void *context, const struct event_access *event);
    void *context;
    uint32_t block[3], warp; // whose windows they are
    uint64_t requests;
    uint32_t open; // windows, bit n = number n
    struct window windows[WINDOWS];
};

struct combiner *combiner_create(const struct combine_plan *plan,
                                 void (*hear)(void *context, const struct event_access *event),
                                 void *context) {
    struct combiner *combiner = base_alloc(sizeof *combiner);
    combiner->plan = plan;
    combiner->hear = hear;
    combiner->context = context;
    combiner->loaded = base_alloc((plan->site_count + 1) * sizeof *combiner->loaded);
    combiner->stores = 1;
    return combiner;
}

void combiner_free(struct combiner *combiner) {
    if (combiner)
        free(combiner->loaded);
    free(combiner);
}

static void tell_piece(struct combiner *combiner, const struct window *window, unsigned first,
                       unsigned bytes) {
    uint32_t offsets[WARP_LANES];
    for (int l = 0; l < WARP_LANES; l++)
        offsets[l] = window->base[l] + first;
    struct event_access event = window->first;
    event.site += combine_variant(bytes) * combiner->plan->site_count;
    event.width = bytes;
    event.offsets = offsets;
    event.block = combiner->block;
    event.pattern = EVENT_ANY_PATTERN;
    combiner->hear(combiner->context, &event);
}

// The largest aligned piece from byte `first` on that the machine code has; a load may read more
// than is wanted, where there is no narrower one.
static unsigned piece_at(const struct window *window, unsigned first) {
    unsigned best = 1;
    // Three quarters that are wanted are reason enough to read all.
    for (unsigned width = window->size; window->reads_past && width >= 8; width /= 2) {
        unsigned all = ((1u << width) - 1) << (first & ~(width - 1));
        unsigned wanted = (unsigned)__builtin_popcount(window->bytes & all);
        if (window->widths & width && 4 * wanted >= 3 * width)
            return width;
    }
    for (unsigned width = 1; width <= window->size; width *= 2) {
        unsigned all = ((1u << width) - 1) << first;
        if (first % width == 0 && (window->bytes & all) == all)
            best = width;
    }
    if (window->widths & best || window->op == SITE_STORE)
        return best;
    for (unsigned width = 2 * best; width <= window->size; width *= 2)
        if (window->widths & width)
            return width;
    return best;
}

static struct window *first_of(struct combiner *combiner, uint32_t set) {
    return &combiner->windows[__builtin_ctz(set)];
}

static void close_window(struct combiner *combiner, struct window *window) {
    while (window->bytes) {
        unsigned first = (unsigned)__builtin_ctz(window->bytes);
        unsigned width = piece_at(window, first);
        first &= ~(width - 1);
        tell_piece(combiner, window, first, width);
        window->bytes &= ~(((1u << width) - 1) << first);
    }
    window->size = 0;
    combiner->open &= ~(1u << (window - combiner->windows));
}

void combiner_flush(struct combiner *combiner) {
    for (uint32_t left = combiner->open; left; left &= left - 1)
        close_window(combiner, first_of(combiner, left));
}

// No load can be moved over a store to what may be the same address, nor the other way round.
static void flush_others(struct combiner *combiner, enum site_op op) {
    for (uint32_t left = combiner->open; left; left &= left - 1)
        if (first_of(combiner, left)->op != op)
            close_window(combiner, first_of(combiner, left));
}

static bool are_alike(const struct event_access *event, unsigned size) {
    uint32_t odd = 0, first = event->offsets[__builtin_ctz(event->mask)];
    for (int l = 0; l < WARP_LANES; l++)
        odd |= event->mask >> l & 1 ? (event->offsets[l] ^ first) & (size - 1) : 0;
    return odd == 0;
}

static bool is_in(const struct window *window, const struct event_access *event) {
    uint32_t odd = 0;
    for (int l = 0; l < WARP_LANES; l++)
        odd |=
            event->mask >> l & 1 ? (event->offsets[l] & ~(window->size - 1)) ^ window->base[l] : 0;
    return odd == 0;
}

static unsigned bytes_of(const struct event_access *event, unsigned size, unsigned width) {
    uint32_t first = event->offsets[__builtin_ctz(event->mask)];
    return ((1u << width) - 1) << (first & (size - 1));
}

// Without copies a site that comes once more is in the next round of a loop.
static bool may_join(const struct window *window, const struct combine_site *planned,
                     uint32_t site) {
    return (window->is_copied && planned->is_copied) ||
           (window->group == planned->group && window->last_site < site);
}

// The window that the request is in. NULL: none is open.
static struct window *find(struct combiner *combiner, const struct event_access *event,
                           enum site_op op) {
    const struct combine_site *planned = &combiner->plan->planned[event->site];
    const int lane = __builtin_ctz(event->mask);
    for (uint32_t left = combiner->open; left; left &= left - 1) {
        struct window *window = first_of(combiner, left);
        if (window->op == op && window->first.mask == event->mask &&
            may_join(window, planned, event->site) &&
            (event->offsets[lane] & ~(window->size - 1)) == window->base[lane] &&
            are_alike(event, window->size) && is_in(window, event))
            return window;
    }
    return NULL;
}

static struct window *open_window(struct combiner *combiner, const struct event_access *event,
                                  enum site_op op, unsigned size) {
    struct window *oldest = NULL;
    for (uint32_t left = combiner->open; left; left &= left - 1) {
        struct window *window = first_of(combiner, left);
        if (combiner->requests - window->opened > PATIENCE)
            close_window(combiner, window);
        else if (!oldest || window->opened < oldest->opened)
            oldest = window;
    }
    if (~combiner->open)
        oldest = &combiner->windows[31 - __builtin_clz(~combiner->open)];
    else
        close_window(combiner, oldest);
    *oldest = (struct window){.first = *event,
                              .size = size,
                              .group = combiner->plan->planned[event->site].group,
                              .op = op,
                              .opened = combiner->requests};
    for (int l = 0; l < WARP_LANES; l++)
        oldest->base[l] = event->offsets[l] & ~(size - 1);
    combiner->open |= 1u << (oldest - combiner->windows);
    return oldest;
}

// The size of the window to open; 0: the request is counted as it is.
static unsigned size_for(const struct event_access *event, unsigned widths, unsigned width) {
    for (unsigned size = 16; size > width; size /= 2)
        if (widths & size && are_alike(event, size))
            return size;
    return 0;
}

static void follow_warp(struct combiner *combiner, const struct event_access *event) {
    if (combiner->warp == event->warp &&
        memcmp(combiner->block, event->block, sizeof combiner->block) == 0)
        return;
    combiner_flush(combiner);
    combiner->stores++;
    memcpy(combiner->block, event->block, sizeof combiner->block);
    combiner->warp = event->warp;
}

// Is all that the request loads in registers already? Keeps in mind what it loads.
static bool is_loaded(struct combiner *combiner, const struct event_access *event,
                      const struct combine_site *planned) {
    const struct combine_plan *plan = combiner->plan;
    const uint32_t offset = event->offsets[__builtin_ctz(event->mask)];
    uint32_t site = planned->twin == IR_NONE ? event->site : planned->twin;
    struct loaded *loaded = &combiner->loaded[site];
    uint32_t distance = (uint32_t)(planned->address - plan->planned[site].address);
    if (site != event->site && loaded->by != event->site && loaded->stores == combiner->stores &&
        loaded->mask == event->mask && offset - loaded->offset == distance)
        return true;
    if (plan->sites[site].site->width == plan->sites[event->site].site->width)
        *loaded = (struct loaded){combiner->stores, event->mask, offset - distance, event->site};
    return false;
}

void combiner_pass(struct combiner *combiner, const struct event_access *event) {
    const enum site_op op = combiner->plan->sites[event->site].site->op;
    follow_warp(combiner, event);
    if (op != SITE_LOAD)
        combiner->stores++;
    if (op == SITE_LOAD || op == SITE_STORE)
        flush_others(combiner, op);
    else
        combiner_flush(combiner);
}

void combiner_request(struct combiner *combiner, const struct event_access *event) {
    const struct ir_site *site = combiner->plan->sites[event->site].site;
    const struct combine_site *planned = &combiner->plan->planned[event->site];
    const unsigned widths = planned->widths;
    combiner->requests++;
    follow_warp(combiner, event);
    if (site->op == SITE_LOAD && is_loaded(combiner, event, planned))
        return;
    combiner_pass(combiner, event);
    struct window *window = widths ? find(combiner, event, site->op) : NULL;
    if (window && window->bytes & bytes_of(event, window->size, site->width)) {
        close_window(combiner, window); // once more: it was not kept in a register
        window = NULL;
    }
    unsigned size = window ? window->size : widths ? size_for(event, widths, site->width) : 0;
    if (!size || size <= site->width || event->owner != event->block_number || event->bulk_bytes) {
        combiner->hear(combiner->context, event);
        return;
    }
    if (!window)
        window = open_window(combiner, event, site->op, size);
    window->widths |= widths;
    window->reads_past |= planned->reads_past;
    window->is_copied |= planned->is_copied;
    window->last_site = event->site;
    window->bytes |= bytes_of(event, size, site->width);
    if (window->bytes == (1u << size) - 1)
        close_window(combiner, window);
}
