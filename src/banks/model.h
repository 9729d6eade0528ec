/* Inside the bank model: shared names of its files. Nothing here is public. */
#ifndef BANKRUN_BANKS_MODEL_H
#define BANKRUN_BANKS_MODEL_H

#include "bankrun/banks.h"

enum { BANKRUN_PHASES = 4 }; /* no access is served in more groups of lanes */

/* How a request's lanes meet the banks. A unit is what one lane covers: a word, or two or four
 * words for wide accesses. An aligned unit fills neighbouring banks wholly, so that units collide
 * exactly when their words do, and a row of all banks holds 1 << row_shift units. Phases times
 * units of a row never exceed 32, which is why one 32-bit set holds the slots of all phases. */
struct bankrun_shape {
    unsigned unit_shift;  /* log2 of the bytes of a unit */
    unsigned row_shift;   /* log2 of the units of a row */
    unsigned phase_shift; /* log2 of the lanes of a phase */
};

static inline unsigned bankrun_shape_phases(const struct bankrun_shape *shape) {
    return 32u >> shape->phase_shift;
}

/* Lanes of phase n, active or not. */
static inline uint32_t bankrun_shape_lanes(const struct bankrun_shape *shape, unsigned n) {
    uint32_t group = shape->phase_shift == 5 ? 0xffffffffu : (1u << (1u << shape->phase_shift)) - 1;
    return group << (n << shape->phase_shift);
}

/* degree.c: for each phase, the most distinct units in one bank, and the most lanes. */
struct bankrun_degrees {
    uint8_t of[BANKRUN_PHASES]; /* 0 for a phase without an active lane */
    unsigned sum, most;
};
void bankrun_count_units(const struct bankrun_shape *shape, uint32_t mask, const uint32_t *offsets,
                         struct bankrun_degrees *out);
void bankrun_count_lanes(const struct bankrun_shape *shape, uint32_t mask, const uint32_t *offsets,
                         struct bankrun_degrees *out);

/* words_x86.c: the degree of a whole warp's accesses of at most 32 bits. False: an
 * offset is no multiple of the width, or this machine has no fast way to count them. */
bool bankrun_count_words(const uint32_t *offsets, unsigned width, unsigned *degree);

/* once.c: whether the active lanes, of at most 32 bits, all go to different banks. False where
 * they do not, where an offset is no multiple of the width, and where this machine has no fast way
 * to tell. */
bool bankrun_is_once(const uint32_t *offsets, unsigned width, uint32_t mask);

/* phases.c: the grouping of lanes on 5.0 and later, and lanes that a request really has. */
uint32_t bankrun_active_lanes(const struct bankrun_request *request);
void bankrun_modern_shape(const struct bankrun_request *request, struct bankrun_shape *shape);
bool bankrun_pair_rule(uint32_t mask, const uint32_t *offsets);
unsigned bankrun_active_phases(const struct bankrun_shape *shape, uint32_t mask);

/* loop.c: atomics that are compare-and-swap loops. */
bool bankrun_is_loop(enum bankrun_access access);
void bankrun_loop_cost(const struct bankrun_request *request, struct bankrun_cost *cost);

/* arch.c: families of architectures that share their rules. */
enum bankrun_family {
    BANKRUN_FAMILY_NONE,
    BANKRUN_FAMILY_1,      /* 1.x: half warps, 16 banks */
    BANKRUN_FAMILY_2,      /* 2.x: first with 32 banks */
    BANKRUN_FAMILY_3,      /* 3.x: banks of 8 bytes */
    BANKRUN_FAMILY_MODERN, /* 5.0 and later */
};
enum bankrun_family bankrun_family_of(unsigned arch);

/* legacy_1.c, legacy.c: the rules of 1.x, and of 2.x and 3.x. The request is valid. */
void bankrun_count_family_1(const struct bankrun_request *request, struct bankrun_cost *cost);
uint32_t bankrun_family_1_phase(const struct bankrun_request *request, unsigned n);
void bankrun_count_legacy(unsigned arch, const struct bankrun_request *request,
                          struct bankrun_cost *cost);
uint32_t bankrun_legacy_phase(unsigned arch, const struct bankrun_request *request, unsigned n);

#endif
