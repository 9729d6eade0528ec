// Blocks in which nobody can go on: who waits where.
#include "check/sync/block.h"

// Both wait for each other, and the lower lanes' side is the one that is told.
static bool was_told(const struct event_trouble *here, const struct event_trouble *there) {
    return there->members & here->mask && __builtin_ctz(there->mask) < __builtin_ctz(here->mask);
}

// Lanes that wait for others of their warp: each place where these are is told.
static bool note_gathers(const struct sync_scene *scene) {
    const struct sync_block *block = scene->block;
    bool found = false;
    for (size_t i = 0; i < block->stuck.length; i++) {
        const struct event_trouble *here = &block->stuck.data[i];
        const uint32_t missing = here->members & ~here->mask & block->live[here->warp];
        for (size_t k = 0; missing && k < block->stuck.length; k++) {
            const struct event_trouble *there = &block->stuck.data[k];
            if (there->warp != here->warp || !(there->mask & missing) ||
                there->instruction == here->instruction || was_told(here, there))
                continue;
            found = true;
            check_note(scene->notes,
                       &(struct check_note){
                           .kind = "missing-lanes",
                           .count = 1,
                           .at = {sync_at(block, "waits", here->instruction,
                                          sync_thread(here->warp, here->mask)),
                                  sync_at(block, "waits elsewhere", there->instruction,
                                          sync_thread(there->warp, there->mask & missing))},
                           .at_count = 2,
                           .details = {here->members, there->mask & missing}});
        }
    }
    return found;
}

static void note_barriers(const struct sync_scene *scene) {
    const struct sync_block *block = scene->block;
    struct sync_places places = {0};
    for (size_t i = 0; i < block->stuck.length; i++)
        sync_add_place(&places, block->stuck.data[i].instruction, block->stuck.data[i].warp,
                       block->stuck.data[i].mask);
    const struct sync_place *first = sync_first_place(&places), *second = NULL;
    for (unsigned i = 0; i < places.count; i++)
        if (&places.at[i] != first && (!second || places.at[i].thread < second->thread))
            second = &places.at[i];
    struct check_note note = {
        .kind = "deadlock",
        .count = 1,
        .at = {sync_at(block, "waits", first->instruction, first->thread)},
        .at_count = 1,
        .details = {first->threads, second ? second->threads : 0, block->threads}};
    const struct sync_place *left = second ? second : sync_first_place(&block->exits);
    if (second || block->exits.count)
        note.at[note.at_count++] = sync_at(block, second ? "waits elsewhere" : "has left",
                                           left->instruction, left->thread);
    check_note(scene->notes, &note);
}

void sync_stuck(const struct sync_scene *scene) {
    if (scene->block->stuck.length && !note_gathers(scene))
        note_barriers(scene);
    scene->block->stuck.length = 0;
}
