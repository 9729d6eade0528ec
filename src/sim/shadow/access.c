// Loads, stores and atomics, each lane at its own address.
#include <string.h>

#include "sim/shadow/place.h"

static unsigned width_of(const struct sim_access *access) {
    return access->bytes * access->count;
}

static bool any_in(const uint8_t *bits, unsigned bytes) {
    uint64_t any = 0, word;
    unsigned i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, bits + i, sizeof word);
        any |= word;
    }
    for (; i < bytes; i++)
        any |= bits[i];
    return any != 0;
}

static bool place_has_any(const struct sim_warp *warp, const struct shadow_place *place,
                          unsigned width) {
    if (place->bits)
        return any_in(place->bits, width);
    return place->is_tracked && sim_undefined_any(shadow_global(warp), place->address, width);
}

// Lanes of the mask that read something undefined.
static uint32_t reading_lanes(const struct sim_warp *warp, const struct shadow_address *at,
                              unsigned width, uint32_t mask) {
    uint64_t first;
    unsigned bytes;
    const uint8_t *row = mask == FULL_MASK ? shadow_row_shared(warp, at, width, &bytes) : NULL;
    if (row && !any_in(row, bytes))
        return 0;
    if (!row && mask == FULL_MASK && shadow_row_global(warp, at, width, &first, &bytes) &&
        !sim_undefined_any(shadow_global(warp), first, bytes))
        return 0;
    uint32_t lanes = 0;
    EACH_LANE(l, mask) {
        const struct shadow_place place = shadow_place(warp, at, l, width);
        lanes |= (uint32_t)place_has_any(warp, &place, width) << l;
    }
    return lanes;
}

// ---- Loads --------------------------------------------------------------------------------

// What is narrower than its register is extended: by its sign, which may be undefined, or by zeros.
static uint64_t extended(const struct sim_access *access, uint64_t bits) {
    const unsigned shift = 64 - 8 * access->bytes;
    return access->is_signed ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits;
}

static void load_lane(struct sim_warp *warp, const struct sim_shadow *shadow,
                      const struct shadow_place *place, unsigned lane) {
    const struct sim_access *access = shadow->access;
    for (unsigned e = 0; e < shadow->result_count; e++) {
        if (!shadow->results[e].may_be_undefined)
            continue;
        const uint64_t bits = shadow_get(warp, place, e * access->bytes, access->bytes);
        unsigned at = e * access->bytes;
        if (bits)
            at += (unsigned)__builtin_ctzll(bits) / 8;
        const bool is_widened = shadow->results[e].held > access->bytes;
        sim_shadow_set(warp, shadow, &shadow->results[e], lane, extended(access, bits),
                       shadow_loaded_origin(shadow, place, at) |
                           (is_widened ? SIM_ORIGIN_COMPUTED : 0));
    }
}

const struct sim_instr *sim_shadow_run_load(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    const struct shadow_address at = shadow_first_address(shadow->access);
    const unsigned width = width_of(shadow->access);
    sim_shadow_use_access(warp, shadow, false);
    const uint32_t mask = sim_shadow_executed(warp, shadow);
    const uint32_t lanes = reading_lanes(warp, &at, width, mask);
    sim_shadow_clear_results(warp, shadow, mask & ~lanes);
    EACH_LANE(l, lanes) {
        const struct shadow_place place = shadow_place(warp, &at, l, width);
        load_lane(warp, shadow, &place, l);
    }
    if (lanes)
        sim_shadow_settle_results(warp, shadow);
    return instr + 1;
}

// ---- Stores -------------------------------------------------------------------------------

static void define_lanes(const struct sim_warp *warp, const struct shadow_address *at,
                         unsigned width, uint32_t mask) {
    uint64_t first;
    unsigned bytes;
    uint8_t *row = mask == FULL_MASK ? shadow_row_shared(warp, at, width, &bytes) : NULL;
    if (row) {
        memset(row, 0, bytes);
        return;
    }
    if (mask == FULL_MASK && shadow_row_global(warp, at, width, &first, &bytes)) {
        sim_undefined_define(shadow_global(warp), first, bytes);
        return;
    }
    EACH_LANE(l, mask) {
        const struct shadow_place place = shadow_place(warp, at, l, width);
        shadow_define(warp, &place, width);
    }
}

// All that the lane stores is undefined, or computed of that. Where it is so in part (the padding
// of a structure, the fourth of a float4 that holds three) that is passed on.
static bool is_wholly_undefined(const struct sim_warp *warp, const struct sim_shadow *shadow,
                                unsigned lane) {
    const uint64_t all = UINT64_MAX >> (64 - 8 * shadow->access->bytes);
    for (unsigned e = 0; e < shadow->source_count; e++) {
        const struct sim_shadow_operand *source = &shadow->sources[e];
        const uint64_t bits = sim_shadow_bits(warp, shadow, source, lane) & all;
        const bool is_computed =
            bits && sim_shadow_origin_of(warp, shadow, source, lane) & SIM_ORIGIN_COMPUTED;
        if (bits != all && !is_computed)
            return false;
    }
    return true;
}

static void store_lane(struct sim_warp *warp, const struct sim_shadow *shadow,
                       const struct shadow_place *place, unsigned lane) {
    const unsigned bytes = shadow->access->bytes;
    for (unsigned e = 0; e < shadow->source_count; e++) {
        const struct sim_shadow_operand *source = &shadow->sources[e];
        const uint64_t bits = sim_shadow_bits(warp, shadow, source, lane);
        shadow_put(warp, place, e * bytes, bytes, bits);
        if (bits)
            shadow_put_origin(place, e * bytes, bytes,
                              sim_shadow_origin_of(warp, shadow, source, lane));
    }
}

// What was told of counts as defined in memory, so that it is told of once.
static void store_undefined(struct sim_warp *warp, const struct sim_shadow *shadow,
                            const struct shadow_address *at, uint32_t lanes) {
    const unsigned width = width_of(shadow->access);
    uint32_t told = 0;
    EACH_LANE(l, lanes) {
        const struct shadow_place place = shadow_place(warp, at, l, width);
        if (shadow_is_global(&place) && is_wholly_undefined(warp, shadow, l)) {
            told |= 1u << l;
            shadow_define(warp, &place, width);
        } else {
            store_lane(warp, shadow, &place, l);
        }
    }
    if (told)
        sim_shadow_tell(
            warp, shadow, EVENT_UNDEFINED_STORE, told,
            sim_shadow_origin_of(warp, shadow, &shadow->sources[0], (unsigned)__builtin_ctz(told)));
}

static uint32_t source_lanes(const struct sim_warp *warp, const struct sim_shadow *shadow,
                             uint32_t mask) {
    uint32_t lanes = 0;
    for (unsigned i = 0; i < shadow->source_count; i++)
        lanes |= sim_shadow_lanes(warp, shadow, &shadow->sources[i], mask);
    return lanes;
}

const struct sim_instr *sim_shadow_run_store(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    const struct shadow_address at = shadow_first_address(shadow->access);
    sim_shadow_use_access(warp, shadow, true);
    const uint32_t mask = sim_shadow_executed(warp, shadow);
    const uint32_t lanes = source_lanes(warp, shadow, mask);
    if (mask & ~lanes)
        define_lanes(warp, &at, width_of(shadow->access), mask & ~lanes);
    if (lanes)
        store_undefined(warp, shadow, &at, lanes);
    return instr + 1;
}

// ---- Atomics ------------------------------------------------------------------------------

static void tell_operands(struct sim_warp *warp, const struct sim_shadow *shadow, uint32_t mask) {
    for (unsigned i = 0; i < shadow->source_count; i++)
        sim_shadow_use(warp, shadow, EVENT_UNDEFINED_ATOMIC, &shadow->sources[i], mask);
}

// An exchange gives what was there to the first of the lanes that name the place, and decides
// nothing; all others compute with it.
static void exchange(struct sim_warp *warp, const struct sim_shadow *shadow,
                     const struct shadow_address *at, uint32_t lanes) {
    const unsigned width = width_of(shadow->access);
    EACH_LANE(l, lanes) {
        const struct shadow_place place = shadow_place(warp, at, l, width);
        load_lane(warp, shadow, &place, l);
        shadow_define(warp, &place, width);
    }
    sim_shadow_settle_results(warp, shadow);
}

const struct sim_instr *sim_shadow_run_atomic(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    const struct shadow_address at = shadow_first_address(shadow->access);
    const unsigned width = width_of(shadow->access);
    const bool is_exchange = ptx_modifier_of(shadow->ir->ptx, PTX_GROUP_op) == PTX_MOD_exch;
    sim_shadow_use_access(warp, shadow, true);
    const uint32_t mask = sim_shadow_executed(warp, shadow);
    tell_operands(warp, shadow, mask);
    sim_shadow_clear_results(warp, shadow, mask);
    const uint32_t lanes = reading_lanes(warp, &at, width, mask);
    if (is_exchange && lanes && shadow->result_count == shadow->access->count) {
        exchange(warp, shadow, &at, lanes);
        return instr + 1;
    }
    if (lanes && !is_exchange) {
        const unsigned first = (unsigned)__builtin_ctz(lanes);
        const struct shadow_place place = shadow_place(warp, &at, first, width);
        sim_shadow_tell(warp, shadow, EVENT_UNDEFINED_ATOMIC, lanes,
                        shadow_loaded_origin(shadow, &place, 0));
    }
    if (lanes)
        define_lanes(warp, &at, width, lanes);
    return instr + 1;
}
