#include "check/race/copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/race/domain.h"

static unsigned kind_of(enum event_completion completion) {
    return completion == EVENT_BY_BULK_GROUP;
}

static uint32_t *copy_pieces(const struct event_access *e) {
    const size_t bytes = e->bulk_bytes / EVENT_PIECE * sizeof *e->pieces;
    if (!e->pieces)
        return NULL;
    return memcpy(base_alloc(bytes), e->pieces, bytes);
}

// The lanes of one group at a time.
void race_copy_begin(struct race_domain *d, uint32_t warp_index, uint32_t rank,
                     const struct event_access *e) {
    struct race_copies *copies = &d->copies[warp_index];
    const unsigned kind = kind_of(e->completion);
    const uint32_t *commits = copies->commits[kind];
    for (uint32_t rest = e->mask; rest;) {
        struct race_copy copy = {.rank = rank,
                                 .instruction = e->instruction,
                                 .issue = clock_stamp(d->clock, warp_index),
                                 .group = commits[__builtin_ctz(rest)],
                                 .width = e->width,
                                 .bulk = (uint32_t)e->bulk_bytes,
                                 .pieces = copy_pieces(e),
                                 .is_read = e->intent == EVENT_READ};
        memcpy(copy.offsets, e->offsets, sizeof copy.offsets);
        for (unsigned l = 0; l < WARP_LANES; l++)
            copy.lanes |= (uint32_t)(commits[l] == copy.group) << l & rest;
        vec_push(&copies->list[kind], copy);
        rest &= ~copy.lanes;
    }
}

void race_copy_commit(struct race_domain *d, uint32_t warp_index, const struct event_sync *e) {
    for (unsigned l = 0; l < WARP_LANES; l++)
        d->copies[warp_index].commits[kind_of(e->completion)][l] += e->mask >> l & 1;
}

// ---- Waiting ------------------------------------------------------------------------------

static void complete_range(struct shared_words *words, const struct shared_visit *v,
                           uint32_t offset, uint32_t bytes, unsigned lane) {
    for (uint32_t word = offset / 4; word < (offset + bytes + 3) / 4; word++)
        shared_complete_word(words, v, word, lane);
}

static void complete_lane(struct shared_words *words, const struct shared_visit *v,
                          const struct race_copy *copy, unsigned lane) {
    if (!copy->bulk)
        complete_range(words, v, copy->offsets[lane], copy->width, lane);
    else if (!copy->pieces)
        complete_range(words, v, copy->offsets[lane], copy->bulk, lane);
    for (uint32_t i = 0; copy->pieces && i < copy->bulk / EVENT_PIECE; i++)
        complete_range(words, v, copy->pieces[i], EVENT_PIECE, lane);
}

// Lanes have waited: the copy is theirs; or, if there is one, the extra's.
static void complete(struct race_domain *d, uint32_t warp_index, const struct race_copy *copy,
                     uint32_t lanes, uint32_t extra) {
    struct race_block *block = &d->blocks[copy->rank];
    const struct shared_visit v = {.clock = d->clock,
                                   .rank = copy->rank,
                                   .thread = clock_thread(warp_index, 0),
                                   .extra = extra,
                                   .stamp = extra ? clock_extra_stamp(d->clock)
                                                  : clock_stamp(d->clock, warp_index),
                                   .issue = copy->issue,
                                   .instruction = copy->instruction,
                                   .class = copy->is_read ? SHARED_READ : SHARED_WRITE};
    const struct event_access event = {
        .mask = UINT32_MAX, .width = copy->width, .bulk_bytes = copy->bulk, .pieces = copy->pieces};
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        complete_lane(&block->words, &v, copy, (unsigned)__builtin_ctz(rest));
    if (!shared_log_add(&block->log, &v, &event, lanes, copy->offsets, NULL))
        shared_note_forgotten(d);
}

static void drop_done(struct race_copies *copies, unsigned kind) {
    size_t left = 0;
    for (size_t i = 0; i < copies->list[kind].length; i++) {
        struct race_copy *copy = &copies->list[kind].data[i];
        if (copy->lanes)
            copies->list[kind].data[left++] = *copy;
        else
            free(copy->pieces);
    }
    copies->list[kind].length = left;
}

// Lanes of a copy that are in a group which this waits for.
static uint32_t lanes_done(const struct race_copy *copy, const uint32_t *commits,
                           const struct event_sync *e) {
    uint32_t done = 0;
    if (e->count == EVENT_NONE)
        return copy->lanes & e->mask;
    for (unsigned l = 0; l < WARP_LANES; l++)
        done |= (uint32_t)((uint64_t)copy->group + e->count < commits[l]) << l;
    return done & copy->lanes & e->mask;
}

static void know_given(struct race_domain *d, uint32_t warp_index, uint32_t mask) {
    const struct race_copies *copies = &d->copies[warp_index];
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        if (copies->given_to[l])
            clock_know_extra(d->clock, warp_index, 1u << l, copies->given_to[l],
                             copies->given_at[l]);
    }
}

void race_copy_wait(struct race_domain *d, uint32_t warp_index, const struct event_sync *e) {
    struct race_copies *copies = &d->copies[warp_index];
    const unsigned kind = kind_of(e->completion);
    for (size_t i = 0; i < copies->list[kind].length; i++) {
        struct race_copy *copy = &copies->list[kind].data[i];
        const uint32_t done = lanes_done(copy, copies->commits[kind], e);
        if (!done || (e->reads_only && !copy->is_read))
            continue;
        complete(d, warp_index, copy, done, 0);
        copy->lanes &= ~done;
    }
    drop_done(copies, kind);
    if (kind == 0)
        know_given(d, warp_index, e->mask);
}

void race_copy_give(struct race_domain *d, uint32_t warp_index, unsigned lane, uint32_t extra) {
    struct race_copies *copies = &d->copies[warp_index];
    for (size_t i = 0; i < copies->list[0].length; i++) {
        struct race_copy *copy = &copies->list[0].data[i];
        if (!(copy->lanes >> lane & 1))
            continue;
        complete(d, warp_index, copy, 1u << lane, extra);
        copy->lanes &= ~(1u << lane);
        copies->given_to[lane] = extra;
        copies->given_at[lane] = clock_extra_stamp(d->clock);
    }
    drop_done(copies, 0);
}

void race_copies_free(struct race_copies *copies) {
    for (unsigned kind = 0; kind < RACE_COPY_KINDS; kind++) {
        for (size_t i = 0; i < copies->list[kind].length; i++)
            free(copies->list[kind].data[i].pieces);
        vec_free(&copies->list[kind]);
    }
}
