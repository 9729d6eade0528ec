#include "ir/uses.h"

#include <assert.h>
#include <stdlib.h>

#include "ir/build.h"

struct note {
    struct ir_uses *uses;
    uint32_t instruction;
};

static void note_mention(void *context, uint32_t reg, bool is_written) {
    const struct note *note = context;
    struct ir_uses *uses = note->uses;
    assert(reg < uses->function->register_count);
    uint32_t *last = is_written ? &uses->last_setting[reg] : &uses->last_reading[reg];
    vec_push(&uses->mentions, ((struct ir_mention){note->instruction, *last}));
    *last = (uint32_t)uses->mentions.length - 1;
}

struct ir_uses *ir_uses_create(const struct ir_function *function) {
    const size_t count = (size_t)function->register_count + 1;
    struct ir_uses *uses = base_alloc(sizeof *uses);
    uses->function = function;
    uses->last_setting = base_alloc(count * sizeof *uses->last_setting);
    uses->last_reading = base_alloc(count * sizeof *uses->last_reading);
    for (uint32_t r = 0; r < function->register_count; r++)
        uses->last_setting[r] = uses->last_reading[r] = IR_NONE;
    struct note note = {uses, 0};
    for (; note.instruction < function->instruction_count; note.instruction++)
        ir_visit_registers(&function->instructions[note.instruction], note_mention, &note);
    return uses;
}

void ir_uses_free(struct ir_uses *uses) {
    if (!uses)
        return;
    free(uses->last_setting);
    free(uses->last_reading);
    vec_free(&uses->mentions);
    free(uses);
}

const struct ir_instruction *ir_only_setter(const struct ir_uses *uses, uint32_t reg) {
    assert(reg < uses->function->register_count);
    const uint32_t last = uses->last_setting[reg];
    if (last == IR_NONE || uses->mentions.data[last].next != IR_NONE)
        return NULL;
    return &uses->function->instructions[uses->mentions.data[last].instruction];
}

bool ir_is_read(const struct ir_uses *uses, uint32_t reg) {
    return uses->last_reading[reg] != IR_NONE;
}
