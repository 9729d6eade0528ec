// Accesses to shared memory, and what they conflict with.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/race/domain.h"
#include "check/race/shared_seen.h"

// Of a block: where that many entries were looked at, it has races enough.
enum { MOST_LOOKED = 1 << 24 };

// ---- Conflicts ----------------------------------------------------------------------------

struct context {
    struct race_domain *domain;
    struct race_block *block;       // whose memory it is
    const struct shared_entry *own; // of this event; NULL: it is not in the log
    bool is_benign;                 // something is not ordered, and yet no race
    struct own_writes {             // of the lanes of `reader`: what they wrote themselves
        const struct shared_entry *reader, *last[WARP_LANES];
        uint32_t looked; // lanes that have a last one, or have none
        uint8_t bytes;
    } writes;
    uint32_t looked; // lanes of this event whose `seen` is known
    struct shared_seen seen[WARP_LANES];
};

static uint32_t bits_of(uint8_t bytes) {
    uint32_t bits = 0;
    for (unsigned b = 0; b < 4; b++)
        bits |= bytes >> b & 1 ? 0xffu << 8 * b : 0;
    return bits;
}

// All that write the same leave the same, whoever is first.
static bool writes_the_same(const struct context *c, const struct shared_entry *own, unsigned lane,
                            const struct shared_entry *e, unsigned other, uint32_t word,
                            uint8_t bytes) {
    uint32_t old, new, bits, own_bits;
    return own && shared_is_write(own->class) && shared_is_write(e->class) &&
           shared_log_value(&c->block->log, e, other, word, &old, &bits) &&
           shared_log_value(&c->block->log, own, lane, word, &new, &own_bits) &&
           ((old ^ new) & bits & bits_of(bytes)) == 0;
}

static const struct shared_entry *own_write(struct context *c, const struct shared_entry *reader,
                                            unsigned lane, uint32_t word, uint8_t bytes) {
    struct own_writes *w = &c->writes;
    if (w->reader != reader || w->bytes != bytes)
        *w = (struct own_writes){.reader = reader, .bytes = bytes};
    if (!(w->looked >> lane & 1))
        w->last[lane] = shared_log_own_write(&c->block->log, reader, lane, word, bytes);
    w->looked |= 1u << lane;
    return w->last[lane];
}

// Who has just written the same reads it, whichever write was the last. Writes of something else
// that the reader could have learnt of lie behind a synchronisation.
static bool reads_its_own(struct context *c, const struct shared_entry *reader, unsigned lane,
                          const struct shared_entry *writer, unsigned other, uint32_t word) {
    const struct shared_log *log = &c->block->log;
    uint32_t new, own, bits;
    if (!shared_is_read(reader->class) || reader->extra || reader->bulk ||
        !shared_is_write(writer->class) || !shared_log_value(log, writer, other, word, &new, &bits))
        return false;
    const uint8_t bytes =
        shared_log_bytes(log, reader, lane, word) & shared_log_bytes(log, writer, other, word);
    const struct shared_entry *last = own_write(c, reader, lane, word, bytes);
    if (!last || !shared_log_value(log, last, lane, word, &own, &bits))
        return false;
    return !(bits_of(bytes) & (~bits | (own ^ new)));
}

// Not ordered, and benign.
static bool is_benign(struct context *c, unsigned lane, const struct shared_entry *e,
                      unsigned other, uint32_t word, uint8_t bytes) {
    if (!c->own)
        return false;
    if (!reads_its_own(c, c->own, lane, e, other, word) &&
        !reads_its_own(c, e, other, c->own, lane, word))
        return writes_the_same(c, c->own, lane, e, other, word, bytes);
    c->is_benign = true;
    return true;
}

// Whether a plain access is behind a strong one because its lane saw what that left.
static bool has_seen(struct context *c, const struct shared_visit *v, unsigned lane,
                     const struct shared_entry *e, unsigned other, uint32_t word, uint8_t bytes) {
    if (!c->own || (v->class != SHARED_READ && v->class != SHARED_WRITE) ||
        (e->class != SHARED_ATOMIC && e->class != SHARED_STRONG_WRITE))
        return false;
    if (!(c->looked >> lane & 1))
        c->seen[lane] = shared_seen_of(&c->block->log, v, lane, word, bytes);
    c->looked |= 1u << lane;
    return shared_has_seen(&c->block->log, &c->seen[lane], e, other);
}

// The first lane of an entry that races with this one; WARP_LANES: none does.
static unsigned rival(struct context *c, const struct shared_visit *v, unsigned lane,
                      const struct shared_entry *e, uint32_t others, uint32_t word, uint8_t bytes) {
    for (uint32_t rest = others; rest; rest &= rest - 1) {
        const unsigned other = (unsigned)__builtin_ctz(rest);
        if ((e != c->own || other < lane) && !shared_knows_entry(v, lane, e, other) &&
            !has_seen(c, v, lane, e, other, word, bytes) &&
            !is_benign(c, lane, e, other, word, bytes))
            return other;
    }
    return WARP_LANES;
}

// Two accesses count once for each word, however many of their lanes do.
static bool match_entry(struct context *c, const struct shared_visit *v, uint32_t word,
                        uint8_t bytes, uint32_t lanes, const struct shared_entry *e) {
    const struct shared_log *log = &c->block->log;
    const uint32_t others = shared_log_lanes(log, e, word, bytes);
    const uint32_t all = others && c->own ? shared_log_lanes(log, c->own, word, bytes) : lanes;
    bool is_first = true;
    for (uint32_t rest = others ? all | lanes : 0; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const unsigned other = rival(c, v, lane, e, others, word, bytes);
        if (!(lanes & ~((1u << lane) - 1)))
            break;
        if (other == WARP_LANES)
            continue;
        if (lanes >> lane & 1)
            shared_note(c->domain, v, lane, e, other, word * 4 + (unsigned)__builtin_ctz(bytes),
                        is_first);
        is_first = false;
    }
    return !is_first;
}

// All accesses since the barrier that are a race with this one. Whether any is not ordered.
static bool match(struct context *c, const struct shared_visit *v, uint32_t word, uint8_t bytes,
                  uint32_t lanes) {
    const struct shared_log *log = &c->block->log;
    bool found = false;
    if (c->block->looked > MOST_LOOKED)
        return false;
    c->block->looked += log->entries.length;
    c->is_benign = false;
    c->writes.reader = NULL;
    c->looked = 0;
    for (size_t i = 0; i < log->entries.length; i++)
        if (shared_conflicts(v->class, log->entries.data[i].class))
            found |= match_entry(c, v, word, bytes, lanes, &log->entries.data[i]);
    return found || c->is_benign;
}

static bool conflict(void *context, const struct shared_visit *v, uint32_t word, uint8_t bytes,
                     uint32_t lanes, const struct shared_group *pending) {
    struct context *c = context;
    if (!pending)
        return match(c, v, word, bytes, lanes);
    if (v->is_pending && pending->thread == v->thread && pending->issue == v->issue &&
        pending->instruction == v->instruction)
        return true; // lanes that copy to one place
    const struct shared_entry e = {.instruction = pending->instruction,
                                   .thread = pending->thread,
                                   .stamp = pending->stamp,
                                   .issue = pending->issue,
                                   .lanes = pending->lanes,
                                   .width = 4,
                                   .class = pending->class};
    shared_note(c->domain, v, (unsigned)__builtin_ctz(lanes), &e,
                (unsigned)__builtin_ctz(pending->lanes), word * 4 + (unsigned)__builtin_ctz(bytes),
                true);
    return true;
}

static bool next_atomic(void *context, const struct shared_visit *v, uint32_t word, size_t *at,
                        struct shared_group *g) {
    const struct context *c = context;
    const struct shared_log *log = &c->block->log;
    for (; *at < log->entries.length; ++*at) {
        const struct shared_entry *e = &log->entries.data[*at];
        const uint32_t lanes =
            e->class == SHARED_ATOMIC && e != c->own ? shared_log_lanes(log, e, word, 15) : 0;
        if (!lanes || e->stamp <= v->floor)
            continue;
        *g = (struct shared_group){.thread = e->thread,
                                   .lanes = lanes,
                                   .stamp = e->stamp,
                                   .instruction = e->instruction,
                                   .class = SHARED_ATOMIC,
                                   .bytes = 15};
        ++*at;
        return true;
    }
    return false;
}

// ---- Words --------------------------------------------------------------------------------

static uint32_t value_at(const struct event_access *e, unsigned lane, uint32_t offset,
                         uint32_t word) {
    uint32_t bits;
    return e->values
               ? shared_value(e->values + (size_t)lane * e->width, e->width, offset, word, &bits)
               : 0;
}

static void access_range(struct race_block *block, const struct shared_visit *v,
                         const struct event_access *e, unsigned lane, uint32_t offset,
                         uint32_t bytes) {
    const uint32_t end = offset + bytes;
    for (uint32_t word = offset / 4; word * 4 < end; word++) {
        const uint32_t first = word * 4 < offset ? offset - word * 4 : 0;
        const uint32_t last = word * 4 + 4 > end ? end - word * 4 : 4;
        const uint8_t mask = (uint8_t)((1u << last) - (1u << first));
        shared_access_word(&block->words, v, word, mask, 1u << lane,
                           value_at(e, lane, offset, word));
    }
}

static void access_bulk(struct race_block *block, const struct shared_visit *v,
                        const struct event_access *e, unsigned lane) {
    if (!e->pieces)
        access_range(block, v, e, lane, e->offsets[lane], (uint32_t)e->bulk_bytes);
    for (uint64_t i = 0; e->pieces && i < e->bulk_bytes / EVENT_PIECE; i++)
        access_range(block, v, e, lane, e->pieces[i], EVENT_PIECE);
}

static bool access_quickly(struct race_block *block, const struct shared_visit *v,
                           const struct event_access *e) {
    const uint32_t first = e->offsets[0] / 4;
    if (e->pattern == EVENT_UNIFORM && e->width == 4 && v->class == SHARED_READ) {
        shared_access_word(&block->words, v, first, 15, e->mask, 0);
        return true;
    }
    if (e->pattern != EVENT_LINEAR || e->width < 4 || e->width > 16 || !v->warp_bit)
        return false;
    const unsigned shift = e->width == 4 ? 0 : e->width == 8 ? 1 : 2;
    if (v->class == SHARED_READ)
        return shared_quick_read(&block->words, v, first, shift);
    return v->class == SHARED_WRITE && e->values && !v->is_pending &&
           shared_quick_write(&block->words, v, first, shift,
                              (const uint32_t *)(const void *)e->values);
}

// Lanes that access a word each, anywhere.
static bool access_whole_words(struct race_block *block, const struct shared_visit *v,
                               const struct event_access *e) {
    uint32_t bits = 0;
    for (uint32_t rest = e->mask; rest; rest &= rest - 1)
        bits |= e->offsets[__builtin_ctz(rest)];
    if (e->width != 4 || e->bulk_bytes || bits % 4)
        return false;
    if (v->class == SHARED_ATOMIC && v->warp_bit && !v->is_pending) {
        shared_atomics(&block->words, v, e->mask, e->offsets);
        return true;
    }
    for (uint32_t rest = e->mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        uint32_t value = 0;
        if (e->values)
            memcpy(&value, e->values + (size_t)l * 4, 4);
        shared_access_word(&block->words, v, e->offsets[l] / 4, 15, 1u << l, value);
    }
    return true;
}

static void access_words(struct race_block *block, const struct shared_visit *v,
                         const struct event_access *e) {
    if (access_quickly(block, v, e) || access_whole_words(block, v, e))
        return;
    for (uint32_t rest = e->mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        if (e->bulk_bytes)
            access_bulk(block, v, e, l);
        else
            access_range(block, v, e, l, e->offsets[l], e->width);
    }
}

static enum shared_class class_of(const struct event_access *e) {
    if (e->intent == EVENT_ATOMIC)
        return SHARED_ATOMIC;
    if (e->intent == EVENT_READ)
        return e->order == EVENT_WEAK ? SHARED_READ : SHARED_STRONG_READ;
    return e->order == EVENT_WEAK ? SHARED_WRITE : SHARED_STRONG_WRITE;
}

// `extra`: 0: the lanes do it themselves.
static void visit(struct race_domain *d, struct race_block *block, uint32_t warp_index,
                  const struct event_access *e, uint32_t extra) {
    struct context context; // the rest, which is large, is set when something is not ordered
    context.domain = d;
    context.block = block;
    context.own = NULL;
    struct shared_visit v = {.clock = d->clock,
                             .rank = (uint32_t)(block - d->blocks),
                             .thread = clock_thread(warp_index, 0),
                             .extra = extra,
                             .sender = (unsigned)__builtin_ctz(e->mask),
                             .stamp = clock_stamp(d->clock, warp_index),
                             .instruction = e->instruction,
                             .class = class_of(e),
                             .is_own = e->owner == e->block_number,
                             .conflict = conflict,
                             .next_atomic = next_atomic,
                             .context = &context};
    const bool is_copy = e->completion == EVENT_BY_GROUP || e->completion == EVENT_BY_BULK_GROUP;
    if (extra || is_copy)
        v.issue = v.stamp;
    v.stamp = extra ? clock_extra_stamp(d->clock) : v.stamp;
    v.is_pending = is_copy;
    block->is_asynchronous |= e->completion != EVENT_AT_ONCE || extra;
    block->is_written |= v.class != SHARED_READ || block->is_asynchronous;
    shared_begin(&v);
    if (e->proxy == EVENT_ASYNC_PROXY && e->intent == EVENT_READ)
        race_proxy_read(d, block, &v, e);
    if (!is_copy) {
        if (!shared_log_add(&block->log, &v, e, e->mask, e->offsets, e->values))
            shared_note_forgotten(d);
        context.own = &block->log.entries.data[block->log.entries.length - 1];
    }
    access_words(block, &v, e);
}

// ---- Events -------------------------------------------------------------------------------

static void keep_bulk(struct race_domain *d, uint32_t rank, const struct event_access *e) {
    struct race_bulk bulk = {.event = *e, .rank = rank, .left = e->mask};
    const size_t bytes = e->bulk_bytes / EVENT_PIECE * sizeof *e->pieces;
    memcpy(bulk.offsets, e->offsets, sizeof bulk.offsets);
    if (e->pieces)
        bulk.pieces = memcpy(base_alloc(bytes + 1), e->pieces, bytes);
    bulk.event.values = NULL;
    vec_push(&d->bulk, bulk);
}

// The mbarrier of a lane's copies is known.
static void finish_bulk(struct race_domain *d, uint32_t warp_index, const struct event_sync *e,
                        uint32_t extra) {
    size_t left = 0;
    for (size_t i = 0; i < d->bulk.length; i++) {
        struct race_bulk bulk = d->bulk.data[i];
        const uint32_t lanes = bulk.left & e->mask;
        if (lanes && bulk.event.warp == e->warp && bulk.event.block_number == e->block_number) {
            bulk.event.mask = lanes;
            bulk.event.offsets = bulk.offsets;
            bulk.event.pieces = bulk.pieces;
            visit(d, &d->blocks[bulk.rank], warp_index, &bulk.event, extra);
            bulk.left &= ~lanes;
        }
        if (bulk.left)
            d->bulk.data[left++] = bulk;
        else
            free(bulk.pieces);
    }
    d->bulk.length = left;
}

static struct race_tensors *group_of(const struct race_domain *d, uint32_t warp_index) {
    const uint32_t warps = d->clock->block_warps;
    return &d->tensors[warp_index / warps * d->groups + warp_index % warps / 4];
}

static unsigned member_of(const struct race_domain *d, uint32_t warp_index) {
    return warp_index % d->clock->block_warps % 4;
}

static uint32_t tensor_extra(struct race_domain *d, uint32_t warp_index) {
    struct race_tensors *group = group_of(d, warp_index);
    if (!group->extra)
        group->extra = clock_extra(d->clock);
    return group->extra;
}

void shared_access(struct race_domain *d, uint32_t rank, const struct event_access *e) {
    const uint32_t warp_index = clock_warp_index(d->clock, rank, e->warp);
    const uint32_t owner = e->owner == e->block_number ? rank : race_domain_rank(d, e->owner);
    const bool is_strong = e->intent == EVENT_ATOMIC || e->order != EVENT_WEAK;
    if (owner == UINT32_MAX || (e->site == EVENT_NONE && is_strong)) // an mbarrier's
        return;
    if (owner != rank && e->completion == EVENT_AT_ONCE)
        race_visit_block(d, owner, warp_index, e);
    if (is_strong)
        race_flag_access(d, warp_index, owner, e);
    if (e->completion == EVENT_BY_MBARRIER) {
        d->blocks[owner].is_asynchronous = d->blocks[owner].is_written = true;
        keep_bulk(d, owner, e);
        return;
    }
    visit(d, &d->blocks[owner], warp_index, e,
          e->completion == EVENT_BY_WGMMA_GROUP ? tensor_extra(d, warp_index) : 0);
    if (e->completion == EVENT_BY_GROUP || e->completion == EVENT_BY_BULK_GROUP)
        race_copy_begin(d, warp_index, owner, e);
}

// ---- wgmma --------------------------------------------------------------------------------

static void commit_tensors(struct race_domain *d, uint32_t warp_index) {
    struct race_tensors *group = group_of(d, warp_index);
    vec_push(&group->commits[member_of(d, warp_index)], clock_extra_stamp(d->clock));
    clock_next(d->clock);
}

static void wait_tensors(struct race_domain *d, uint32_t warp_index, const struct event_sync *e) {
    struct race_tensors *group = group_of(d, warp_index);
    const size_t count = group->commits[member_of(d, warp_index)].length;
    if (group->extra && count > e->count)
        clock_know_extra(d->clock, warp_index, e->mask, group->extra,
                         group->commits[member_of(d, warp_index)].data[count - 1 - e->count]);
}

// ---- Synchronisation ----------------------------------------------------------------------

static void sync_groups(struct race_domain *d, uint32_t warp_index, const struct event_sync *e) {
    const bool is_tensor = e->completion == EVENT_BY_WGMMA_GROUP;
    if (e->kind == EVENT_ASYNC_COMMIT && is_tensor)
        commit_tensors(d, warp_index);
    else if (e->kind == EVENT_ASYNC_COMMIT)
        race_copy_commit(d, warp_index, e);
    else if (is_tensor)
        wait_tensors(d, warp_index, e);
    else
        race_copy_wait(d, warp_index, e);
}

static void complete_barrier(struct race_domain *d, uint32_t rank, uint32_t id) {
    const uint32_t before = clock_block_floor(d->clock, rank);
    clock_barrier_complete(d->clock, rank, id);
    if (clock_block_floor(d->clock, rank) <= before || d->clock->blocks != 1)
        return;
    shared_log_clear(&d->blocks[rank].log);
    d->blocks[rank].is_written = d->blocks[rank].is_asynchronous;
}

static void sync_mbarrier(struct race_domain *d, uint32_t warp_index, const struct event_sync *e) {
    const uint32_t owner = race_domain_rank(d, e->owner);
    if (owner == UINT32_MAX)
        return;
    if (e->kind == EVENT_MBARRIER_COMPLETE_TX && d->bulk.length) {
        struct race_flag *flag = race_flag(&d->flags, owner, e->offset, true);
        finish_bulk(d, warp_index, e, race_mbarrier_extra(d, flag));
    }
    race_mbarrier(d, warp_index, owner, e);
}

static void fence(struct race_domain *d, uint32_t warp_index, const struct event_sync *e) {
    if (e->proxy == EVENT_ASYNC_PROXY)
        race_proxy_fence(d, warp_index, e->mask);
    if (e->proxy != EVENT_NO_PROXY)
        return;
    d->flags.has_released = true;
    clock_fence(d->clock, warp_index, e->mask, e->scope);
}

void shared_sync(struct race_domain *d, uint32_t rank, const struct event_sync *e) {
    struct clock *c = d->clock;
    const uint32_t warp_index = clock_warp_index(c, rank, e->warp);
    switch (e->kind) {
    case EVENT_BARRIER_ARRIVE:
    case EVENT_BARRIER_SYNC:
        clock_barrier_arrive(c, warp_index, e->mask, e->id, e->kind == EVENT_BARRIER_SYNC);
        break;
    case EVENT_BARRIER_COMPLETE:
        complete_barrier(d, rank, e->id);
        break;
    case EVENT_WARP_BARRIER:
        clock_warp_barrier(c, warp_index, e->mask);
        break;
    case EVENT_CLUSTER_ARRIVE:
        clock_cluster_arrive(c, warp_index, e->mask, e->order != EVENT_RELAXED);
        break;
    case EVENT_CLUSTER_COMPLETE:
        clock_cluster_complete(c);
        break;
    case EVENT_CLUSTER_WAIT:
        clock_cluster_wait(c, warp_index, e->mask);
        break;
    case EVENT_FENCE:
        fence(d, warp_index, e);
        break;
    case EVENT_ASYNC_COMMIT:
    case EVENT_ASYNC_WAIT:
        sync_groups(d, warp_index, e);
        break;
    case EVENT_BLOCK_END:
        race_end_block(d, rank);
        break;
    case EVENT_LANES_EXIT:
        clock_exit(c, warp_index, e->mask);
        break;
    default:
        if (e->kind >= EVENT_MBARRIER_INIT && e->kind <= EVENT_MBARRIER_WAIT)
            sync_mbarrier(d, warp_index, e);
    }
}
