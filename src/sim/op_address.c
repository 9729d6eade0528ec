// Generic addresses: cvta and isspacep. Shared and local memory have windows (sim/access.h);
// global, const and param addresses are generic addresses as they are.
#include "sim/access.h"
#include "sim/lanes.h"

LANES1(copy_address, u64, u64, a)
LANES1(shared_to_generic, u64, u64, a + SIM_SHARED_WINDOW)
LANES1(generic_to_shared, u64, u64, a - SIM_SHARED_WINDOW)
LANES1(local_to_generic, u64, u64, a + SIM_LOCAL_WINDOW)
LANES1(generic_to_local, u64, u64, a - SIM_LOCAL_WINDOW)

static bool is_shared(const struct ir_instruction *ir) {
    const enum ptx_modifier space = lanes_modifier(ir, PTX_GROUP_space);
    return space == PTX_MOD_shared || space == PTX_MOD_shared_cta ||
           space == PTX_MOD_shared_cluster;
}

// Without clusters a block's shared::cluster window is its own.
static bool select_cvta(const struct ir_instruction *ir, struct sim_instr *out,
                        const sim_handler *shared, const sim_handler *local) {
    if (lanes_type(ir, 0) != PTX_U64)
        return false;
    if (is_shared(ir))
        return lanes_use(out, shared);
    const bool is_local = lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_local;
    return lanes_use(out, is_local ? local : copy_address);
}

LANES_SELECT(cvta_to) {
    return select_cvta(ir, out, generic_to_shared, generic_to_local);
}

LANES_SELECT(cvta_from) {
    return select_cvta(ir, out, shared_to_generic, local_to_generic);
}

#define IN_SHARED(x) ((x)-SIM_SHARED_WINDOW < SIM_WINDOW_BYTES)
#define IN_LOCAL(x) ((x)-SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES)

#define IS_SPACE(name, condition)                                                                  \
    LANES_BODY(name) {                                                                             \
        LANES_IN(u64, pa, 1)                                                                       \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES                                                                                  \
        {                                                                                          \
            const uint64_t a = pa[l];                                                              \
            set[l] = (condition) ? -1 : 0;                                                         \
        }                                                                                          \
        lanes_set_predicate(warp, instr->operand[0], lanes_signs(set), full);                      \
    }                                                                                              \
    LANES_PAIR(name)

IS_SPACE(is_space_shared, IN_SHARED(a))
IS_SPACE(is_space_local, IN_LOCAL(a))
IS_SPACE(is_space_global, !IN_SHARED(a) && !IN_LOCAL(a))

// Const and param memory have no window here that would tell them from global memory.
LANES_SELECT(isspacep) {
    if (sim_decoder_operand_bytes(decoder, &ir->operands[1]) != 8)
        return false;
    if (is_shared(ir))
        return lanes_use(out, is_space_shared);
    switch (lanes_modifier(ir, PTX_GROUP_space)) {
    case PTX_MOD_local:
        return lanes_use(out, is_space_local);
    case PTX_MOD_global:
        return lanes_use(out, is_space_global);
    default:
        return false;
    }
}
