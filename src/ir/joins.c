// Where paths join before the immediate post-dominator of the branch that parted them: behind
// conditions in a row that lead to one place, and at the end of a loop's body that can be left in
// between. The code generator has lanes wait for each other there, too, for those that still come.
//
// Dominators by the iterative algorithm of Cooper, Harvey and Kennedy, see postdom.c.
#include "ir/build.h"

#include <stdlib.h>

struct joins {
    struct ir_function *function;
    uint32_t count;
    uint32_t *blocks;    // by their order
    uint32_t *dominator; // immediate; of the entry: itself; IR_NONE: not reached
    uint32_t *in_first;  // block -> first predecessor in `in`, count + 1 entries
    uint32_t *in;
};

static const struct ir_instruction *last_of(const struct ir_function *function, uint32_t block) {
    const struct ir_block *b = &function->blocks[block];
    return &function->instructions[b->first + b->count - 1];
}

static uint32_t successor_count(const struct ir_function *function, uint32_t block) {
    return function->blocks[block].successor_count + last_of(function, block)->target_count;
}

static uint32_t successor(const struct ir_function *function, uint32_t block, uint32_t i) {
    const struct ir_block *b = &function->blocks[block];
    return i < b->successor_count ? b->successors[i]
                                  : last_of(function, block)->targets[i - b->successor_count];
}

// In reverse post-order from the entry, without recursion: kernels can be deep.
static void order_blocks(struct joins *joins) {
    struct ir_function *function = joins->function;
    uint32_t *stack = base_alloc(joins->count * sizeof *stack);
    uint32_t *next = base_alloc(joins->count * sizeof *next);
    bool *seen = base_alloc(joins->count);
    uint32_t depth = 0, left = joins->count;
    stack[depth++] = 0;
    seen[0] = true;
    while (depth) {
        uint32_t block = stack[depth - 1];
        if (next[block] < successor_count(function, block)) {
            uint32_t s = successor(function, block, next[block]++);
            if (!seen[s]) {
                seen[s] = true;
                stack[depth++] = s;
            }
            continue;
        }
        depth--;
        joins->blocks[--left] = block;
    }
    for (uint32_t b = 0; b < joins->count; b++)
        function->blocks[b].order = IR_NONE;
    for (uint32_t i = left; i < joins->count; i++)
        function->blocks[joins->blocks[i]].order = i;
    free(stack);
    free(next);
    free(seen);
}

static void collect_predecessors(struct joins *joins) {
    const struct ir_function *function = joins->function;
    uint32_t total = 0;
    for (uint32_t b = 0; b < joins->count; b++)
        for (uint32_t i = 0; i < successor_count(function, b); i++, total++)
            joins->in_first[successor(function, b, i) + 1]++;
    for (uint32_t b = 0; b < joins->count; b++)
        joins->in_first[b + 1] += joins->in_first[b];
    joins->in = base_alloc((total + 1) * sizeof *joins->in);
    uint32_t *fill = base_alloc((joins->count + 1) * sizeof *fill);
    for (uint32_t b = 0; b < joins->count; b++)
        for (uint32_t i = 0; i < successor_count(function, b); i++) {
            uint32_t s = successor(function, b, i);
            joins->in[joins->in_first[s] + fill[s]++] = b;
        }
    free(fill);
}

static uint32_t intersect(const struct joins *joins, uint32_t a, uint32_t b) {
    const struct ir_block *blocks = joins->function->blocks;
    while (a != b) {
        while (blocks[a].order > blocks[b].order)
            a = joins->dominator[a];
        while (blocks[b].order > blocks[a].order)
            b = joins->dominator[b];
    }
    return a;
}

static bool update(struct joins *joins, uint32_t block) {
    uint32_t best = IR_NONE;
    for (uint32_t i = joins->in_first[block]; i < joins->in_first[block + 1]; i++) {
        uint32_t from = joins->in[i];
        if (joins->dominator[from] != IR_NONE)
            best = best == IR_NONE ? from : intersect(joins, best, from);
    }
    if (best == joins->dominator[block])
        return false;
    joins->dominator[block] = best;
    return true;
}

static void find_dominators(struct joins *joins) {
    const struct ir_block *blocks = joins->function->blocks;
    for (uint32_t b = 0; b < joins->count; b++)
        joins->dominator[b] = b ? (uint32_t)IR_NONE : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < joins->count; i++) {
            uint32_t block = joins->blocks[i];
            if (block && blocks[block].order != IR_NONE)
                changed |= update(joins, block);
        }
    }
}

static void mark(struct joins *joins, uint32_t block) {
    struct ir_block *blocks = joins->function->blocks;
    uint32_t ahead = 0, back = 0;
    for (uint32_t i = joins->in_first[block]; i < joins->in_first[block + 1]; i++) {
        uint32_t order = blocks[joins->in[i]].order;
        if (order == IR_NONE)
            continue;
        ahead += order < blocks[block].order;
        back += order >= blocks[block].order;
        if (order >= blocks[block].order && order > blocks[block].loop_end)
            blocks[block].loop_end = order;
    }
    uint32_t parted = joins->dominator[block];
    blocks[block].is_join = (ahead > 1 && blocks[parted].post_dominator != block) || back > 1;
    if (back < 2)
        blocks[block].loop_end = 0;
}

void ir_find_joins(struct ir_function *function) {
    uint32_t count = function->block_count;
    struct joins joins = {.function = function, .count = count};
    joins.blocks = base_alloc((count + 1) * sizeof *joins.blocks);
    joins.dominator = base_alloc((count + 1) * sizeof *joins.dominator);
    joins.in_first = base_alloc((count + 2) * sizeof *joins.in_first);
    order_blocks(&joins);
    collect_predecessors(&joins);
    find_dominators(&joins);
    for (uint32_t b = 1; b < count; b++)
        if (function->blocks[b].order != IR_NONE)
            mark(&joins, b);
    free(joins.blocks);
    free(joins.dominator);
    free(joins.in_first);
    free(joins.in);
}
