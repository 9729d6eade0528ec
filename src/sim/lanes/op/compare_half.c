// setp and set of half-precision numbers. The packed forms compare both halves: setp writes the
// low half's result to its first destination and the high half's to the second, set packs two
// results.
#include "ir/value_half.h"
#include "sim/lanes/op/compare.h"
#include "sim/lanes/op/half.h"
#include "sim/lanes/op/value.h"

struct halves {
    uint32_t low, high; // one bit a lane
};

// ---- Handlers -----------------------------------------------------------------------------

// What is found of high halves goes to the second destination, or above what is found of low ones.
LANES_INLINE void compare_write_packed(struct sim_warp *warp, const struct sim_instr *instr,
                                       struct halves found, const bool full) {
    const uint32_t low = compare_combine(warp, instr, found.low).yes;
    const uint32_t high = compare_combine(warp, instr, found.high).yes;
    lanes_set_predicate(warp, instr->operand[0], low, full);
    lanes_set_predicate(warp, instr->pair, high, full);
}

LANES_INLINE void compare_write_set_packed(struct sim_warp *warp, const struct sim_instr *instr,
                                           struct halves found, const bool full) {
    const uint32_t low = compare_combine(warp, instr, found.low).yes;
    const uint32_t high = compare_combine(warp, instr, found.high).yes;
    LANES_OUT(u32)
    const uint32_t yes = (uint32_t)instr->value, above = yes << 16;
    SIM_LANES {
        LANES_BLEND(u32, ((0u - (low >> l & 1)) & yes) | ((0u - (high >> l & 1)) & above))
    }
}

#define HALF_HANDLERS(name, found, found_both, write)                                              \
    COMPARE_HANDLERS(name, found, write)                                                           \
    LANES_BODY(name##_packed) {                                                                    \
        write##_packed(warp, instr, found_both(warp, instr), full);                                \
    }                                                                                              \
    LANES_PAIR(name##_packed)                                                                      \
    LANES_BODY(name##_set_packed) {                                                                \
        write##_set_packed(warp, instr, found_both(warp, instr), full);                            \
    }                                                                                              \
    LANES_PAIR(name##_set_packed)

// ---- f16: all halves at once --------------------------------------------------------------
//
// To compile that in each place would take long; beside it a call costs little. So are the results
// written by functions that all rows share.

#define F16_WRITE(name, bits_type)                                                                 \
    static __attribute__((noinline)) void f16_##name##_some(                                       \
        struct sim_warp *warp, const struct sim_instr *instr, bits_type bits) {                    \
        compare_##name(warp, instr, bits, false);                                                  \
    }                                                                                              \
    static __attribute__((noinline)) void f16_##name##_all(                                        \
        struct sim_warp *warp, const struct sim_instr *instr, bits_type bits) {                    \
        compare_##name(warp, instr, bits, true);                                                   \
    }                                                                                              \
    LANES_INLINE void f16_##name(struct sim_warp *warp, const struct sim_instr *instr,             \
                                 bits_type bits, const bool full) {                                \
        if (full)                                                                                  \
            f16_##name##_all(warp, instr, bits);                                                   \
        else                                                                                       \
            f16_##name##_some(warp, instr, bits);                                                  \
    }
F16_WRITE(write_both, uint32_t)
F16_WRITE(write_set, uint32_t)
F16_WRITE(write_packed, struct halves)
F16_WRITE(write_set_packed, struct halves)

LANES_INLINE uint32_t low_signs(const int32_t set[LANES]) {
    _Alignas(64) int32_t low[LANES];
    SIM_LANES
        low[l] = (int32_t)((uint32_t)set[l] << 16);
    return lanes_signs(low);
}

#define COMPARE_F16(name, law, K, x, ...)                                                          \
    LANES_INLINE void name##_compare(const struct sim_warp *warp, const struct sim_instr *instr,   \
                                     int32_t set[LANES]) {                                         \
        const load_##K *pa = half_operand(warp, instr, 1), *pb = half_operand(warp, instr, 2);     \
        int16_t *each = (int16_t *)(void *)set;                                                    \
        HALF_EACH({                                                                                \
            const load_##K a = pa[i], b = pb[i];                                                   \
            each[i] = (x) ? LANES_HOLDS >> 16 : 0;                                                 \
        })                                                                                         \
    }                                                                                              \
    LANES_INLINE uint32_t name##_bits(struct sim_warp *warp, const struct sim_instr *instr) {      \
        _Alignas(64) int32_t set[LANES];                                                           \
        name##_compare(warp, instr, set);                                                          \
        return low_signs(set) ^ compare_complement(instr);                                         \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    uint32_t name##_found(struct sim_warp *warp, const struct sim_instr *instr) {                  \
        return name##_bits(warp, instr);                                                           \
    }                                                                                              \
    static __attribute__((noinline)) struct halves name##_found_both(                              \
        struct sim_warp *warp, const struct sim_instr *instr) {                                    \
        _Alignas(64) int32_t set[LANES];                                                           \
        name##_compare(warp, instr, set);                                                          \
        return (struct halves){.low = low_signs(set) ^ compare_complement(instr),                  \
                               .high = lanes_signs(set) ^ compare_complement(instr)};              \
    }                                                                                              \
    HALF_HANDLERS(name, name##_found, name##_found_both, f16_write)

// ---- bf16: as floats ----------------------------------------------------------------------
//
// After the shifts all ones are quicker than LANES_HOLDS.

#define COMPARE_BF16(name, law, K, x, ...)                                                         \
    LANES_INLINE uint32_t name##_half(struct sim_warp *warp, const struct sim_instr *instr,        \
                                      int shift) {                                                 \
        LANES_IN(u32, pa, 1)                                                                       \
        LANES_IN(u32, pb, 2)                                                                       \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES {                                                                                \
            const uint32_t a = pa[l] >> shift, b = pb[l] >> shift;                                 \
            set[l] = (x) ? -1 : 0;                                                                 \
        }                                                                                          \
        return lanes_signs(set) ^ compare_complement(instr);                                       \
    }                                                                                              \
    LANES_INLINE uint32_t name##_bits(struct sim_warp *warp, const struct sim_instr *instr) {      \
        return name##_half(warp, instr, 0);                                                        \
    }                                                                                              \
    LANES_INLINE struct halves name##_of_both(struct sim_warp *warp,                               \
                                              const struct sim_instr *instr) {                     \
        return (struct halves){name##_half(warp, instr, 0), name##_half(warp, instr, 16)};         \
    }                                                                                              \
    HALF_HANDLERS(name, name##_bits, name##_of_both, compare_write)

#include "ir/value/compare_half.def"
