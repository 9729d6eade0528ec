/* The rules of 2.x and 3.x.
 *
 * 2.x, 32 banks of 4 bytes: a warp is one phase, any number of words may be broadcast; 8 bytes a
 * lane: a phase for each half warp; 16 bytes: quarters, and the guide adds one to the degree.
 * 3.x, 32 banks of 8 bytes: a bank serves one row of 256 bytes at a time, and a whole warp may
 * access 8 bytes a lane at once. In the mode that devices start in, banks change every 4 bytes,
 * and words i and i + 32 of a row are of one bank; in the other one they change every 8 bytes.
 * Source: CUDA C Programming Guide, compute capabilities 2.x and 3.x. How these architectures
 * serve atomics, and 3.x 16-byte accesses (here: quarters), is not documented. */
#include "model.h"

struct rules {
    struct bankrun_shape shape;
    bool is_folded; /* the two halves of a row of 256 bytes are one */
};

static struct rules rules_of(unsigned arch, unsigned width) {
    unsigned wide = width == 16 ? 2 : width == 8 ? 1 : 0;
    struct rules rules = {{2 + wide, 5 - wide, 5 - wide}, false};
    if (bankrun_family_of(arch) == BANKRUN_FAMILY_2)
        return rules;
    if (wide < 2)
        rules.shape.phase_shift = 5;
    rules.is_folded = !(arch & BANKRUN_EIGHT_BYTE_BANKS);
    if (!rules.is_folded) {
        rules.shape.unit_shift = wide < 2 ? 3 : 4;
        rules.shape.row_shift = wide < 2 ? 5 : 4;
    }
    return rules;
}

static bool is_atomic(const struct bankrun_request *request) {
    return request->access == BANKRUN_ATOMIC || request->access == BANKRUN_ATOMIC_CONSTANT ||
           request->access == BANKRUN_ATOMIC_CAS || bankrun_is_loop(request->access);
}

/* Phase by phase: the slots of several may be more than a set holds. */
static void sum_phases(const struct rules *rules, const struct bankrun_request *request,
                       struct bankrun_cost *cost) {
    uint32_t active = bankrun_active_lanes(request), folded[BANKRUN_LANES];
    const uint32_t *offsets = request->offsets;
    if (rules->is_folded) {
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            folded[lane] = (offsets[lane] >> 1 & ~127u) | (offsets[lane] & 127u);
        offsets = folded;
    }
    struct bankrun_shape whole = rules->shape;
    whole.phase_shift = 5;
    *cost = (struct bankrun_cost){0};
    for (unsigned n = 0; n < bankrun_shape_phases(&rules->shape); n++) {
        uint32_t lanes = active & bankrun_shape_lanes(&rules->shape, n);
        struct bankrun_degrees degrees;
        if (lanes == 0)
            continue;
        bankrun_count_units(&whole, lanes, offsets, &degrees);
        cost->min += degrees.sum;
        if (is_atomic(request))
            bankrun_count_lanes(&whole, lanes, offsets, &degrees);
        cost->phases++;
        cost->wavefronts += degrees.sum;
        cost->degree = degrees.sum > cost->degree ? degrees.sum : cost->degree;
    }
    cost->max = cost->wavefronts;
    cost->ideal = cost->phases;
    if (is_atomic(request)) { /* a locked load and a store for every lane of the busiest bank? */
        cost->wavefronts *= 2;
        cost->ideal *= 2;
        cost->max = 2 * (uint32_t)__builtin_popcount(active) * cost->phases;
        cost->min = cost->min < cost->ideal ? cost->ideal : cost->min;
    }
}

static enum bankrun_certainty certainty(const struct bankrun_request *request) {
    switch (request->access) {
    case BANKRUN_LOAD:
    case BANKRUN_GENERIC_LOAD:
    case BANKRUN_STORE:
        return request->width == 16 ? BANKRUN_ASSUMED : BANKRUN_DOCUMENTED;
    default:
        return BANKRUN_UNKNOWN;
    }
}

void bankrun_count_legacy(unsigned arch, const struct bankrun_request *request,
                          struct bankrun_cost *cost) {
    struct rules rules = rules_of(arch, request->width);
    sum_phases(&rules, request, cost);
    cost->certainty = certainty(request);
    if (request->width != 16 || bankrun_family_of(arch) != BANKRUN_FAMILY_2)
        return;
    /* The guide: one more than the most words that one bank has in a quarter. Read as the degree
     * of each half warp, this is the other bound. */
    uint32_t active = bankrun_active_lanes(request), halves = 0;
    halves += (active & 0xffffu) != 0;
    halves += active >> 16 != 0;
    uint32_t by_guide = halves * (cost->degree + 1);
    cost->min = by_guide < cost->min ? by_guide : cost->min;
    cost->max = by_guide > cost->max ? by_guide : cost->max;
}

uint32_t bankrun_legacy_phase(unsigned arch, const struct bankrun_request *request, unsigned n) {
    struct rules rules = rules_of(arch, request->width);
    uint32_t active = bankrun_active_lanes(request);
    for (unsigned phase = 0; phase < bankrun_shape_phases(&rules.shape); phase++) {
        uint32_t served = active & bankrun_shape_lanes(&rules.shape, phase);
        if (served != 0 && n-- == 0)
            return served;
    }
    return 0;
}
