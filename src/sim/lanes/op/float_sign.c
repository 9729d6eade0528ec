// Signs and classes of floating-point numbers: abs, neg, copysign, testp.
//
// A NaN loses its payload in single precision; in double precision it keeps payload and sign, and
// becomes quiet, since the hardware computes abs and neg as additions.
#include "sim/lanes/op/float64.h"
#include "sim/lanes/vector.h"

static inline float f32_with_sign(float x, uint32_t flip, uint32_t keep) {
    return f32_canonical(f32_from((f32_bits(x) & keep) ^ flip));
}

static inline double f64_with_sign(double x, uint64_t flip, uint64_t keep) {
    return x == x ? f64_from((f64_bits(x) & keep) ^ flip) : f64_quiet(x);
}

#define SIGN32 0x80000000u
#define SIGN64 0x8000000000000000ull

LANES1(abs_f32, f32, f32, f32_with_sign(a, 0, ~SIGN32))
LANES1(abs_ftz_f32, f32, f32, f32_with_sign(f32_flush(a), 0, ~SIGN32))
LANES1(abs_f64, f64, f64, f64_with_sign(a, 0, ~SIGN64))
LANES1(neg_f32, f32, f32, f32_with_sign(a, SIGN32, UINT32_MAX))
LANES1(neg_ftz_f32, f32, f32, f32_with_sign(f32_flush(a), SIGN32, UINT32_MAX))
LANES1(neg_f64, f64, f64, f64_with_sign(a, SIGN64, UINT64_MAX))

// The sign of a on the value of b.
LANES2(copysign_f32, u32, u32, u32, (a & SIGN32) | (b & ~SIGN32))
LANES2(copysign_f64, u64, u64, u64, (a & SIGN64) | (b & ~SIGN64))

// testp looks at m, the bits without the sign. Zeros are normal numbers.
#define TESTP(name, K, condition)                                                                  \
    LANES_BODY(name) {                                                                             \
        LANES_IN(K, pa, 1)                                                                         \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES                                                                                  \
        {                                                                                          \
            const lane_##K m = pa[l] << 1 >> 1;                                                    \
            set[l] = (condition) ? -1 : 0;                                                         \
        }                                                                                          \
        lanes_set_predicate(warp, instr->operand[0], lanes_signs(set), full);                      \
    }                                                                                              \
    LANES_PAIR(name)

#define INF32 0x7f800000u
#define LEAST32 0x00800000u
#define INF64 0x7ff0000000000000ull
#define LEAST64 0x0010000000000000ull

TESTP(finite_f32, u32, m < INF32)
TESTP(infinite_f32, u32, m == INF32)
TESTP(number_f32, u32, m <= INF32)
TESTP(nan_f32, u32, m > INF32)
TESTP(normal_f32, u32, m < INF32 && m - 1 >= LEAST32 - 1)
TESTP(subnormal_f32, u32, m - 1 < LEAST32 - 1)
TESTP(finite_f64, u64, m < INF64)
TESTP(infinite_f64, u64, m == INF64)
TESTP(number_f64, u64, m <= INF64)
TESTP(nan_f64, u64, m > INF64)
TESTP(normal_f64, u64, m < INF64 && m - 1 >= LEAST64 - 1)
TESTP(subnormal_f64, u64, m - 1 < LEAST64 - 1)

LANES_SELECT(abs_float) {
    if (lanes_type(ir, 0) == PTX_F64)
        return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? NULL : abs_f64);
    return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? abs_ftz_f32 : abs_f32);
}

LANES_SELECT(neg_float) {
    if (lanes_type(ir, 0) == PTX_F64)
        return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? NULL : neg_f64);
    return lanes_use(out, PTX_HAS(ir->ptx, ftz) ? neg_ftz_f32 : neg_f32);
}

LANES_SELECT(copysign) {
    return lanes_use(out, lanes_type(ir, 0) == PTX_F64 ? copysign_f64 : copysign_f32);
}

LANES_SELECT(testp) {
    bool wide = lanes_type(ir, 0) == PTX_F64;
    switch (lanes_modifier(ir, PTX_GROUP_op)) {
    case PTX_MOD_finite:
        return lanes_use(out, wide ? finite_f64 : finite_f32);
    case PTX_MOD_infinite:
        return lanes_use(out, wide ? infinite_f64 : infinite_f32);
    case PTX_MOD_number:
        return lanes_use(out, wide ? number_f64 : number_f32);
    case PTX_MOD_notanumber:
        return lanes_use(out, wide ? nan_f64 : nan_f32);
    case PTX_MOD_normal:
        return lanes_use(out, wide ? normal_f64 : normal_f32);
    case PTX_MOD_subnormal:
        return lanes_use(out, wide ? subnormal_f64 : subnormal_f32);
    default:
        return false;
    }
}
