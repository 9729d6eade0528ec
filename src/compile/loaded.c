// Registers that hold, or were computed of, what was loaded, exchanged or left by a handler: as
// addresses of lanes such are another matter each time, where those of an index alone are often
// alike. See forms.h.
#include "base/alloc.h"
#include "compile/forms.h"

struct visit {
    bool *is_loaded;
    bool reads, changes; // reads: some register that is loaded
};

static void visit_read(void *context, uint32_t reg, bool is_written) {
    struct visit *visit = context;
    visit->reads |= !is_written && visit->is_loaded[reg];
}

static void visit_written(void *context, uint32_t reg, bool is_written) {
    struct visit *visit = context;
    if (!is_written || visit->is_loaded[reg])
        return;
    visit->is_loaded[reg] = visit->changes = true;
}

static void step(const struct plan *plan, const struct op *op, struct visit *visit) {
    const struct ir_instruction *ir = &plan->function->instructions[op->ir];
    visit->reads = op->kind != OP_VALUE && op->kind != OP_NOTHING;
    ir_visit_registers(ir, visit_read, visit);
    if (visit->reads)
        ir_visit_registers(ir, visit_written, visit);
}

void loaded_find(struct plan *plan) {
    struct visit visit = {.is_loaded = base_alloc(plan->function->register_count + 1)};
    do {
        visit.changes = false;
        for (uint32_t o = 0; o < plan->op_count; o++)
            step(plan, &plan->ops[o], &visit);
    } while (visit.changes);
    plan->is_loaded = visit.is_loaded;
}
