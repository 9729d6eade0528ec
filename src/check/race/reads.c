#include "check/race/reads.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/race/domain.h"

enum { MOST_ENTRIES = 1 << 14, MOST_SHAPES = 1 << 10 };

void race_reads_init(struct race_reads *reads, uint32_t site_count) {
    struct event_journal *journal = &reads->journal;
    reads->site_count = site_count;
    reads->sites = base_alloc((site_count + 1) * sizeof *reads->sites);
    journal->capacity = MOST_ENTRIES;
    journal->entries = base_alloc(MOST_ENTRIES * sizeof *journal->entries);
    journal->sites = base_alloc_aligned(_Alignof(struct event_journal_site),
                                        (site_count + 1) * sizeof *journal->sites);
}

void race_reads_free(struct race_reads *reads) {
    free(reads->journal.entries);
    free(reads->journal.sites);
    free(reads->sites);
    vec_free(&reads->shapes);
}

// ---- Later --------------------------------------------------------------------------------

static void visit_entry(const struct race_reads *reads, const struct event_entry *entry) {
    const struct race_reads_site *site = &reads->sites[entry->site];
    const bool has_shape = entry->layout >= EVENT_PATTERNS;
    const struct race_reads_shape *shape =
        has_shape ? &reads->shapes.data[entry->layout - EVENT_PATTERNS] : NULL;
    const uint32_t step = entry->layout == EVENT_LINEAR ? site->width : 0;
    uint32_t offsets[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++)
        offsets[l] = entry->first + (shape ? shape->lanes[l] : l * step);
    shared_access(reads->domain, 0,
                  &(struct event_access){
                      .site = entry->site,
                      .instruction = site->instruction,
                      .space = SITE_SHARED,
                      .intent = EVENT_READ,
                      .width = site->width,
                      .mask = shape ? shape->mask : EVENT_ALL_LANES,
                      .offsets = offsets,
                      .block_number = reads->journal.block_number,
                      .owner = reads->journal.block_number,
                      .warp = entry->warp,
                      .pattern = has_shape ? EVENT_ANY_PATTERN : (enum event_pattern)entry->layout,
                  });
}

void race_reads_settle(struct race_reads *reads, struct race_domain *domain) {
    struct event_journal *journal = &reads->journal;
    if (reads->domain != domain)
        return;
    for (uint32_t i = 0; i < journal->count; i++)
        visit_entry(reads, &journal->entries[i]);
    journal->count = 0;
}

// ---- At once ------------------------------------------------------------------------------

static bool is_load(const struct race_domain *domain, const struct event_access *event) {
    return event->space == SITE_SHARED && event->intent == EVENT_READ &&
           event->order == EVENT_WEAK && event->completion == EVENT_AT_ONCE &&
           event->proxy == EVENT_NO_PROXY && !event->bulk_bytes && !event->addresses &&
           event->site != EVENT_NONE && event->owner == event->block_number &&
           domain->clock->blocks == 1;
}

// The journal is for the event's block from now on.
static void move_to(struct race_reads *reads, struct race_domain *domain, uint64_t block_number) {
    if (reads->domain && reads->domain != domain)
        race_reads_settle(reads, reads->domain);
    reads->domain = domain;
    reads->journal.block_number = block_number;
}

static void forget_shapes(struct race_reads *reads) {
    race_reads_settle(reads, reads->domain);
    for (uint32_t s = 0; s < reads->site_count; s++)
        reads->journal.sites[s].shape.mask = 0;
    reads->shapes.length = 0;
}

// The number of the request's shape, which becomes the site's.
static uint32_t shape_of(struct race_reads *reads, const struct event_access *event) {
    struct event_journal_site *site = &reads->journal.sites[event->site];
    struct event_shape shape;
    struct race_reads_shape kept = {.mask = event->mask};
    event_shape_of_offsets(&shape, event->mask, event->offsets, 0);
    if (event_shape_equal(&shape, &site->shape))
        return site->number;
    if (reads->shapes.length == MOST_SHAPES)
        forget_shapes(reads);
    memcpy(kept.lanes, shape.lanes, sizeof kept.lanes);
    site->shape = shape;
    site->number = EVENT_PATTERNS + (uint32_t)reads->shapes.length;
    vec_push(&reads->shapes, kept);
    return site->number;
}

static void put(struct race_reads *reads, const struct event_access *event) {
    struct event_journal *journal = &reads->journal;
    const uint32_t layout = event->pattern ? event->pattern : shape_of(reads, event);
    if (journal->count == journal->capacity)
        race_reads_settle(reads, reads->domain);
    reads->sites[event->site].instruction = event->instruction;
    reads->sites[event->site].width = event->width;
    journal->sites[event->site].is_open = true;
    event_journal_write(journal, event->site, event->warp,
                        event->offsets[__builtin_ctz(event->mask)], layout);
}

bool race_reads_take(struct race_reads *reads, struct race_domain *domain,
                     const struct event_access *event, bool moves_clock) {
    if (is_load(domain, event) && !domain->blocks[0].is_written) {
        move_to(reads, domain, event->block_number);
        put(reads, event);
        return true;
    }
    if (event->space == SITE_SHARED || moves_clock)
        race_reads_settle(reads, domain);
    return false;
}

void race_reads_sync(struct race_reads *reads, struct race_domain *domain,
                     const struct event_sync *event) {
    if (reads->domain != domain)
        return;
    bool orders_all = false;
    switch (event->kind) {
    case EVENT_BARRIER_SYNC: // the clock moves when all are there
    case EVENT_WARP_EXCHANGE:
    case EVENT_LANES_EXIT:
        return;
    case EVENT_BARRIER_COMPLETE:
        orders_all = clock_barrier_is_whole(domain->clock, 0, event->id);
        break;
    case EVENT_BLOCK_END:
        orders_all = true;
        break;
    default:
        break;
    }
    if (orders_all && !domain->blocks[0].is_written)
        reads->journal.count = 0;
    race_reads_settle(reads, domain);
}
