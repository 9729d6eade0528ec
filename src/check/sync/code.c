#include "check/sync/code.h"

#include <stdlib.h>

#include "ptx/facts.h"

struct sync_code sync_code_of(const struct ir_function *kernel) {
    struct sync_code code = {0};
    code.functions = ir_reachable(kernel, &code.count);
    return code;
}

void sync_code_free(struct sync_code *code) {
    free(code->functions);
    *code = (struct sync_code){0};
}

// NULL: no instruction has the number. Else it becomes the one in the function.
static const struct ir_function *function_of(const struct sync_code *code, uint32_t *number) {
    for (uint32_t f = 0; f < code->count; f++) {
        if (*number < code->functions[f]->instruction_count)
            return code->functions[f];
        *number -= code->functions[f]->instruction_count;
    }
    return NULL;
}

static const struct ir_instruction *instruction_of(const struct sync_code *code, uint32_t number) {
    const struct ir_function *function = function_of(code, &number);
    return function ? &function->instructions[number] : NULL;
}

uint32_t sync_code_effect(const struct sync_code *code, uint32_t number) {
    uint32_t index = number;
    const struct ir_function *function = function_of(code, &index);
    for (uint32_t i = index; function && i < function->instruction_count; i++) {
        const struct ptx_instruction *ptx = function->instructions[i].ptx;
        if (ptx_access_of(ptx) != PTX_ACCESS_NONE || ptx_is(ptx, PTX_FACT_SPLITS) ||
            ptx_is(ptx, PTX_FACT_SYNCS) || function->instructions[i].call)
            return number + (i - index);
    }
    return number;
}

bool sync_code_is_exit(const struct sync_code *code, uint32_t number) {
    const struct ir_instruction *instruction = instruction_of(code, number);
    if (!instruction || instruction->ptx->isa == PTX_ISA_exit_any)
        return true;
    return instruction->ptx->isa == PTX_ISA_ret_any &&
           number < code->functions[0]->instruction_count;
}

bool sync_code_is_aligned(const struct sync_code *code, uint32_t number) {
    const struct ir_instruction *instruction = instruction_of(code, number);
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

bool sync_code_calls(const struct sync_code *code, uint32_t a, uint32_t b,
                     const struct ptx_location *calls[2]) {
    const struct ir_function *f = function_of(code, &a), *g = function_of(code, &b);
    if (!f || !g)
        return false;
    const struct ptx_location *inner = ir_location(f, f->instructions[a].location);
    calls[0] = inner;
    calls[1] = ir_location(g, g->instructions[b].location);
    climb(f, &calls[0], g, &calls[1]);
    return calls[0] && calls[1] && calls[0] != inner;
}

bool sync_code_is_same_place(const struct sync_code *code, uint32_t a, uint32_t b) {
    if (a == b)
        return true;
    const struct ir_function *f = function_of(code, &a), *g = function_of(code, &b);
    const struct ptx_location *x = f ? ir_location(f, f->instructions[a].location) : NULL;
    const struct ptx_location *y = g ? ir_location(g, g->instructions[b].location) : NULL;
    if (!x || !y)
        return false;
    climb(f, &x, g, &y);
    return !x && !y;
}
