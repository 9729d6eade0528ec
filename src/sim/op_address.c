// Generic addresses: cvta and isspacep. Shared and local memory have windows (sim/access.h);
// global, const and param addresses are generic addresses as they are.
#include "sim/cluster.h"
#include "sim/lanes.h"

LANES1(copy_address, u64, u64, a)
LANES1(generic_to_cluster, u64, u64, a - SIM_SHARED_WINDOW)
LANES1(local_to_generic, u64, u64, a + SIM_LOCAL_WINDOW)
LANES1(generic_to_local, u64, u64, a - SIM_LOCAL_WINDOW)

static bool is_shared(const struct ir_instruction *ir) {
    const enum ptx_modifier space = lanes_modifier(ir, PTX_GROUP_space);
    return space == PTX_MOD_shared || space == PTX_MOD_shared_cta ||
           space == PTX_MOD_shared_cluster;
}

// A generic address of shared memory holds the rank of its block, so that it means the same to all
// blocks of the cluster.
#define CONVERT_SHARED(name, expression)                                                           \
    LANES_BODY(name) {                                                                             \
        LANES_IN(u64, pa, 1)                                                                       \
        lane_u64 *d = LANES_ALIGNED(lane_u64, instr->operand[0]);                                  \
        const int32_t *on = warp->lanes;                                                           \
        const uint64_t own = sim_cluster_own_tag(warp->block);                                     \
        SIM_LANES                                                                                  \
        {                                                                                          \
            const uint64_t a = pa[l];                                                              \
            const uint64_t converted = (expression);                                               \
            d[l] = full || on[l] ? converted : d[l];                                               \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define IS_OWN(a, own) (((a)-SIM_SHARED_WINDOW) >> SIM_CLUSTER_SHIFT == (own) >> SIM_CLUSTER_SHIFT)
CONVERT_SHARED(shared_to_generic, (a >> SIM_CLUSTER_SHIFT ? a : a + own) + SIM_SHARED_WINDOW)
CONVERT_SHARED(generic_to_shared, a - SIM_SHARED_WINDOW - (IS_OWN(a, own) ? own : 0))

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
    const bool is_cluster = lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_shared_cluster;
    return select_cvta(ir, out, is_cluster ? generic_to_cluster : generic_to_shared,
                       generic_to_local);
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

IS_SPACE(is_space_cluster, IN_SHARED(a))
IS_SPACE(is_space_shared, sim_cluster_is_own(warp->block, a - SIM_SHARED_WINDOW))
IS_SPACE(is_space_local, IN_LOCAL(a))
IS_SPACE(is_space_global, !IN_SHARED(a) && !IN_LOCAL(a))

// Const and param memory have no window here that would tell them from global memory.
LANES_SELECT(isspacep) {
    if (sim_decoder_operand_bytes(decoder, &ir->operands[1]) != 8)
        return false;
    if (is_shared(ir))
        return lanes_use(out, lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_shared_cluster
                                  ? is_space_cluster
                                  : is_space_shared);
    switch (lanes_modifier(ir, PTX_GROUP_space)) {
    case PTX_MOD_local:
        return lanes_use(out, is_space_local);
    case PTX_MOD_global:
        return lanes_use(out, is_space_global);
    default:
        return false;
    }
}
