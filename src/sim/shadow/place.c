#include "sim/shadow/place.h"

#include <string.h>

#include "base/alloc.h"
#include "sim/flow/cluster.h"

struct shadow_address shadow_first_address(const struct sim_access *access) {
    return (struct shadow_address){.base = access->base,
                                   .has_base = access->has_base,
                                   .is_32 = access->base_is_32,
                                   .is_by_window = access->is_by_window,
                                   .space = access->space,
                                   .offset = access->offset};
}

uint64_t shadow_lane_address(const struct sim_warp *warp, const struct shadow_address *at,
                             unsigned lane) {
    if (!at->has_base)
        return at->offset;
    const void *base = sim_at(warp, at->base);
    return at->offset +
           (at->is_32 ? ((const uint32_t *)base)[lane] : ((const uint64_t *)base)[lane]);
}

static struct shadow_place shared_place(const struct sim_warp *warp, uint64_t address,
                                        unsigned width) {
    struct sim_block *target = sim_cluster_target(warp->block, address);
    const uint64_t offset = address & IR_CLUSTER_OFFSET;
    struct shadow_place place = {.address = IR_SHARED_WINDOW + offset};
    if (!target || !target->undefined_shared || width > target->shared_bytes ||
        offset > target->shared_bytes - width)
        return place;
    place.bits = target->undefined_shared + offset;
    place.is_tracked = true;
    place.block = target;
    return place;
}

static struct shadow_place local_place(const struct sim_warp *warp, uint64_t offset, unsigned lane,
                                       unsigned width) {
    const struct sim_block *block = warp->block;
    struct shadow_place place = {.address = IR_LOCAL_WINDOW + offset};
    if (!block->undefined_local || width > block->local_bytes ||
        offset > block->local_bytes - width)
        return place;
    place.bits = block->undefined_local +
                 ((uint64_t)warp->index * LANES + lane) * block->local_bytes + offset;
    place.is_tracked = true;
    return place;
}

struct shadow_place shadow_place(const struct sim_warp *warp, const struct shadow_address *at,
                                 unsigned lane, unsigned width) {
    uint64_t address = shadow_lane_address(warp, at, lane);
    switch (at->space) {
    case PTX_SPACE_SHARED:
        return shared_place(warp, at->is_32 ? (uint32_t)address : address, width);
    case PTX_SPACE_LOCAL:
        return local_place(warp, address + (at->has_base ? 0 : sim_frame_local(warp)), lane, width);
    case PTX_SPACE_GENERIC:
        if (ir_is_in_shared_window(address) || at->is_by_window) {
            address -= IR_SHARED_WINDOW;
            return shared_place(warp, at->is_by_window && at->is_32 ? (uint32_t)address : address,
                                width);
        }
        if (ir_is_in_local_window(address))
            return local_place(warp, address - IR_LOCAL_WINDOW, lane, width);
        return (struct shadow_place){.address = address, .is_tracked = true};
    case PTX_SPACE_GLOBAL:
        return (struct shadow_place){.address = address, .is_tracked = true};
    default:
        return (struct shadow_place){.address = address};
    }
}

uint64_t shadow_get(const struct sim_warp *warp, const struct shadow_place *place, unsigned offset,
                    unsigned bytes) {
    uint64_t bits = 0;
    if (!place->is_tracked)
        return 0;
    if (!place->bits)
        return sim_undefined_get(shadow_global(warp), place->address + offset, bytes);
    memcpy(&bits, place->bits + offset, bytes);
    return bits;
}

void shadow_put(const struct sim_warp *warp, const struct shadow_place *place, unsigned offset,
                unsigned bytes, uint64_t bits) {
    if (place->bits)
        memcpy(place->bits + offset, &bits, bytes);
    else if (place->is_tracked)
        sim_undefined_set(shadow_global(warp), place->address + offset, bytes, bits);
}

void shadow_define(const struct sim_warp *warp, const struct shadow_place *place, uint64_t bytes) {
    if (place->bits)
        memset(place->bits, 0, bytes);
    else if (place->is_tracked)
        sim_undefined_define(shadow_global(warp), place->address, bytes);
}

void shadow_put_origin(const struct shadow_place *place, unsigned offset, unsigned bytes,
                       uint64_t origin) {
    struct sim_block *block = place->block;
    if (!block)
        return;
    if (!block->shared_origins)
        block->shared_origins =
            base_alloc((block->shared_bytes / 4 + 1) * sizeof *block->shared_origins);
    const uint64_t first = place->address - IR_SHARED_WINDOW + offset;
    for (uint64_t word = first / 4; word <= (first + bytes - 1) / 4; word++)
        block->shared_origins[word] = origin & ~SIM_ORIGIN_COMPUTED;
}

uint64_t shadow_loaded_origin(const struct sim_shadow *shadow, const struct shadow_place *place,
                              unsigned offset) {
    const struct sim_block *block = place->block;
    const uint64_t *origins = block ? block->shared_origins : NULL;
    const uint64_t stored = origins ? origins[(place->address - IR_SHARED_WINDOW + offset) / 4] : 0;
    return stored ? stored : sim_shadow_made_origin(shadow, place->address + offset);
}

uint8_t *shadow_row_shared(const struct sim_warp *warp, const struct shadow_address *at,
                           unsigned width, unsigned *bytes) {
    const struct sim_block *block = warp->block;
    if (!warp->is_full || at->space != PTX_SPACE_SHARED || !at->has_base || !at->is_32)
        return NULL;
    const uint32_t *base = sim_at(warp, at->base);
    const uint32_t step = base[1] - base[0], first = base[0] + (uint32_t)at->offset;
    uint32_t differs = 0;
    if (step != 0 && step != width)
        return NULL;
    for (uint32_t l = 0; l < LANES; l++)
        differs |= base[l] ^ (base[0] + l * step);
    *bytes = step ? LANES * width : width;
    if (differs || *bytes > block->shared_bytes || first > block->shared_bytes - *bytes)
        return NULL;
    return block->undefined_shared + first;
}

bool shadow_row_global(const struct sim_warp *warp, const struct shadow_address *at, unsigned width,
                       uint64_t *first, unsigned *bytes) {
    if (!warp->is_full || at->is_32 || !at->has_base ||
        (at->space != PTX_SPACE_GLOBAL && at->space != PTX_SPACE_GENERIC))
        return false;
    const uint64_t *base = sim_at(warp, at->base);
    const uint64_t step = base[1] - base[0];
    uint64_t differs = 0;
    if (step != 0 && step != width)
        return false;
    for (uint64_t l = 0; l < LANES; l++)
        differs |= base[l] ^ (base[0] + l * step);
    *first = base[0] + at->offset;
    *bytes = step ? LANES * width : width;
    return !differs && !ir_is_in_shared_window(*first) && !ir_is_in_local_window(*first) &&
           !at->is_by_window;
}
