/* How often the busiest bank is needed: the heart of the model, called for every new lane pattern.
 *
 * A slot is a bank (of one unit's width) in one phase; there are at most 32 slots, so that a lane
 * is one bit of a 32-bit set. Lanes are counted for all slots at once in bit-sliced counters: bit
 * b of plane k is bit k of the counter of slot b. */
#include "model.h"

#include <string.h>

enum { PLANES = 6 }; /* 32 lanes: counters up to 32 */

struct slots {
    uint32_t of[BANKRUN_LANES]; /* one bit; 0 for an inactive lane */
    uint32_t used;              /* all of them */
    bool is_once;               /* no slot is wanted by two lanes */
};

/* Slots that repeat make a sum differ from a union. */
static void place(const struct bankrun_shape *shape, uint32_t mask, const uint32_t *offsets,
                  struct slots *out) {
    const unsigned unit_shift = shape->unit_shift, row_shift = shape->row_shift;
    const unsigned phase_lanes = 1u << shape->phase_shift;
    const uint32_t in_row = (1u << row_shift) - 1;
    uint64_t sum = 0;
    uint32_t used = 0, phase = 0;
    for (unsigned first = 0; first < BANKRUN_LANES;
         first += phase_lanes, phase += 1u << row_shift) {
        for (unsigned lane = first; lane < first + phase_lanes; lane++) {
            uint32_t unit = offsets[lane] >> unit_shift;
            uint32_t slot = (mask >> lane & 1) << ((unit & in_row) | phase);
            out->of[lane] = slot;
            used |= slot;
            sum += slot;
        }
    }
    out->used = used;
    out->is_once = sum == used;
}

/* A full adder for each slot: *sum + a + b, the carry is returned. */
static inline uint32_t add(uint32_t *sum, uint32_t a, uint32_t b) {
    uint32_t half = *sum ^ a;
    uint32_t carry = (*sum & a) | (half & b);
    *sum = half ^ b;
    return carry;
}

static void count_slots(const uint32_t *slot, uint32_t planes[PLANES]) {
    uint32_t carry[BANKRUN_LANES];
    const uint32_t *from = slot;
    memset(planes, 0, PLANES * sizeof *planes);
    unsigned plane = 0;
    for (unsigned left = BANKRUN_LANES; left > 1; left /= 2) {
        for (unsigned i = 0; i < left / 2; i++)
            carry[i] = add(&planes[plane], from[2 * i], from[2 * i + 1]);
        from = carry;
        plane++;
    }
    planes[PLANES - 1] = carry[0];
}

/* The largest counter among the slots of a set. */
static unsigned largest(const uint32_t planes[PLANES], uint32_t slots) {
    unsigned value = 0;
    for (int plane = PLANES - 1; plane >= 0; plane--) {
        uint32_t set = slots & planes[plane];
        if (set != 0) {
            slots = set;
            value |= 1u << plane;
        }
    }
    return value;
}

static void largest_of_phases(const struct bankrun_shape *shape, const uint32_t planes[PLANES],
                              struct bankrun_degrees *out) {
    uint32_t row = shape->row_shift == 5 ? UINT32_MAX : (1u << (1u << shape->row_shift)) - 1;
    memset(out, 0, sizeof *out);
    for (unsigned n = 0; n < bankrun_shape_phases(shape); n++) {
        unsigned degree = largest(planes, row << (n << shape->row_shift));
        out->of[n] = (uint8_t)degree;
        out->sum += degree;
        out->most = degree > out->most ? degree : out->most;
    }
}

/* Numbers that are equal for equal units of one phase, of at most 30 bits. */
static void number_units(const struct bankrun_shape *shape, uint32_t mask, const uint32_t *offsets,
                         int32_t unit[BANKRUN_LANES]) {
    const unsigned unit_shift = shape->unit_shift, phase_shift = shape->phase_shift;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        unit[lane] =
            (int32_t)(offsets[lane] >> unit_shift | lane >> phase_shift << (32 - unit_shift));
    for (uint32_t off = ~mask; off != 0; off &= off - 1)
        unit[__builtin_ctz(off)] = INT32_MAX;
}

/* Units that ascend with the lane, as nearly all real ones do: those that repeat are neighbours.
 * False: they do not ascend, nothing was dropped. */
static bool drop_repeats_of_ascending(const int32_t unit[BANKRUN_LANES], struct slots *slots) {
    uint32_t falls = 0;
    for (unsigned lane = 1; lane < BANKRUN_LANES; lane++)
        falls |= (uint32_t)(unit[lane] < unit[lane - 1]);
    if (falls != 0)
        return false;
    for (unsigned lane = 1; lane < BANKRUN_LANES; lane++)
        slots->of[lane] &= (uint32_t)(unit[lane] == unit[lane - 1]) - 1;
    return true;
}

/* In any order. In each turn every lane writes its number into the cell of its unit's hash; whoever
 * finds another number there wants the same unit and is dropped, or wants another one and goes on
 * to the next turn, with another hash. */
static void drop_repeats(const int32_t unit[BANKRUN_LANES], uint32_t mask, struct slots *slots) {
    uint8_t cell_of[BANKRUN_LANES], cells[256];
    for (uint32_t multiplier = 0x9e3779b1u; mask != 0; multiplier *= 0x85ebca6bu) {
        uint32_t left = 0;
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            cell_of[lane] = (uint8_t)((uint32_t)unit[lane] * multiplier >> 24);
            cells[cell_of[lane]] = (uint8_t)lane;
        }
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest), winner = cells[cell_of[lane]];
            bool is_same = unit[winner] == unit[lane];
            left |= (uint32_t)!is_same << lane;
            slots->of[lane] &= (uint32_t)(is_same && winner != lane) - 1;
        }
        mask = left;
    }
}

static void count(const struct bankrun_shape *shape, const struct slots *slots,
                  struct bankrun_degrees *out) {
    uint32_t planes[PLANES] = {slots->used};
    if (!slots->is_once)
        count_slots(slots->of, planes);
    largest_of_phases(shape, planes, out);
}

void bankrun_count_lanes(const struct bankrun_shape *shape, uint32_t mask, const uint32_t *offsets,
                         struct bankrun_degrees *out) {
    struct slots slots;
    place(shape, mask, offsets, &slots);
    count(shape, &slots, out);
}

void bankrun_count_units(const struct bankrun_shape *shape, uint32_t mask, const uint32_t *offsets,
                         struct bankrun_degrees *out) {
    struct slots slots;
    unsigned degree;
    if (shape->unit_shift == 2 && shape->row_shift == 5 && mask == UINT32_MAX &&
        bankrun_count_words(offsets, 1, &degree)) {
        *out = (struct bankrun_degrees){.of = {(uint8_t)degree}, .sum = degree, .most = degree};
        return;
    }
    place(shape, mask, offsets, &slots);
    if (!slots.is_once) {
        int32_t unit[BANKRUN_LANES];
        number_units(shape, mask, offsets, unit);
        if (!drop_repeats_of_ascending(unit, &slots))
            drop_repeats(unit, mask, &slots);
    }
    count(shape, &slots, out);
}
