// match and redux: lanes compare or combine their values.
#include "sim/lanes/comm/members.h"

// ---- match: `match.any.sync d, a, members`, `match.all.sync d|p, a, members` ---------------

static uint64_t value_of(const void *a, unsigned bytes, unsigned lane) {
    return bytes == 4 ? ((const uint32_t *)a)[lane] : ((const uint64_t *)a)[lane];
}

// The lanes of the group whose value is the lane's.
static uint32_t equal_lanes(const void *a, unsigned bytes, uint32_t group, unsigned lane) {
    const uint64_t value = value_of(a, bytes, lane);
    uint32_t equal = 0;
    EACH_LANE(l, group) {
        equal |= (uint32_t)(value_of(a, bytes, l) == value) << l;
    }
    return equal;
}

LANES_INLINE const struct sim_instr *match(struct sim_warp *warp, const struct sim_instr *instr,
                                           unsigned bytes, bool all) {
    if (!comm_gather(warp, instr, 2))
        return NULL;
    const uint32_t *members = LANES_ALIGNED(const uint32_t, instr->operand[2]);
    const void *a = sim_at(warp, instr->operand[1]);
    uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);
    _Alignas(64) uint32_t result[LANES] = {0};
    uint32_t matched = 0;
    for (struct comm_groups g = {0}; comm_next_group(warp, members, &g);) {
        for (uint32_t rest = g.lanes; rest;) {
            const unsigned first = (unsigned)__builtin_ctz(rest);
            uint32_t equal = equal_lanes(a, bytes, rest, first), share = equal;
            if (all && equal != g.lanes) {
                share = 0;
                equal = rest;
            } else {
                matched |= equal;
            }
            SIM_LANES
                result[l] = equal >> l & 1 ? share : result[l];
            rest &= ~equal;
        }
    }
    SIM_LANES
        d[l] = warp->lanes[l] ? result[l] : d[l];
    if (all && instr->immediate)
        sim_set_predicate(warp, instr->pair, matched);
    return instr + 1;
}

#define COMM(name, call)                                                                           \
    static const struct sim_instr *name(struct sim_warp *warp, const struct sim_instr *instr) {    \
        return call;                                                                               \
    }

COMM(match_any_32, match(warp, instr, 4, false))
COMM(match_any_64, match(warp, instr, 8, false))
COMM(match_all_32, match(warp, instr, 4, true))
COMM(match_all_64, match(warp, instr, 8, true))

LANES_SELECT(match) {
    const bool is_64 = ptx_type_bytes(lanes_type(ir, 0)) == 8;
    out->immediate = ir->operands[0].pair != IR_NONE;
    if (lanes_modifier(ir, PTX_GROUP_op) == PTX_MOD_all)
        out->run[0] = is_64 ? match_all_64 : match_all_32;
    else
        out->run[0] = is_64 ? match_any_64 : match_any_32;
    out->run[1] = out->run[0];
    return true;
}

// ---- redux: `redux.sync.op d, a, members` --------------------------------------------------

// The result is the same whatever the order of the lanes.
#define REDUX(name, first, expression)                                                             \
    static const struct sim_instr *redux_##name(struct sim_warp *warp,                             \
                                                const struct sim_instr *instr) {                   \
        if (!comm_gather(warp, instr, 2))                                                          \
            return NULL;                                                                           \
        const uint32_t *members = LANES_ALIGNED(const uint32_t, instr->operand[2]);                \
        const uint32_t *v = LANES_ALIGNED(const uint32_t, instr->operand[1]);                      \
        uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);                                  \
        _Alignas(64) uint32_t result[LANES] = {0};                                                 \
        for (struct comm_groups g = {0}; comm_next_group(warp, members, &g);) {                    \
            const uint32_t group = g.lanes;                                                        \
            uint32_t a = first(v[__builtin_ctz(group)]);                                           \
            for (uint32_t rest = group & (group - 1); rest; rest &= rest - 1) {                    \
                const uint32_t b = v[__builtin_ctz(rest)];                                         \
                a = (expression);                                                                  \
            }                                                                                      \
            SIM_LANES                                                                              \
                result[l] = group >> l & 1 ? a : result[l];                                        \
        }                                                                                          \
        SIM_LANES                                                                                  \
            d[l] = warp->lanes[l] ? result[l] : d[l];                                              \
        return instr + 1;                                                                          \
    }

#define AS_IT_IS(value) (value)
REDUX(add, AS_IT_IS, a + b)
REDUX(and, AS_IT_IS, a &b)
REDUX(or, AS_IT_IS, a | b)
REDUX(xor, AS_IT_IS, a ^ b)
REDUX(min_u32, AS_IT_IS, a < b ? a : b)
REDUX(max_u32, AS_IT_IS, a > b ? a : b)
REDUX(min_s32, AS_IT_IS, (int32_t)a < (int32_t)b ? a : b)
REDUX(max_s32, AS_IT_IS, (int32_t)a > (int32_t)b ? a : b)

// Floats: +0 is more than -0; a NaN counts only when all are one, or with .NaN.
enum { FLOAT_MAX = 1, FLOAT_ABS = 2, FLOAT_NAN = 4 };

LANES_INLINE uint32_t float_of_two(uint32_t a, uint32_t b, uint32_t form) {
    const uint32_t keep = form & FLOAT_ABS ? 0x7fffffff : UINT32_MAX;
    const uint32_t x = a & keep, y = b & keep;
    const bool x_nan = (x & 0x7fffffff) > 0x7f800000, y_nan = (y & 0x7fffffff) > 0x7f800000;
    if (x_nan || y_nan)
        return form & FLOAT_NAN || (x_nan && y_nan) ? 0x7fffffff : x_nan ? y : x;
    // Ordered as integers when the magnitudes of negative ones are turned around.
    const int32_t i = (int32_t)(x >> 31 ? ~x | 0x80000000 : x);
    const int32_t j = (int32_t)(y >> 31 ? ~y | 0x80000000 : y);
    return (form & FLOAT_MAX ? i > j : i < j) ? x : y;
}

// The first value counts as two equal ones, so that .abs and the canonical NaN apply to it.
#define AS_FLOAT(value) float_of_two(value, value, instr->immediate)
REDUX(floats, AS_FLOAT, float_of_two(a, b, instr->immediate))

LANES_SELECT(redux_float) {
    out->immediate = (lanes_modifier(ir, PTX_GROUP_op) == PTX_MOD_max ? FLOAT_MAX : 0) |
                     (PTX_HAS(ir->ptx, variant2) ? FLOAT_ABS : 0) |
                     (PTX_HAS(ir->ptx, mode) ? FLOAT_NAN : 0);
    out->run[0] = out->run[1] = redux_floats;
    return true;
}

static sim_handler redux_of(enum ptx_modifier op, bool is_signed) {
    switch (op) {
    case PTX_MOD_add:
        return redux_add;
    case PTX_MOD_and:
        return redux_and;
    case PTX_MOD_or:
        return redux_or;
    case PTX_MOD_xor:
        return redux_xor;
    case PTX_MOD_min:
        return is_signed ? redux_min_s32 : redux_min_u32;
    case PTX_MOD_max:
        return is_signed ? redux_max_s32 : redux_max_u32;
    default:
        return NULL;
    }
}

LANES_SELECT(redux) {
    const bool is_signed = lanes_type(ir, 0) == PTX_S32;
    out->run[0] = out->run[1] = redux_of(lanes_modifier(ir, PTX_GROUP_op), is_signed);
    return out->run[0] != NULL;
}
