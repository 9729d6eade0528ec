// Analysis behind the explanations: the busiest phase, and regular shapes of addresses.
#include <string.h>

#include "profile/why.h"

static bool serves_lanes_apart(enum bankrun_access access) {
    return access == BANKRUN_ATOMIC || access == BANKRUN_ATOMIC_CAS ||
           access == BANKRUN_ATOMIC_LOOP || access == BANKRUN_ATOMIC_EARLY_LOOP ||
           access == BANKRUN_GENERIC_LOOP || access == BANKRUN_GENERIC_EARLY_LOOP;
}

// What tells two touches of a bank apart: the word, or on 3.x the row of both its halves.
static uint32_t bank_content(unsigned arch, uint32_t offset) {
    unsigned row = bankrun_period(arch, 4);
    return offset / (row > 4 ? row : 4);
}

// Adds a lane's touch of the bank that holds `offset`.
static void touch(unsigned arch, const uint32_t *offsets, unsigned lane, unsigned word,
                  struct why_phase *phase) {
    uint32_t offset = (offsets[lane] & ~3u) + 4 * word;
    unsigned bank = bankrun_bank(arch, offset);
    bool is_new = true;
    for (uint32_t rest = phase->meeting[bank]; rest != 0 && is_new; rest &= rest - 1) {
        unsigned other = (unsigned)__builtin_ctz(rest);
        is_new =
            bank_content(arch, (offsets[other] & ~3u) + 4 * word) != bank_content(arch, offset);
    }
    phase->words[bank] += is_new;
    if (!is_new && !phase->by_lane)
        return;
    phase->count[bank]++;
    phase->meeting[bank] |= 1u << lane;
}

static void fill_phase(unsigned arch, const struct bankrun_request *request, uint32_t lanes,
                       struct why_phase *phase) {
    unsigned words = request->width > 4 ? request->width / 4 : 1;
    memset(phase, 0, sizeof *phase);
    phase->lanes = lanes;
    phase->lane_count = (unsigned)__builtin_popcount(lanes);
    phase->banks = bankrun_banks(arch);
    phase->by_lane = serves_lanes_apart(request->access);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        for (unsigned word = 0; word < words; word++)
            touch(arch, request->offsets, (unsigned)__builtin_ctz(rest), word, phase);
    for (unsigned bank = phase->banks; bank-- > 0;)
        if (phase->count[bank] >= phase->most) {
            phase->most = phase->count[bank];
            phase->busiest = bank;
        }
    for (unsigned bank = 0; bank < phase->banks; bank++)
        phase->fullest |= (uint32_t)(phase->count[bank] == phase->most) << bank;
}

void why_find_phase(unsigned arch, const struct bankrun_request *request, struct why_phase *phase) {
    uint32_t lanes = bankrun_phase_lanes(arch, request, 0);
    fill_phase(arch, request, lanes, phase);
    for (unsigned n = 1; lanes != 0; n++) {
        struct why_phase other;
        lanes = bankrun_phase_lanes(arch, request, n);
        fill_phase(arch, request, lanes, &other);
        if (lanes != 0 && other.most > phase->most)
            *phase = other;
    }
}

static bool has_stride(uint32_t lanes, const uint32_t *offsets, int64_t *stride) {
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint32_t others = lanes & (lanes - 1);
    if (others == 0)
        return false;
    unsigned second = (unsigned)__builtin_ctz(others);
    int64_t step = (int64_t)offsets[second] - offsets[first];
    if (step % (int64_t)(second - first) != 0)
        return false;
    *stride = step / (int64_t)(second - first);
    for (uint32_t rest = others; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if ((int64_t)offsets[lane] - offsets[first] != *stride * (int64_t)(lane - first))
            return false;
    }
    return true;
}

static bool has_groups(unsigned first, unsigned count, const uint32_t *offsets, unsigned group,
                       struct why_shape *shape) {
    const uint32_t *at = offsets + first;
    shape->kind = WHY_GROUPS;
    shape->group = group;
    shape->inner = (int64_t)at[1] - at[0];
    shape->outer = (int64_t)at[group] - at[0];
    for (unsigned i = 0; i < count; i++)
        if ((int64_t)at[i] - at[0] != shape->inner * (i % group) + shape->outer * (i / group))
            return false;
    return true;
}

struct why_shape why_find_shape(uint32_t lanes, const uint32_t *offsets) {
    struct why_shape shape = {.kind = WHY_STRIDE};
    if (has_stride(lanes, offsets, &shape.inner))
        return shape;
    unsigned first = (unsigned)__builtin_ctz(lanes);
    unsigned count = (unsigned)__builtin_popcount(lanes);
    bool is_run = count == WARP_LANES || lanes >> first == (1u << count) - 1;
    // The smallest groups that fit: two-level shapes of larger ones would have three levels.
    for (unsigned group = 2; is_run && group < count; group *= 2)
        if (has_groups(first, count, offsets, group, &shape))
            return shape;
    return (struct why_shape){.kind = WHY_IRREGULAR};
}
