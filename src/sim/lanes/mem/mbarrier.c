// mbarrier: barriers in shared memory that count arrivals and bytes of asynchronous copies.
#include "sim/lanes/mem/mbarrier.h"
#include "sim/lanes/mem/access.h"

static uint32_t count_of(const struct sim_warp *warp, const struct sim_instr *instr, unsigned n,
                         unsigned lane) {
    return LANES_ALIGNED(const uint32_t, instr->operand[n])[lane];
}

// In access->op: the operation. In instr->immediate: the number of the operand that counts (0:
// none), and whether the barrier may be another block's.
enum operation {
    INIT,
    INVALIDATE,
    EXPECT,
    COMPLETE,
    ARRIVE,
    ARRIVE_EXPECT,
    DROP,
    DROP_EXPECT,
    COPIED, // cp.async: copies are done at once, so that nothing is pending
    COPIED_NO_INCREMENT,
    WAIT,
    WAIT_PARITY,
};
enum { OPERAND_MASK = 15, MAY_BE_REMOTE = 16 };

static bool arrive(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                   struct sim_mbarrier *s, uint32_t count, bool drops) {
    if (count > s->pending || (drops && count > s->expected)) {
        sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, lane, 0,
                  "%u arrivals at an mbarrier whose phase waits for %u", count, s->pending);
        return false;
    }
    s->pending -= count;
    s->expected -= drops ? count : 0;
    sim_mbarrier_finish_phase(s);
    return true;
}

static bool operate(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                    struct sim_mbarrier *s, uint32_t count) {
    const enum operation operation = (enum operation)instr->access->op;
    switch (operation) {
    case INIT:
        *s = (struct sim_mbarrier){.pending = count & SIM_MBARRIER_COUNT_MASK,
                                   .expected = count & SIM_MBARRIER_COUNT_MASK};
        return true;
    case INVALIDATE:
        *s = (struct sim_mbarrier){0};
        return true;
    case EXPECT:
        s->bytes += (int32_t)count;
        return true;
    case COMPLETE:
        s->bytes -= (int32_t)count;
        sim_mbarrier_finish_phase(s);
        return true;
    case ARRIVE_EXPECT:
    case DROP_EXPECT:
        s->bytes += (int32_t)count;
        return arrive(warp, instr, lane, s, 1, operation == DROP_EXPECT);
    case ARRIVE:
    case DROP:
        return arrive(warp, instr, lane, s, count, operation == DROP);
    case COPIED_NO_INCREMENT:
        return arrive(warp, instr, lane, s, 1, false);
    default:
        return true;
    }
}

// The lanes' barriers in host memory. Only forms that name shared::cluster reach other blocks.
static bool find(struct sim_warp *warp, const struct sim_instr *instr, uint64_t *address) {
    const struct sim_access *access = instr->access;
    struct mem_request request = mem_request(warp, instr, 8, EVENT_ATOMIC);
    request.site = IR_NONE;
    mem_raw(warp, access->has_base, access->base_is_32, access->base, access->offset, address);
    EACH_LANE(l, warp->mask) {
        if (access->space == PTX_SPACE_GENERIC)
            address[l] -= IR_SHARED_WINDOW;
        else if (access->base_is_32)
            address[l] = (uint32_t)address[l];
    }
    EACH_LANE(l, warp->mask) {
        struct sim_block *target;
        const uint8_t *at = sim_mem_cluster(&request, address[l], l, &target);
        if (!at)
            return false;
        if (target != warp->block && !(instr->immediate & MAY_BE_REMOTE)) {
            sim_raise(warp, instr, SIM_FAULT_INVALID_SPACE, l, address[l],
                      "this form takes the block's own mbarriers, not that of another block");
            return false;
        }
        address[l] = (uint64_t)(uintptr_t)at;
    }
    return true;
}

// The lanes take their turns in lane order.
static const struct sim_instr *change(struct sim_warp *warp, const struct sim_instr *instr) {
    _Alignas(64) uint64_t address[LANES];
    const enum operation operation = (enum operation)instr->access->op;
    const unsigned n = instr->immediate & OPERAND_MASK;
    if (!warp->mask)
        return instr + 1;
    if (!find(warp, instr, address))
        return NULL;
    const bool has_result = operation >= ARRIVE && operation <= DROP_EXPECT;
    uint64_t *d = has_result ? sim_at(warp, instr->operand[0]) : NULL;
    EACH_LANE(l, warp->mask) {
        uint64_t *word = (uint64_t *)(uintptr_t)address[l];
        struct sim_mbarrier s = sim_mbarrier_unpack(*word);
        const uint32_t count = n ? count_of(warp, instr, n, l) : 1;
        const uint64_t before = *word;
        if (!operate(warp, instr, l, &s, count))
            return NULL;
        *word = sim_mbarrier_pack(s);
        if (d)
            d[l] = before;
    }
    return instr + 1;
}

// A phase is over when the barrier is in another one.
static const struct sim_instr *test(struct sim_warp *warp, const struct sim_instr *instr) {
    _Alignas(64) uint64_t address[LANES];
    uint32_t over = 0;
    if (!warp->mask)
        return instr + 1;
    if (!find(warp, instr, address))
        return NULL;
    EACH_LANE(l, warp->mask) {
        const uint32_t phase = sim_mbarrier_unpack(*(const uint64_t *)(uintptr_t)address[l]).phase;
        const void *wanted = sim_at(warp, instr->operand[2]);
        const bool is_over =
            instr->access->op == WAIT_PARITY
                ? ((phase ^ count_of(warp, instr, 2, l)) & 1) != 0
                : phase != sim_mbarrier_unpack(((const uint64_t *)wanted)[l]).phase;
        over |= (uint32_t)is_over << l;
    }
    sim_set_predicate(warp, instr->operand[0], over);
    return instr + 1;
}

// ---- Choosing -----------------------------------------------------------------------------

static bool select_barrier(const struct ir_instruction *ir, struct sim_instr *out,
                           enum operation operation, unsigned operand, sim_handler run) {
    if (out->access->space != PTX_SPACE_SHARED && out->access->space != PTX_SPACE_GENERIC)
        return false;
    mem_own_access(out)->op = operation;
    out->immediate = operand < ir->operand_count ? operand : 0;
    if (lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_shared_cluster)
        out->immediate |= MAY_BE_REMOTE;
    out->run[0] = out->run[1] = run;
    return true;
}

LANES_SELECT(mbarrier) {
    const bool expects = lanes_modifier(ir, PTX_GROUP_mode) == PTX_MOD_expect_tx;
    switch (lanes_modifier(ir, PTX_GROUP_op)) {
    case PTX_MOD_init:
        return select_barrier(ir, out, INIT, 1, change);
    case PTX_MOD_inval:
        return select_barrier(ir, out, INVALIDATE, 0, change);
    case PTX_MOD_expect_tx:
        return select_barrier(ir, out, EXPECT, 1, change);
    case PTX_MOD_complete_tx:
        return select_barrier(ir, out, COMPLETE, 1, change);
    case PTX_MOD_arrive:
    case PTX_MOD_arrive_drop: {
        const bool drops = lanes_modifier(ir, PTX_GROUP_op) == PTX_MOD_arrive_drop;
        const enum operation plain = drops ? DROP : ARRIVE;
        const enum operation with_bytes = drops ? DROP_EXPECT : ARRIVE_EXPECT;
        return (!expects || ir->operand_count == 3) &&
               select_barrier(ir, out, expects ? with_bytes : plain, 2, change);
    }
    default:
        return false;
    }
}

LANES_SELECT(mbarrier_wait) {
    if (PTX_HAS(ir->ptx, mode))
        return select_barrier(ir, out, WAIT_PARITY, 2, test);
    return select_barrier(ir, out, WAIT, 0, test);
}

LANES_SELECT(mbarrier_copied) {
    const bool no_increment = lanes_modifier(ir, PTX_GROUP_variant2) == PTX_MOD_noinc;
    return select_barrier(ir, out, no_increment ? COPIED_NO_INCREMENT : COPIED, 0, change);
}

// Of a state that arrive gave: how many arrivals its phase was still waiting for.
static const struct sim_instr *pending_count(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint64_t *state = LANES_ALIGNED(const uint64_t, instr->operand[1]);
    uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);
    for (unsigned l = 0; l < LANES; l++)
        d[l] = warp->lanes[l] ? sim_mbarrier_unpack(state[l]).pending : d[l];
    return instr + 1;
}

LANES_SELECT(mbarrier_pending) {
    out->run[0] = out->run[1] = pending_count;
    return true;
}

// ---- createpolicy: how the cache should treat lines, which nobody here reads ----------------

static const struct sim_instr *no_policy(struct sim_warp *warp, const struct sim_instr *instr) {
    uint64_t *d = LANES_ALIGNED(uint64_t, instr->operand[0]);
    SIM_LANES
        d[l] = warp->lanes[l] ? 0 : d[l];
    return instr + 1;
}

LANES_SELECT(createpolicy) {
    out->run[0] = out->run[1] = no_policy;
    return true;
}
