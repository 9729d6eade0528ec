// Inside of native: a compiled kernel, and what a worker knows of its accesses.
#ifndef BANKRUN_SIM_NATIVE_NATIVE_INTERNAL_H
#define BANKRUN_SIM_NATIVE_NATIVE_INTERNAL_H

#include <pthread.h>

#include "sim/flow/warp.h"
#include "sim/native.h"
#include "sim/native/compiler.h"
#include "sim/native/image.h"

struct sim_native {
    struct compiled compiled;
    struct native_image image;
    compiled_body body;
    struct compiled_links links;
    struct sim_code code;  // the kernel's, with native code in the place of some handlers
    bool has_whole_rows;   // of the launches that it is for
    sim_handler *original; // by decoded instruction: what the interpreter runs for a full warp
    enum native_meeting *meetings; // by decoded instruction
    // Members of a site, one after the other: code that is made for some lanes, too, has it in
    // several groups. IR_NONE: no more.
    uint32_t *first_member, *next_member; // by site; by member
    uint32_t *segment_of_group;
    const struct compiled_way **entry_at, **exit_at; // by decoded instruction; NULL: none
};

// A cell while the interpreter runs its segment.
struct native_draft {
    uint64_t base, below, above, mask; // of lane 0's base, and how far it may be from there
    uint64_t care;                     // which lanes are on
    uint32_t members;                  // that are known so far
    bool is_shared;
    uint32_t shape[LANES];
};

// What a memo was when cells took for granted what it says.
struct native_known {
    const struct event_memo *memo;
    uint32_t version;
    uint64_t since; // the memo's when it was last looked at
};

// How often a segment was run to learn what is known of its accesses, and what came of it.
struct native_learning {
    uint32_t tries, pause; // times that it will be run without
    uint64_t hits;
};

struct sim_native_worker {
    const struct sim_native *native;
    struct native_cell *cells;        // of each group NATIVE_WAYS
    uint64_t **repeats;               // of each member as many: where the observer counts
    struct native_shape *shapes;      // of each cell
    struct native_known *known;       // of each site SITE_SPACES
    uint8_t *armed;                   // of each group, a bit for each cell that is filled
    struct native_draft *drafts;      // of each group
    struct native_learning *learning; // of each segment
    struct native_entry *entries;     // by decoded instruction
    uint64_t slow;                    // instructions that the interpreter ran in segments
    uint64_t generation;              // of memory when the cells were filled
    uint64_t since;                   // the greatest of all memos that cells rely on, or greater
    bool may_fall;                    // greater, perhaps
    struct compiled_turns turns;      // of the warps that are in native code
};

// cells.c: runs a segment as the interpreter does, and fills its cells.
const struct sim_instr *sim_native_segment(struct sim_warp *warp, uint32_t number, uint32_t mask);
// Whether the observer need not hear of each of the warp's requests.
bool sim_native_takes_warp(struct sim_worker *worker, const struct sim_warp *warp);
// The interpreter's handlers, for the lanes of a mask. See struct compiled_links.
const struct sim_instr *sim_native_some(struct sim_warp *warp, uint32_t first, uint32_t end,
                                        uint32_t mask);
// As struct compiled_links.count_lanes.
uint32_t sim_native_count_lanes(struct sim_warp *warp, uint32_t site,
                                const uint32_t offsets[LANES]);
// lanes.c: as struct compiled_links has them.
void sim_native_load_lanes(const uint8_t *from, const void *distances, uint8_t *values,
                           uint32_t elements, uint32_t mask, uint64_t windows);
void sim_native_store_lanes(uint8_t *from, const void *distances, const uint8_t *values,
                            uint32_t elements, uint32_t mask, uint64_t windows);
// What lanes' distances span, of those of a mask that is not empty.
struct native_reach {
    int64_t low, high;
};
static inline struct native_reach native_reach_of(const uint32_t lanes[LANES], uint32_t mask) {
    struct native_reach reach = {INT64_MAX, INT64_MIN};
    EACH_LANE(l, mask) {
        const int64_t distance = (int32_t)lanes[l];
        reach.low = distance < reach.low ? distance : reach.low;
        reach.high = distance > reach.high ? distance : reach.high;
    }
    return reach;
}

// windows.c: finds the windows of a shape, whose lanes are set; returns what they are good for.
unsigned native_find_windows(struct native_shape *shape, bool is_shared);
// run.c: the handler of entries.
const struct sim_instr *sim_native_enter(struct sim_warp *warp, const struct sim_instr *instr);
// Whether all lanes of the warp that have not ended are at one place, outside of calls and of
// branches at which they parted, in code that has native code in it.
static inline bool sim_native_is_together(const struct sim_warp *warp,
                                          const struct sim_native_worker *own) {
    const struct sim_warp_flow *flow = warp->flow;
    return flow->split_count == 1 && flow->splits[0].token == SIM_NO_TOKEN &&
           flow->splits[0].frame == &flow->root && flow->root.code == &own->native->code;
}

// Such a warp, all of whose lanes are on, is about to run from there.
static inline void sim_native_begin_turn(struct sim_warp *warp, const struct sim_instr *at) {
    struct sim_warp_flow *flow = warp->flow;
    flow->current = 0;
    flow->run_start = at->ordinal;
    warp->base[SIM_BASE_REGISTERS] = flow->root.registers;
    if (!warp->is_full)
        sim_set_mask(warp, FULL_MASK);
}

// What is known of accesses is forgotten where memory was allocated or freed since.
static inline void sim_native_renew(struct sim_native_worker *own, const uint64_t *generation,
                                    const struct sim_warp *warp) {
    const uint64_t now = __atomic_load_n(generation, __ATOMIC_RELAXED);
    if (__builtin_expect(own->generation == now, 1))
        return;
    sim_native_flush(warp->block->worker);
    own->generation = now;
}

// A warp, all of whose lanes are on, runs from an entry. As compiled_body.
// is_trusted: registers are as native code left them, so that nobody looks at them.
const struct sim_instr *sim_native_body(struct sim_warp *warp, const struct sim_instr *at,
                                        bool is_trusted);
// ramps.c: whether the warp's registers hold what native code takes for granted at an entry. They
// may not where lanes have parted on the way there.
bool sim_native_holds(const struct sim_warp *warp, const struct sim_instr *at);
// The other way round: gives the other lanes theirs where native code has written lane 0 alone.
void sim_native_spread(const struct sim_warp *warp, uint32_t ramp, uint32_t ramps);
// The same where the warp has left native code, which returned `at`; NULL: a fault.
void sim_native_leave(const struct sim_warp *warp, const struct sim_instr *at);
// What native code has done since a place in time.
struct native_since {
    uint64_t instructions, slow;
};
static inline struct native_since sim_native_since(const struct sim_native_worker *own,
                                                   const struct sim_warp *warp) {
    return (struct native_since){warp->flow->instructions, own->slow};
}
// Native code that began at `at` ended at `next`, for so many warps that did as this one.
void sim_native_judge(const struct sim_warp *warp, const struct sim_instr *at,
                      const struct sim_instr *next, struct native_since since, uint32_t warps);

static inline bool sim_native_is_entry(const struct sim_worker *worker,
                                       const struct sim_instr *instr) {
    const struct sim_native_worker *own = worker->native;
    return own->entries[instr - own->native->code.instrs].is_open;
}

#endif
