// Inside the simulator: blocks, their barriers, and how they are scheduled.
#ifndef BANKRUN_SIM_FLOW_BLOCK_H
#define BANKRUN_SIM_FLOW_BLOCK_H

#include "sim/flow/warp.h"

enum { SIM_BARRIERS = 16, SIM_MAX_WARPS = 32 };

struct sim_barrier {
    uint32_t arrived;               // lanes, those that ended since among them
    uint32_t expected;              // threads that were asked for; 0: all that live
    uint32_t result;                // bar.red: and/or as 0 or 1, popc as a count
    bool is_told;                   // of this phase observers have heard
    const struct sim_instr *untold; // of arrivals that observers may be spared
};

// The fault of a block until it is reported: further lanes of the instruction may join it.
struct sim_block_fault {
    struct sim_result result; // of its lowest lane; the message, malloc'd, lacks what comes after
    const struct sim_instr *instr;
    uint32_t warp, lanes;
};

struct sim_block_counts {
    uint64_t instructions, thread_instructions;
};

struct sim_block_flow {
    struct sim_block block;
    struct sim_warp *warps;
    struct sim_warp_flow *flows;
    uint32_t warp_count, live_threads;
    uint32_t next_warp;
    struct sim_barrier barriers[SIM_BARRIERS];
    uint32_t untold_barriers; // a bit for each with `untold`
    uint32_t waited_barriers; // a bit for each at which some split waits
    struct strbuf output;     // of device printf
    struct sim_device_launches launches;
    uint8_t *register_memory; // the warps' outermost frames
    size_t register_bytes;
    bool is_kept;                 // ended in native code: warps are as they began
    struct sim_block_counts kept; // what they have executed then
    bool is_fresh;                // and has begun anew since; nobody has had a turn
    bool has_fault;
    bool is_settling; // only lower threads that fault as well are looked for
    struct sim_block_fault fault;
    _Alignas(64) uint8_t vectors[SIM_BLOCK_BYTES]; // SIM_BASE_BLOCK
};

enum sim_block_status {
    SIM_BLOCK_DONE,
    SIM_BLOCK_WAITS, // for other blocks of its cluster
    SIM_BLOCK_YIELD, // all its warps spin: let other blocks run
    SIM_BLOCK_SLICE, // other blocks go on first (shuffle.h)
    SIM_BLOCK_FAULT,
};

// block.c
struct sim_block_flow *sim_block_create(struct sim_worker *worker);
void sim_block_free(struct sim_block_flow *flow);
void sim_block_start(struct sim_block_flow *flow, uint64_t linear);
enum sim_block_status sim_block_run(struct sim_block_flow *flow);
// `why`: how the message begins.
#define SIM_ALL_WAIT "deadlock: all threads of the block wait and nothing can release them"
enum sim_block_status sim_block_raise_deadlock(struct sim_block_flow *flow, const char *why);
// Of a block that has yielded: the same as before where all its threads wait or spin at the same
// places with the same registers, and so saw nothing new.
uint64_t sim_block_state(const struct sim_block_flow *flow);
struct sim_block_counts sim_block_counts(const struct sim_block_flow *flow);
uint64_t sim_block_instructions(const struct sim_block_flow *flow);

// fault.c: hands the fault of a block that has_fault to its launch.
void sim_report_fault(struct sim_block_flow *flow);

// barrier.c
// Observers hear of all arrivals so far.
void sim_barrier_tell(struct sim_block_flow *flow);
void sim_barrier_lanes_ended(struct sim_block_flow *flow, struct sim_warp *warp, uint32_t lanes);
void sim_explain_deadlock(struct sim_block_flow *flow, const char *why, struct strbuf *out);

static inline struct sim_block_flow *sim_block_of(const struct sim_warp *warp) {
    return warp->block->flow;
}

#endif
