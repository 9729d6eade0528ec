// Generic addresses: cvta, and of which space one is: isspacep and istypep. Shared and local memory
// have windows (ir/address.h); global, const and param addresses are generic addresses as they are.
#include "ir/address.h"
#include "sim/flow/cluster.h"
#include "sim/lanes/op/test.h"
#include "sim/sim_internal.h"

#define OWN1(name, law, D, A, x, ...)                                                              \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D)                                                                               \
        LANES_IN(A, pa, 1)                                                                         \
        const uint64_t own = sim_cluster_own_tag(warp->block);                                     \
        SIM_LANES {                                                                                \
            LANES_VALUE(A, a, pa) LANES_BLEND(D, (x))                                              \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#define OWN_TEST1(name, law, K, x, ...)                                                            \
    LANES_TEST1(name, K, const uint64_t own = sim_cluster_own_tag(warp->block);, x)

#include "ir/value/address.def"

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
    LANES_HANDLERS(name)                                                                           \
    static const sim_handler name[2] = {name##_some, name##_all};

IS_AMONG(is_space_global, global_space_has)
IS_AMONG(is_space_const, const_space_has)
IS_AMONG(is_space_param, param_space_has)
IS_AMONG(is_opaque, opaque_has)

LANES_SELECT(isspacep) {
    out->value = 0;
    if (SIM_NAME(op_use_value)(decoder, ir, out))
        return true;
    switch (lanes_modifier(ir, PTX_GROUP_space)) {
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
