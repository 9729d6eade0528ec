// tensormap.replace: changes one field of a tensor map in memory. See tensor/map.h.
#include "sim/lanes/mem/access.h"
#include "sim/tensor/bulk.h"
#include "sim/tensor/map.h"

// In instr->immediate: the dimension, and
enum { DIMENSION_MASK = 15, VALUE_IS_64 = 16 };

static enum sim_tensor_field field_of(enum ptx_modifier field) {
    switch (field) {
    case PTX_MOD_global_address:
        return SIM_TENSOR_ADDRESS;
    case PTX_MOD_rank: // one less than the rank
        return SIM_TENSOR_RANK_LESS_ONE;
    case PTX_MOD_box_dim:
        return SIM_TENSOR_BOX;
    case PTX_MOD_global_dim:
        return SIM_TENSOR_SIZE;
    case PTX_MOD_global_stride:
        return SIM_TENSOR_STRIDE;
    case PTX_MOD_element_stride:
        return SIM_TENSOR_STEP;
    case PTX_MOD_elemtype:
        return SIM_TENSOR_ELEMENT;
    case PTX_MOD_swizzle_mode:
        return SIM_TENSOR_SWIZZLE;
    case PTX_MOD_swizzle_atomicity:
        return SIM_TENSOR_ATOM;
    case PTX_MOD_fill_mode:
        return SIM_TENSOR_FILL;
    default: // interleave_layout
        return SIM_TENSOR_INTERLEAVE;
    }
}

// Both instructions access the whole map. `block`: in whose shared memory it is; NULL: in global.
static void tell_map(const struct mem_request *r, unsigned lane, const uint8_t *at,
                     const struct sim_block *block) {
    const struct event_access event = {.intent = r->intent, .width = SIM_TENSOR_MAP_BYTES};
    if (block)
        sim_emit_lane_shared(r->warp, r->instr, lane, (uint32_t)(at - block->shared), block, event);
    else
        sim_emit_lane_global(r->warp, r->instr, lane, (uint64_t)(uintptr_t)at, event);
}

static uint8_t *find_map(const struct mem_request *r, unsigned lane) {
    uint64_t address = sim_bulk_address(r->warp, r->instr->access, 0, lane);
    bool is_shared = r->instr->access->space == PTX_SPACE_SHARED;
    struct sim_block *block = NULL;
    if (r->instr->access->space == PTX_SPACE_GENERIC && ir_is_in_shared_window(address)) {
        address -= IR_SHARED_WINDOW;
        is_shared = true;
    }
    uint8_t *at = is_shared ? sim_bulk_shared(r, lane, address, SIM_TENSOR_MAP_BYTES, &block)
                            : sim_bulk_global(r, lane, address, SIM_TENSOR_MAP_BYTES);
    if (at)
        tell_map(r, lane, at, block);
    return at;
}

static const struct sim_instr *replace_field(struct sim_warp *warp, const struct sim_instr *instr) {
    struct mem_request request = mem_request(warp, instr, SIM_TENSOR_MAP_ALIGN, EVENT_WRITE);
    request.site = IR_NONE;
    const unsigned dimension = instr->immediate & DIMENSION_MASK;
    EACH_LANE(l, warp->mask) {
        const uint64_t value =
            sim_bulk_value(warp, instr->access->element[0], instr->immediate & VALUE_IS_64, l);
        uint8_t *at = find_map(&request, l);
        if (!at)
            return NULL;
        if (!sim_tensor_map_replace(at, field_of((enum ptx_modifier)instr->access->op), dimension,
                                    value))
            return sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION, l, value,
                             "a tensor map cannot hold the value %llu in this field here",
                             (unsigned long long)value);
    }
    return instr + 1;
}

LANES_SELECT(tensormap_replace) {
    const unsigned last = ir->operand_count - 1;
    const unsigned bytes = sim_decoder_operand_bytes(decoder, &ir->operands[last]);
    struct sim_access *access = mem_own_access(out);
    const bool has_dimension = ir->operand_count == 3;
    const uint64_t dimension = has_dimension ? ir->operands[1].value : 0;
    access->op = lanes_modifier(ir, PTX_GROUP_variant);
    access->element[0] = out->operand[last];
    out->immediate = (uint32_t)dimension | (bytes == 8 ? VALUE_IS_64 : 0);
    out->run[0] = out->run[1] = replace_field;
    return bytes && dimension < SIM_TENSOR_RANK;
}

// tensormap.cp_fenceproxy: the warp copies one map from shared to global memory.
static const struct sim_instr *publish(struct sim_warp *warp, const struct sim_instr *instr) {
    const struct mem_request write = mem_request(warp, instr, SIM_TENSOR_MAP_ALIGN, EVENT_WRITE);
    struct mem_request read = write;
    struct sim_block *block;
    if (!warp->mask)
        return instr + 1;
    const unsigned l = (unsigned)__builtin_ctz(warp->mask);
    read.intent = EVENT_READ;
    uint8_t *to = sim_bulk_global(&write, l, sim_bulk_address(warp, instr->access, 0, l),
                                  SIM_TENSOR_MAP_BYTES);
    uint8_t *from = to ? sim_bulk_shared(&read, l, sim_bulk_address(warp, instr->access, 1, l),
                                         SIM_TENSOR_MAP_BYTES, &block)
                       : NULL;
    if (!from)
        return NULL;
    tell_map(&read, l, from, block);
    tell_map(&write, l, to, NULL);
    sim_emit_lanes(warp, instr, warp->mask,
                   (struct event_sync){.kind = EVENT_FENCE,
                                       .order = instr->access->order,
                                       .scope = instr->access->scope,
                                       .proxy = EVENT_TENSORMAP_PROXY});
    memcpy(to, from, SIM_TENSOR_MAP_BYTES);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return instr + 1;
}

LANES_SELECT(tensormap_publish) {
    (void)decoder;
    out->run[0] = out->run[1] = publish;
    return ir->operands[2].value == SIM_TENSOR_MAP_BYTES;
}
