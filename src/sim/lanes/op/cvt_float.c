// cvt between floating-point types, and packing two floats into halves: rounded to nearest, or to
// an integer.
#include "sim/lanes/op/cvt.h"
#include "sim/lanes/op/float64.h"
#include "sim/lanes/op/half.h"

#include <math.h>

// ---- To an integer in the same type -------------------------------------------------------

#define INTEGERS(name, single, twice)                                                              \
    LANES1(f32_##name, f32, f32, f32_canonical(single(a)))                                         \
    LANES1(f32_##name##_ftz, f32, f32, f32_canonical(single(f32_flush(a))))                        \
    LANES1(f64_##name, f64, f64, a == a ? twice(a) : f64_quiet(a))

INTEGERS(nearest, rintf, rint)
INTEGERS(zero, truncf, trunc)
INTEGERS(down, floorf, floor)
INTEGERS(up, ceilf, ceil)

enum { WAYS = NUM_UP + 1 };
#define ROW(name, suffix)                                                                          \
    {                                                                                              \
        [NUM_NEAREST] = name##_nearest##suffix, [NUM_ZERO] = name##_zero##suffix,                  \
        [NUM_DOWN] = name##_down##suffix, [NUM_UP] = name##_up##suffix,                            \
    }
static const sim_handler *const f32_integer[WAYS] = ROW(f32, );
static const sim_handler *const f32_integer_ftz[WAYS] = ROW(f32, _ftz);
static const sim_handler *const f64_integer[WAYS] = ROW(f64, );

static bool use_integer(const struct num_conversion *n, struct sim_instr *out) {
    if (n->sat)
        return false;
    if (n->from == PTX_F32)
        return lanes_use(out, (n->ftz ? f32_integer_ftz : f32_integer)[n->round]);
    return n->from == PTX_F64 && lanes_use(out, f64_integer[n->round]);
}

// ---- Between types ------------------------------------------------------------------------

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

LANES1(f32_f64, f64, f32, (double)a)
LANES1(f32_f64_ftz, f64, f32, (double)f32_canonical(f32_flush(a)))
LANES1(f64_f64, u64, u64, a)
LANES1(f64_f32, f32, f64, (float)a)
LANES1(f16_f32, f32, u16, f32_canonical(of_f16(a)))
LANES1(f16_f64, f64, u16, (double)of_f16(a))
LANES1(bf16_f32, u32, u16, a << 16)
LANES1(f32_f16, u16, f32, f16_of(a))
LANES1(f32_bf16, u16, f32, bf16_of(a))
LANES1(f32_f32, f32, f32, a)
LANES1(f32_f32_ftz, f32, f32, f32_canonical(f32_flush(a)))
LANES1(f32_f32_sat, f32, f32, f32_saturate(a))
LANES1(f32_f32_ftz_sat, f32, f32, f32_saturate(f32_flush(a)))

static bool use_f32_f32(const struct num_conversion *n, struct sim_instr *out) {
    if (n->ftz)
        return lanes_use(out, n->sat ? f32_f32_ftz_sat : f32_f32_ftz);
    return lanes_use(out, n->sat ? f32_f32_sat : f32_f32);
}

static bool use_plain(const struct num_conversion *n, struct sim_instr *out) {
    static const struct {
        enum ptx_type from, to;
        const sim_handler *pair;
    } table[] = {
        {PTX_F32, PTX_F64, f32_f64},   {PTX_F64, PTX_F32, f64_f32}, {PTX_F16, PTX_F32, f16_f32},
        {PTX_F16, PTX_F64, f16_f64},   {PTX_F64, PTX_F64, f64_f64}, {PTX_F32, PTX_F16, f32_f16},
        {PTX_F32, PTX_BF16, f32_bf16},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].from == n->from && table[i].to == n->to)
            return lanes_use(out, table[i].pair);
    }
    return false;
}

bool SIM_NAME(op_cvt_float_float)(const struct cvt *cvt, struct sim_instr *out) {
    const struct num_conversion *n = &cvt->number;
    if ((cvt->from_lane == 8) != (n->from == PTX_F64) || (cvt->to_lane == 8) != (n->to == PTX_F64))
        return false;
    if (n->to_integer)
        return use_integer(n, out);
    if (n->from == PTX_F32 && n->to == PTX_F32)
        return use_f32_f32(n, out);
    if (n->from == PTX_F32 && n->to == PTX_F64 && n->ftz && !n->sat)
        return lanes_use(out, f32_f64_ftz);
    if (n->from == PTX_BF16 && n->to == PTX_F32 && !n->ftz && !n->sat) // exact: no rounding
        return lanes_use(out, bf16_f32);
    if (n->ftz || n->sat || n->relu || n->satfinite || n->round != NUM_NEAREST)
        return false;
    return use_plain(n, out);
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
