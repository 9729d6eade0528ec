// Inside of this checker: what is known of a block while it runs.
#ifndef BANKRUN_CHECK_SYNC_BLOCK_H
#define BANKRUN_CHECK_SYNC_BLOCK_H

#include "check/notes.h"
#include "check/sync/code.h"

enum { SYNC_WARPS = 32, SYNC_BARRIERS = 16, SYNC_PLACES = 4 };

// Lanes that came to one instruction.
struct sync_place {
    uint32_t instruction, thread; // thread: the lowest
    uint32_t threads;
};

// A few places, each once; what is more than that is left out.
struct sync_places {
    struct sync_place at[SYNC_PLACES];
    unsigned count;
};

struct sync_barrier { // in its phase
    struct sync_places places;
    uint32_t expected; // of the first that came
    bool has_arrivals; // that did not wait, in:
    uint32_t arrived[SYNC_WARPS];
};

struct sync_mbarrier {
    uint32_t offset;
    bool is_valid;
    struct check_at init, invalidate, expect;
    uint32_t arrivals; // what it was set up for
    int64_t bytes;     // that were expected and have not come
};

struct sync_block {
    uint64_t number, cluster; // cluster: number of its first block
    uint32_t threads;
    uint32_t live[SYNC_WARPS];   // lanes that have not left
    uint32_t missed[SYNC_WARPS]; // lanes of which it was noted that others wait for them in vain
    struct sync_places exits;
    struct sync_barrier barriers[SYNC_BARRIERS];
    VEC(struct sync_mbarrier) mbarriers;
    VEC(struct event_trouble) stuck;
};

static inline uint32_t sync_thread(uint32_t warp, uint32_t mask) {
    return warp * WARP_LANES + (uint32_t)__builtin_ctz(mask);
}

static inline struct check_at sync_at(const struct sync_block *block, const char *role,
                                      uint32_t instruction, uint32_t thread) {
    return (struct check_at){.role = role,
                             .instruction = instruction,
                             .has_thread = true,
                             .thread = thread,
                             .block = block->number};
}

void sync_add_place(struct sync_places *places, uint32_t instruction, uint32_t warp, uint32_t mask);
// Of the lowest thread. There is one at least.
const struct sync_place *sync_first_place(const struct sync_places *places);

// ---- What each part of the checker does with an event --------------------------------------

struct sync_scene { // of one event
    const struct ir_code *code;
    struct check_notes *notes;
    struct sync_block *block;
};

// barrier.c
void sync_barrier_event(const struct sync_scene *scene, const struct event_sync *event);
void sync_barrier_exit(const struct sync_scene *scene, const struct event_sync *event);
// mask.c
void sync_mask_event(const struct sync_scene *scene, const struct event_sync *event);
void sync_mask_trouble(const struct sync_scene *scene, const struct event_trouble *event);
// stuck.c: all places of a deadlock are known.
void sync_stuck(const struct sync_scene *scene);
// mbarrier.c: `owner` is the block whose memory it is in.
void sync_mbarrier_event(const struct sync_scene *scene, struct sync_block *owner,
                         const struct event_sync *event);
void sync_mbarrier_trouble(const struct sync_scene *scene, struct sync_block *owner,
                           const struct event_trouble *event);
// No more bytes can come.
void sync_mbarrier_end(const struct sync_scene *scene);

#endif
