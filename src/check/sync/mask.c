// Masks of the _sync functions: those that take part must name each other, and come.
#include "check/sync/block.h"

static struct check_note note_of(const struct sync_scene *scene, const char *kind, const char *role,
                                 uint32_t instruction, uint32_t thread) {
    return (struct check_note){.kind = kind,
                               .count = 1,
                               .at = {sync_at(scene->block, role, instruction, thread)},
                               .at_count = 1};
}

void sync_mask_event(const struct sync_scene *scene, const struct event_sync *event) {
    const uint32_t live = scene->block->live[event->warp], absent = event->members & ~event->mask;
    const uint32_t thread = sync_thread(event->warp, event->mask);
    if (!absent)
        return;
    struct check_note note =
        note_of(scene, "mask-mismatch", "names a mask", event->instruction, thread);
    note.details[0] = event->members;
    note.details[1] = absent & live;
    if (absent & live)
        check_note(scene->notes, &note);
    // Who has left need not come. Shuffles and votes after an early return are common, and legal.
    const uint32_t threads = scene->block->threads, first = event->warp * WARP_LANES;
    const uint32_t existing =
        threads - first >= WARP_LANES ? UINT32_MAX : (1u << (threads - first)) - 1;
    const uint32_t left = absent & existing & ~live & ~scene->block->missed[event->warp];
    if (!left || event->kind != EVENT_WARP_BARRIER)
        return;
    note.kind = "exited-in-mask";
    note.at[0].role = "waits";
    note.details[1] = left;
    check_note(scene->notes, &note);
}

static void note_missed(const struct sync_scene *scene, const struct event_trouble *event) {
    const uint32_t elsewhere = sync_code_effect(scene->code, event->elsewhere);
    if (sync_code_is_exit(scene->code, elsewhere))
        return;
    scene->block->missed[event->warp] |= event->others;
    struct check_note note = note_of(scene, "missing-lanes", "waits", event->instruction,
                                     sync_thread(event->warp, event->mask));
    note.at[note.at_count++] =
        sync_at(scene->block, "goes on", elsewhere, sync_thread(event->warp, event->others));
    note.details[0] = event->members;
    note.details[1] = event->others;
    check_note(scene->notes, &note);
}

void sync_mask_trouble(const struct sync_scene *scene, const struct event_trouble *event) {
    if (event->kind == EVENT_MISSED) {
        note_missed(scene, event);
        return;
    }
    struct check_note note = note_of(scene, "mask-without-caller", "calls", event->instruction,
                                     sync_thread(event->warp, event->mask));
    note.details[0] = event->members;
    check_note(scene->notes, &note);
}
