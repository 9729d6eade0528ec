// Makes lane code: one line gives the pair of handlers of one instruction.
//
//   LANES2(add_u32, u32, u32, u32, a + b)
//
// defines `add_u32`, a pair { some lanes, all lanes } for lanes_use(). The names after it are the
// kinds of the destination and of the sources (ir/value_kinds.h); the expression sees
// the sources as a, b, c, e, the lane number as l, and instr->immediate as imm. Lanes that are off
// are computed too and then blended away, so an expression must be safe for any operand.
//
// ONCE1..ONCE3 are the same for expressions so long that one handler, which blends, serves for both
// of a pair.
//
// EACH1..EACH3 are the same for expressions that no vector instruction does (128-bit products,
// library calls): a plain loop over the lanes that are on.
#ifndef BANKRUN_SIM_LANES_LANES_H
#define BANKRUN_SIM_LANES_LANES_H

#include "ir/value_kinds.h"
#include "sim/exec.h"

#define LANES_INLINE static inline __attribute__((always_inline))

#define LANES_ALIGNED(type, ref) ((type *)__builtin_assume_aligned(sim_at(warp, ref), 64))
#define LANES_IN(K, p, n) const lane_##K *p = LANES_ALIGNED(const lane_##K, instr->operand[n]);
#define LANES_OUT(K)                                                                               \
    lane_##K *d = LANES_ALIGNED(lane_##K, instr->operand[0]);                                      \
    const int32_t *on = warp->lanes;                                                               \
    const uint32_t imm = instr->immediate;                                                         \
    (void)on, (void)imm;
#define LANES_VALUE(K, v, p) const value_##K v = (value_##K)(load_##K)p[l];
#define LANES_BLEND(K, result)                                                                     \
    {                                                                                              \
        const lane_##K r_ = (lane_##K)(store_##K)(result);                                         \
        d[l] = full || on[l] ? r_ : d[l];                                                          \
    }

// Two handlers from `void name_body(warp, instr, full)`, which the compiler specialises.
#define LANES_BODY(name)                                                                           \
    LANES_INLINE void name##_body(struct sim_warp *warp, const struct sim_instr *instr,            \
                                  const bool full)
#define LANES_HANDLERS(name)                                                                       \
    static const struct sim_instr *name##_some(struct sim_warp *warp,                              \
                                               const struct sim_instr *instr) {                    \
        name##_body(warp, instr, false);                                                           \
        return instr + 1;                                                                          \
    }                                                                                              \
    static const struct sim_instr *name##_all(struct sim_warp *warp,                               \
                                              const struct sim_instr *instr) {                     \
        name##_body(warp, instr, true);                                                            \
        return instr + 1;                                                                          \
    }
#define LANES_PAIR(name)                                                                           \
    LANES_HANDLERS(name)                                                                           \
    static const sim_handler name[2] = {name##_some, name##_all};

#define LANES1(name, D, A, ...)                                                                    \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D) LANES_IN(A, pa, 1) SIM_LANES {                                                \
            LANES_VALUE(A, a, pa) LANES_BLEND(D, (__VA_ARGS__))                                    \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define LANES2(name, D, A, B, ...)                                                                 \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D) LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) SIM_LANES {                             \
            LANES_VALUE(A, a, pa) LANES_VALUE(B, b, pb) LANES_BLEND(D, (__VA_ARGS__))              \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define LANES3(name, D, A, B, C, ...)                                                              \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D) LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) LANES_IN(C, pc, 3) SIM_LANES {          \
            LANES_VALUE(A, a, pa)                                                                  \
            LANES_VALUE(B, b, pb) LANES_VALUE(C, c, pc) LANES_BLEND(D, (__VA_ARGS__))              \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define LANES4(name, D, A, B, C, E, ...)                                                           \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D)                                                                               \
        LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) LANES_IN(C, pc, 3) LANES_IN(E, pe, 4) SIM_LANES {    \
            LANES_VALUE(A, a, pa)                                                                  \
            LANES_VALUE(B, b, pb)                                                                  \
            LANES_VALUE(C, c, pc) LANES_VALUE(E, e, pe) LANES_BLEND(D, (__VA_ARGS__))              \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define LANES_ONCE(name, D, inputs, values, ...)                                                   \
    static const struct sim_instr *name##_run(struct sim_warp *warp,                               \
                                              const struct sim_instr *instr) {                     \
        LANES_OUT(D) inputs _Alignas(64) lane_##D r[LANES];                                        \
        SIM_LANES {                                                                                \
            values r[l] = (lane_##D)(store_##D)(__VA_ARGS__);                                      \
        }                                                                                          \
        SIM_LANES                                                                                  \
            d[l] = on[l] ? r[l] : d[l];                                                            \
        return instr + 1;                                                                          \
    }                                                                                              \
    LANES_SINGLE(name)

#define LANES_SINGLE(name) static const sim_handler name[2] = {name##_run, name##_run};

#define ONCE1(name, D, A, ...)                                                                     \
    LANES_ONCE(name, D, LANES_IN(A, pa, 1), LANES_VALUE(A, a, pa), __VA_ARGS__)

#define ONCE2(name, D, A, B, ...)                                                                  \
    LANES_ONCE(name, D, LANES_IN(A, pa, 1) LANES_IN(B, pb, 2),                                     \
               LANES_VALUE(A, a, pa) LANES_VALUE(B, b, pb), __VA_ARGS__)

#define ONCE3(name, D, A, B, C, ...)                                                               \
    LANES_ONCE(name, D, LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) LANES_IN(C, pc, 3),                  \
               LANES_VALUE(A, a, pa) LANES_VALUE(B, b, pb) LANES_VALUE(C, c, pc), __VA_ARGS__)

#define LANES_EACH for (unsigned l = 0; l < LANES; l++)

#define EACH1(name, D, A, ...)                                                                     \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D) LANES_IN(A, pa, 1) LANES_EACH if (full || on[l]) {                            \
            LANES_VALUE(A, a, pa) d[l] = (lane_##D)(store_##D)(__VA_ARGS__);                       \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define EACH2(name, D, A, B, ...)                                                                  \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D) LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) LANES_EACH if (full || on[l]) {         \
            LANES_VALUE(A, a, pa) LANES_VALUE(B, b, pb) d[l] = (lane_##D)(store_##D)(__VA_ARGS__); \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define EACH3(name, D, A, B, C, ...)                                                               \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D)                                                                               \
        LANES_IN(A, pa, 1) LANES_IN(B, pb, 2) LANES_IN(C, pc, 3) LANES_EACH if (full || on[l]) {   \
            LANES_VALUE(A, a, pa)                                                                  \
            LANES_VALUE(B, b, pb) LANES_VALUE(C, c, pc) d[l] = (lane_##D)(store_##D)(__VA_ARGS__); \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

// Declares and begins a select function.
#define LANES_SELECT(name)                                                                         \
    bool SIM_NAME(sim_select_##name)(struct sim_decoder *, const struct ir_instruction *,          \
                                     struct sim_instr *);                                          \
    bool SIM_NAME(sim_select_##name)(struct sim_decoder * decoder __attribute__((unused)),         \
                                     const struct ir_instruction *ir __attribute__((unused)),      \
                                     struct sim_instr *out)

// Makes a pair an instruction's handlers; false when there is no pair.
static inline bool lanes_use(struct sim_instr *out, const sim_handler *pair) {
    if (!pair)
        return false;
    out->run[0] = pair[0];
    out->run[1] = pair[1];
    return true;
}

static inline enum ptx_type lanes_type(const struct ir_instruction *ir, unsigned n) {
    return n < ir->ptx->type_count ? (enum ptx_type)ir->ptx->types[n] : PTX_NO_TYPE;
}

static inline enum ptx_modifier lanes_modifier(const struct ir_instruction *ir,
                                               enum ptx_group group) {
    return ptx_modifier_of(ir->ptx, group);
}

// Writes a predicate of the lanes that are on.
LANES_INLINE void lanes_set_predicate(struct sim_warp *warp, sim_ref ref, uint32_t bits,
                                      const bool full) {
    uint32_t *p = sim_at(warp, ref);
    *p = full ? bits : (*p & ~warp->mask) | (bits & warp->mask);
}

#endif
