// Generic addresses and those of shared::cluster: which memory of which block each lane means.
#include "sim/flow/window.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/emit.h"

// `address` as it was computed: with the number of a block, 1 for the first, above the byte.
static uint8_t *raise_in_block(const struct mem_request *r, enum sim_fault fault, uint64_t address,
                               unsigned lane, const char *what) {
    sim_raise(r->warp, r->instr, fault, lane, address,
              "%s of %u bytes at shared address 0x%" PRIx64 ", 0x%x of block %" PRIu64
              " of the cluster, which %s",
              sim_mem_intents[r->intent], r->width, address, (unsigned)address & IR_CLUSTER_OFFSET,
              (address >> IR_CLUSTER_SHIFT) - 1, what);
    return NULL;
}

// An address beyond what its block has, or misaligned.
static uint8_t *raise_shared(const struct mem_request *r, uint64_t address, unsigned lane,
                             const struct sim_block *target) {
    char what[64];
    if (target == r->warp->block || (address & (r->width - 1))) {
        sim_mem_check_offset(r, PTX_SPACE_SHARED, address, target->shared_bytes, lane);
        return NULL;
    }
    snprintf(what, sizeof what, "has %u bytes of shared memory", target->shared_bytes);
    return raise_in_block(r, SIM_FAULT_ILLEGAL_ADDRESS, address, lane, what);
}

static bool fits(const struct mem_request *r, uint64_t offset, const struct sim_block *target) {
    return target->shared_bytes >= r->width && offset <= target->shared_bytes - r->width &&
           (offset & (r->width - 1)) == 0;
}

uint8_t *sim_mem_cluster(const struct mem_request *r, uint64_t address, unsigned lane,
                         struct sim_block **target) {
    struct sim_block *block = r->warp->block;
    *target = sim_cluster_target(block, address);
    if (!*target && sim_cluster_size(block->cluster) > 1 && address >> 32 == 0)
        return raise_in_block(r, SIM_FAULT_NO_BLOCK, address, lane, "has no such block");
    if (*target && *target != block && !(*target)->flow->live_threads)
        return raise_in_block(r, SIM_FAULT_NO_BLOCK, address, lane, "has ended");
    const uint64_t offset = *target ? address & IR_CLUSTER_OFFSET : address;
    if (!*target)
        *target = block;
    return fits(r, offset, *target) ? (*target)->shared + offset
                                    : raise_shared(r, address, lane, *target);
}

// The same for all lanes, whose bytes may lie in several blocks; one request for each of them.
struct places {
    uint32_t mask;
    _Alignas(64) uint32_t offsets[LANES];
    struct sim_block *target[LANES];
};

static void tell_places(const struct mem_request *r, const struct places *places) {
    for (uint32_t rest = places->mask; rest;) {
        const struct sim_block *target = places->target[__builtin_ctz(rest)];
        uint32_t mask = 0;
        EACH_LANE(l, rest) {
            mask |= (uint32_t)(places->target[l] == target) << l;
        }
        sim_emit_shared(r, mask, places->offsets, EVENT_ANY_PATTERN, target);
        rest &= ~mask;
    }
}

// ---- Generic ------------------------------------------------------------------------------

static uint64_t local_address(const struct sim_warp *warp, unsigned lane, uint64_t offset) {
    const struct sim_block *block = warp->block;
    uint64_t thread = (uint64_t)warp->index * LANES + lane;
    return (uint64_t)(uintptr_t)block->local + thread * block->local_bytes + offset;
}

static bool translate_local(const struct mem_request *r, uint64_t *address, unsigned lane) {
    uint64_t offset = *address - IR_LOCAL_WINDOW;
    if (r->intent == EVENT_ATOMIC) {
        sim_raise(r->warp, r->instr, SIM_FAULT_INVALID_SPACE, lane, *address,
                  "atomic access of %u bytes at local address 0x%" PRIx64
                  ": atomics work on global and shared memory only",
                  r->width, offset);
        return false;
    }
    if (!sim_mem_check_offset(r, PTX_SPACE_LOCAL, offset, r->warp->block->local_bytes, lane))
        return false;
    *address = local_address(r->warp, lane, offset);
    return true;
}

// Shared addresses of 32 bits wrap.
static uint64_t shared_address(const struct sim_access *access, uint64_t generic) {
    const uint64_t address = generic - IR_SHARED_WINDOW;
    return access->is_by_window && access->base_is_32 ? (uint32_t)address : address;
}

bool sim_mem_generic(const struct mem_request *r, uint64_t *addresses) {
    struct places places = {0};
    _Alignas(64) uint64_t global[LANES] = {0};
    uint32_t global_mask = 0;
    bool is_good = true;
    struct sim_site_cache last = {0};
    EACH_LANE(l, r->mask) {
        uint64_t address = addresses[l];
        if (ir_is_in_shared_window(address) || r->instr->access->is_by_window) {
            address = shared_address(r->instr->access, address);
            const uint8_t *at = sim_mem_cluster(r, address, l, &places.target[l]);
            is_good &= at != NULL;
            places.offsets[l] = (uint32_t)address & IR_CLUSTER_OFFSET;
            places.mask |= 1u << l;
            addresses[l] = (uint64_t)(uintptr_t)at;
        } else if (ir_is_in_local_window(address)) {
            is_good &= translate_local(r, &addresses[l], l);
        } else {
            is_good &= sim_mem_check_host(r, address, l, &last);
            global[l] = address;
            global_mask |= 1u << l;
        }
    }
    if (!is_good)
        return false;
    tell_places(r, &places);
    if (global_mask)
        sim_emit_global(r, global_mask, global, EVENT_ANY_PATTERN);
    return true;
}

// ---- Library calls ------------------------------------------------------------------------

uint8_t *sim_mem_span(struct sim_warp *warp, unsigned lane, uint64_t address, bool write,
                      uint64_t *bytes) {
    struct sim_block *block = warp->block;
    if (ir_is_in_shared_window(address)) {
        const struct sim_block *target = sim_cluster_target(block, address - IR_SHARED_WINDOW);
        uint64_t offset = (address - IR_SHARED_WINDOW) & IR_CLUSTER_OFFSET;
        if (!target || offset >= target->shared_bytes)
            return NULL;
        *bytes = target->shared_bytes - offset;
        return target->shared + offset;
    }
    if (ir_is_in_local_window(address)) {
        uint64_t offset = address - IR_LOCAL_WINDOW;
        if (offset >= block->local_bytes)
            return NULL;
        *bytes = block->local_bytes - offset;
        return (uint8_t *)(uintptr_t)local_address(warp, lane, offset);
    }
    struct sim_site_cache hit;
    if (!sim_memory_touch(block->worker, address, 1, write, &hit))
        return NULL;
    *bytes = hit.address + hit.bytes - address;
    return (uint8_t *)(uintptr_t)address;
}

void sim_mem_tell_span(const struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                       uint64_t address, unsigned bytes, enum event_intent intent) {
    const struct event_access event = {.intent = intent, .width = bytes};
    if (!bytes || ir_is_in_local_window(address))
        return;
    if (ir_is_in_shared_window(address))
        sim_emit_lane_shared(warp, instr, lane, address & IR_CLUSTER_OFFSET,
                             sim_cluster_target(warp->block, address - IR_SHARED_WINDOW), event);
    else
        sim_emit_lane_global(warp, instr, lane, address, event);
}
