// Generic addresses: cvta, isspacep and istypep. Shared and local memory have windows
// (sim/access.h); global, const and param addresses are generic addresses as they are.
#include "sim/flow/cluster.h"
#include "sim/lanes/vector.h"
#include "sim/sim_internal.h"

LANES1(copy_address, u64, u64, a)
LANES1(generic_to_cluster, u64, u64, a - SIM_SHARED_WINDOW)
// Of a generic address of 32 bits, the low half of one of 64; the windows begin at zeros.
LANES1(copy_low, u32, u32, a)
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
        return lanes_use(out, copy_low);
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

#define IS_SPACE(name, kind, condition)                                                            \
    LANES_BODY(name) {                                                                             \
        LANES_IN(kind, pa, 1)                                                                      \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES                                                                                  \
        {                                                                                          \
            const uint64_t a = pa[l];                                                              \
            set[l] = (condition) ? -1 : 0;                                                         \
        }                                                                                          \
        lanes_set_predicate(warp, instr->operand[0], lanes_signs(set), full);                      \
    }                                                                                              \
    LANES_PAIR(name)

IS_SPACE(is_space_cluster, u64, IN_SHARED(a))
IS_SPACE(is_space_shared, u64, sim_cluster_is_own(warp->block, a - SIM_SHARED_WINDOW))
IS_SPACE(is_space_local, u64, IN_LOCAL(a))
// An address of 32 bits is below all windows.
IS_SPACE(is_no_space, u32, a >> 32 != 0)
IS_SPACE(is_space_global_32, u32, a >> 32 == 0)

// Const variables and opaque ones lie among the global addresses, and so do the kernel's
// parameters, which are global, too.
static bool is_in_variable(const struct sim_variable *variable, uint64_t address) {
    return address - (uint64_t)(uintptr_t)variable->address < variable->ir->ptx->bytes;
}

static bool const_space_has(const struct sim_worker *worker, uint64_t want, uint64_t a) {
    const struct sim_module *module = worker->kernel->module;
    (void)want;
    for (size_t i = 0; i < module->variables.length; i++)
        if (module->variables.data[i].ir->space == PTX_SPACE_CONST &&
            is_in_variable(&module->variables.data[i], a))
            return true;
    return false;
}

static bool global_space_has(const struct sim_worker *worker, uint64_t want, uint64_t a) {
    return !IN_SHARED(a) && !IN_LOCAL(a) && !const_space_has(worker, want, a);
}

// `want`: the type.
static bool opaque_has(const struct sim_worker *worker, uint64_t want, uint64_t a) {
    const struct sim_module *module = worker->kernel->module;
    for (size_t i = 0; i < module->variables.length; i++)
        if (module->variables.data[i].ir->ptx->type == (enum ptx_type)want &&
            is_in_variable(&module->variables.data[i], a))
            return true;
    return false;
}

static bool param_space_has(const struct sim_worker *worker, uint64_t want, uint64_t a) {
    (void)want;
    const uint64_t begin = (uint64_t)(uintptr_t)worker->launch->parameters;
    return a - begin < worker->kernel->ir->parameter_bytes;
}

#define IS_AMONG(name, has)                                                                        \
    LANES_BODY(name) {                                                                             \
        LANES_IN(u64, pa, 1)                                                                       \
        uint32_t set = 0;                                                                          \
        for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {                                 \
            const unsigned l = (unsigned)__builtin_ctz(rest);                                      \
            set |= (uint32_t)has(warp->block->worker, instr->value, pa[l]) << l;                   \
        }                                                                                          \
        lanes_set_predicate(warp, instr->operand[0], set, full);                                   \
    }                                                                                              \
    LANES_PAIR(name)

IS_AMONG(is_space_global, global_space_has)
IS_AMONG(is_space_const, const_space_has)
IS_AMONG(is_space_param, param_space_has)
IS_AMONG(is_opaque, opaque_has)

static bool use_space_32(const struct ir_instruction *ir, struct sim_instr *out) {
    const bool is_global = lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_global;
    return lanes_use(out, is_global ? is_space_global_32 : is_no_space);
}

LANES_SELECT(isspacep) {
    out->value = 0;
    if (sim_decoder_operand_bytes(decoder, &ir->operands[1]) != 8)
        return use_space_32(ir, out);
    if (is_shared(ir))
        return lanes_use(out, lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_shared_cluster
                                  ? is_space_cluster
                                  : is_space_shared);
    switch (lanes_modifier(ir, PTX_GROUP_space)) {
    case PTX_MOD_local:
        return lanes_use(out, is_space_local);
    case PTX_MOD_global:
        return lanes_use(out, is_space_global);
    case PTX_MOD_const:
        return lanes_use(out, is_space_const);
    default:
        return lanes_use(out, is_space_param);
    }
}

LANES_SELECT(istypep) {
    out->value = lanes_type(ir, 0);
    return sim_decoder_operand_bytes(decoder, &ir->operands[1]) == 8 && lanes_use(out, is_opaque);
}
