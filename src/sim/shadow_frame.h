// Inside the simulator: what lies behind the registers of a frame where it is tracked which of
// their bits nothing has defined.
//
// A frame of registers has a second one behind it, its shadow: a bit is set there where that of the
// register is undefined. So the reference of a register becomes that of its shadow by adding
// code->frame_bytes. Behind the shadow lie a flag for each slot, 0: all its bits are defined,
// whatever the shadow holds, and for each lane of each slot where its undefined bits were loaded.
#ifndef BANKRUN_SIM_SHADOW_FRAME_H
#define BANKRUN_SIM_SHADOW_FRAME_H

#include <string.h>

#include "sim/sim_internal.h"

static inline uint32_t sim_shadow_flag(const struct sim_code *code, sim_ref ref) {
    const uint32_t at = ref & ~3u, predicates = code->predicate_bytes;
    const uint32_t index = at < predicates ? at / 4 : predicates / 4 + (at - predicates) / 128;
    return 2 * code->frame_bytes + index;
}

// One more than there are slots, which is always 0.
static inline uint32_t sim_shadow_no_flag(const struct sim_code *code) {
    return sim_shadow_flag(code, code->frame_bytes);
}

static inline uint32_t sim_shadow_origins(const struct sim_code *code) {
    return (sim_shadow_no_flag(code) + 1 + 63) / 64 * 64;
}

// Two vectors of 32 bits: the low and the high halves of the lanes' origins.
static inline uint32_t sim_shadow_origin(const struct sim_code *code, sim_ref ref) {
    const uint32_t at = ref & ~3u, predicates = code->predicate_bytes;
    return sim_shadow_origins(code) +
           (at < predicates ? at * 64 : predicates * 64 + (at - predicates) * 2);
}

// Bytes of a frame, with all that lies behind its registers where that is tracked.
static inline size_t sim_shadow_frame_bytes(const struct sim_code *code, bool is_tracked) {
    return is_tracked ? sim_shadow_origin(code, code->frame_bytes) : code->frame_bytes;
}

// All registers of a frame count as defined.
static inline void sim_shadow_begin(const struct sim_code *code, uint8_t *registers) {
    memset(registers + 2 * code->frame_bytes, 0, sim_shadow_origins(code) - 2 * code->frame_bytes);
}

#endif
