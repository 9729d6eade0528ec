// Register slots. Intervals are hulls over the instruction order; registers of one
// class whose intervals do not overlap share a slot, so that a warp's registers stay in the cache.
//
// Sharing is per lane: lanes write only their own lane of a slot, so a slot that holds one register
// for some lanes and another for the rest is sound as long as it is sound for one thread.
#include "ir/build.h"
#include "ir/liveness.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- Intervals ----------------------------------------------------------------------------

// Times: instruction i reads at 2i and writes at 2i + 1. An instruction with several results, or
// one that lets lanes read each other, writes at 2i already: its lane code may write one result
// before it has read every source.
struct interval {
    uint32_t reg, begin, end;
};

struct intervals {
    struct interval *of; // by register; begin > end: never used
    bool reads_unset;    // some register is live where the function begins
    uint32_t read_time, write_time;
};

static void extend(struct interval *interval, uint32_t time) {
    if (interval->begin > time)
        interval->begin = time;
    if (interval->end < time)
        interval->end = time;
}

static void note_register(void *context, uint32_t reg, bool is_written) {
    struct intervals *intervals = context;
    extend(&intervals->of[reg], is_written ? intervals->write_time : intervals->read_time);
}

static void count_written(void *context, uint32_t reg, bool is_written) {
    (void)reg;
    *(unsigned *)context += is_written;
}

static bool writes_early(const struct ir_instruction *instruction) {
    unsigned written = 0;
    ir_visit_registers(instruction, count_written, &written);
    if (written > 1 || instruction->call || instruction->site != IR_NONE)
        return true;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].kind == IR_OPERAND_VECTOR ||
            instruction->operands[i].kind == IR_OPERAND_ADDRESS)
            return true;
    return ptx_is(instruction->ptx, PTX_FACT_GATHERS);
}

static void collect_intervals(const struct ir_function *function, struct intervals *intervals) {
    struct ir_liveness live = ir_liveness_find(function);
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        uint32_t end = block->first + block->count - 1;
        for (uint32_t r = 0; r < function->register_count; r++) {
            if (ir_is_live(&live, live.in, b, r))
                extend(&intervals->of[r], 2 * block->first);
            if (ir_is_live(&live, live.out, b, r))
                extend(&intervals->of[r], 2 * end + 1);
        }
        for (uint32_t i = block->first; i <= end; i++) {
            const struct ir_instruction *instruction = &function->instructions[i];
            intervals->read_time = 2 * i;
            intervals->write_time = 2 * i + !writes_early(instruction);
            ir_visit_registers(instruction, note_register, intervals);
        }
    }
    for (size_t w = 0; w < live.words; w++)
        intervals->reads_unset |= live.in[w] != 0; // of the entry block
    ir_liveness_free(&live);
}

static int by_begin(const void *a, const void *b) {
    const struct interval *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

// A min-heap of slots in use, by the end of the interval that holds them.
struct slot_heap {
    struct slot_use {
        uint32_t end, slot;
    } * items;
    uint32_t count;
};

static void heap_swap(struct slot_heap *heap, uint32_t a, uint32_t b) {
    struct slot_use t = heap->items[a];
    heap->items[a] = heap->items[b];
    heap->items[b] = t;
}

static void heap_push(struct slot_heap *heap, struct slot_use use) {
    uint32_t i = heap->count++;
    heap->items[i] = use;
    for (; i && heap->items[(i - 1) / 2].end > heap->items[i].end; i = (i - 1) / 2)
        heap_swap(heap, i, (i - 1) / 2);
}

static struct slot_use heap_pop(struct slot_heap *heap) {
    struct slot_use top = heap->items[0];
    heap->items[0] = heap->items[--heap->count];
    for (uint32_t i = 0;;) {
        uint32_t least = i, left = 2 * i + 1, right = left + 1;
        if (left < heap->count && heap->items[left].end < heap->items[least].end)
            least = left;
        if (right < heap->count && heap->items[right].end < heap->items[least].end)
            least = right;
        if (least == i)
            return top;
        heap_swap(heap, i, least);
        i = least;
    }
}

static void assign_class(struct ir_function *function, enum ir_class class,
                         const struct interval *sorted, uint32_t count) {
    struct slot_heap heap = {base_alloc((count + 1) * sizeof *heap.items), 0};
    for (uint32_t i = 0; i < count; i++) {
        const struct interval *interval = &sorted[i];
        assert(interval->begin <= interval->end && (!i || interval[-1].begin <= interval->begin));
        struct ir_register *reg = &function->registers[interval->reg];
        if (reg->class != class)
            continue;
        if (heap.count && heap.items[0].end < interval->begin)
            reg->slot = heap_pop(&heap).slot;
        else
            reg->slot = function->slots[class]++;
        heap_push(&heap, (struct slot_use){interval->end, reg->slot});
    }
    free(heap.items);
}

void ir_assign_slots(struct ir_function *function) {
    assert(function->block_count && !function->site_count);
    uint32_t count = function->register_count;
    struct intervals intervals = {.of = base_alloc((count + 1) * sizeof *intervals.of)};
    for (uint32_t r = 0; r < count; r++)
        intervals.of[r] = (struct interval){r, UINT32_MAX, 0};
    collect_intervals(function, &intervals);
    uint32_t used = 0;
    for (uint32_t r = 0; r < count; r++)
        if (intervals.of[r].begin <= intervals.of[r].end)
            intervals.of[used++] = intervals.of[r];
    qsort(intervals.of, used, sizeof *intervals.of, by_begin);
    for (enum ir_class class = IR_CLASS_PREDICATE; class <= IR_CLASS_64; class ++)
        assign_class(function, class, intervals.of, used);
    function->reads_unset |= intervals.reads_unset;
    free(intervals.of);
}
