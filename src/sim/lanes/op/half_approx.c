// Approximate instructions of half precision: ex2 and tanh of f16, bf16 and packed pairs.
#include "sim/lanes/op/half.h"
#include "sim/lanes/op/sfu.h"

static inline uint32_t ex2_f16(uint32_t h) {
    return sfu_cut_f16(sfu_ex2(num_f32_of_f16((uint16_t)h)));
}
static inline uint32_t ex2_f16_ftz(uint32_t h) {
    return f16_flush((uint16_t)ex2_f16(f16_flush((uint16_t)h)));
}
static inline uint32_t ex2_bf16_ftz(uint32_t h) {
    return sfu_cut_bf16(sfu_ex2(num_f32_of_bf16((uint16_t)h)));
}
static inline uint32_t tanh_f16(uint32_t h) {
    return sfu_cut_f16(sfu_tanh(num_f32_of_f16((uint16_t)h)));
}
static inline uint32_t tanh_bf16(uint32_t h) {
    return sfu_cut_bf16(sfu_tanh(num_f32_of_bf16((uint16_t)h)));
}

// One handler for some lanes and for all; they take long enough.
#define LOOP(name, ...)                                                                            \
    static const struct sim_instr *name##_run(struct sim_warp *warp,                               \
                                              const struct sim_instr *instr) {                     \
        LANES_OUT(u32)                                                                             \
        LANES_IN(u32, pa, 1)                                                                       \
        _Alignas(64) uint32_t r[LANES];                                                            \
        SIM_LANES {                                                                                \
            const uint32_t a = pa[l];                                                              \
            r[l] = __VA_ARGS__;                                                                    \
        }                                                                                          \
        SIM_LANES                                                                                  \
            d[l] = on[l] ? r[l] : d[l];                                                            \
        return instr + 1;                                                                          \
    }                                                                                              \
    static const sim_handler name##_pair[2] = {name##_run, name##_run};
#define HANDLER(name)                                                                              \
    LOOP(name, name(a))                                                                            \
    LOOP(name##_x2, HALF_PACK(name(a & 0xffff), name(a >> 16)))

HANDLER(ex2_f16)
HANDLER(ex2_f16_ftz)
HANDLER(ex2_bf16_ftz)
HANDLER(tanh_f16)
HANDLER(tanh_bf16)

#define USE(name)                                                                                  \
    lanes_use(out, half_type_form(lanes_type(ir, 0)) & HALF_PACKED ? name##_x2_pair : name##_pair)

// bf16 exists with .ftz only.
LANES_SELECT(ex2_half) {
    const bool ftz = PTX_HAS(ir->ptx, ftz);
    if (half_type_form(lanes_type(ir, 0)) & HALF_BF16)
        return ftz && USE(ex2_bf16_ftz);
    return ftz ? USE(ex2_f16_ftz) : USE(ex2_f16);
}

LANES_SELECT(tanh_half) {
    return half_type_form(lanes_type(ir, 0)) & HALF_BF16 ? USE(tanh_bf16) : USE(tanh_f16);
}
