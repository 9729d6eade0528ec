// Instructions that write memory otherwise than by the lanes' registers. Of cp.async it is known
// what the bytes were before; the others count as defining all that they may write.
#include <string.h>

#include "ptx/facts.h"
#include "sim/flow/cluster.h"
#include "sim/shadow/place.h"
#include "sim/tensor/map.h"

// Bytes that the lane reads; the others that it writes are zeros.
static uint64_t source_bytes(const struct sim_warp *warp, const struct sim_shadow *shadow,
                             unsigned lane, uint64_t bytes) {
    if (!shadow->source_count)
        return bytes;
    const struct sim_shadow_operand *operand = &shadow->sources[0];
    const uint64_t value = sim_shadow_value(warp, operand, lane);
    if (!operand->bytes) // whether the source is ignored
        return (value != 0) != operand->is_negated ? 0 : bytes;
    return value < bytes ? value : bytes;
}

static void copy_lane(struct sim_warp *warp, const struct sim_shadow *shadow,
                      const struct shadow_address *source, unsigned lane) {
    const unsigned bytes = (unsigned)shadow->ir->operands[2].value;
    const struct shadow_address at = shadow_first_address(shadow->access);
    const struct shadow_place to = shadow_place(warp, &at, lane, bytes);
    const struct shadow_place from = shadow_place(warp, source, lane, bytes);
    const uint64_t read = source_bytes(warp, shadow, lane, bytes);
    if (!sim_undefined_any(shadow_global(warp), from.address, read)) {
        shadow_define(warp, &to, bytes);
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        const uint64_t bits = i < read ? shadow_get(warp, &from, i, 1) : 0;
        shadow_put(warp, &to, i, 1, bits);
        if (bits)
            shadow_put_origin(&to, i, 1, sim_shadow_made_origin(shadow, from.address + i));
    }
}

const struct sim_instr *sim_shadow_run_copy(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    const struct sim_access *access = shadow->access;
    const struct shadow_address source = {.base = access->base2,
                                          .has_base = access->has_base2,
                                          .is_32 = access->base2_is_32,
                                          .space = PTX_SPACE_GLOBAL,
                                          .offset = access->offset2};
    sim_shadow_use_access(warp, shadow, true);
    EACH_LANE(l, sim_shadow_executed(warp, shadow))
        copy_lane(warp, shadow, &source, l);
    return instr + 1;
}

// ---- What defines -------------------------------------------------------------------------

// A copy may go to all blocks of the cluster at once.
static void define_in_cluster(const struct sim_block *block, uint64_t offset, uint64_t bytes) {
    const struct sim_cluster *cluster = block->cluster;
    for (uint32_t rank = 0; rank < sim_cluster_size(cluster); rank++) {
        const struct sim_block *target = cluster ? &cluster->blocks[rank]->block : block;
        if (offset >= target->shared_bytes)
            continue;
        const uint64_t left = target->shared_bytes - offset;
        memset(target->undefined_shared + offset, 0, bytes < left ? bytes : left);
    }
}

static void define_bulk(struct sim_warp *warp, const struct sim_shadow *shadow, unsigned lane) {
    const struct shadow_address at = shadow_first_address(shadow->access);
    const struct shadow_place to = shadow_place(warp, &at, lane, 1);
    // The sources of a copy of a tensor are a mask of blocks and a hint.
    const bool has_size = shadow->source_count && !PTX_HAS(shadow->ir->ptx, half);
    const uint64_t bytes = has_size ? sim_shadow_value(warp, &shadow->sources[0], lane) : 0;
    if (shadow_is_global(&to))
        sim_undefined_define(shadow_global(warp), to.address, bytes);
    else
        define_in_cluster(warp->block, has_size ? to.address & IR_CLUSTER_OFFSET : 0,
                          has_size ? bytes : UINT64_MAX);
}

// Where a tensor's box is stored its map says: all of the memory that it lies in is defined.
static void define_tensor(struct sim_warp *warp, const struct sim_shadow *shadow, unsigned lane) {
    const struct shadow_address at = shadow_first_address(shadow->access);
    const uint64_t map = shadow_lane_address(warp, &at, lane);
    const struct sim_memory *memory = warp->block->worker->memory;
    const struct sim_worker *worker = warp->block->worker;
    const uint64_t own = map - (uint64_t)(uintptr_t)worker->launch->parameters;
    const uint64_t own_bytes = worker->kernel->ir->parameter_bytes;
    struct sim_site_cache hit;
    struct sim_tensor_map found;
    if (!sim_memory_lookup(memory, map, SIM_TENSOR_MAP_BYTES, false, &hit) &&
        (own >= own_bytes || own_bytes - own < SIM_TENSOR_MAP_BYTES))
        return;
    sim_tensor_map_read((const void *)(uintptr_t)map, &found);
    if (sim_memory_lookup(memory, found.address, 1, false, &hit))
        sim_undefined_define(shadow_global(warp), hit.address, hit.bytes);
}

// A fragment's rows lie a stride apart; at most as many as any shape has.
static void define_fragment(struct sim_warp *warp, const struct sim_shadow *shadow, unsigned lane) {
    enum { MOST = 32 };
    const struct shadow_address at = shadow_first_address(shadow->access);
    const struct shadow_place to = shadow_place(warp, &at, lane, 1);
    const uint64_t stride =
        shadow->source_count ? sim_shadow_value(warp, &shadow->sources[0], lane) : MOST;
    if (shadow_is_global(&to))
        sim_undefined_define(shadow_global(warp), to.address,
                             (MOST * stride + MOST) * shadow->access->bytes);
    else
        define_in_cluster(warp->block, 0, UINT64_MAX);
}

static void define_lane(struct sim_warp *warp, const struct sim_shadow *shadow, unsigned lane) {
    enum { MBARRIER = 8, TENSOR_MAP = 128 };
    const struct sim_access *access = shadow->access;
    const enum ptx_access kind = ptx_access_of(shadow->ir->ptx);
    const bool is_tensor = PTX_HAS(shadow->ir->ptx, half);
    const unsigned bytes = kind == PTX_ACCESS_MBARRIER ? MBARRIER
                           : kind == PTX_ACCESS_NONE   ? TENSOR_MAP
                                                       : access->bytes * access->count;
    const struct shadow_address at = shadow_first_address(access);
    if (kind == PTX_ACCESS_FRAGMENT_STORE) {
        define_fragment(warp, shadow, lane);
    } else if (kind == PTX_ACCESS_BULK_COPY && is_tensor && access->space != PTX_SPACE_SHARED) {
        define_tensor(warp, shadow, lane);
    } else if (kind == PTX_ACCESS_BULK_COPY) {
        define_bulk(warp, shadow, lane);
    } else {
        const struct shadow_place to = shadow_place(warp, &at, lane, bytes);
        shadow_define(warp, &to, bytes);
    }
}

const struct sim_instr *sim_shadow_run_written(struct sim_warp *warp,
                                               const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    const uint32_t mask = sim_shadow_executed(warp, shadow);
    EACH_LANE(l, mask)
        define_lane(warp, shadow, l);
    sim_shadow_clear_results(warp, shadow, mask);
    return instr + 1;
}
