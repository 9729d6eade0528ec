// cvt from and to halves, and packing two floats into them, rounded to nearest.
#include "sim/lanes/op/cvt.h"
#include "sim/lanes/op/half.h"

static inline uint32_t f16_of(float x) {
    return num_f16_of_f32(x);
}
static inline uint32_t bf16_of(float x) {
    return num_bf16_of_f32(x);
}
static inline uint32_t f16_relu_of(float x) {
    const uint32_t h = num_f16_of_f32(x);
    return h >> 15 ? 0 : h;
}
static inline uint32_t bf16_relu_of(float x) {
    const uint32_t h = num_bf16_of_f32(x);
    return h >> 15 ? 0 : h;
}
static inline float of_f16(uint32_t h) {
    return num_f32_of_f16((uint16_t)h);
}

LANES1(f16_f32, f32, u16, f32_canonical(of_f16(a)))
LANES1(f16_f64, f64, u16, (double)of_f16(a))
LANES1(bf16_f32, u32, u16, a << 16)
LANES1(f32_f16, u16, f32, f16_of(a))
LANES1(f32_bf16, u16, f32, bf16_of(a))

bool SIM_NAME(op_cvt_half)(const struct cvt *cvt, struct sim_instr *out) {
    static const struct {
        enum ptx_type from, to;
        const sim_handler *pair;
    } table[] = {
        {PTX_F16, PTX_F32, f16_f32}, {PTX_F16, PTX_F64, f16_f64},   {PTX_BF16, PTX_F32, bf16_f32},
        {PTX_F32, PTX_F16, f32_f16}, {PTX_F32, PTX_BF16, f32_bf16},
    };
    const struct num_conversion *n = &cvt->number;
    if (cvt->from_lane == 8 || (cvt->to_lane == 8) != (n->to == PTX_F64) || n->to_integer ||
        n->ftz || n->sat)
        return false;
    // bf16 to f32 is exact: no rounding.
    if (n->from != PTX_BF16 && (n->relu || n->satfinite || n->round != NUM_NEAREST))
        return false;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].from == n->from && table[i].to == n->to)
            return lanes_use(out, table[i].pair);
    }
    return false;
}

// ---- Two floats into halves: the first goes to the upper half -------------------------------

LANES2(pack_f16, u32, f32, f32, HALF_PACK(f16_of(b), f16_of(a)))
LANES2(pack_bf16, u32, f32, f32, HALF_PACK(bf16_of(b), bf16_of(a)))
LANES2(pack_f16_relu, u32, f32, f32, HALF_PACK(f16_relu_of(b), f16_relu_of(a)))
LANES2(pack_bf16_relu, u32, f32, f32, HALF_PACK(bf16_relu_of(b), bf16_relu_of(a)))

LANES_BODY(pack_any) {
    LANES_OUT(u32)
    LANES_IN(u32, pa, 1)
    LANES_IN(u32, pb, 2)
    const struct num_conversion *conversion = instr->extra;
    LANES_EACH if (full || on[l]) {
        const uint64_t low = num_convert(conversion, pb[l]);
        d[l] = HALF_PACK(low, num_convert(conversion, pa[l]));
    }
}
LANES_PAIR(pack_any)

LANES_SELECT(cvt_pack_half) {
    const bool nearest = lanes_modifier(ir, PTX_GROUP_round) == PTX_MOD_rn;
    const bool relu = PTX_HAS(ir->ptx, relu), f16 = lanes_type(ir, 0) == PTX_F16X2;
    if (nearest && !PTX_HAS(ir->ptx, mode)) {
        if (relu)
            return lanes_use(out, f16 ? pack_f16_relu : pack_bf16_relu);
        return lanes_use(out, f16 ? pack_f16 : pack_bf16);
    }
    struct num_conversion *kept = sim_decoder_alloc(decoder, sizeof *kept);
    *kept = (struct num_conversion){
        .from = PTX_F32,
        .to = f16 ? PTX_F16 : PTX_BF16,
        .round = nearest ? NUM_NEAREST : NUM_ZERO,
        .relu = relu,
        .satfinite = PTX_HAS(ir->ptx, mode),
        .register_bytes = 2,
    };
    out->extra = kept;
    return lanes_use(out, pack_any);
}
