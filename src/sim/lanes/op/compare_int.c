// setp and set of integers.
#include "sim/lanes/op/compare.h"

COMPARE(eq_16, u16, a == b)
COMPARE(eq_32, u32, a == b)
COMPARE(eq_64, u64, a == b)
COMPARE(lt_u16, u16, a < b)
COMPARE(lt_s16, s16, a < b)
COMPARE(lt_u32, u32, a < b)
COMPARE(lt_s32, s32, a < b)
COMPARE(lt_u64, u64, a < b)
COMPARE(lt_s64, s64, a < b)

static const struct compare *find_equal(enum ptx_type type) {
    switch (ptx_type_bytes(type)) {
    case 2:
        return &eq_16;
    case 4:
        return &eq_32;
    default:
        return &eq_64;
    }
}

static const struct compare *find_less(enum ptx_type type) {
    static const struct compare *const table[PTX_TYPE_COUNT] = {
        [PTX_U16] = &lt_u16, [PTX_S16] = &lt_s16, [PTX_U32] = &lt_u32,
        [PTX_S32] = &lt_s32, [PTX_U64] = &lt_u64, [PTX_S64] = &lt_s64,
    };
    return table[type]; // NULL for bits, which have no order
}

static const struct compare *find(const struct ir_instruction *ir, struct sim_instr *out,
                                  enum ptx_type type) {
    bool complement = false, swap = false, equal = false;
    switch (lanes_modifier(ir, PTX_GROUP_cmp)) {
    case PTX_MOD_ne:
        complement = true;
        equal = true;
        break;
    case PTX_MOD_eq:
        equal = true;
        break;
    case PTX_MOD_lt:
    case PTX_MOD_lo:
        break;
    case PTX_MOD_ge:
    case PTX_MOD_hs:
        complement = true;
        break;
    case PTX_MOD_gt:
    case PTX_MOD_hi:
        swap = true;
        break;
    case PTX_MOD_le:
    case PTX_MOD_ls:
        complement = true;
        swap = true;
        break;
    default:
        return NULL;
    }
    if (!compare_prepare(ir, out, complement, swap))
        return NULL;
    return equal ? find_equal(type) : find_less(type);
}

LANES_SELECT(setp_int) {
    return compare_setp(ir, out, find(ir, out, lanes_type(ir, 0)));
}

LANES_SELECT(set_int) {
    return compare_set(ir, out, find(ir, out, lanes_type(ir, 1)));
}
