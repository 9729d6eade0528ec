// Approximate instructions of half precision: ex2 and tanh of f16, bf16 and packed pairs.
#include "sim/lanes/op/half.h"
#include "sim/lanes/op/sfu.h"

static inline uint32_t ex2_f16(uint32_t h) {
    return sfu_cut_f16(sfu_ex2(num_f32_of_f16((uint16_t)h)));
}
// As f16_flush, but lanes are 32 bits wide here: to cut them to 16 and widen them takes time.
static inline uint32_t flush(uint32_t h) {
    return h & 0x7c00 ? h : h & 0x8000;
}
static inline uint32_t ex2_f16_ftz(uint32_t h) {
    return flush(ex2_f16(flush(h)));
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

#define HANDLERS(name)                                                                             \
    ONCE1(name##_scalar, u16, u16, name(a))                                                        \
    ONCE1(name##_packed, u32, u32, HALF_PACK(name(a & 0xffff), name(a >> 16)))

HANDLERS(ex2_f16)
HANDLERS(ex2_f16_ftz)
HANDLERS(ex2_bf16_ftz)
HANDLERS(tanh_f16)
HANDLERS(tanh_bf16)

#define USE(name)                                                                                  \
    lanes_use(out, ir_half_of(lanes_type(ir, 0)) & HALF_PACKED ? name##_packed : name##_scalar)

// bf16 exists with .ftz only.
LANES_SELECT(ex2_half) {
    const bool ftz = PTX_HAS(ir->ptx, ftz);
    if (ir_half_of(lanes_type(ir, 0)) & HALF_BF16)
        return ftz && USE(ex2_bf16_ftz);
    return ftz ? USE(ex2_f16_ftz) : USE(ex2_f16);
}

LANES_SELECT(tanh_half) {
    return ir_half_of(lanes_type(ir, 0)) & HALF_BF16 ? USE(tanh_bf16) : USE(tanh_f16);
}
