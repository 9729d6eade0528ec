// mbarriers: words of shared memory that must be set up before they are used.
#include "check/sync/block.h"

static struct sync_mbarrier *find(struct sync_block *owner, uint32_t offset) {
    for (size_t i = 0; i < owner->mbarriers.length; i++)
        if (owner->mbarriers.data[i].offset == offset)
            return &owner->mbarriers.data[i];
    return NULL;
}

static void note(const struct sync_scene *scene, const char *kind, struct check_at at,
                 const struct check_at *other, uint64_t detail) {
    struct check_note made = {.kind = kind, .count = 1, .at = {at}, .at_count = 1};
    made.details[0] = detail;
    if (other && other->role)
        made.at[made.at_count++] = *other;
    check_note(scene->notes, &made);
}

static void set_up(const struct sync_scene *scene, struct sync_block *owner, struct check_at at,
                   uint32_t offset, uint32_t arrivals) {
    enum { MOST = (1 << 20) - 1 };
    struct sync_mbarrier *mbarrier = find(owner, offset);
    at.role = "sets it up";
    if (arrivals == 0 || arrivals > MOST)
        note(scene, "mbarrier-count", at, NULL, arrivals);
    if (mbarrier && mbarrier->is_valid) {
        struct check_at again = at;
        again.role = "sets it up again";
        note(scene, "mbarrier-set-up-twice", again, &mbarrier->init, 0);
    }
    if (!mbarrier) {
        vec_push(&owner->mbarriers, (struct sync_mbarrier){0});
        mbarrier = &owner->mbarriers.data[owner->mbarriers.length - 1];
    }
    *mbarrier = (struct sync_mbarrier){
        .offset = offset, .is_valid = true, .init = at, .arrivals = arrivals};
}

// NULL: it is none, which was noted.
static struct sync_mbarrier *use(const struct sync_scene *scene, struct sync_block *owner,
                                 struct check_at at, uint32_t offset) {
    struct sync_mbarrier *mbarrier = find(owner, offset);
    if (mbarrier && mbarrier->is_valid)
        return mbarrier;
    note(scene, "mbarrier-not-set-up", at, mbarrier ? &mbarrier->invalidate : NULL, 0);
    return NULL;
}

void sync_mbarrier_event(const struct sync_scene *scene, struct sync_block *owner,
                         const struct event_sync *event) {
    struct check_at at =
        sync_at(scene->block, "uses it", event->instruction, sync_thread(event->warp, event->mask));
    if (event->kind == EVENT_MBARRIER_INIT) {
        set_up(scene, owner, at, event->offset, event->count);
        return;
    }
    struct sync_mbarrier *mbarrier = use(scene, owner, at, event->offset);
    if (!mbarrier)
        return;
    switch (event->kind) {
    case EVENT_MBARRIER_INVALIDATE:
        mbarrier->is_valid = false;
        mbarrier->invalidate = at;
        mbarrier->invalidate.role = "gave it up";
        break;
    case EVENT_MBARRIER_EXPECT_TX:
        mbarrier->bytes += event->count;
        mbarrier->expect = at;
        break;
    case EVENT_MBARRIER_COMPLETE_TX:
        mbarrier->bytes -= event->count;
        if (!mbarrier->expect.role)
            mbarrier->expect = at;
        break;
    default:
        break;
    }
}

void sync_mbarrier_trouble(const struct sync_scene *scene, struct sync_block *owner,
                           const struct event_trouble *event) {
    struct check_at at =
        sync_at(scene->block, "uses it", event->instruction, sync_thread(event->warp, event->mask));
    const struct sync_mbarrier *mbarrier = use(scene, owner, at, event->offset);
    if (!mbarrier || event->kind != EVENT_MBARRIER_EXCESS)
        return;
    at.role = "arrives";
    note(scene, "mbarrier-overflow", at, &mbarrier->init, mbarrier->arrivals);
}

void sync_mbarrier_end(const struct sync_scene *scene) {
    const struct sync_block *block = scene->block;
    for (size_t i = 0; i < block->mbarriers.length; i++) {
        const struct sync_mbarrier *mbarrier = &block->mbarriers.data[i];
        if (!mbarrier->is_valid || mbarrier->bytes == 0)
            continue;
        struct check_at at = mbarrier->expect;
        at.role = mbarrier->bytes > 0 ? "expects them" : "the last ones";
        note(scene, "mbarrier-bytes", at, NULL, (uint64_t)mbarrier->bytes);
    }
}
