// cvt from single and double precision to integers of 32 and 64 bits. Values out of range become
// the nearest limit. NaN becomes zero, or the top bit alone when one of the types has 64 bits.
#include "sim/lanes/op/cvt.h"
#include "sim/lanes/op/float.h"

#include <math.h>

// Limits are the first floats out of range; conversions see only numbers in range.
#define TO_S32(x, nan)                                                                             \
    ((x) >= 0x1p31 ? INT32_MAX : (x) >= -0x1p31 ? (int32_t)(x) : (x) == (x) ? INT32_MIN : (nan))
#define TO_U32(x, nan)                                                                             \
    ((x) >= 0x1p32 ? UINT32_MAX : (x) > 0 ? (uint32_t)(x) : (x) == (x) ? 0 : (nan))
#define TO_S64(x) ((x) >= 0x1p63 ? INT64_MAX : (x) >= -0x1p63 ? (int64_t)(x) : INT64_MIN)
#define TO_U64(x)                                                                                  \
    ((x) >= 0x1p64 ? UINT64_MAX : (x) > 0 ? (uint64_t)(x) : (x) == (x) ? 0 : 1ull << 63)

#define FROM(A, round, name)                                                                       \
    LANES_INLINE value_##A integer_##A##_##name(value_##A x) {                                     \
        return round(x);                                                                           \
    }                                                                                              \
    LANES1(A##_s32_##name, s32, A, TO_S32(integer_##A##_##name(a), NAN_S32_##A))                   \
    LANES1(A##_u32_##name, u32, A, TO_U32(integer_##A##_##name(a), NAN_U32_##A))                   \
    LANES1(A##_s64_##name, s64, A, TO_S64(integer_##A##_##name(a)))                                \
    LANES1(A##_u64_##name, u64, A, TO_U64(integer_##A##_##name(a)))

#define NAN_S32_f32 0
#define NAN_U32_f32 0u
#define NAN_S32_f64 INT32_MIN
#define NAN_U32_f64 0x80000000u

FROM(f32, rintf, nearest)
FROM(f32, truncf, zero)
FROM(f32, floorf, down)
FROM(f32, ceilf, up)
FROM(f64, rint, nearest)
FROM(f64, trunc, zero)
FROM(f64, floor, down)
FROM(f64, ceil, up)

// Flushing makes a difference to rounding up and down alone: a subnormal is no integer.
#define FTZ(round, name)                                                                           \
    LANES1(f32_s32_##name##_ftz, s32, f32, TO_S32(round(f32_flush(a)), 0))                         \
    LANES1(f32_u32_##name##_ftz, u32, f32, TO_U32(round(f32_flush(a)), 0u))                        \
    LANES1(f32_s64_##name##_ftz, s64, f32, TO_S64(round(f32_flush(a))))                            \
    LANES1(f32_u64_##name##_ftz, u64, f32, TO_U64(round(f32_flush(a))))

FTZ(floorf, down)
FTZ(ceilf, up)

enum { WAYS = NUM_UP + 1 };
#define ROW(A, to)                                                                                 \
    {                                                                                              \
        [NUM_NEAREST] = A##_##to##_nearest, [NUM_ZERO] = A##_##to##_zero,                          \
        [NUM_DOWN] = A##_##to##_down, [NUM_UP] = A##_##to##_up,                                    \
    }
#define ROW_FTZ(to)                                                                                \
    {                                                                                              \
        [NUM_NEAREST] = f32_##to##_nearest, [NUM_ZERO] = f32_##to##_zero,                          \
        [NUM_DOWN] = f32_##to##_down_ftz, [NUM_UP] = f32_##to##_up_ftz,                            \
    }

static const sim_handler *const from_f32[PTX_TYPE_COUNT][WAYS] = {[PTX_S32] = ROW(f32, s32),
                                                                  [PTX_U32] = ROW(f32, u32),
                                                                  [PTX_S64] = ROW(f32, s64),
                                                                  [PTX_U64] = ROW(f32, u64)};
static const sim_handler *const from_f32_ftz[PTX_TYPE_COUNT][WAYS] = {[PTX_S32] = ROW_FTZ(s32),
                                                                      [PTX_U32] = ROW_FTZ(u32),
                                                                      [PTX_S64] = ROW_FTZ(s64),
                                                                      [PTX_U64] = ROW_FTZ(u64)};
static const sim_handler *const from_f64[PTX_TYPE_COUNT][WAYS] = {[PTX_S32] = ROW(f64, s32),
                                                                  [PTX_U32] = ROW(f64, u32),
                                                                  [PTX_S64] = ROW(f64, s64),
                                                                  [PTX_U64] = ROW(f64, u64)};

bool SIM_NAME(op_cvt_float_int)(const struct cvt *cvt, struct sim_instr *out) {
    const struct num_conversion *n = &cvt->number;
    if (n->register_bytes != ptx_type_bytes(n->to) ||
        (cvt->from_lane == 8) != (ptx_type_bytes(n->from) == 8))
        return false;
    if (n->from == PTX_F32)
        return lanes_use(out, (n->ftz ? from_f32_ftz : from_f32)[n->to][n->round]);
    return n->from == PTX_F64 && lanes_use(out, from_f64[n->to][n->round]);
}
