// Inside the simulator: how a warp's lanes flow through a kernel.
//
// A warp is a set of splits: lanes that are at the same place. A split whose lanes disagree at a
// branch becomes two, and both wait for each other at the branch's immediate post-dominator. What
// they wait at is a token: it counts the lanes that it expects and those that arrived, and when all
// are there they go on as one split. Lanes that end are no longer expected. A token is opened early
// when its lanes would otherwise wait for others that spin, so every lane makes progress.
#ifndef BANKRUN_SIM_FLOW_WARP_H
#define BANKRUN_SIM_FLOW_WARP_H

#include "event/filter.h"
#include "sim/sim_internal.h"

enum {
    SIM_NO_TOKEN = -1,
    SIM_MAX_CALL_DEPTH = 512,
    SIM_MAX_LOCAL_BYTES = 512 << 10, // of a thread, as on a GPU
};
// Instructions of a warp after which the scheduler looks whether the launch may go on, however
// often its splits changed since: recursion and loops of barriers need no long run of one split.
enum { SIM_LOOK_SLICE = 1 << 20 };

struct sim_frame { // a call's registers, shared by all lanes that are in the call
    struct sim_frame *caller;
    const struct sim_code *code;
    const struct sim_instr *call;      // in the caller
    const struct sim_instr *return_to; // in the caller
    uint32_t lanes;                    // lanes that have not returned or ended
    uint32_t depth;
    uint64_t local_base;
    uint64_t stack[LANES]; // the lanes' when the call was made
    uint8_t *registers;    // 64-byte aligned
    uint8_t *parameters;   // 32 x code->ir->frame_parameter_bytes
};

struct sim_token {
    uint32_t expected, arrived;
    const struct sim_instr *at;
    struct sim_frame *frame;
    int parent;
    bool is_used;
};

enum sim_split_state {
    SIM_SPLIT_READY,
    SIM_SPLIT_BARRIER,
    SIM_SPLIT_GATHER,
    SIM_SPLIT_CLUSTER,   // waits at the cluster's barrier
    SIM_SPLIT_WARPGROUP, // for the other warps of its warpgroup
};

struct sim_split {
    uint32_t mask;
    const struct sim_instr *pc;
    struct sim_frame *frame;
    int token;
    enum sim_split_state state;
    uint32_t members;                 // GATHER: whom it waits for
    uint32_t barrier;                 // BARRIER: number
    const struct sim_instr *joins_at; // where it has let others go first; NULL: nowhere
    // How often it used its slice in a loop that may spin, and what its registers were then.
    uint32_t pauses;
    uint64_t state_before;
};

// Of a kernel's accesses so many are predicted.
enum { SIM_PREDICTED = 16, SIM_QUOTIENTS = 16 };

struct sim_warp_flow {
    struct sim_split splits[LANES]; // ordered: the last ready one runs first
    unsigned split_count;
    unsigned current; // index of the split that runs
    VEC(struct sim_token) tokens;
    VEC(struct sim_frame *) frames; // open calls
    uint32_t live;                  // lanes that have not ended
    uint32_t started;               // lanes that exist
    uint32_t run_start;             // ordinal of the first instruction not yet counted
    uint64_t instructions, thread_instructions;
    uint64_t spin;    // instructions since the split last started to run
    uint64_t slice;   // how many that may be in a loop that polls nothing
    uint64_t look_at; // instructions at which the scheduler looks next
    const struct sim_instr
        *native_left; // native code left just before; its registers are its own. NULL: nowhere
    uint64_t accessed[SIM_PREDICTED];  // lane 0's addresses when native code was there last
    uint32_t quotients[SIM_QUOTIENTS]; // and what divisions were the last time
    uint64_t spin_before;              // `spin` when the last slice was used up (shuffle.h)
    struct sim_frame root;
    uint64_t stack[LANES]; // bytes that alloca took from the end of local memory
    bool has_stack;        // some lane has
    uint32_t arrived[16];  // lanes that arrived at each barrier
    // Lanes that arrived at the cluster's barrier, and those of them whose phase is over.
    uint32_t cluster_arrived, cluster_over;
};

static inline void sim_set_mask(struct sim_warp *warp, uint32_t mask) {
    warp->mask = mask;
    warp->is_full = mask == FULL_MASK;
    for (int l = 0; l < LANES; l++)
        warp->lanes[l] = -(int32_t)((mask & event_lane_bit[l]) != 0);
}

// Most masks are full, and counting bits is a call where the machine has no instruction for it.
static inline uint32_t sim_lane_count(uint32_t mask) {
    return mask == FULL_MASK ? LANES : (uint32_t)__builtin_popcount(mask);
}

// Counts what was executed up to (not including) the instruction with this ordinal.
static inline void sim_account(struct sim_warp *warp, uint32_t ordinal) {
    struct sim_warp_flow *flow = warp->flow;
    uint32_t count = ordinal - flow->run_start;
    flow->instructions += count;
    flow->spin += count;
    flow->thread_instructions += (uint64_t)count * sim_lane_count(warp->mask);
}

static inline bool sim_is_look_due(const struct sim_warp_flow *flow) {
    return flow->instructions >= flow->look_at;
}

// What a warp counts begins anew.
static inline void sim_warp_count_again(struct sim_warp_flow *flow) {
    flow->instructions = flow->thread_instructions = flow->spin = 0;
    flow->run_start = 0;
}

// flow.c
void sim_warp_start(struct sim_warp *warp, uint32_t lanes, const struct sim_code *code);
void sim_warp_finish(struct sim_warp *warp); // frees what is left open after a fault
// Makes the split that should run next the current one. NULL: none is ready.
const struct sim_instr *sim_next_split(struct sim_warp *warp);
// Saves where the current split goes on, before it leaves the loop.
void sim_save(struct sim_warp *warp, const struct sim_instr *pc);
// The current split goes on at `next`, which is returned, or, when the scheduler is to look first,
// leaves the loop. What was executed has been counted.
const struct sim_instr *sim_let_look(struct sim_warp *warp, const struct sim_instr *next);
// The lanes of taken_mask go to `taken`, the others to `rest`. What was executed has been counted.
const struct sim_instr *sim_diverge(struct sim_warp *warp, const struct sim_instr *taken,
                                    uint32_t taken_mask, const struct sim_instr *rest,
                                    const struct sim_instr *reconverge);
// The current split comes to `here`. If a token waits there it arrives; once it may go on, `go_on`
// is returned, else another split's place.
const struct sim_instr *sim_reconverge(struct sim_warp *warp, const struct sim_instr *here,
                                       const struct sim_instr *go_on);
// join.c: the current split comes to where paths join. It goes on with those that wait there, or
// waits for those that may come, and another split's place is returned.
const struct sim_instr *sim_join(struct sim_warp *warp, const struct sim_instr *here);
// The current split's lanes end.
const struct sim_instr *sim_end_lanes(struct sim_warp *warp, const struct sim_instr *here);
bool sim_open_tokens(struct sim_warp *warp); // true: some lanes became ready
// The current split returns from a call: the lanes that stay in it no longer wait for it.
void sim_leave_frame_tokens(struct sim_warp *warp, const struct sim_frame *frame);
void sim_remove_split(struct sim_warp *warp, unsigned index);

// stack.c: how far the frames of calls may reach in the local memory of the active lanes.
uint64_t sim_stack_limit(const struct sim_warp *warp);

// call.c
const struct sim_instr *sim_enter(struct sim_warp *warp, const struct sim_instr *instr,
                                  const struct sim_code *callee);
const struct sim_instr *sim_return(struct sim_warp *warp, const struct sim_instr *instr);
void sim_frame_leave(struct sim_warp_flow *flow, struct sim_frame *frame, uint32_t lanes);
int sim_push_token(struct sim_warp *warp, const struct sim_instr *at, struct sim_frame *frame,
                   uint32_t expected, int parent);

#endif
