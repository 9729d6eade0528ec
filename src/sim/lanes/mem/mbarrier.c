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

// The lanes' barriers.
struct barriers {
    _Alignas(64) uint64_t address[LANES]; // on the host
    const struct sim_block *owner[LANES];
};

// What an operation is for observers. EVENT_KINDS: nothing but an access.
static enum event_kind kind_of(enum operation operation) {
    static const enum event_kind kinds[] = {
        [INIT] = EVENT_MBARRIER_INIT,        [INVALIDATE] = EVENT_MBARRIER_INVALIDATE,
        [EXPECT] = EVENT_MBARRIER_EXPECT_TX, [COMPLETE] = EVENT_MBARRIER_COMPLETE_TX,
        [ARRIVE] = EVENT_MBARRIER_ARRIVE,    [ARRIVE_EXPECT] = EVENT_MBARRIER_ARRIVE,
        [DROP] = EVENT_MBARRIER_ARRIVE,      [DROP_EXPECT] = EVENT_MBARRIER_ARRIVE,
        [COPIED] = EVENT_MBARRIER_COPIES,    [COPIED_NO_INCREMENT] = EVENT_MBARRIER_COPIES,
        [WAIT] = EVENT_MBARRIER_WAIT,        [WAIT_PARITY] = EVENT_MBARRIER_WAIT,
    };
    return kinds[operation];
}

static uint32_t offset_of(const struct barriers *b, unsigned lane) {
    return (uint32_t)(b->address[lane] - (uint64_t)(uintptr_t)b->owner[lane]->shared);
}

static void tell(const struct mem_request *r, const struct barriers *b, unsigned lane,
                 struct event_sync event) {
    event.owner = b->owner[lane]->linear;
    event.offset = offset_of(b, lane);
    event.order = r->instr->access->order;
    event.scope = r->instr->access->scope;
    sim_emit_lanes(r->warp, r->instr, 1u << lane, event);
}

static void tell_trouble(const struct mem_request *r, const struct barriers *b, unsigned lane,
                         enum event_trouble_kind kind, uint32_t count) {
    sim_emit_trouble(r->warp, r->instr->number, 1u << lane,
                     (struct event_trouble){.kind = kind,
                                            .owner = b->owner[lane]->linear,
                                            .offset = offset_of(b, lane),
                                            .count = count});
}

static void tell_access(const struct mem_request *r, const struct barriers *b, unsigned lane) {
    if (!sim_is_heard(r))
        return;
    uint32_t offsets[LANES] = {0};
    offsets[lane] = offset_of(b, lane);
    sim_emit_shared(r, 1u << lane, offsets, EVENT_ANY_PATTERN, b->owner[lane]);
}

// `s`: before, `over`: the operation ended its phase.
static void tell_operation(const struct mem_request *r, const struct barriers *b, unsigned lane,
                           uint32_t count, const struct sim_mbarrier *s, bool over) {
    const enum operation operation = (enum operation)r->instr->access->op;
    const bool expects = operation == ARRIVE_EXPECT || operation == DROP_EXPECT;
    tell_access(r, b, lane);
    if (expects)
        tell(r, b, lane,
             (struct event_sync){
                 .kind = EVENT_MBARRIER_EXPECT_TX, .count = count, .phase = s->phase});
    tell(r, b, lane,
         (struct event_sync){.kind = kind_of(operation),
                             .count = operation == COPIED || operation == INVALIDATE ? 0
                                      : expects                                      ? 1
                                                                                     : count,
                             .phase = s->phase,
                             .ends_phase = over,
                             .drops = operation == DROP || operation == DROP_EXPECT});
}

// Finds them. Only forms that name shared::cluster reach other blocks.
static bool find(const struct mem_request *request, struct barriers *b) {
    struct sim_warp *warp = request->warp;
    const struct sim_instr *instr = request->instr;
    const struct sim_access *access = instr->access;
    uint64_t *address = b->address;
    mem_raw(warp, access->has_base, access->base_is_32, access->base, access->offset, address);
    EACH_LANE(l, warp->mask) {
        if (access->space != PTX_SPACE_GENERIC) {
            address[l] = access->base_is_32 ? (uint32_t)address[l] : address[l];
        } else if (ir_is_in_shared_window(address[l]) || access->is_by_window) {
            address[l] -= IR_SHARED_WINDOW;
        } else {
            sim_raise(warp, instr, SIM_FAULT_INVALID_SPACE, l, address[l],
                      "an mbarrier at 0x%llx: the address is not in shared memory",
                      (unsigned long long)address[l]);
            return false;
        }
    }
    EACH_LANE(l, warp->mask) {
        struct sim_block *target;
        const uint8_t *at = sim_mem_cluster(request, address[l], l, &target);
        if (!at)
            return false;
        if (target != warp->block && !(instr->immediate & MAY_BE_REMOTE)) {
            sim_raise(warp, instr, SIM_FAULT_INVALID_SPACE, l, address[l],
                      "this form takes the block's own mbarriers, not that of another block");
            return false;
        }
        address[l] = (uint64_t)(uintptr_t)at;
        b->owner[l] = target;
    }
    return true;
}

// The lanes take their turns in lane order.
static const struct sim_instr *change(struct sim_warp *warp, const struct sim_instr *instr) {
    struct barriers barriers;
    const enum operation operation = (enum operation)instr->access->op;
    const unsigned n = instr->immediate & OPERAND_MASK;
    struct mem_request request = mem_request(warp, instr, 8, EVENT_ATOMIC);
    request.site = IR_NONE;
    if (!warp->mask)
        return instr + 1;
    if (!find(&request, &barriers))
        return NULL;
    const bool has_result = operation >= ARRIVE && operation <= DROP_EXPECT;
    uint64_t *d = has_result ? sim_at(warp, instr->operand[0]) : NULL;
    EACH_LANE(l, warp->mask) {
        uint64_t *word = (uint64_t *)(uintptr_t)barriers.address[l];
        struct sim_mbarrier s = sim_mbarrier_unpack(*word);
        const uint32_t count = n ? count_of(warp, instr, n, l) : 1;
        const uint64_t before = *word;
        // Where one begins its life there is none yet, but whatever the memory held.
        const struct sim_mbarrier then = operation == INIT ? (struct sim_mbarrier){0} : s;
        if (!operate(warp, instr, l, &s, count)) {
            tell_trouble(&request, &barriers, l, EVENT_MBARRIER_EXCESS, count);
            return NULL;
        }
        *word = sim_mbarrier_pack(s);
        if (warp->is_heard || sim_is_heard(&request))
            tell_operation(&request, &barriers, l, count, &then,
                           operation > INVALIDATE && s.phase != then.phase);
        if (d)
            d[l] = before;
    }
    return instr + 1;
}

// A phase is over when the barrier is in another one.
static const struct sim_instr *test(struct sim_warp *warp, const struct sim_instr *instr) {
    struct barriers barriers;
    uint32_t over = 0;
    struct mem_request request = mem_request(warp, instr, 8, EVENT_READ);
    request.site = IR_NONE;
    if (!warp->mask)
        return instr + 1;
    if (!find(&request, &barriers))
        return NULL;
    EACH_LANE(l, warp->mask) {
        const uint32_t phase =
            sim_mbarrier_unpack(*(const uint64_t *)(uintptr_t)barriers.address[l]).phase;
        const void *wanted = sim_at(warp, instr->operand[2]);
        const bool is_over =
            instr->access->op == WAIT_PARITY
                ? ((phase ^ count_of(warp, instr, 2, l)) & 1) != 0
                : phase != sim_mbarrier_unpack(((const uint64_t *)wanted)[l]).phase;
        over |= (uint32_t)is_over << l;
        tell_access(&request, &barriers, l);
        if (is_over)
            tell(&request, &barriers, l,
                 (struct event_sync){.kind = EVENT_MBARRIER_WAIT, .phase = phase});
        else if (request.warp->block->worker->hears_trouble)
            tell_trouble(&request, &barriers, l, EVENT_MBARRIER_TEST, 0);
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
