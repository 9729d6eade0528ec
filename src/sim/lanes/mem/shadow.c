// What loads and stores of the block's own shared memory do where it is tracked which bits nothing
// has defined, the quick way: all lanes are on, and all is defined that they read, or that they
// write. Whatever else there is takes the long way (sim/shadow/access.c), which looks again.
#include "sim/shadow/shadow.h"
#include "sim/lanes/mem/resolve.h"

LANES_INLINE bool is_flagged(const struct sim_warp *warp, const struct sim_instr *instr) {
    const uint8_t *frame = warp->base[SIM_BASE_REGISTERS];
    const sim_ref *flag = instr->operand;
    return frame[flag[0]] | frame[flag[1]] | frame[flag[2]] | frame[flag[3]] | frame[flag[4]];
}

// The lanes' offsets, those that are off with the first active one's; false: not all pieces lie in
// the block's shared memory.
LANES_INLINE bool offsets_of(const struct sim_warp *warp, const struct sim_access *access,
                             unsigned width, uint32_t o[LANES], bool full) {
    const uint32_t bytes = warp->block->shared_bytes;
    uint32_t top = 0;
    if (!warp->mask || !mem_shared_offsets(warp, access, o))
        return false;
    if (!full)
        mem_fill_32(o, warp);
    SIM_LANES
        top = o[l] > top ? o[l] : top;
    return bytes >= width && top <= bytes - width;
}

// How much memory is looked at as a whole before each lane is looked at alone.
enum { NEAR_BYTES = LANES * 16 };

LANES_INLINE bool any_in(const uint8_t *bits, unsigned bytes) {
    uint64_t any = 0, word = 0;
    unsigned i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, bits + i, sizeof word);
        any |= word;
    }
    for (; i < bytes; i++)
        any |= bits[i];
    return any != 0;
}

// Most requests lie close together, in a row or in a few of them, and all between is defined, too.
LANES_INLINE bool any_undefined(const uint8_t *bits, const uint32_t *o, unsigned width) {
    uint32_t low = UINT32_MAX, high = 0;
    SIM_LANES
        low = o[l] < low ? o[l] : low;
    SIM_LANES
        high = o[l] > high ? o[l] : high;
    if (high - low <= NEAR_BYTES - width && !any_in(bits + low, high - low + width))
        return false;
    bool any = false;
    for (unsigned l = 0; l < LANES; l++)
        any |= any_in(bits + o[l], width);
    return any;
}

LANES_INLINE void define(uint8_t *bits, const uint32_t *o, unsigned width, bool full) {
    if (full && lanes_ramp_32(o, o[0], width)) {
        memset(bits + o[0], 0, (size_t)LANES * width);
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        memset(bits + o[l], 0, width);
}

LANES_INLINE const struct sim_instr *look(struct sim_warp *warp, const struct sim_instr *instr,
                                          unsigned width, bool is_store, bool full) {
    const struct sim_shadow *shadow = instr->extra;
    uint8_t *bits = warp->block->undefined_shared;
    _Alignas(64) uint32_t o[LANES];
    if (!is_flagged(warp, instr) && bits && sim_shadow_executed(warp, shadow) == warp->mask &&
        offsets_of(warp, shadow->access, width, o, full)) {
        if (is_store)
            define(bits, o, width, full);
        if (is_store || !any_undefined(bits, o, width))
            return instr + 1;
    }
    return is_store ? sim_shadow_run_store(warp, instr) : sim_shadow_run_load(warp, instr);
}

#define LOOK(name, width, is_store)                                                                \
    static const struct sim_instr *name##_##width##_some(struct sim_warp *warp,                    \
                                                         const struct sim_instr *instr) {          \
        return look(warp, instr, width, is_store, false);                                          \
    }                                                                                              \
    static const struct sim_instr *name##_##width##_all(struct sim_warp *warp,                     \
                                                        const struct sim_instr *instr) {           \
        return look(warp, instr, width, is_store, true);                                           \
    }                                                                                              \
    static const sim_handler name##_##width[2] = {name##_##width##_some, name##_##width##_all};
#define LOOKS(X, name, is_store)                                                                   \
    X(name, 1, is_store)                                                                           \
    X(name, 2, is_store) X(name, 4, is_store) X(name, 8, is_store) X(name, 16, is_store)
LOOKS(LOOK, load, false)
LOOKS(LOOK, store, true)

bool SIM_NAME(sim_shadow_quick)(const struct sim_shadow *shadow, bool is_store,
                                struct sim_instr *out) {
    const struct sim_access *access = shadow->access;
    if (access->space != PTX_SPACE_SHARED || (access->has_base && !access->base_is_32) ||
        shadow->base.may_be_undefined || (shadow->has_guard && shadow->guard.may_be_undefined))
        return false;
    switch (access->bytes * access->count) {
#define CASE(name, width, is_store)                                                                \
    case width:                                                                                    \
        return lanes_use(out, is_store ? store_##width : load_##width);
        LOOKS(CASE, , is_store)
    default:
        return false;
    }
}
