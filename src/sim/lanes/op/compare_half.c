// setp and set of half-precision numbers. The packed forms compare both halves: setp writes the
// low half's result to its first destination and the high half's to the second, set packs two
// results.
#include "ir/value_half.h"
#include "sim/lanes/op/compare.h"
#include "sim/lanes/op/half.h"
#include "sim/lanes/op/value.h"

// ---- f16: all halves at once --------------------------------------------------------------
//
// To compile that in each place would take long; beside it a call costs little.

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
    LANES_INLINE uint32_t name##_of_both(struct sim_warp *warp, const struct sim_instr *instr,     \
                                         uint32_t *high) {                                         \
        _Alignas(64) int32_t set[LANES];                                                           \
        name##_compare(warp, instr, set);                                                          \
        *high = lanes_signs(set) ^ compare_complement(instr);                                      \
        return low_signs(set) ^ compare_complement(instr);                                         \
    }                                                                                              \
    static __attribute__((noinline))                                                               \
    uint32_t name##_found(struct sim_warp *warp, const struct sim_instr *instr) {                  \
        return name##_bits(warp, instr);                                                           \
    }                                                                                              \
    static __attribute__((noinline)) uint32_t name##_found_both(                                   \
        struct sim_warp *warp, const struct sim_instr *instr, uint32_t *high) {                    \
        return name##_of_both(warp, instr, high);                                                  \
    }                                                                                              \
    HALF_HANDLERS(name, name##_found, name##_found_both)

// ---- bf16: as floats ----------------------------------------------------------------------

#define COMPARE_BF16(name, law, K, x, ...)                                                         \
    LANES_INLINE uint32_t name##_half(struct sim_warp *warp, const struct sim_instr *instr,        \
                                      int shift) {                                                 \
        LANES_IN(u32, pa, 1)                                                                       \
        LANES_IN(u32, pb, 2)                                                                       \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES {                                                                                \
            const uint32_t a = pa[l] >> shift, b = pb[l] >> shift;                                 \
            set[l] = (x) ? LANES_HOLDS : 0;                                                        \
        }                                                                                          \
        return lanes_signs(set) ^ compare_complement(instr);                                       \
    }                                                                                              \
    LANES_INLINE uint32_t name##_bits(struct sim_warp *warp, const struct sim_instr *instr) {      \
        return name##_half(warp, instr, 0);                                                        \
    }                                                                                              \
    LANES_INLINE uint32_t name##_of_both(struct sim_warp *warp, const struct sim_instr *instr,     \
                                         uint32_t *high) {                                         \
        *high = name##_half(warp, instr, 16);                                                      \
        return name##_half(warp, instr, 0);                                                        \
    }                                                                                              \
    HALF_HANDLERS(name, name##_bits, name##_of_both)

// ---- Handlers -----------------------------------------------------------------------------

// What is found of high halves goes to the second destination, or above what is found of low ones.
#define HALF_HANDLERS(name, found, found_both)                                                     \
    COMPARE_HANDLERS(name, found)                                                                  \
    LANES_BODY(name##_packed) {                                                                    \
        uint32_t high, low = found_both(warp, instr, &high);                                       \
        low = compare_combine(warp, instr, low).yes;                                               \
        high = compare_combine(warp, instr, high).yes;                                             \
        lanes_set_predicate(warp, instr->operand[0], low, full);                                   \
        lanes_set_predicate(warp, instr->pair, high, full);                                        \
    }                                                                                              \
    LANES_PAIR(name##_packed)                                                                      \
    LANES_BODY(name##_set_packed) {                                                                \
        uint32_t high, low = found_both(warp, instr, &high);                                       \
        low = compare_combine(warp, instr, low).yes;                                               \
        high = compare_combine(warp, instr, high).yes;                                             \
        LANES_OUT(u32)                                                                             \
        const uint32_t yes = (uint32_t)instr->value, above = yes << 16;                            \
        SIM_LANES {                                                                                \
            LANES_BLEND(u32, ((0u - (low >> l & 1)) & yes) | ((0u - (high >> l & 1)) & above))     \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name##_set_packed)

#include "ir/value/compare_half.def"
