// Which lane a lane of shfl reads: the PTX ISA's definition, for the simulator and for proofs.
#ifndef BANKRUN_IR_SHUFFLE_H
#define BANKRUN_IR_SHUFFLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

// `by` and `limit` are the operands b and c. False: out of range; the lane reads itself. Becomes
// vectors where `way` is a constant.
static inline __attribute__((always_inline)) bool
ir_shuffle_source(enum ptx_modifier way, int32_t lane, uint32_t by, uint32_t limit, int32_t *from) {
    const int32_t amount = (int32_t)(by & 31), clamp = (int32_t)(limit & 31);
    const int32_t segment = (int32_t)(limit >> 8 & 31);
    const int32_t low = lane & segment, last = low | (clamp & ~segment);
    int32_t source;
    if (way == PTX_MOD_up)
        source = lane - amount;
    else if (way == PTX_MOD_down)
        source = lane + amount;
    else if (way == PTX_MOD_bfly)
        source = lane ^ amount;
    else
        source = low | (amount & ~segment);
    const bool is_inside = way == PTX_MOD_up ? source >= last : source <= last;
    *from = is_inside ? source : lane;
    return is_inside;
}

#endif
