// Liveness and register slots. Intervals are hulls over the instruction order; registers of one
// class whose intervals do not overlap share a slot, so that a warp's registers stay in the cache.
//
// Sharing is per lane: lanes write only their own lane of a slot, so a slot that holds one register
// for some lanes and another for the rest is sound as long as it is sound for one thread.
#include "ir/build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct liveness {
    const struct ir_function *function;
    size_t words; // of one bit set
    uint64_t *use, *def, *in, *out;
    uint32_t block;  // during the scan
    bool is_partial; // a guarded instruction does not overwrite its destination
};

static bool get_bit(const uint64_t *set, uint32_t bit) {
    return set[bit / 64] >> (bit % 64) & 1;
}

static void set_bit(uint64_t *set, uint32_t bit) {
    set[bit / 64] |= 1ull << (bit % 64);
}

static void scan_register(void *context, uint32_t reg, bool is_written) {
    struct liveness *live = context;
    uint64_t *use = live->use + live->block * live->words;
    uint64_t *def = live->def + live->block * live->words;
    if (!is_written || live->is_partial) {
        if (!get_bit(def, reg))
            set_bit(use, reg);
    }
    if (is_written && !live->is_partial)
        set_bit(def, reg);
}

static void scan_blocks(struct liveness *live) {
    const struct ir_function *function = live->function;
    for (uint32_t b = 0; b < function->block_count; b++) {
        live->block = b;
        const struct ir_block *block = &function->blocks[b];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct ir_instruction *instruction = &function->instructions[i];
            live->is_partial = instruction->guard != IR_NONE;
            ir_visit_registers(instruction, scan_register, live);
        }
    }
}

static void add_in(struct liveness *live, uint64_t *out, uint32_t successor) {
    const uint64_t *in = live->in + successor * live->words;
    for (size_t w = 0; w < live->words; w++)
        out[w] |= in[w];
}

static bool update_block(struct liveness *live, uint32_t b) {
    const struct ir_block *block = &live->function->blocks[b];
    const struct ir_instruction *last =
        &live->function->instructions[block->first + block->count - 1];
    uint64_t *in = live->in + b * live->words, *out = live->out + b * live->words;
    for (uint32_t s = 0; s < block->successor_count; s++)
        add_in(live, out, block->successors[s]);
    for (uint32_t t = 0; t < last->target_count; t++)
        add_in(live, out, last->targets[t]);
    bool changed = false;
    for (size_t w = 0; w < live->words; w++) {
        uint64_t value =
            live->use[b * live->words + w] | (out[w] & ~live->def[b * live->words + w]);
        changed |= value != in[w];
        in[w] = value;
    }
    return changed;
}

static void solve(struct liveness *live) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = live->function->block_count; b-- > 0;)
            changed |= update_block(live, b);
    }
}

// ---- Intervals ----------------------------------------------------------------------------

// Times: instruction i reads at 2i and writes at 2i + 1. An instruction with several results, or
// one that lets lanes read each other, writes at 2i already: its lane code may write one result
// before it has read every source.
struct interval {
    uint32_t reg, begin, end;
};

struct intervals {
    struct interval *of; // by register; begin > end: never used
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

static void collect_intervals(const struct liveness *live, struct intervals *intervals) {
    const struct ir_function *function = live->function;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        uint32_t end = block->first + block->count - 1;
        for (uint32_t r = 0; r < function->register_count; r++) {
            if (get_bit(live->in + b * live->words, r))
                extend(&intervals->of[r], 2 * block->first);
            if (get_bit(live->out + b * live->words, r))
                extend(&intervals->of[r], 2 * end + 1);
        }
        for (uint32_t i = block->first; i <= end; i++) {
            const struct ir_instruction *instruction = &function->instructions[i];
            intervals->read_time = 2 * i;
            intervals->write_time = 2 * i + !writes_early(instruction);
            ir_visit_registers(instruction, note_register, intervals);
        }
    }
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

static void assign(struct ir_function *function, const struct liveness *live) {
    uint32_t count = function->register_count;
    struct intervals intervals = {.of = base_alloc((count + 1) * sizeof *intervals.of)};
    for (uint32_t r = 0; r < count; r++)
        intervals.of[r] = (struct interval){r, UINT32_MAX, 0};
    collect_intervals(live, &intervals);
    uint32_t used = 0;
    for (uint32_t r = 0; r < count; r++)
        if (intervals.of[r].begin <= intervals.of[r].end)
            intervals.of[used++] = intervals.of[r];
    qsort(intervals.of, used, sizeof *intervals.of, by_begin);
    for (enum ir_class class = IR_CLASS_PREDICATE; class <= IR_CLASS_64; class ++)
        assign_class(function, class, intervals.of, used);
    free(intervals.of);
}

void ir_assign_slots(struct ir_function *function) {
    assert(function->block_count && !function->site_count);
    struct liveness live = {.function = function,
                            .words = ((size_t)function->register_count + 63) / 64 + 1};
    size_t size = live.words * function->block_count * sizeof(uint64_t);
    live.use = base_alloc(size);
    live.def = base_alloc(size);
    live.in = base_alloc(size);
    live.out = base_alloc(size);
    scan_blocks(&live);
    solve(&live);
    for (size_t w = 0; w < live.words; w++)
        function->reads_unset |= live.in[w] != 0; // of the entry block
    assign(function, &live);
    free(live.use);
    free(live.def);
    free(live.in);
    free(live.out);
}
