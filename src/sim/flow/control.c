// Control flow: branches, returns, the end of a thread.
#include "sim/flow/control.h"
#include "sim/flow/block.h"

// How long a split may run before the scheduler looks at it in a loop that may be waiting for other
// threads: it polls memory.
enum { SPIN_SLICE = 256 };

static const struct sim_instr *pause_split(struct sim_warp *warp, const struct sim_instr *at,
                                           bool polls) {
    sim_save(warp, at);
    warp->stop = polls ? SIM_STOP_SPIN : SIM_STOP_BUDGET;
    return NULL;
}

// Backward branches carry in `immediate` whether their loop polls memory.
static const struct sim_instr *jump(struct sim_warp *warp, const struct sim_instr *instr,
                                    const struct sim_instr *target) {
    struct sim_warp_flow *flow = warp->flow;
    sim_account(warp, instr->ordinal + 1);
    flow->run_start = target->ordinal;
    if (target <= instr && flow->spin >= (instr->immediate ? SPIN_SLICE : flow->slice))
        return pause_split(warp, target, instr->immediate);
    return target;
}

static const struct sim_instr *target_of(const struct sim_instr *instr) {
    return instr + (int32_t)instr->target;
}

static const struct sim_instr *reconvergence_of(const struct sim_instr *instr) {
    return instr->reconverge == IR_NONE ? NULL : instr + (int32_t)instr->reconverge;
}

static const struct sim_instr *run_bra(struct sim_warp *warp, const struct sim_instr *instr) {
    return jump(warp, instr, target_of(instr));
}

static const struct sim_instr *run_bra_if(struct sim_warp *warp, const struct sim_instr *instr) {
    uint32_t taken = sim_predicate(warp, instr, 0) & warp->mask;
    if (!taken)
        return instr + 1;
    const struct sim_instr *target = target_of(instr);
    if (taken == warp->mask || target == instr + 1) // to the next one in one way or the other
        return jump(warp, instr, target);
    struct sim_warp_flow *flow = warp->flow;
    sim_account(warp, instr->ordinal + 1);
    const struct sim_instr *next =
        sim_diverge(warp, target, taken, instr + 1, reconvergence_of(instr));
    if (target <= instr && flow->spin >= (instr->immediate ? SPIN_SLICE : flow->slice))
        return pause_split(warp, next, instr->immediate);
    return next;
}

FLOW_SELECT(bra) {
    sim_handler handler = ir->guard == IR_NONE ? run_bra : run_bra_if;
    out->run[0] = out->run[1] = handler;
    return true;
}

// Peels the targets off one by one: the lanes of the first active lane's target go there.
static const struct sim_instr *run_brx(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint32_t *index = sim_at(warp, instr->operand[0]);
    const struct sim_jump_table *table = instr->extra;
    unsigned first = (unsigned)__builtin_ctz(warp->mask);
    if (index[first] >= table->count)
        return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, first, 0,
                         "brx.idx with index %u into a table of %u targets", index[first],
                         table->count);
    uint32_t taken = 0;
    for (int l = 0; l < LANES; l++)
        if ((warp->mask >> l & 1) && index[l] < table->count &&
            table->target[index[l]] == table->target[index[first]])
            taken |= 1u << l;
    const struct sim_instr *target = instr + table->target[index[first]];
    if (taken == warp->mask)
        return jump(warp, instr, target);
    // The others execute this branch again.
    sim_account(warp, instr->ordinal + 1);
    return sim_diverge(warp, target, taken, instr, reconvergence_of(instr));
}

FLOW_SELECT(brx) {
    out->run[0] = out->run[1] = run_brx;
    return true;
}

static const struct sim_instr *run_exit(struct sim_warp *warp, const struct sim_instr *instr) {
    sim_account(warp, instr->ordinal + 1);
    warp->flow->run_start = instr->ordinal + 1;
    return sim_end_lanes(warp, instr);
}

FLOW_SELECT(exit) {
    out->run[0] = out->run[1] = run_exit;
    return true;
}

static const struct sim_instr *run_ret(struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_warp_flow *flow = warp->flow;
    if (!flow->splits[flow->current].frame->caller)
        return run_exit(warp, instr);
    return sim_return(warp, instr);
}

FLOW_SELECT(ret) {
    out->run[0] = out->run[1] = run_ret;
    return true;
}

static const struct sim_instr *run_trap(struct sim_warp *warp, const struct sim_instr *instr) {
    sim_raise(warp, instr, SIM_FAULT_TRAP, (unsigned)__builtin_ctz(warp->mask), 0,
              "the kernel executed a trap");
    sim_raise_too(warp, warp->mask);
    return NULL;
}

FLOW_SELECT(trap) {
    out->run[0] = out->run[1] = run_trap;
    return true;
}

// Placed by the decoder at the start of blocks where paths join before branches reconverge.
const struct sim_instr *sim_run_join(struct sim_warp *warp, const struct sim_instr *instr) {
    return warp->flow->split_count > 1 ? sim_join(warp, instr) : instr + 1;
}

// Placed by the decoder at the start of blocks where branches reconverge.
const struct sim_instr *sim_run_reconverge(struct sim_warp *warp, const struct sim_instr *instr) {
    return sim_reconverge(warp, instr, instr + 1);
}
