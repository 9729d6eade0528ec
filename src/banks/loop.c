/* Shared atomics without a native form (floating-point add, 64-bit add, ...): the compiler writes
 * a loop of a load, the operation, and a compare-and-swap. Fitted to the measurements of 9.0 for
 * atom.shared.add.f32 and .add.u64, all of which it meets exactly:
 *
 * Each turn of the loop is a load of the lanes that are left (a load like any other, the pair
 * rule included) and a compare-and-swap of two wavefronts for each phase with a lane left. Of the
 * lanes of a phase that want the same bank only the lowest is let through, the others lose the
 * turn. Halves of a 64-bit warp go one after the other, so that a lane of the second half
 * also loses when the first half has just changed its value: unless it was changed to what it
 * was before (adding 0), which no address tells. That is the lower bound.
 *
 * min and max of 8 bytes leave the loop when there is nothing to change, after the load alone. On a
 * generic address each phase of the swap takes one wavefront more, once; not so for 2 bytes.
 *
 * 2 bytes: the swap is done on the whole word. One load, then every turn is a compare-and-swap of
 * all lanes that are left; one lane of each word gets through. */
#include "model.h"

bool bankrun_is_loop(enum bankrun_access access) {
    return access == BANKRUN_ATOMIC_LOOP || access == BANKRUN_ATOMIC_EARLY_LOOP ||
           access == BANKRUN_GENERIC_LOOP || access == BANKRUN_GENERIC_EARLY_LOOP;
}

static bool may_leave_early(enum bankrun_access access) {
    return access == BANKRUN_ATOMIC_EARLY_LOOP || access == BANKRUN_GENERIC_EARLY_LOOP;
}

static bool is_generic(enum bankrun_access access) {
    return access == BANKRUN_GENERIC_LOOP || access == BANKRUN_GENERIC_EARLY_LOOP;
}

struct turns {
    unsigned wavefronts, turns;
    unsigned first_load;
};

/* One turn: the lanes of `left` that get their swap done. */
static uint32_t winners(const struct bankrun_shape *shape, uint32_t left, const uint32_t *offsets,
                        bool writes_change) {
    uint32_t units = (1u << shape->row_shift) - 1, won = 0;
    for (unsigned n = 0; n < bankrun_shape_phases(shape); n++) {
        uint32_t taken = 0, earlier = won;
        for (uint32_t rest = left & bankrun_shape_lanes(shape, n); rest != 0; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            uint32_t bank = 1u << (offsets[lane] >> shape->unit_shift & units);
            if (taken & bank)
                continue;
            taken |= bank;
            bool has_lost = false;
            for (uint32_t e = writes_change ? earlier : 0; e != 0 && !has_lost; e &= e - 1)
                has_lost = offsets[__builtin_ctz(e)] >> shape->unit_shift ==
                           offsets[lane] >> shape->unit_shift;
            won |= (uint32_t)!has_lost << lane;
        }
    }
    return won;
}

static struct turns run_loop(const struct bankrun_request *request, bool writes_change) {
    struct bankrun_shape swap, load;
    bankrun_modern_shape(request, &swap);
    struct turns total = {0, 0, 0};
    for (uint32_t left = request->mask; left != 0;) {
        struct bankrun_request read = *request;
        struct bankrun_degrees degrees;
        read.access = BANKRUN_LOAD;
        read.mask = left;
        bankrun_modern_shape(&read, &load);
        bankrun_count_units(&load, left, request->offsets, &degrees);
        if (total.turns == 0)
            total.first_load = degrees.sum;
        total.wavefronts += degrees.sum + 2 * bankrun_active_phases(&swap, left);
        total.turns++;
        left &= ~winners(&swap, left, request->offsets, writes_change);
    }
    return total;
}

/* No two active lanes are neighbours at one of the pair rule's distances. */
static bool has_no_pairs(uint32_t mask) {
    return (mask & mask >> 1 & 0x55555555u) == 0 || (mask & mask >> 2 & 0x33333333u) == 0;
}

/* Lowest lane of each word. */
static uint32_t first_of_words(uint32_t left, const uint32_t *offsets) {
    uint32_t first = left;
    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        for (uint32_t later = rest & (rest - 1); later != 0; later &= later - 1)
            if (offsets[lane] / 4 == offsets[__builtin_ctz(later)] / 4)
                first &= ~(1u << __builtin_ctz(later));
    }
    return first;
}

static void half_word_cost(const struct bankrun_request *request, struct bankrun_cost *cost) {
    struct bankrun_shape shape;
    struct bankrun_degrees degrees;
    bankrun_modern_shape(request, &shape);
    bankrun_count_units(&shape, request->mask, request->offsets, &degrees);
    *cost = (struct bankrun_cost){.phases = 1, .ideal = 3, .wavefronts = degrees.sum};
    for (uint32_t left = request->mask; left != 0;) {
        bankrun_count_lanes(&shape, left, request->offsets, &degrees);
        cost->wavefronts += 2 * degrees.sum;
        if (cost->degree++ == 0) /* cas.b16: lanes may all be done at once */
            cost->min = cost->wavefronts;
        left &= ~first_of_words(left, request->offsets);
    }
    cost->max = cost->wavefronts;
}

void bankrun_loop_cost(const struct bankrun_request *request, struct bankrun_cost *cost) {
    if (request->width == 2) {
        half_word_cost(request, cost);
        return;
    }
    struct bankrun_shape swap;
    bankrun_modern_shape(request, &swap);
    struct turns most = run_loop(request, true), least = most;
    cost->phases = bankrun_active_phases(&swap, request->mask);
    if (cost->phases > 1)
        least = run_loop(request, false);
    unsigned loads = cost->phases, asks = is_generic(request->access) ? cost->phases : 0;
    if (request->width > 4 && has_no_pairs(request->mask))
        loads = (cost->phases + 1) / 2;
    cost->wavefronts = cost->max = most.wavefronts + asks;
    cost->min = (least.wavefronts < most.wavefronts ? least.wavefronts : most.wavefronts) + asks;
    cost->degree = most.turns;
    cost->ideal = loads + 2 * cost->phases + asks;
    if (may_leave_early(request->access)) {
        cost->min = most.first_load + asks;
        cost->ideal = loads + asks;
    }
}
