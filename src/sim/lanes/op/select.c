// Selection by a predicate (selp) and by a sign (slct), and instructions that do nothing here.
#include "sim/lanes/op/float.h"

// selp works on bits: 16- and 32-bit values alike.
#define SELP(name, K)                                                                              \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(K)                                                                               \
        LANES_IN(K, pa, 1)                                                                         \
        LANES_IN(K, pb, 2)                                                                         \
        const uint32_t bits = sim_predicate(warp, instr, 3);                                       \
        SIM_LANES                                                                                  \
        {                                                                                          \
            const lane_##K r = bits >> l & 1 ? pa[l] : pb[l];                                      \
            LANES_BLEND(K, r)                                                                      \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

SELP(selp_32, u32)
SELP(selp_64, u64)

LANES_SELECT(selp) {
    return lanes_use(out, ptx_type_bytes(lanes_type(ir, 0)) == 8 ? selp_64 : selp_32);
}

// slct takes a where c >= 0: -0 is, a NaN is not. A 16-bit value keeps its zeros above.
LANES3(slct_32_s32, u32, u32, u32, s32, c >= 0 ? a : b)
LANES3(slct_64_s32, u64, u64, u64, s32, c >= 0 ? a : b)
LANES3(slct_32_f32, u32, u32, u32, f32, c >= 0 ? a : b)
LANES3(slct_64_f32, u64, u64, u64, f32, c >= 0 ? a : b)
LANES3(slct_32_ftz, u32, u32, u32, f32, f32_flush(c) >= 0 ? a : b)
LANES3(slct_64_ftz, u64, u64, u64, f32, f32_flush(c) >= 0 ? a : b)

LANES_SELECT(slct) {
    const bool wide = ptx_type_bytes(lanes_type(ir, 0)) == 8, ftz = PTX_HAS(ir->ptx, ftz);
    if (lanes_type(ir, 1) == PTX_S32)
        return lanes_use(out, ftz ? NULL : wide ? slct_64_s32 : slct_32_s32);
    if (ftz)
        return lanes_use(out, wide ? slct_64_ftz : slct_32_ftz);
    return lanes_use(out, wide ? slct_64_f32 : slct_32_f32);
}

static const struct sim_instr *run_nothing(struct sim_warp *warp, const struct sim_instr *instr) {
    (void)warp;
    return instr + 1;
}

LANES_SELECT(nop) {
    out->run[0] = out->run[1] = run_nothing;
    return true;
}

// Blocks run on several host threads.
static const struct sim_instr *run_fence(struct sim_warp *warp, const struct sim_instr *instr) {
    (void)warp;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return instr + 1;
}

LANES_SELECT(fence) {
    out->run[0] = out->run[1] = run_fence;
    return true;
}
