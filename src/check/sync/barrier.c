// Barriers of a block: who comes to a phase, and from where.
#include <string.h>

#include "check/sync/block.h"

void sync_add_place(struct sync_places *places, uint32_t instruction, uint32_t warp,
                    uint32_t mask) {
    const uint32_t thread = sync_thread(warp, mask);
    const uint32_t threads = mask == UINT32_MAX ? WARP_LANES : (uint32_t)__builtin_popcount(mask);
    unsigned at = 0;
    while (at < places->count && places->at[at].instruction != instruction)
        at++;
    if (at == SYNC_PLACES)
        return;
    struct sync_place *place = &places->at[at];
    if (at == places->count)
        places->at[places->count++] = (struct sync_place){instruction, thread, 0};
    place->thread = thread < place->thread ? thread : place->thread;
    place->threads += threads;
}

const struct sync_place *sync_first_place(const struct sync_places *places) {
    const struct sync_place *first = &places->at[0];
    for (unsigned i = 1; i < places->count; i++)
        if (places->at[i].thread < first->thread)
            first = &places->at[i];
    return first;
}

static void note_count(const struct sync_scene *scene, const struct sync_barrier *barrier,
                       const struct event_sync *event) {
    const struct sync_place *first = sync_first_place(&barrier->places);
    check_note(scene->notes, &(struct check_note){
                                 .kind = "barrier-count",
                                 .tag = event->id,
                                 .count = 1,
                                 .at = {sync_at(scene->block, "names one number",
                                                first->instruction, first->thread),
                                        sync_at(scene->block, "names another", event->instruction,
                                                sync_thread(event->warp, event->mask))},
                                 .at_count = 2,
                                 .details = {event->id, barrier->expected, event->expected}});
}

static void note_again(const struct sync_scene *scene, const struct event_sync *event,
                       uint32_t again) {
    check_note(scene->notes, &(struct check_note){.kind = "arrives-twice",
                                                  .tag = event->id,
                                                  .count = 1,
                                                  .at = {sync_at(scene->block, "arrives once more",
                                                                 event->instruction,
                                                                 sync_thread(event->warp, again))},
                                                  .at_count = 1,
                                                  .details = {event->id}});
}

// Threads in whole warps, as barriers count them.
static uint32_t threads_expected(const struct sync_block *block, uint32_t expected) {
    return expected ? expected : (block->threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
}

static void arrive(const struct sync_scene *scene, struct sync_barrier *barrier,
                   const struct event_sync *event) {
    if (barrier->places.count == 0)
        barrier->expected = event->expected;
    else if (barrier->expected != event->expected &&
             threads_expected(scene->block, barrier->expected) !=
                 threads_expected(scene->block, event->expected))
        note_count(scene, barrier, event);
    const uint32_t again = barrier->has_arrivals ? barrier->arrived[event->warp] & event->mask : 0;
    if (again)
        note_again(scene, event, again);
    if (event->kind == EVENT_BARRIER_ARRIVE) {
        barrier->has_arrivals = true;
        barrier->arrived[event->warp] |= event->mask;
    }
    sync_add_place(&barrier->places, event->instruction, event->warp, event->mask);
}

// All threads of the block are to meet in one place.
static void check_divergence(const struct sync_scene *scene, const struct sync_barrier *barrier) {
    const struct sync_place *first = sync_first_place(&barrier->places);
    for (unsigned i = 0; i < barrier->places.count; i++) {
        const struct sync_place *other = &barrier->places.at[i];
        if (!sync_code_is_aligned(scene->code, first->instruction) ||
            !sync_code_is_aligned(scene->code, other->instruction) ||
            sync_code_is_same_place(scene->code, first->instruction, other->instruction))
            continue;
        const bool is_turned = other->instruction < first->instruction;
        const struct sync_place *a = is_turned ? other : first, *b = is_turned ? first : other;
        check_note(
            scene->notes,
            &(struct check_note){.kind = "divergent-barrier",
                                 .count = 1,
                                 .at = {sync_at(scene->block, "waits", a->instruction, a->thread),
                                        sync_at(scene->block, "waits", b->instruction, b->thread)},
                                 .at_count = 2,
                                 .details = {a->threads, b->threads}});
    }
}

static void check_exits(const struct sync_scene *scene, const struct sync_barrier *barrier) {
    const struct sync_block *block = scene->block;
    const struct sync_place *here = sync_first_place(&barrier->places);
    const struct sync_place *left = sync_first_place(&block->exits);
    uint64_t threads = 0;
    for (unsigned i = 0; i < SYNC_WARPS; i++)
        threads += (unsigned)__builtin_popcount(block->live[i]);
    check_note(
        scene->notes,
        &(struct check_note){.kind = "exited-before-barrier",
                             .count = 1,
                             .at = {sync_at(block, "waits", here->instruction, here->thread),
                                    sync_at(block, "has left", left->instruction, left->thread)},
                             .at_count = 2,
                             .details = {block->threads - threads, block->threads}});
}

static void complete(const struct sync_scene *scene, struct sync_barrier *barrier) {
    if (barrier->expected == 0 && barrier->places.count > 1)
        check_divergence(scene, barrier);
    if (barrier->expected == 0 && barrier->places.count && scene->block->exits.count)
        check_exits(scene, barrier);
    barrier->places.count = 0;
    if (barrier->has_arrivals)
        memset(barrier->arrived, 0, sizeof barrier->arrived);
    barrier->has_arrivals = false;
}

void sync_barrier_event(const struct sync_scene *scene, const struct event_sync *event) {
    struct sync_barrier *barrier = &scene->block->barriers[event->id];
    if (event->kind == EVENT_BARRIER_COMPLETE)
        complete(scene, barrier);
    else
        arrive(scene, barrier, event);
}

void sync_barrier_exit(const struct sync_scene *scene, const struct event_sync *event) {
    scene->block->live[event->warp] &= ~event->mask;
    sync_add_place(&scene->block->exits, event->instruction, event->warp, event->mask);
}
