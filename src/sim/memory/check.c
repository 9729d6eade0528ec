// The slow ways of memory accesses: lane by lane, exact, with words for what is wrong.
#include <inttypes.h>
#include <stddef.h>

#include "sim/flow/cluster.h"
#include "sim/memory/request.h"

static const char *const intents[] = {
    [MEM_READ] = "read",
    [MEM_WRITE] = "write",
    [MEM_ATOMIC] = "atomic access",
};

static bool check_alignment(const struct mem_request *r, uint64_t address, const char *where,
                            unsigned lane) {
    if ((address & (r->width - 1)) == 0)
        return true;
    sim_raise(r->warp, r->instr, SIM_FAULT_MISALIGNED, lane, address,
              "misaligned %s of %u bytes at %s0x%" PRIx64 ": the address is no multiple of %u",
              intents[r->intent], r->width, where, address, r->width);
    return false;
}

// ---- Global -------------------------------------------------------------------------------

// The parameter block is the launch's, not an allocation.
static bool is_in_parameters(const struct mem_request *r, uint64_t address) {
    const struct sim_worker *worker = r->warp->block->worker;
    if (r->intent != MEM_READ || !worker->launch || !worker->kernel)
        return false;
    uint64_t begin = (uint64_t)(uintptr_t)worker->launch->parameters;
    uint64_t bytes = sim_kernel_function(worker->kernel)->parameter_bytes;
    return begin && r->width <= bytes && address - begin <= bytes - r->width;
}

static bool check_host_lane(const struct mem_request *r, uint64_t address, unsigned lane,
                            struct sim_site_cache *last) {
    if (!check_alignment(r, address, "", lane))
        return false;
    if (last->bytes >= r->width && address - last->address <= last->bytes - r->width)
        return true;
    struct sim_memory *memory = r->warp->block->worker->memory;
    if (sim_memory_lookup(memory, address, r->width, r->intent != MEM_READ, last) ||
        is_in_parameters(r, address))
        return true;
    char text[SIM_MEMORY_TEXT];
    sim_memory_describe(memory, address, r->width, text);
    sim_raise(r->warp, r->instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, address,
              "%s of %u bytes at 0x%" PRIx64 ": %s", intents[r->intent], r->width, address, text);
    return false;
}

bool sim_mem_check_global(const struct mem_request *r, const uint64_t *addresses) {
    struct sim_site_cache last = {0};
    EACH_LANE(l, r->mask) {
        if (!check_host_lane(r, addresses[l], l, &last))
            return false;
    }
    struct sim_site_cache *cache = sim_mem_cache(r);
    if (cache && last.generation)
        *cache = last;
    return true;
}

// ---- Shared, local, .param ----------------------------------------------------------------

static const char *space_prefix(enum ptx_space space) {
    return space == PTX_SPACE_SHARED  ? "shared address "
           : space == PTX_SPACE_LOCAL ? "local address "
                                      : "parameter address ";
}

static bool raise_bounds(const struct mem_request *r, enum ptx_space space, uint64_t offset,
                         uint64_t bytes, unsigned lane) {
    const char *owner = space == PTX_SPACE_SHARED  ? "the block has"
                        : space == PTX_SPACE_LOCAL ? "the thread has"
                                                   : "the function has";
    const char *kind = space == PTX_SPACE_SHARED  ? "shared memory"
                       : space == PTX_SPACE_LOCAL ? "local memory"
                                                  : "parameters";
    sim_raise(r->warp, r->instr, SIM_FAULT_ILLEGAL_ADDRESS, lane, offset,
              "%s of %u bytes at %s0x%" PRIx64 ": %s %" PRIu64 " bytes of %s", intents[r->intent],
              r->width, space_prefix(space), offset, owner, bytes, kind);
    return false;
}

static bool check_offset_lane(const struct mem_request *r, enum ptx_space space, uint64_t offset,
                              uint64_t bytes, unsigned lane) {
    if (!check_alignment(r, offset, space_prefix(space), lane))
        return false;
    if (bytes >= r->width && offset <= bytes - r->width)
        return true;
    return raise_bounds(r, space, offset, bytes, lane);
}

bool sim_mem_check_offsets(const struct mem_request *r, enum ptx_space space,
                           const uint64_t *offsets, uint64_t bytes) {
    EACH_LANE(l, r->mask) {
        if (!check_offset_lane(r, space, offsets[l], bytes, l))
            return false;
    }
    return true;
}

// ---- Clusters -----------------------------------------------------------------------------

static void raise_no_block(const struct mem_request *r, uint64_t address, unsigned lane,
                           const char *what) {
    sim_raise(r->warp, r->instr, SIM_FAULT_NO_BLOCK, lane, address,
              "%s of %u bytes at shared address 0x%x of block %" PRIu64 " of the cluster, %s",
              intents[r->intent], r->width, (unsigned)address & IR_CLUSTER_OFFSET,
              (address >> IR_CLUSTER_SHIFT) - 1, what);
}

uint8_t *sim_mem_cluster(const struct mem_request *r, uint64_t address, unsigned lane,
                         struct sim_block **target) {
    struct sim_block *block = r->warp->block;
    *target = sim_cluster_target(block, address);
    if (!*target && sim_cluster_size(block->cluster) > 1 && address >> 32 == 0) {
        raise_no_block(r, address, lane, "which has no such block");
        return NULL;
    }
    if (*target && *target != block && !(*target)->flow->live_threads) {
        raise_no_block(r, address, lane, "which has ended");
        return NULL;
    }
    const uint64_t offset = *target ? address & IR_CLUSTER_OFFSET : address;
    if (!*target)
        *target = block;
    if (!check_offset_lane(r, PTX_SPACE_SHARED, offset, (*target)->shared_bytes, lane))
        return NULL;
    return (*target)->shared + offset;
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
        if (target == r->warp->block)
            sim_mem_tell_shared(r, mask, places->offsets);
        else
            sim_mem_tell_assumed(r, mask, places->offsets);
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
    if (r->intent == MEM_ATOMIC) {
        sim_raise(r->warp, r->instr, SIM_FAULT_INVALID_SPACE, lane, *address,
                  "atomic access of %u bytes at local address 0x%" PRIx64
                  ": atomics work on global and shared memory only",
                  r->width, offset);
        return false;
    }
    if (!check_offset_lane(r, PTX_SPACE_LOCAL, offset, r->warp->block->local_bytes, lane))
        return false;
    *address = local_address(r->warp, lane, offset);
    return true;
}

bool sim_mem_generic(const struct mem_request *r, uint64_t *addresses) {
    struct places places = {0};
    _Alignas(64) uint64_t global[LANES] = {0};
    uint32_t global_mask = 0;
    struct sim_site_cache last = {0};
    EACH_LANE(l, r->mask) {
        uint64_t address = addresses[l];
        if (ir_is_in_shared_window(address)) {
            address -= IR_SHARED_WINDOW;
            const uint8_t *at = sim_mem_cluster(r, address, l, &places.target[l]);
            if (!at)
                return false;
            places.offsets[l] = (uint32_t)address & IR_CLUSTER_OFFSET;
            places.mask |= 1u << l;
            addresses[l] = (uint64_t)(uintptr_t)at;
        } else if (ir_is_in_local_window(address)) {
            if (!translate_local(r, &addresses[l], l))
                return false;
        } else {
            if (!check_host_lane(r, address, l, &last))
                return false;
            global[l] = address;
            global_mask |= 1u << l;
        }
    }
    tell_places(r, &places);
    if (global_mask)
        sim_mem_tell_global(r, global_mask, global);
    return true;
}

// ---- Observers, library calls -------------------------------------------------------------

static void tell(const struct mem_request *r, struct access_event *event) {
    const struct sim_block *block = r->warp->block;
    const struct sim_worker *worker = block->worker;
    if (!worker->observer || r->site == IR_NONE)
        return;
    event->site = r->site;
    event->block = block->index;
    event->warp = r->warp->index;
    worker->observer->access(worker->observer_state, event);
}

void sim_mem_tell_shared(const struct mem_request *r, uint32_t mask, const uint32_t *offsets) {
    tell(r, &(struct access_event){.space = SITE_SHARED, .mask = mask, .offsets = offsets});
}

void sim_mem_tell_assumed(const struct mem_request *r, uint32_t mask, const uint32_t *offsets) {
    tell(r, &(struct access_event){
                .space = SITE_SHARED, .mask = mask, .offsets = offsets, .is_assumed = true});
}

void sim_mem_tell_global(const struct mem_request *r, uint32_t mask, const uint64_t *addresses) {
    tell(r, &(struct access_event){.space = SITE_GLOBAL, .mask = mask, .addresses = addresses});
}

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
    if (!sim_memory_lookup(block->worker->memory, address, 1, write, &hit))
        return NULL;
    *bytes = hit.address + hit.bytes - address;
    return (uint8_t *)(uintptr_t)address;
}
