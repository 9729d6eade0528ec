// mov: rows of value.def. Where both sides are vectors, the elements of both are wanted.
#include "sim/decode/decode.h"
#include "sim/lanes/op/use_value.h"

// The destinations, and then the sources.
static const sim_ref *both_sides(struct sim_decoder *decoder, const struct ir_instruction *ir) {
    const unsigned count = ir->operands[0].element_count;
    sim_ref *refs = sim_decoder_alloc(decoder, 2 * count * sizeof *refs);
    for (unsigned i = 0; i < 2 * count; i++)
        refs[i] = sim_operand_ref(decoder, ir, &ir->operands[i / count].elements[i % count]);
    return refs;
}

LANES_SELECT(mov) {
    const struct ir_operand *d = &ir->operands[0], *a = &ir->operands[1];
    if (d->kind == IR_OPERAND_VECTOR && a->kind == IR_OPERAND_VECTOR &&
        d->element_count == a->element_count)
        out->elements = both_sides(decoder, ir);
    return SIM_NAME(op_use_value)(decoder, ir, out);
}
