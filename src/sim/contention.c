// See contention.h. Each word of a block's shared memory has a byte: which warp changes it.
#include "sim/contention.h"

#include "ir/address.h"
#include "sim/flow/cluster.h"

enum { WORD = 4, SEVERAL = 255 }; // 0: no warp, n: warp n - 1

static void note(const struct sim_warp *warp, uint32_t offset) {
    const struct sim_block *block = warp->block;
    const struct sim_worker *worker = block->worker;
    const uint8_t own = (uint8_t)(warp->index + 1);
    uint8_t *changer = &block->changers[offset / WORD];
    if (*changer == own || *changer == SEVERAL)
        return;
    if (*changer)
        worker->observer->contention(worker->observer_state, offset);
    *changer = *changer ? SEVERAL : own;
}

// The way of most requests: a full warp on words that it has changed before.
static bool is_known(const struct sim_warp *warp, const struct sim_access *access) {
    const struct sim_block *block = warp->block;
    if (!warp->is_full || !access->base_is_32 || !access->has_base)
        return false;
    const uint32_t *base = sim_at(warp, access->base), added = (uint32_t)access->offset;
    uint32_t top = 0, others = 0;
    SIM_LANES
        top = base[l] + added > top ? base[l] + added : top;
    if (top >= block->shared_bytes)
        return false;
    for (int l = 0; l < LANES; l++)
        others |= block->changers[(base[l] + added) / WORD] ^ (warp->index + 1);
    return !others;
}

const struct sim_instr *sim_run_contention(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_block *block = warp->block;
    const struct sim_access *access = instr->access;
    if (!block->changers || (!instr->immediate && is_known(warp, access)))
        return instr + 1;
    const uint8_t *base = access->has_base ? sim_at(warp, access->base) : NULL;
    EACH_LANE(l, sim_lanes_behind(warp, instr)) {
        uint64_t address = access->offset;
        if (base)
            address += access->base_is_32 ? ((const uint32_t *)(const void *)base)[l]
                                          : ((const uint64_t *)(const void *)base)[l];
        if (access->space == PTX_SPACE_GENERIC)
            address -= IR_SHARED_WINDOW;
        if (access->base_is_32)
            address = (uint32_t)address;
        // What lies in another block, or nowhere, is none of this one's words.
        if (!sim_cluster_is_own(block, address))
            continue;
        const uint32_t offset = (uint32_t)address & IR_CLUSTER_OFFSET;
        if (offset < block->shared_bytes)
            note(warp, offset);
    }
    return instr + 1;
}
