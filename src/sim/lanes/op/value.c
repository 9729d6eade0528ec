// Handlers of the rows of value.def, by row.
#include <string.h>

#include "sim/decode/decode.h"
#include "sim/lanes/op/compare.h"
#include "sim/lanes/op/use_value.h"

#define PAIR_OF(name) SIM_NAME(sim_value_##name)

#define EVERY_ROW(name, ...) extern const sim_handler PAIR_OF(name)[2];
#define COMPARE(name, ...)                                                                         \
    extern const sim_handler PAIR_OF(name##_setp)[2], PAIR_OF(name##_both)[2],                     \
        PAIR_OF(name##_set)[2];
#define COMPARE_F16(name, ...)                                                                     \
    COMPARE(name, )                                                                                \
    extern const sim_handler PAIR_OF(name##_packed)[2], PAIR_OF(name##_set_packed)[2];
#include "ir/value.def"

// Of rows that are no comparisons the first pair alone is there.
static const struct compare values[IR_VALUE_COUNT] = {
#define EVERY_ROW(name, ...) [IR_VALUE_##name] = {.setp = PAIR_OF(name)},
#define COMPARE(name, ...)                                                                         \
    [IR_VALUE_##name] = {.setp = PAIR_OF(name##_setp),                                             \
                         .setp_both = PAIR_OF(name##_both),                                        \
                         .set = PAIR_OF(name##_set)},
#define COMPARE_F16(name, ...)                                                                     \
    [IR_VALUE_##name] = {PAIR_OF(name##_setp), PAIR_OF(name##_both), PAIR_OF(name##_set),          \
                         PAIR_OF(name##_packed), PAIR_OF(name##_set_packed)},
#include "ir/value.def"
};

static const struct compare *find(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                  struct sim_instr *out) {
    const struct ir_meaning meaning = ir_meaning_of(decoder->function, ir);
    out->immediate = meaning.immediate;
    if (ir_value_row(meaning.value)->is_formed) {
        struct lanes_formed *kept = sim_decoder_alloc(decoder, sizeof *kept);
        kept->form = meaning.form;
        if (ir->operands[1].kind == IR_OPERAND_VECTOR)
            memcpy(kept->four, out->elements, sizeof kept->four);
        out->extra = kept;
    }
    if (meaning.swaps)
        compare_swap(out);
    return &values[meaning.value];
}

bool SIM_NAME(op_use_value)(struct sim_decoder *decoder, const struct ir_instruction *ir,
                            struct sim_instr *out) {
    return lanes_use(out, find(decoder, ir, out)->setp);
}

LANES_SELECT(value) {
    return SIM_NAME(op_use_value)(decoder, ir, out);
}

LANES_SELECT(setp) {
    return compare_setp(ir, out, find(decoder, ir, out));
}

LANES_SELECT(set) {
    return compare_set(ir, out, find(decoder, ir, out));
}
