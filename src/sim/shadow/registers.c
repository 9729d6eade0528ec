#include <string.h>

#include "sim/shadow/shadow.h"

static uint8_t *flag_of(const struct sim_warp *warp, const struct sim_shadow *shadow,
                        const struct sim_shadow_operand *operand) {
    return warp->base[SIM_BASE_REGISTERS] + sim_shadow_flag(shadow->code, operand->ref);
}

static void *bits_of(const struct sim_warp *warp, const struct sim_shadow *shadow,
                     const struct sim_shadow_operand *operand) {
    return sim_at(warp, operand->ref + shadow->code->frame_bytes);
}

static uint32_t *origins_of(const struct sim_warp *warp, const struct sim_shadow *shadow,
                            const struct sim_shadow_operand *operand) {
    return sim_at(warp, sim_shadow_origin(shadow->code, operand->ref));
}

static bool is_flagged(const struct sim_warp *warp, const struct sim_shadow *shadow,
                       const struct sim_shadow_operand *operand) {
    return operand->may_be_undefined && *flag_of(warp, shadow, operand);
}

static uint64_t held_bits(const struct sim_shadow_operand *operand) {
    return operand->held ? UINT64_MAX >> (64 - 8 * operand->held) : 1;
}

static uint64_t lane_of(const void *at, unsigned bytes, unsigned lane) {
    switch (bytes) {
    case 0:
        return *(const uint32_t *)at >> lane & 1;
    case 4:
        return ((const uint32_t *)at)[lane];
    default:
        return ((const uint64_t *)at)[lane];
    }
}

uint64_t sim_shadow_bits(const struct sim_warp *warp, const struct sim_shadow *shadow,
                         const struct sim_shadow_operand *operand, unsigned lane) {
    return is_flagged(warp, shadow, operand)
               ? lane_of(bits_of(warp, shadow, operand), operand->bytes, lane)
               : 0;
}

uint32_t sim_shadow_lanes(const struct sim_warp *warp, const struct sim_shadow *shadow,
                          const struct sim_shadow_operand *operand, uint32_t mask) {
    uint32_t lanes = 0;
    if (!is_flagged(warp, shadow, operand))
        return 0;
    EACH_LANE(l, mask) {
        lanes |= (uint32_t)(sim_shadow_bits(warp, shadow, operand, l) != 0) << l;
    }
    return lanes;
}

uint64_t sim_shadow_origin_of(const struct sim_warp *warp, const struct sim_shadow *shadow,
                              const struct sim_shadow_operand *operand, unsigned lane) {
    const uint32_t *origins = origins_of(warp, shadow, operand);
    return origins[lane] | (uint64_t)origins[LANES + lane] << 32;
}

static void put(const struct sim_warp *warp, const struct sim_shadow *shadow,
                const struct sim_shadow_operand *operand, unsigned lane, uint64_t bits) {
    void *to = bits_of(warp, shadow, operand);
    if (operand->bytes == 4)
        ((uint32_t *)to)[lane] = (uint32_t)bits;
    else if (operand->bytes == 8)
        ((uint64_t *)to)[lane] = bits;
    else
        *(uint32_t *)to = (*(uint32_t *)to & ~(1u << lane)) | (uint32_t)bits << lane;
}

void sim_shadow_set(struct sim_warp *warp, const struct sim_shadow *shadow,
                    const struct sim_shadow_operand *operand, unsigned lane, uint64_t bits,
                    uint64_t origin) {
    uint8_t *flag = flag_of(warp, shadow, operand);
    bits &= held_bits(operand);
    if (!*flag && !bits)
        return;
    if (!*flag)
        memset(bits_of(warp, shadow, operand), 0, operand->bytes ? operand->bytes * LANES : 4);
    *flag = 1;
    put(warp, shadow, operand, lane, bits);
    if (!bits)
        return;
    uint32_t *origins = origins_of(warp, shadow, operand);
    origins[lane] = (uint32_t)origin;
    origins[LANES + lane] = (uint32_t)(origin >> 32);
}

void sim_shadow_settle(struct sim_warp *warp, const struct sim_shadow *shadow,
                       const struct sim_shadow_operand *operand) {
    const uint32_t *bits = bits_of(warp, shadow, operand);
    const unsigned words = operand->bytes ? operand->bytes / 4 * LANES : 1;
    uint8_t *flag = flag_of(warp, shadow, operand);
    uint32_t any = 0;
    for (unsigned i = 0; *flag && i < words; i++)
        any |= bits[i];
    *flag = any != 0;
}

void sim_shadow_clear(struct sim_warp *warp, const struct sim_shadow *shadow,
                      const struct sim_shadow_operand *operand, uint32_t mask) {
    uint8_t *flag = flag_of(warp, shadow, operand);
    if (!*flag)
        return;
    EACH_LANE(l, mask)
        put(warp, shadow, operand, l, 0);
    sim_shadow_settle(warp, shadow, operand);
}

void sim_shadow_clear_results(struct sim_warp *warp, const struct sim_shadow *shadow,
                              uint32_t mask) {
    for (unsigned i = 0; i < shadow->result_count; i++)
        if (shadow->results[i].may_be_undefined)
            sim_shadow_clear(warp, shadow, &shadow->results[i], mask);
    if (shadow->second.may_be_undefined)
        sim_shadow_clear(warp, shadow, &shadow->second, mask);
}

void sim_shadow_settle_results(struct sim_warp *warp, const struct sim_shadow *shadow) {
    for (unsigned i = 0; i < shadow->result_count; i++)
        if (shadow->results[i].may_be_undefined)
            sim_shadow_settle(warp, shadow, &shadow->results[i]);
    if (shadow->second.may_be_undefined)
        sim_shadow_settle(warp, shadow, &shadow->second);
}

uint64_t sim_shadow_value(const struct sim_warp *warp, const struct sim_shadow_operand *operand,
                          unsigned lane) {
    return operand->has_ref ? lane_of(sim_at(warp, operand->ref), operand->bytes, lane)
                            : operand->value;
}

uint32_t sim_shadow_executed(const struct sim_warp *warp, const struct sim_shadow *shadow) {
    if (!shadow->has_guard)
        return warp->mask;
    const uint32_t bits = *(const uint32_t *)sim_at(warp, shadow->guard.ref);
    return warp->mask & (shadow->guard.is_negated ? ~bits : bits);
}
