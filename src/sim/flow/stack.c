// alloca, stacksave, stackrestore. A thread's stack grows down from the end of its local memory,
// towards the frames of its calls, which grow up; a return takes back what the function allocated.
#include <string.h>

#include "sim/flow/block.h"
#include "sim/flow/control.h"

static struct sim_frame *current_frame(const struct sim_warp *warp) {
    return warp->flow->splits[warp->flow->current].frame;
}

uint64_t sim_stack_limit(const struct sim_warp *warp) {
    uint64_t limit = warp->block->local_bytes;
    EACH_LANE(l, warp->mask) {
        const uint64_t top = warp->block->local_bytes - warp->flow->stack[l];
        limit = top < limit ? top : limit;
    }
    return limit;
}

static void forget(const struct sim_warp *warp, uint64_t at, uint64_t bytes, uint32_t mask) {
    const struct sim_block *block = warp->block;
    uint8_t *warps = block->undefined_local + warp->index * LANES * block->local_bytes;
    EACH_LANE(l, mask)
        memset(warps + l * block->local_bytes + at, 0xff, bytes);
}

void sim_fill_local(struct sim_warp *warp, uint64_t at, uint64_t bytes, uint32_t mask) {
    const struct sim_block *block = warp->block;
    const struct sim_fill *fill = &block->worker->sim->config.fill;
    uint8_t *warps = block->local + warp->index * LANES * block->local_bytes;
    const uint64_t salt = block->salt + 1 + warp->index * LANES;
    if (block->undefined_local)
        forget(warp, at, bytes, mask);
    if (!at && bytes + 16 > block->local_bytes && mask == FULL_MASK) {
        sim_fill_bytes(fill, salt, warps, block->local_bytes * LANES);
        return;
    }
    EACH_LANE(l, mask)
        sim_fill_bytes(fill, salt + l, warps + l * block->local_bytes + at, bytes);
}

static uint64_t read_lane(const struct sim_warp *warp, sim_ref ref, unsigned bytes, unsigned lane) {
    return bytes == 8 ? ((const uint64_t *)sim_at(warp, ref))[lane]
                      : ((const uint32_t *)sim_at(warp, ref))[lane];
}

static void write_lane(const struct sim_warp *warp, sim_ref ref, unsigned bytes, unsigned lane,
                       uint64_t value) {
    if (bytes == 8)
        ((uint64_t *)sim_at(warp, ref))[lane] = value;
    else
        ((uint32_t *)sim_at(warp, ref))[lane] = (uint32_t)value;
}

static uint64_t frames_end(const struct sim_warp *warp) {
    const struct sim_frame *frame = current_frame(warp);
    return frame->local_base + frame->code->ir->local_bytes;
}

// instr->immediate: bytes of the registers. instr->value: the alignment.
static const struct sim_instr *run_alloca(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint64_t whole = warp->block->local_bytes, least = frames_end(warp);
    EACH_LANE(l, warp->mask) {
        const uint64_t bytes = read_lane(warp, instr->operand[1], instr->immediate, l);
        const uint64_t top = whole - warp->flow->stack[l];
        const uint64_t at = bytes > top ? 0 : (top - bytes) & ~(instr->value - 1);
        if (bytes > top || at < least)
            return sim_raise(warp, instr, SIM_FAULT_STACK, l, 0,
                             "stack overflow: alloca of %llu bytes, and %llu are left",
                             (unsigned long long)bytes, (unsigned long long)(top - least));
        warp->flow->stack[l] = whole - at;
        warp->flow->has_stack = true;
        sim_fill_local(warp, at, top - at, 1u << l);
        write_lane(warp, instr->operand[0], instr->immediate, l, at);
    }
    return instr + 1;
}

static const struct sim_instr *run_save(struct sim_warp *warp, const struct sim_instr *instr) {
    EACH_LANE(l, warp->mask) {
        write_lane(warp, instr->operand[0], instr->immediate, l,
                   warp->block->local_bytes - warp->flow->stack[l]);
    }
    return instr + 1;
}

static const struct sim_instr *run_restore(struct sim_warp *warp, const struct sim_instr *instr) {
    const uint64_t whole = warp->block->local_bytes, least = frames_end(warp);
    EACH_LANE(l, warp->mask) {
        const uint64_t at = read_lane(warp, instr->operand[0], instr->immediate, l);
        if (at > whole || at < least)
            return sim_raise(warp, instr, SIM_FAULT_STACK, l, at,
                             "stackrestore of 0x%llx, which no stacksave of this function gave",
                             (unsigned long long)at);
        warp->flow->stack[l] = whole - at;
        warp->flow->has_stack = true;
    }
    return instr + 1;
}

static bool use(const struct ir_instruction *ir, struct sim_instr *out, sim_handler run) {
    out->run[0] = out->run[1] = run;
    out->immediate = ptx_type_bytes((enum ptx_type)ir->ptx->types[0]);
    return true;
}

FLOW_SELECT(alloca) {
    enum { NATURAL = 8, MOST = 1 << 23 };
    out->value = ir->operand_count > 2 ? ir->operands[2].value : NATURAL;
    if (!out->value || out->value > MOST || (out->value & (out->value - 1)))
        return false;
    if (out->value < NATURAL)
        out->value = NATURAL;
    return use(ir, out, run_alloca);
}

FLOW_SELECT(stacksave) {
    return use(ir, out, run_save);
}

FLOW_SELECT(stackrestore) {
    return use(ir, out, run_restore);
}
