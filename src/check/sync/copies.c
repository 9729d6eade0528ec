#include "check/sync/copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { WARPS = 32, KINDS = 2 }; // cp.async, and cp.async.bulk

struct group {
    uint32_t instruction; // its first copy
};

// What a lane has begun and not waited for.
struct lane {
    VEC(struct group) groups; // committed, the oldest first
    uint32_t open;            // the first copy since then; EVENT_NONE: none
};

struct block {
    uint64_t number;
    struct lane lanes[WARPS][WARP_LANES][KINDS];
};

struct sync_copies {
    VEC(struct block *) blocks; // those of a cluster run together
};

static int kind_of(enum event_completion completion) {
    return completion == EVENT_BY_GROUP ? 0 : completion == EVENT_BY_BULK_GROUP ? 1 : -1;
}

struct sync_copies *sync_copies_create(void) {
    return base_alloc(sizeof(struct sync_copies));
}

static void free_block(struct block *block) {
    for (struct lane *lane = &block->lanes[0][0][0];
         lane < &block->lanes[0][0][0] + WARPS * WARP_LANES * KINDS; lane++)
        vec_free(&lane->groups);
    free(block);
}

void sync_copies_free(struct sync_copies *copies) {
    for (size_t i = 0; copies && i < copies->blocks.length; i++)
        free_block(copies->blocks.data[i]);
    if (copies)
        vec_free(&copies->blocks);
    free(copies);
}

static size_t find(const struct sync_copies *copies, uint64_t number) {
    size_t at = 0;
    while (at < copies->blocks.length && copies->blocks.data[at]->number != number)
        at++;
    return at;
}

// Most kernels copy nothing so: a block is noted with its first copy.
static struct block *block_of(struct sync_copies *copies, uint64_t number) {
    const size_t at = find(copies, number);
    if (at < copies->blocks.length)
        return copies->blocks.data[at];
    struct block *block = base_alloc(sizeof *block);
    block->number = number;
    for (int i = 0; i < WARPS * WARP_LANES * KINDS; i++)
        (&block->lanes[0][0][0])[i].open = EVENT_NONE;
    vec_push(&copies->blocks, block);
    return block;
}

void sync_copies_access(struct sync_copies *copies, const struct event_access *event) {
    const int kind = kind_of(event->completion);
    if (kind < 0)
        return;
    struct block *block = block_of(copies, event->block_number);
    for (uint32_t left = event->mask; left; left &= left - 1) {
        struct lane *lane = &block->lanes[event->warp][__builtin_ctz(left)][kind];
        if (lane->open == EVENT_NONE)
            lane->open = event->instruction;
    }
}

static void commit(struct lane *lane) {
    vec_push(&lane->groups, (struct group){lane->open});
    lane->open = EVENT_NONE;
}

// `keep` groups stay, EVENT_NONE: not even those that were not committed.
static void wait_for(struct lane *lane, uint32_t keep) {
    if (keep == EVENT_NONE)
        lane->open = EVENT_NONE;
    const size_t stay = keep == EVENT_NONE ? 0 : keep;
    if (lane->groups.length <= stay)
        return;
    const size_t gone = lane->groups.length - stay;
    memmove(lane->groups.data, lane->groups.data + gone, stay * sizeof *lane->groups.data);
    lane->groups.length = stay;
}

// An mbarrier takes the lane's copies so far: whoever waits for it waits for them.
static void hand_over(struct lane *lane) {
    lane->groups.length = 0;
    lane->open = EVENT_NONE;
}

// The first copy that is left; EVENT_NONE: there is none.
static uint32_t first_left(const struct lane *lane) {
    for (size_t i = 0; i < lane->groups.length; i++)
        if (lane->groups.data[i].instruction != EVENT_NONE)
            return lane->groups.data[i].instruction;
    return lane->open;
}

static void leave(const struct lane *lane, const struct event_sync *event, unsigned number,
                  struct check_notes *notes) {
    const uint32_t copy = first_left(lane);
    if (copy == EVENT_NONE)
        return;
    check_note(notes, &(struct check_note){
                          .kind = "copy-not-waited",
                          .message = "a thread ends and has not waited for its asynchronous copy",
                          .help = "wait for the copy (__pipeline_wait_prior(0), cp.async.wait_all) "
                                  "and then for the other threads (__syncthreads()) before anyone "
                                  "reads what it writes",
                          .count = 1,
                          .at = {{.role = "copies",
                                  .instruction = copy,
                                  .has_thread = true,
                                  .thread = event->warp * WARP_LANES + number,
                                  .block = event->block_number}},
                          .at_count = 1});
}

static void each_lane(struct block *block, const struct event_sync *event,
                      struct check_notes *notes) {
    const int kind = kind_of(event->completion);
    for (uint32_t left = event->mask; left; left &= left - 1) {
        const unsigned number = (unsigned)__builtin_ctz(left);
        struct lane *lanes = block->lanes[event->warp][number];
        if (event->kind == EVENT_MBARRIER_COPIES)
            hand_over(&lanes[0]);
        else if (event->kind == EVENT_ASYNC_COMMIT && kind >= 0)
            commit(&lanes[kind]);
        else if (event->kind == EVENT_ASYNC_WAIT && kind >= 0)
            wait_for(&lanes[kind], event->count);
        else if (event->kind == EVENT_LANES_EXIT)
            for (int k = 0; k < KINDS; k++)
                leave(&lanes[k], event, number, notes);
    }
}

void sync_copies_sync(struct sync_copies *copies, const struct event_sync *event,
                      struct check_notes *notes) {
    const size_t at = find(copies, event->block_number);
    if (at == copies->blocks.length)
        return;
    if (event->kind == EVENT_BLOCK_END) {
        free_block(copies->blocks.data[at]);
        copies->blocks.data[at] = copies->blocks.data[--copies->blocks.length];
    } else {
        each_lane(copies->blocks.data[at], event, notes);
    }
}
