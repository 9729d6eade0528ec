/* The rules of 2.x and 3.x. Speed matters less here than one plain loop for both.
 *
 * 2.x, 32 banks of 4 bytes: a warp is one phase, any number of words may be broadcast; 8 bytes a
 * lane: a phase for each half warp; 16 bytes: quarters, and the guide adds one to the degree.
 * 3.x, in the mode that changes bank every 4 bytes: words i and i + 32 of an aligned row of 64
 * words do not conflict, so that a bank serves one row of 256 bytes at a time and a whole warp
 * may access 8 bytes a lane at once.
 * Source: CUDA C Programming Guide, compute capabilities 2.x and 3.x. How these architectures
 * serve atomics, and 3.x 16-byte accesses (here: quarters), is not documented. */
#include "model.h"

struct rules {
    unsigned row_bytes;         /* bytes that all banks serve in one wavefront at best */
    unsigned lanes_of_width[5]; /* lanes of a phase, by log2 of the width */
};

static const struct rules family_2 = {128, {32, 32, 32, 16, 8}};
static const struct rules family_3 = {256, {32, 32, 32, 32, 8}};

static const struct rules *rules_of(enum bankrun_family family) {
    return family == BANKRUN_FAMILY_2 ? &family_2 : &family_3;
}

static unsigned phase_size(const struct rules *rules, unsigned width) {
    return rules->lanes_of_width[__builtin_ctz(width)];
}

/* Most distinct rows that one bank is asked for, or most lanes. Lanes of a phase start on
 * multiples of their width, so the first bank of each stands for all that it covers. */
static unsigned degree_of(const struct rules *rules, const struct bankrun_request *request,
                          uint32_t lanes, bool count_lanes) {
    uint32_t words = request->width > 4 ? request->width / 4 : 1;
    unsigned most = 0;
    for (uint32_t bank = 0; bank < 32; bank += words) {
        uint32_t rows[BANKRUN_LANES];
        unsigned count = 0;
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            uint32_t offset = request->offsets[__builtin_ctz(rest)];
            if ((offset / 4 % 32 & ~(words - 1)) != bank)
                continue;
            bool is_new = true;
            for (unsigned i = 0; i < count && !count_lanes && is_new; i++)
                is_new = rows[i] != offset / rules->row_bytes;
            if (is_new)
                rows[count++] = offset / rules->row_bytes;
        }
        most = count > most ? count : most;
    }
    return most;
}

static bool is_atomic(const struct bankrun_request *request) {
    return request->access == BANKRUN_ATOMIC || request->access == BANKRUN_ATOMIC_CONSTANT ||
           request->access == BANKRUN_ATOMIC_CAS || request->access == BANKRUN_ATOMIC_LOOP;
}

static void sum_phases(const struct rules *rules, const struct bankrun_request *request,
                       struct bankrun_cost *cost) {
    uint32_t active = bankrun_active_lanes(request);
    unsigned size = phase_size(rules, request->width), units = 0;
    *cost = (struct bankrun_cost){0};
    for (unsigned first = 0; first < BANKRUN_LANES; first += size) {
        uint32_t group = size == 32 ? UINT32_MAX : ((1u << size) - 1) << first;
        if ((active & group) == 0)
            continue;
        unsigned degree = degree_of(rules, request, active & group, is_atomic(request));
        units += degree_of(rules, request, active & group, false);
        cost->phases++;
        cost->wavefronts += degree;
        cost->degree = degree > cost->degree ? degree : cost->degree;
    }
    cost->min = cost->max = cost->wavefronts;
    cost->ideal = cost->phases;
    if (is_atomic(request)) { /* a locked load and a store for every lane of the busiest bank? */
        cost->min = units;
        cost->wavefronts *= 2;
        cost->ideal *= 2;
        cost->max = 2 * (uint32_t)__builtin_popcount(active) * cost->phases;
        cost->min = cost->min < cost->ideal ? cost->ideal : cost->min;
    }
}

static enum bankrun_certainty certainty(const struct bankrun_request *request) {
    switch (request->access) {
    case BANKRUN_LOAD:
    case BANKRUN_STORE:
        return request->width == 16 ? BANKRUN_ASSUMED : BANKRUN_DOCUMENTED;
    default:
        return BANKRUN_UNKNOWN;
    }
}

void bankrun_count_family_2(const struct bankrun_request *request, struct bankrun_cost *cost) {
    sum_phases(&family_2, request, cost);
    cost->certainty = certainty(request);
    if (request->width != 16)
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

void bankrun_count_family_3(const struct bankrun_request *request, struct bankrun_cost *cost) {
    sum_phases(&family_3, request, cost);
    cost->certainty = certainty(request);
}

uint32_t bankrun_legacy_phase(enum bankrun_family family, const struct bankrun_request *request,
                              unsigned n) {
    uint32_t active = bankrun_active_lanes(request);
    if (family == BANKRUN_FAMILY_1)
        return bankrun_family_1_phase(request, n);
    unsigned size = phase_size(rules_of(family), request->width);
    for (unsigned first = 0; first < BANKRUN_LANES; first += size) {
        uint32_t group = size == 32 ? UINT32_MAX : ((1u << size) - 1) << first;
        if ((active & group) != 0 && n-- == 0)
            return active & group;
    }
    return 0;
}
