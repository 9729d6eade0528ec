// Inside the simulator: what bulk copies and copies of tensors share. One lane makes a copy; it is
// done at once, which the ISA allows (it may be complete at any time before the wait that asks for
// it).
#ifndef BANKRUN_SIM_TENSOR_BULK_H
#define BANKRUN_SIM_TENSOR_BULK_H

#include "sim/flow/window.h"

// Bytes of a block's shared memory (a shared::cluster address) or of global memory: where they are
// on the host. NULL: the fault is raised. request->width is what the address must be a multiple of.
uint8_t *sim_bulk_shared(const struct mem_request *request, unsigned lane, uint64_t address,
                         uint64_t bytes, struct sim_block **target);
uint8_t *sim_bulk_global(const struct mem_request *request, unsigned lane, uint64_t address,
                         uint64_t bytes);

// Value of a lane in an operand of 32 or 64 bits.
static inline uint64_t sim_bulk_value(const struct sim_warp *warp, sim_ref ref, bool is_64,
                                      unsigned lane) {
    const void *value = sim_at(warp, ref);
    return is_64 ? ((const uint64_t *)value)[lane] : ((const uint32_t *)value)[lane];
}

// Address `n` (0 to 2) of the instruction.
static inline uint64_t sim_bulk_address(const struct sim_warp *warp,
                                        const struct sim_access *access, unsigned n,
                                        unsigned lane) {
    const bool has_base = n == 0   ? access->has_base
                          : n == 1 ? access->has_base2
                                   : access->has_base3;
    const bool is_32 = n == 0   ? access->base_is_32
                       : n == 1 ? access->base2_is_32
                                : access->base3_is_32;
    const sim_ref base = n == 0 ? access->base : n == 1 ? access->base2 : access->base3;
    const uint64_t offset = n == 0 ? access->offset : n == 1 ? access->offset2 : access->offset3;
    if (!has_base)
        return offset;
    const uint64_t address = sim_bulk_value(warp, base, !is_32, lane) + offset;
    return is_32 ? (uint32_t)address : address;
}

#endif
