// Instructions that do nothing here, and fences.
#include "sim/emit.h"
#include "sim/lanes/lanes.h"
#include "sim/order.h"

static const struct sim_instr *run_nothing(struct sim_warp *warp, const struct sim_instr *instr) {
    (void)warp;
    return instr + 1;
}

LANES_SELECT(nop) {
    out->run[0] = out->run[1] = run_nothing;
    return true;
}

// ---- Fences: in instr->immediate, order, scope and proxy for observers ---------------------

enum { SCOPE_SHIFT = 8, PROXY_SHIFT = 16, FIELD = 255 };

// Blocks run on several host threads.
static const struct sim_instr *run_fence(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint32_t what = instr->immediate;
    if (warp->is_heard)
        sim_emit_lanes(warp, instr, warp->mask,
                       (struct event_sync){.kind = EVENT_FENCE,
                                           .order = what & FIELD,
                                           .scope = what >> SCOPE_SHIFT & FIELD,
                                           .proxy = what >> PROXY_SHIFT});
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return instr + 1;
}

static enum event_proxy proxy_of(const struct ptx_instruction *ptx) {
    switch (ptx_modifier_of(ptx, PTX_GROUP_variant)) {
    case PTX_MOD_alias:
        return EVENT_ALIAS_PROXY;
    case PTX_MOD_async:
    case PTX_MOD_async_generic:
        return EVENT_ASYNC_PROXY;
    case PTX_MOD_tensormap_generic:
        return EVENT_TENSORMAP_PROXY;
    default:
        return EVENT_NO_PROXY;
    }
}

LANES_SELECT(fence) {
    (void)decoder;
    const bool is_membar = ir->ptx->isa == PTX_ISA_membar_any;
    out->immediate = sim_order_of(ir->ptx, is_membar ? EVENT_SC : EVENT_ACQ_REL) |
                     (uint32_t)sim_scope_of(ir->ptx, EVENT_CTA) << SCOPE_SHIFT |
                     (uint32_t)proxy_of(ir->ptx) << PROXY_SHIFT;
    out->run[0] = out->run[1] = run_fence;
    return true;
}

// ---- Groups of asynchronous operations ------------------------------------------------------

// What they hold is done at once, which the ISA allows: they are for observers alone. In
// instr->immediate, kind, completion and whether sources only are waited for; in instr->value how
// many groups may be left.
enum { COMPLETION_SHIFT = 8, READS_ONLY = 1 << 16 };

static const struct sim_instr *run_group(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint32_t what = instr->immediate;
    if (warp->is_heard)
        sim_emit_lanes(warp, instr, warp->mask,
                       (struct event_sync){.kind = what & FIELD,
                                           .completion = what >> COMPLETION_SHIFT & FIELD,
                                           .count = (uint32_t)instr->value,
                                           .reads_only = what & READS_ONLY});
    return instr + 1;
}

static enum event_completion completion_of(const struct ptx_instruction *ptx) {
    switch (ptx->isa) {
    case PTX_ISA_wgmma_group:
    case PTX_ISA_wgmma_wait:
        return EVENT_BY_WGMMA_GROUP;
    case PTX_ISA_cp_bulk_commit:
    case PTX_ISA_cp_bulk_wait:
        return EVENT_BY_BULK_GROUP;
    default:
        return EVENT_BY_GROUP;
    }
}

LANES_SELECT(async_group) {
    (void)decoder;
    const enum ptx_modifier op = lanes_modifier(ir, PTX_GROUP_op);
    const enum event_kind kind = op == PTX_MOD_commit_group ? EVENT_ASYNC_COMMIT
                                 : op == PTX_MOD_fence      ? EVENT_ASYNC_FENCE
                                                            : EVENT_ASYNC_WAIT;
    const bool reads_only = lanes_modifier(ir, PTX_GROUP_nc) == PTX_MOD_read;
    out->value = op == PTX_MOD_wait_group ? ir->operands[0].value
                 : op == PTX_MOD_wait_all ? EVENT_NONE
                                          : 0;
    out->immediate =
        kind | (uint32_t)completion_of(ir->ptx) << COMPLETION_SHIFT | (reads_only ? READS_ONLY : 0);
    out->run[0] = out->run[1] = run_group;
    return true;
}

// ---- Grids that depend on each other: they run one after the other, so that nothing waits ----

LANES_SELECT(grid_dependency) {
    (void)decoder;
    const bool launches = lanes_modifier(ir, PTX_GROUP_op) == PTX_MOD_launch_dependents;
    out->immediate = launches ? EVENT_GRID_RELEASE : EVENT_GRID_WAIT;
    out->value = 0;
    out->run[0] = out->run[1] = run_group;
    return true;
}
