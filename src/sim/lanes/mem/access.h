// What lane code of all memory operations shares, copies and barriers too.
#ifndef BANKRUN_SIM_LANES_MEM_ACCESS_H
#define BANKRUN_SIM_LANES_MEM_ACCESS_H

#include <string.h>

#include "sim/emit.h"
#include "sim/flow/window.h"
#include "sim/lanes/lanes.h"

LANES_INLINE void mem_raw(const struct sim_warp *warp, bool has_base, bool is_32, sim_ref base,
                          uint64_t offset, uint64_t a[LANES]) {
    if (!has_base) {
        SIM_LANES
            a[l] = offset;
    } else if (is_32) { // their sum has 32 bits, too; a window is added to it
        const uint32_t *b = LANES_ALIGNED(const uint32_t, base);
        const uint32_t low = (uint32_t)offset;
        const uint64_t window = offset - (uint64_t)(int64_t)(int32_t)low;
        SIM_LANES
            a[l] = (uint32_t)(b[l] + low) + window;
    } else {
        const uint64_t *b = LANES_ALIGNED(const uint64_t, base);
        SIM_LANES
            a[l] = b[l] + offset;
    }
}

LANES_INLINE struct mem_request mem_request(struct sim_warp *warp, const struct sim_instr *instr,
                                            unsigned width, enum event_intent intent) {
    return (struct mem_request){warp, instr, instr->access->site, width, intent, warp->mask};
}

// Memory whose order other blocks can see: acquire, release, volatile and stronger.
#define MEM_ORDERED 0x80000000u

static inline uint32_t mem_order_flags(const struct ir_instruction *ir) {
    switch (lanes_modifier(ir, PTX_GROUP_sem)) {
    case PTX_MOD_acquire:
    case PTX_MOD_release:
    case PTX_MOD_acq_rel:
    case PTX_MOD_sc:
    case PTX_MOD_mmio:
        return MEM_ORDERED;
    default:
        return ir_is_volatile(ir) ? MEM_ORDERED : 0;
    }
}

// The decoder made the access for this instruction alone and left op and flags to us.
static inline struct sim_access *mem_own_access(struct sim_instr *out) {
    return (struct sim_access *)(uintptr_t)out->access;
}

#endif
