#include "check/sync/code.h"

#include "ptx/facts.h"

uint32_t sync_code_effect(const struct ir_code *code, uint32_t number) {
    uint32_t index = number;
    const struct ir_function *function = ir_code_function(code, &index);
    for (uint32_t i = index; function && i < function->instruction_count; i++) {
        const struct ptx_instruction *ptx = function->instructions[i].ptx;
        if (ptx_access_of(ptx) != PTX_ACCESS_NONE || ptx_is(ptx, PTX_FACT_SPLITS) ||
            ptx_is(ptx, PTX_FACT_SYNCS) || function->instructions[i].call)
            return number + (i - index);
    }
    return number;
}

bool sync_code_is_exit(const struct ir_code *code, uint32_t number) {
    const struct ir_instruction *instruction = ir_code_instruction(code, number);
    if (!instruction || instruction->ptx->isa == PTX_ISA_exit_any)
        return true;
    return instruction->ptx->isa == PTX_ISA_ret_any &&
           number < code->functions[0]->instruction_count;
}

bool sync_code_is_aligned(const struct ir_code *code, uint32_t number) {
    const struct ir_instruction *instruction = ir_code_instruction(code, number);
    switch (instruction ? instruction->ptx->isa : PTX_ISA_NONE) {
    case PTX_ISA_NONE:
        return false;
    case PTX_ISA_barrier_sync:
    case PTX_ISA_barrier_red_pred:
    case PTX_ISA_barrier_red_pred_count:
    case PTX_ISA_barrier_red_popc:
    case PTX_ISA_barrier_red_popc_count:
        return PTX_HAS(instruction->ptx, aligned);
    default: // bar.sync, bar.red
        return true;
    }
}

static bool is_same_line(const struct ptx_location *a, const struct ptx_location *b) {
    return a->line == b->line && a->column == b->column && a->file == b->file;
}

// Goes up from where both are to the calls that they were inlined by, while these are the same.
static void climb(const struct ir_function *f, const struct ptx_location **a,
                  const struct ir_function *g, const struct ptx_location **b) {
    while (*a && *b && is_same_line(*a, *b)) {
        *a = ir_location(f, (*a)->inlined_at);
        *b = ir_location(g, (*b)->inlined_at);
    }
}

bool sync_code_calls(const struct ir_code *code, uint32_t a, uint32_t b,
                     const struct ptx_location *calls[2]) {
    const struct ir_function *f = ir_code_function(code, &a), *g = ir_code_function(code, &b);
    if (!f || !g)
        return false;
    const struct ptx_location *inner = ir_location(f, f->instructions[a].location);
    calls[0] = inner;
    calls[1] = ir_location(g, g->instructions[b].location);
    climb(f, &calls[0], g, &calls[1]);
    return calls[0] && calls[1] && calls[0] != inner;
}

bool sync_code_is_same_place(const struct ir_code *code, uint32_t a, uint32_t b) {
    if (a == b)
        return true;
    const struct ir_function *f = ir_code_function(code, &a), *g = ir_code_function(code, &b);
    const struct ptx_location *x = f ? ir_location(f, f->instructions[a].location) : NULL;
    const struct ptx_location *y = g ? ir_location(g, g->instructions[b].location) : NULL;
    if (!x || !y)
        return false;
    climb(f, &x, g, &y);
    return !x && !y;
}
