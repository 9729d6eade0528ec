// mov of 128 bits and of vectors; the others are rows of value.def.
#include "sim/decode/decode.h"
#include "sim/lanes/op/use_value.h"

// Registers of 128 bits are pairs: instr->elements holds two of each side.
LANES_BODY(copy_pair) {
    const int32_t *on = warp->lanes;
    const uint64_t *low = LANES_ALIGNED(const uint64_t, instr->elements[2]);
    const uint64_t *high = LANES_ALIGNED(const uint64_t, instr->elements[3]);
    uint64_t *to_low = LANES_ALIGNED(uint64_t, instr->elements[0]);
    uint64_t *to_high = LANES_ALIGNED(uint64_t, instr->elements[1]);
    LANES_EACH if (full || on[l]) {
        const uint64_t a = low[l], b = high[l]; // the sides may share registers
        to_low[l] = a;
        to_high[l] = b;
    }
}
LANES_PAIR(copy_pair)

static bool use_pair(struct sim_decoder *decoder, const struct ir_instruction *ir,
                     struct sim_instr *out) {
    sim_ref *refs = sim_decoder_alloc(decoder, 4 * sizeof *refs);
    for (unsigned i = 0; i < 4; i++) {
        const struct ir_operand *side = &ir->operands[i / 2];
        if (side->kind != IR_OPERAND_VECTOR || side->element_count != 2)
            return false;
        const struct ir_operand *element = &side->elements[i % 2];
        if (element->kind != IR_OPERAND_SINK && sim_decoder_operand_bytes(decoder, element) != 8)
            return false;
        refs[i] = sim_operand_ref(decoder, ir, element);
    }
    out->elements = refs;
    return lanes_use(out, copy_pair);
}

// mov.v2 and mov.v4 take elements apart before they write any: both sides may share registers.
// instr->elements holds the destinations and then the sources, instr->immediate how many.
#define COPY_VECTOR(name, D)                                                                       \
    LANES_BODY(name) {                                                                             \
        const int32_t *on = warp->lanes;                                                           \
        const unsigned count = (unsigned)instr->immediate;                                         \
        LANES_EACH if (full || on[l]) {                                                            \
            lane_##D value[4];                                                                     \
            for (unsigned i = 0; i < count; i++)                                                   \
                value[i] = LANES_ALIGNED(const lane_##D, instr->elements[count + i])[l];           \
            for (unsigned i = 0; i < count; i++)                                                   \
                LANES_ALIGNED(lane_##D, instr->elements[i])[l] = value[i];                         \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)
COPY_VECTOR(copy_vector_32, u32)
COPY_VECTOR(copy_vector_64, u64)

LANES_SELECT(mov_vector) {
    const unsigned count = ir->operands[0].element_count;
    const unsigned bytes = ptx_type_bytes(lanes_type(ir, 0)) > 4 ? 8 : 4;
    if (ir->operands[1].element_count != count || count > 4)
        return false;
    sim_ref *refs = sim_decoder_alloc(decoder, 2 * count * sizeof *refs);
    for (unsigned i = 0; i < 2 * count; i++) {
        const struct ir_operand *element = &ir->operands[i / count].elements[i % count];
        if (element->kind == IR_OPERAND_REGISTER &&
            sim_decoder_operand_bytes(decoder, element) != bytes)
            return false;
        refs[i] = sim_operand_ref(decoder, ir, element);
    }
    out->elements = refs;
    out->immediate = count;
    return lanes_use(out, bytes == 8 ? copy_vector_64 : copy_vector_32);
}

LANES_SELECT(mov) {
    if (ptx_type_bytes(lanes_type(ir, 0)) > 8)
        return use_pair(decoder, ir, out);
    return SIM_NAME(op_use_value)(decoder, ir, out);
}
