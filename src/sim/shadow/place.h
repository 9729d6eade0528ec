// Inside sim/shadow: where the definedness of the bytes that an access names is kept.
#ifndef BANKRUN_SIM_SHADOW_PLACE_H
#define BANKRUN_SIM_SHADOW_PLACE_H

#include "sim/memory/memory.h"
#include "sim/shadow/shadow.h"

struct shadow_place {
    uint8_t *bits;           // of shared and of local memory; NULL: see `address`
    uint64_t address;        // generic: of global memory, or for words about it
    bool is_tracked;         // false: it counts as defined
    struct sim_block *block; // of shared memory
};

// An address in one of the spaces, `address` as the instruction computes it with its offset.
struct shadow_address {
    sim_ref base;
    bool has_base, is_32, is_by_window;
    enum ptx_space space;
    uint64_t offset;
};

struct shadow_address shadow_first_address(const struct sim_access *access);
uint64_t shadow_lane_address(const struct sim_warp *warp, const struct shadow_address *at,
                             unsigned lane);
struct shadow_place shadow_place(const struct sim_warp *warp, const struct shadow_address *at,
                                 unsigned lane, unsigned width);

static inline bool shadow_is_global(const struct shadow_place *place) {
    return !place->bits && !ir_is_in_shared_window(place->address) &&
           !ir_is_in_local_window(place->address);
}

// At most 8 bytes from `offset` on.
uint64_t shadow_get(const struct sim_warp *warp, const struct shadow_place *place, unsigned offset,
                    unsigned bytes);
void shadow_put(const struct sim_warp *warp, const struct shadow_place *place, unsigned offset,
                unsigned bytes, uint64_t bits);
void shadow_define(const struct sim_warp *warp, const struct shadow_place *place, uint64_t bytes);

// Where what was stored there was loaded: kept for shared memory, since values pass through it.
void shadow_put_origin(const struct shadow_place *place, unsigned offset, unsigned bytes,
                       uint64_t origin);
// The origin of what the instruction loads there, which lies `offset` bytes behind.
uint64_t shadow_loaded_origin(const struct sim_shadow *shadow, const struct shadow_place *place,
                              unsigned offset);

static inline struct sim_undefined *shadow_global(const struct sim_warp *warp) {
    return &warp->block->worker->memory->space->undefined;
}

// A full warp's bytes in one row, the way of most accesses. NULL and false: they are not, or
// not in the block's own shared memory, or not global.
uint8_t *shadow_row_shared(const struct sim_warp *warp, const struct shadow_address *at,
                           unsigned width, unsigned *bytes);
bool shadow_row_global(const struct sim_warp *warp, const struct shadow_address *at, unsigned width,
                       uint64_t *first, unsigned *bytes);

#endif
