// Basic blocks and their edges.
#include "ir/build.h"

#include <assert.h>
#include <stdlib.h>

static void mark(bool *leaders, size_t count, uint32_t target) {
    assert(target < count); // a label behind the last statement names the `ret` that was appended
    (void)count;
    leaders[target] = true;
}

static void find_leaders(const struct ir_builder *builder, bool *leaders) {
    size_t count = builder->instructions.length;
    leaders[0] = true;
    for (size_t i = 0; i < count; i++) {
        const struct ir_instruction *instruction = &builder->instructions.data[i];
        if (!ir_ends_block(instruction))
            continue;
        if (i + 1 < count)
            leaders[i + 1] = true;
        if (instruction->ptx->isa == PTX_ISA_bra_any)
            mark(leaders, count, instruction->target);
        for (uint32_t t = 0; t < instruction->target_count; t++)
            mark(leaders, count, instruction->targets[t]);
    }
}

static void connect(struct ir_block *block, const struct ir_instruction *last, uint32_t next) {
    bool falls_through = true;
    block->successor_count = 0;
    block->successors[0] = block->successors[1] = IR_NONE;
    if (last->ptx->isa == PTX_ISA_bra_any) {
        block->successors[block->successor_count++] = last->target;
        falls_through = last->guard != IR_NONE;
    } else if (ir_ends_block(last)) {
        falls_through = false;
    }
    if (falls_through && (block->successor_count == 0 || block->successors[0] != next))
        block->successors[block->successor_count++] = next;
}

void ir_build_cfg(struct ir_builder *builder) {
    struct ir_function *function = builder->function;
    size_t count = builder->instructions.length;
    assert(count && ir_ends_block(&builder->instructions.data[count - 1]));
    bool *leaders = base_alloc(count * sizeof *leaders);
    uint32_t *numbers = base_alloc(count * sizeof *numbers);
    find_leaders(builder, leaders);
    uint32_t blocks = 0;
    for (size_t i = 0; i < count; i++) {
        blocks += leaders[i];
        numbers[i] = blocks - 1;
    }
    function->block_count = blocks;
    function->blocks = ARENA_ARRAY(builder->module->arena, struct ir_block, blocks);
    for (size_t i = 0; i < count; i++) {
        struct ir_block *block = &function->blocks[numbers[i]];
        if (leaders[i])
            block->first = (uint32_t)i;
        block->count++;
        struct ir_instruction *instruction = &builder->instructions.data[i];
        if (instruction->ptx->isa == PTX_ISA_bra_any)
            instruction->target = numbers[instruction->target];
        for (uint32_t t = 0; t < instruction->target_count; t++)
            ((uint32_t *)instruction->targets)[t] = numbers[instruction->targets[t]];
    }
    for (uint32_t b = 0; b < blocks; b++) {
        struct ir_block *block = &function->blocks[b];
        connect(block, &builder->instructions.data[block->first + block->count - 1], b + 1);
    }
    free(leaders);
    free(numbers);
}

uint32_t ir_block_of(const struct ir_function *function, uint32_t instruction) {
    uint32_t low = 0, high = function->block_count - 1;
    while (low < high) {
        const uint32_t middle = (low + high + 1) / 2;
        if (function->blocks[middle].first <= instruction)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
