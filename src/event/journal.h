// The journal: what an observer lets the simulator write down for it instead of telling it. Loads
// of a block's own shared memory are most of what many kernels do, and mean nothing to who looks
// for races until somebody writes there.
//
// Its law. An observer that hands out a journal is told of loads later than they happened, but of
// all that happens in one block in its order: what is in the journal comes before the event that it
// is told of next. Where it has opened a site, it knows all of the site's requests but their block,
// warp, mask and offsets, which is what an entry says. The simulator writes
//   - loads (weak, done at once) by a site that is open,
//   - from the shared memory of the block that the journal is for, which is the warp's own,
//   - whose lanes are side by side, or at one place, or lie as those of the site's shape,
// as long as there is room, and tells of all others. The observer reads entries and takes them out.
#ifndef BANKRUN_EVENT_JOURNAL_H
#define BANKRUN_EVENT_JOURNAL_H

#include "event/filter.h"

struct event_entry {
    uint32_t site, warp;
    uint32_t first;  // the first active lane's offset
    uint32_t layout; // an event_pattern; from EVENT_PATTERNS on the `number` of a shape
};

struct event_journal_site {
    struct event_shape shape; // of no bits that are kept; mask 0: none
    uint32_t number;          // the observer's, from EVENT_PATTERNS on
    bool is_open;
};

struct event_journal {
    uint64_t block_number;
    uint32_t count, capacity;
    struct event_entry *entries;
    struct event_journal_site *sites; // by number
};

static inline bool event_journal_takes(const struct event_journal *journal, uint64_t block_number,
                                       uint32_t site) {
    return journal->block_number == block_number && journal->count < journal->capacity &&
           journal->sites[site].is_open;
}

// Whether it takes lanes that lie anywhere.
static inline bool event_journal_takes_lanes(const struct event_journal *journal,
                                             uint64_t block_number, uint32_t site, uint32_t mask,
                                             uint32_t first, const uint32_t *offsets,
                                             const int32_t *on, bool full) {
    return event_journal_takes(journal, block_number, site) &&
           journal->sites[site].shape.mask == mask &&
           event_shape_fits(&journal->sites[site].shape, offsets, first, on, full);
}

static inline void event_journal_write(struct event_journal *journal, uint32_t site, uint32_t warp,
                                       uint32_t first, uint32_t layout) {
    journal->entries[journal->count++] =
        (struct event_entry){.site = site, .warp = warp, .first = first, .layout = layout};
}

#endif
