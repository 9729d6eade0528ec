// Which space a generic address is in: isspacep and istypep. Shared and local memory have windows
// (ir/address.h); global, const and param addresses are generic addresses as they are.
#include "ir/address.h"
#include "sim/flow/cluster.h"
#include "sim/lanes/vector.h"
#include "sim/sim_internal.h"

static bool is_shared(const struct ir_instruction *ir) {
    const enum ptx_modifier space = lanes_modifier(ir, PTX_GROUP_space);
    return space == PTX_MOD_shared || space == PTX_MOD_shared_cta ||
           space == PTX_MOD_shared_cluster;
}

#define IS_SPACE(name, kind, condition)                                                            \
    LANES_BODY(name) {                                                                             \
        LANES_IN(kind, pa, 1)                                                                      \
        _Alignas(64) int32_t set[LANES];                                                           \
        SIM_LANES {                                                                                \
            const uint64_t a = pa[l];                                                              \
            set[l] = (condition) ? -1 : 0;                                                         \
        }                                                                                          \
        lanes_set_predicate(warp, instr->operand[0], lanes_signs(set), full);                      \
    }                                                                                              \
    LANES_PAIR(name)

IS_SPACE(is_space_cluster, u64, ir_is_in_shared_window(a))
IS_SPACE(is_space_shared, u64, sim_cluster_is_own(warp->block, a - IR_SHARED_WINDOW))
IS_SPACE(is_space_local, u64, ir_is_in_local_window(a))
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
    return !ir_is_in_shared_window(a) && !ir_is_in_local_window(a) &&
           !const_space_has(worker, want, a);
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
    return lanes_use(out, is_opaque);
}
