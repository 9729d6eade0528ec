// cp.async: copies from global to shared memory. The copy is done at once, which the ISA allows
// (it may be complete at any time before the wait that asks for it), so commit and wait only
// tell observers (op/nop.c).
#include "sim/lanes/mem/access.h"

// What the fourth operand is.
enum source_form { WHOLE, SOURCE_BYTES, IGNORE_SOURCE };

struct copy {
    uint8_t bytes; // of a lane: 4, 8 or 16
    uint8_t form;
    bool is_64; // SOURCE_BYTES in a 64-bit register
};

static struct copy copy_of(const struct sim_instr *instr) {
    return (struct copy){(uint8_t)instr->immediate, (uint8_t)(instr->immediate >> 8),
                         instr->immediate >> 16 & 1};
}

// How many bytes each lane reads; the rest of the copy is zeros.
static void source_bytes(const struct sim_warp *warp, const struct sim_instr *instr,
                         struct copy copy, uint32_t bytes[LANES]) {
    const void *operand = copy.form == SOURCE_BYTES ? sim_at(warp, instr->operand[3]) : NULL;
    const uint32_t ignored = copy.form == IGNORE_SOURCE ? sim_predicate(warp, instr, 3) : 0;
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t wanted = copy.bytes;
        if (operand)
            wanted = copy.is_64 ? ((const uint64_t *)operand)[l] : ((const uint32_t *)operand)[l];
        if (ignored >> l & 1)
            wanted = 0;
        bytes[l] = wanted < copy.bytes ? (uint32_t)wanted : copy.bytes;
    }
}

// Lanes that read nothing may bring any source address; one that reads a part needs that part
// to be inside an allocation.
static bool check_sources(const struct mem_request *copy, const uint64_t *address,
                          const uint32_t *bytes) {
    struct mem_request source = *copy;
    source.intent = EVENT_READ;
    source.mask = 0;
    EACH_LANE(l, copy->mask) {
        if (bytes[l] == copy->width) {
            source.mask |= 1u << l;
        } else if (bytes[l]) {
            struct mem_request part = source;
            part.site = IR_NONE;
            part.mask = 1u << l;
            part.width = 1;
            _Alignas(64) uint64_t last[LANES];
            last[l] = address[l] + bytes[l] - 1;
            if (!sim_mem_check_global(&part, address) || !sim_mem_check_global(&part, last))
                return false;
        }
    }
    return sim_mem_check_global(&source, address);
}

static const struct sim_instr *copy_async(struct sim_warp *warp, const struct sim_instr *instr) {
    if (!warp->mask)
        return instr + 1;
    const struct sim_access *access = instr->access;
    const struct copy copy = copy_of(instr);
    const struct mem_request request = mem_request(warp, instr, copy.bytes, EVENT_WRITE);
    _Alignas(64) uint64_t to[LANES], from[LANES];
    _Alignas(64) uint64_t told[LANES];
    _Alignas(64) uint32_t bytes[LANES], offset[LANES];
    mem_raw(warp, access->has_base, access->base_is_32, access->base, access->offset, to);
    mem_raw(warp, access->has_base2, false, access->base2, access->offset2, from);
    source_bytes(warp, instr, copy, bytes);
    if (!sim_mem_check_offsets(&request, PTX_SPACE_SHARED, to, warp->block->shared_bytes) ||
        !check_sources(&request, from, bytes))
        return NULL;
    SIM_LANES {
        offset[l] = (uint32_t)to[l];
        told[l] = from[l] & -(uint64_t)copy.bytes; // only of lanes that read nothing, another one
    }
    sim_emit_copy(&request, offset, told, bytes);
    EACH_LANE(l, warp->mask) {
        uint8_t *piece = warp->block->shared + offset[l];
        if (bytes[l]) // lanes that read nothing may name the null pointer
            memcpy(piece, (const void *)(uintptr_t)from[l], bytes[l]);
        memset(piece + bytes[l], 0, copy.bytes - bytes[l]);
    }
    return instr + 1;
}

LANES_SELECT(cp_async) {
    if (ir->operand_count < 3 || ir->operands[2].kind != IR_OPERAND_IMMEDIATE ||
        out->access->space != PTX_SPACE_SHARED)
        return false;
    const uint64_t bytes = ir->operands[2].value;
    const bool is_cg = lanes_modifier(ir, PTX_GROUP_cache) == PTX_MOD_cg;
    if (is_cg ? bytes != 16 : bytes != 4 && bytes != 8 && bytes != 16)
        return false;
    // `[dst], [src], bytes {, source bytes or ignore predicate} {, cache policy}`
    const bool has_policy = lanes_modifier(ir, PTX_GROUP_hint) != 0;
    enum source_form form = WHOLE;
    bool is_64 = false;
    if (ir->operand_count > 4u + has_policy)
        return false;
    if (ir->operand_count == 4u + has_policy) {
        const struct ir_operand *operand = &ir->operands[3];
        const bool is_register = operand->kind == IR_OPERAND_REGISTER;
        if (!is_register && operand->kind != IR_OPERAND_IMMEDIATE)
            return false;
        const unsigned held =
            is_register ? sim_decoder_operand_bytes(decoder, operand) : operand->bytes;
        form = is_register && !held ? IGNORE_SOURCE : SOURCE_BYTES;
        is_64 = held == 8;
    }
    out->immediate = (uint32_t)bytes | (uint32_t)form << 8 | (uint32_t)is_64 << 16;
    out->run[0] = out->run[1] = copy_async;
    return true;
}
