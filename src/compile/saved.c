// Registers that the interpreter's frame need not be given again: no way from where they were
// loaded from it has written them. See forms.h.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/forms.h"

static void note(void *context, uint32_t reg, bool is_written) {
    uint64_t *unsaved = context;
    if (is_written)
        unsaved[reg / 64] |= 1ull << (reg % 64);
}

// `unsaved`: where the block begins, then where it ends.
static void step(const struct plan *plan, uint32_t block, uint64_t *unsaved) {
    for (uint32_t o = plan->block_ops[block]; o < plan->block_ops[block + 1]; o++) {
        if (plan->ops[o].kind == OP_LEAVE) // what is behind it is entered, and loads its registers
            memset(unsaved, 0, plan->live.words * sizeof *unsaved);
        else
            ir_visit_registers(&plan->function->instructions[plan->ops[o].ir], note, unsaved);
    }
}

static bool step_all(const struct plan *plan, uint64_t *unsaved) {
    const size_t words = plan->live.words;
    bool changes = false;
    for (uint32_t b = 0; b < plan->function->block_count; b++) {
        const struct ir_block *block = &plan->function->blocks[b];
        memcpy(unsaved, plan->unsaved + b * words, words * sizeof *unsaved);
        step(plan, b, unsaved);
        for (uint32_t s = 0; s < block->successor_count; s++)
            if (block->successors[s] != IR_NONE)
                changes |= plan_add(plan, plan->unsaved + block->successors[s] * words, unsaved);
    }
    return changes;
}

void saved_find(struct plan *plan) {
    const size_t words = plan->live.words;
    plan->unsaved = base_alloc((plan->function->block_count * words + 1) * sizeof *plan->unsaved);
    uint64_t *unsaved = base_alloc((words + 1) * sizeof *unsaved);
    while (step_all(plan, unsaved))
        continue;
    free(unsaved);
}
