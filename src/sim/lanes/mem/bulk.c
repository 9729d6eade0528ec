// cp.async.bulk and cp.reduce.async.bulk: copies of many bytes between global memory and the shared
// memory of the cluster's blocks.
#include "sim/tensor/bulk.h"
#include "sim/lanes/mem/access.h"
#include "sim/lanes/mem/mbarrier.h"
#include "sim/number/reduce.h"

enum { UNIT = 16 }; // sizes and addresses are multiples of it

// In instr->immediate.
enum {
    SIZE_IS_64 = 1,
    FROM_SHARED = 2, // the source is the block's shared memory
    TO_GLOBAL = 4,
    MULTICAST = 8, // operand 4 says to which blocks
    REDUCES = 16,  // access->op is the operation, access->flags the type
};

static struct mem_request request_of(struct sim_warp *warp, const struct sim_instr *instr,
                                     enum event_intent intent) {
    return mem_request(warp, instr, UNIT, intent);
}

static bool check_size(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                       uint64_t bytes) {
    if (bytes % UNIT == 0)
        return true;
    sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, lane, bytes,
              "a bulk copy of %llu bytes: the size is no multiple of %u", (unsigned long long)bytes,
              UNIT);
    return false;
}

static void put(const struct sim_instr *instr, uint8_t *to, const uint8_t *from, uint64_t bytes) {
    if (!(instr->immediate & REDUCES)) {
        memmove(to, from, bytes);
        return;
    }
    const struct sim_reduction *reduction = sim_reduction_find((enum ptx_modifier)instr->access->op,
                                                               (enum ptx_type)instr->access->flags);
    for (uint64_t at = 0; at < bytes; at += reduction->bytes)
        reduction->apply(to + at, from + at);
}

static const uint8_t *find_source(struct sim_warp *warp, const struct sim_instr *instr,
                                  unsigned lane, uint64_t bytes) {
    const struct mem_request read = request_of(warp, instr, EVENT_READ);
    const uint64_t address = sim_bulk_address(warp, instr->access, 1, lane);
    struct sim_block *block;
    const uint8_t *from;
    if (instr->immediate & FROM_SHARED) {
        from = sim_bulk_shared(&read, lane, address, bytes, &block);
        if (from)
            sim_emit_bulk_shared(&read, lane, address & IR_CLUSTER_OFFSET, bytes, block, NULL);
    } else {
        from = sim_bulk_global(&read, lane, address, bytes);
        if (from)
            sim_emit_bulk_global(&read, lane, address, bytes, false);
    }
    return from;
}

// Into the shared memory that `address` names, whose block's or another one's mbarrier hears of it.
static bool put_shared(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                       uint64_t address, uint64_t barrier, const uint8_t *from, uint64_t bytes) {
    const struct mem_request write =
        request_of(warp, instr, instr->immediate & REDUCES ? EVENT_ATOMIC : EVENT_WRITE);
    struct mem_request signal = write;
    struct sim_block *home, *block;
    signal.width = 8;
    signal.intent = EVENT_ATOMIC;
    uint8_t *at = sim_mem_cluster(&signal, barrier, lane, &home);
    uint8_t *to = at ? sim_bulk_shared(&write, lane, address, bytes, &block) : NULL;
    if (!to)
        return false;
    sim_emit_bulk_shared(&write, lane, address & IR_CLUSTER_OFFSET, bytes, block, NULL);
    put(instr, to, from, bytes);
    sim_mbarrier_complete(&write, lane, home, at, (uint32_t)bytes);
    return true;
}

static bool copy_to_shared(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                           const uint8_t *from, uint64_t bytes) {
    const uint64_t to = sim_bulk_address(warp, instr->access, 0, lane);
    const uint64_t barrier = sim_bulk_address(warp, instr->access, 2, lane);
    if (!(instr->immediate & MULTICAST))
        return put_shared(warp, instr, lane, to, barrier, from, bytes);
    uint32_t blocks = (uint16_t)sim_bulk_value(warp, instr->operand[4], false, lane);
    for (; blocks; blocks &= blocks - 1) {
        const uint32_t tag = ir_cluster_tag((uint32_t)__builtin_ctz(blocks));
        if (!put_shared(warp, instr, lane, (to & IR_CLUSTER_OFFSET) + tag,
                        (barrier & IR_CLUSTER_OFFSET) + tag, from, bytes))
            return false;
    }
    return true;
}

static bool copy_to_global(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                           const uint8_t *from, uint64_t bytes) {
    const struct mem_request write =
        request_of(warp, instr, instr->immediate & REDUCES ? EVENT_ATOMIC : EVENT_WRITE);
    const uint64_t address = sim_bulk_address(warp, instr->access, 0, lane);
    uint8_t *to = sim_bulk_global(&write, lane, address, bytes);
    if (!to)
        return false;
    sim_emit_bulk_global(&write, lane, address, bytes, false);
    put(instr, to, from, bytes);
    return true;
}

static const struct sim_instr *copy(struct sim_warp *warp, const struct sim_instr *instr) {
    EACH_LANE(l, warp->mask) {
        const uint64_t bytes =
            sim_bulk_value(warp, instr->operand[2], instr->immediate & SIZE_IS_64, l);
        if (!check_size(warp, instr, l, bytes))
            return NULL;
        const uint8_t *from = find_source(warp, instr, l, bytes);
        if (!from)
            return NULL;
        const bool is_done = instr->immediate & TO_GLOBAL
                                 ? copy_to_global(warp, instr, l, from, bytes)
                                 : copy_to_shared(warp, instr, l, from, bytes);
        if (!is_done)
            return NULL;
    }
    return instr + 1;
}

static bool select_copy(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        struct sim_instr *out) {
    const unsigned bytes = sim_decoder_operand_bytes(decoder, &ir->operands[2]);
    const bool is_multicast = lanes_modifier(ir, PTX_GROUP_scope) == PTX_MOD_multicast_cluster;
    out->immediate = bytes == 8 ? SIZE_IS_64 : 0;
    if (lanes_modifier(ir, PTX_GROUP_to2) == PTX_MOD_shared_cta)
        out->immediate |= FROM_SHARED;
    if (lanes_modifier(ir, PTX_GROUP_space) == PTX_MOD_global)
        out->immediate |= TO_GLOBAL;
    if (is_multicast)
        out->immediate |= MULTICAST;
    out->run[0] = out->run[1] = copy;
    return bytes && (!is_multicast || ir->operand_count > 4);
}

LANES_SELECT(bulk_copy) {
    return select_copy(decoder, ir, out);
}

LANES_SELECT(bulk_reduce) {
    const enum ptx_modifier op = lanes_modifier(ir, PTX_GROUP_op);
    const enum ptx_type type = lanes_type(ir, 0);
    const bool is_half = type == PTX_F16 || type == PTX_BF16;
    mem_own_access(out)->op = op;
    mem_own_access(out)->flags = type;
    if (!sim_reduction_find(op, type) || !select_copy(decoder, ir, out) ||
        (lanes_modifier(ir, PTX_GROUP_noftz) != 0) != (is_half && op == PTX_MOD_add))
        return false;
    out->immediate |= REDUCES;
    return true;
}
