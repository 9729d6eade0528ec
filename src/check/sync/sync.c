// The checker of synchronisation: it hears of all that orders threads, and of asynchronous copies.
// What a block does is told by one worker, so that all is known of a block in one place.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/checker.h"
#include "check/sync/block.h"
#include "check/sync/copies.h"
#include "check/sync/early.h"
#include "check/sync/words.h"

struct sync_worker {
    const struct ir_code *code;
    struct sync_early *early;
    struct check_notes notes;
    struct sync_copies *copies;
    VEC(struct sync_block *) blocks; // those that run
    struct sync_block *spare;        // one that has ended, for the next one
    struct sync_block *last;         // the one that was asked for
    uint64_t cluster;                // number of the first block of the one that begins
    uint32_t cluster_left;           // how many of its blocks are still to begin
};

struct sync_check {
    const struct check_launch *launch;
    struct ir_code code;
    struct sync_early *early; // NULL: no such place
    struct event_observer observer;
    struct sync_worker *workers; // launch->workers of them
};

// ---- Blocks that run ----------------------------------------------------------------------------

static struct sync_block *find_block(struct sync_worker *worker, uint64_t number) {
    if (worker->last && worker->last->number == number)
        return worker->last;
    for (size_t i = 0; i < worker->blocks.length; i++)
        if (worker->blocks.data[i]->number == number)
            return worker->last = worker->blocks.data[i];
    return NULL;
}

static void begin_block(struct sync_worker *worker, const struct event_sync *event) {
    struct sync_block *block = worker->spare ? worker->spare : base_alloc(sizeof *block);
    worker->spare = NULL;
    block->number = block->cluster = event->block_number;
    block->threads = event->expected;
    if (worker->cluster_left) {
        worker->cluster_left--;
        block->cluster = worker->cluster;
    }
    for (uint32_t w = 0; w < SYNC_WARPS && w * WARP_LANES < block->threads; w++) {
        const uint32_t left = block->threads - w * WARP_LANES;
        block->live[w] = left >= WARP_LANES ? UINT32_MAX : (1u << left) - 1;
    }
    vec_push(&worker->blocks, block);
    worker->last = block;
}

static void free_block(struct sync_block *block) {
    if (!block)
        return;
    vec_free(&block->mbarriers);
    vec_free(&block->stuck);
    free(block);
}

// Most blocks of a launch use the same barriers, and leave them as they were.
static void retire_block(struct sync_worker *worker, struct sync_block *block) {
    free_block(worker->spare);
    worker->spare = block;
    block->mbarriers.length = block->stuck.length = 0;
    block->exits.count = 0;
    memset(block->live, 0, sizeof block->live);
    memset(block->missed, 0, sizeof block->missed);
    for (unsigned id = 0; id < SYNC_BARRIERS; id++)
        if (block->barriers[id].places.count)
            block->barriers[id] = (struct sync_barrier){0};
}

// All blocks of the cluster have ended, or the block, where it is alone.
static void end_cluster(struct sync_worker *worker, uint64_t cluster) {
    size_t kept = 0;
    for (size_t i = 0; i < worker->blocks.length; i++) {
        struct sync_block *block = worker->blocks.data[i];
        if (block->cluster != cluster) {
            worker->blocks.data[kept++] = block;
            continue;
        }
        sync_mbarrier_end(&(struct sync_scene){worker->code, &worker->notes, block});
        retire_block(worker, block);
    }
    worker->blocks.length = kept;
    worker->last = NULL;
}

static void end_block(struct sync_worker *worker, const struct sync_block *block) {
    for (size_t i = 0; i < worker->blocks.length; i++)
        if (worker->blocks.data[i] != block && worker->blocks.data[i]->cluster == block->cluster)
            return; // CLUSTER_END comes
    end_cluster(worker, block->cluster);
}

// ---- Events -------------------------------------------------------------------------------------

static void on_copy(void *state, const struct event_access *event) {
    struct sync_worker *worker = state;
    sync_copies_access(worker->copies, event);
}

static void dispatch(struct sync_worker *worker, const struct sync_scene *scene,
                     const struct event_sync *event) {
    switch (event->kind) {
    case EVENT_BARRIER_ARRIVE:
    case EVENT_BARRIER_SYNC:
    case EVENT_BARRIER_COMPLETE:
        sync_barrier_event(scene, event);
        return;
    case EVENT_LANES_EXIT:
        sync_barrier_exit(scene, event);
        return;
    case EVENT_WARP_BARRIER:
    case EVENT_WARP_EXCHANGE:
        sync_mask_event(scene, event);
        return;
    case EVENT_BLOCK_END:
        end_block(worker, scene->block);
        return;
    default:
        break;
    }
    if (event->kind < EVENT_MBARRIER_INIT || event->kind > EVENT_MBARRIER_WAIT)
        return;
    struct sync_block *owner = find_block(worker, event->owner);
    if (owner)
        sync_mbarrier_event(scene, owner, event);
}

static void on_sync(void *state, const struct event_sync *event) {
    struct sync_worker *worker = state;
    // By far the most frequent.
    if (event->kind <= EVENT_BARRIER_COMPLETE && worker->last &&
        worker->last->number == event->block_number) {
        sync_barrier_event(&(struct sync_scene){worker->code, &worker->notes, worker->last}, event);
        return;
    }
    sync_copies_sync(worker->copies, event, &worker->notes);
    if (worker->early)
        sync_early_hear(worker->early, event->instruction);
    if (event->kind == EVENT_CLUSTER_BEGIN) {
        worker->cluster = event->block_number;
        worker->cluster_left = event->expected;
    } else if (event->kind == EVENT_CLUSTER_END) {
        end_cluster(worker, event->block_number);
    } else if (event->kind == EVENT_BLOCK_BEGIN) {
        begin_block(worker, event);
    } else {
        struct sync_block *block = find_block(worker, event->block_number);
        if (block)
            dispatch(worker, &(struct sync_scene){worker->code, &worker->notes, block}, event);
    }
}

static void on_trouble(void *state, const struct event_trouble *event) {
    struct sync_worker *worker = state;
    struct sync_block *block = find_block(worker, event->block_number);
    if (!block)
        return;
    const struct sync_scene scene = {worker->code, &worker->notes, block};
    struct sync_block *owner;
    switch (event->kind) {
    case EVENT_STRANGER:
    case EVENT_MISSED:
        sync_mask_trouble(&scene, event);
        break;
    case EVENT_STUCK:
        vec_push(&block->stuck, *event);
        break;
    case EVENT_ALL_STUCK:
        sync_stuck(&scene);
        break;
    case EVENT_MBARRIER_EXCESS:
    case EVENT_MBARRIER_TEST:
        owner = find_block(worker, event->owner);
        if (owner)
            sync_mbarrier_trouble(&scene, owner, event);
        break;
    }
}

// ---- A launch -----------------------------------------------------------------------------------

static void *worker_begin(void *context, unsigned number) {
    struct sync_check *check = context;
    struct sync_worker *worker = &check->workers[number];
    worker->code = &check->code;
    worker->early = check->early;
    worker->copies = sync_copies_create();
    return worker;
}

static void *begin(const struct check_launch *launch) {
    struct sync_check *check = base_alloc(sizeof *check);
    check->launch = launch;
    check->code = ir_code_of(launch->kernel);
    check->early = sync_early_of(&check->code);
    check->workers = base_alloc((launch->workers + 1) * sizeof *check->workers);
    check->observer = (struct event_observer){.context = check,
                                              .worker_begin = worker_begin,
                                              .copy = on_copy,
                                              .sync = on_sync,
                                              .trouble = on_trouble,
                                              .spares_exchanges = true,
                                              .spares_even_phases = true};
    return check;
}

static const struct event_observer *observer(void *state) {
    return &((struct sync_check *)state)->observer;
}

static void end_worker(struct sync_worker *worker) {
    for (size_t i = 0; i < worker->blocks.length; i++) // of a launch that was stopped
        free_block(worker->blocks.data[i]);
    free_block(worker->spare);
    vec_free(&worker->blocks);
    sync_copies_free(worker->copies);
}

static void end(void *state, struct profile_findings *findings) {
    struct sync_check *check = state;
    struct check_notes all = {0};
    for (unsigned i = 0; i < check->launch->workers; i++) {
        check_merge_notes(&all, &check->workers[i].notes);
        end_worker(&check->workers[i]);
    }
    if (check->early)
        sync_early_end(check->early, &all);
    sync_push_notes(check->launch, &check->code, &all, findings);
    sync_early_free(check->early);
    ir_code_free(&check->code);
    free(check->workers);
    free(check);
}

const struct check_checker check_sync = {
    .check = PROFILE_CHECK_SYNC, .begin = begin, .observer = observer, .end = end};
