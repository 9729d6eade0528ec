#include "ir/stretch.h"

#include <assert.h>
#include <stdlib.h>

#include "ir/build.h"

// ---- Where a stretch ends -----------------------------------------------------------------

// Rounded exactly: most operands take a short way, others a call.
static bool has_slow_path(const struct ptx_instruction *ptx) {
    return PTX_HAS(ptx, round) || (ptx->types[0] == PTX_F64 && !PTX_HAS(ptx, ftz));
}

// Of integers it is a call or has branches, but for that of 32 unsigned bits.
static bool divides_slowly(const struct ptx_instruction *ptx) {
    const bool is_float = ptx_type_class((enum ptx_type)ptx->types[0]) == PTX_CLASS_FLOAT;
    return is_float ? has_slow_path(ptx) : ptx->types[0] != PTX_U32;
}

static bool ends_stretch(const struct ir_instruction *instruction) {
    const struct ptx_instruction *ptx = instruction->ptx;
    if (ptx_is(ptx, PTX_FACT_BREAKS) || (ptx_is(ptx, PTX_FACT_DIVIDES) && divides_slowly(ptx)))
        return true;
    return instruction->guard != IR_NONE && ptx_is(ptx, PTX_FACT_JUMPED);
}

// ---- Blocks that follow each other --------------------------------------------------------

struct walk {
    const struct ir_function *function;
    struct ir_stretches *stretches;
    uint32_t *entries; // of each block: ways in, at most 2
    bool *is_done;
    uint32_t length, stretch;
};

static const struct ir_instruction *last_of(const struct ir_function *function, uint32_t b) {
    const struct ir_block *block = &function->blocks[b];
    return &function->instructions[block->first + block->count - 1];
}

static void count_entries(struct walk *walk) {
    const struct ir_function *function = walk->function;
    walk->entries[0] = 1;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_instruction *last = last_of(function, b);
        for (uint32_t s = 0; s < function->blocks[b].successor_count; s++)
            walk->entries[function->blocks[b].successors[s]]++;
        for (uint32_t t = 0; t < last->target_count; t++)
            walk->entries[last->targets[t]]++;
    }
}

// The only block behind this one, if there is no other way into it.
static uint32_t next_of(const struct walk *walk, uint32_t b) {
    const struct ir_block *block = &walk->function->blocks[b];
    if (block->successor_count != 1 || last_of(walk->function, b)->target_count)
        return IR_NONE;
    return walk->entries[block->successors[0]] == 1 ? block->successors[0] : IR_NONE;
}

static void walk_from(struct walk *walk, uint32_t b) {
    struct ir_stretches *s = walk->stretches;
    walk->stretch++;
    for (; b != IR_NONE && !walk->is_done[b]; b = next_of(walk, b)) {
        const struct ir_block *block = &walk->function->blocks[b];
        walk->is_done[b] = true;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            s->place[i] = walk->length;
            s->order[walk->length++] = i;
            s->stretch[i] = walk->stretch;
            walk->stretch += ends_stretch(&walk->function->instructions[i]);
        }
    }
}

static void walk_all(const struct ir_function *function, struct ir_stretches *stretches) {
    struct walk walk = {.function = function, .stretches = stretches};
    walk.entries = base_alloc((function->block_count + 1) * sizeof *walk.entries);
    walk.is_done = base_alloc(function->block_count + 1);
    bool *follows = base_alloc(function->block_count + 1);
    count_entries(&walk);
    for (uint32_t b = 0; b < function->block_count; b++)
        if (next_of(&walk, b) != IR_NONE)
            follows[next_of(&walk, b)] = true;
    for (uint32_t b = 0; b < function->block_count; b++)
        if (!follows[b])
            walk_from(&walk, b);
    for (uint32_t b = 0; b < function->block_count; b++) // what only reaches itself
        if (!walk.is_done[b])
            walk_from(&walk, b);
    assert(walk.length == function->instruction_count); // each has its place
    free(walk.entries);
    free(walk.is_done);
    free(follows);
}

// ---- The interface ------------------------------------------------------------------------

struct ir_stretches *ir_stretches_create(const struct ir_function *function) {
    const size_t count = (size_t)function->instruction_count + 1;
    struct ir_stretches *stretches = base_alloc(sizeof *stretches);
    stretches->order = base_alloc(count * sizeof *stretches->order);
    stretches->place = base_alloc(count * sizeof *stretches->place);
    stretches->stretch = base_alloc(count * sizeof *stretches->stretch);
    walk_all(function, stretches);
    return stretches;
}

void ir_stretches_free(struct ir_stretches *stretches) {
    if (!stretches)
        return;
    free(stretches->order);
    free(stretches->place);
    free(stretches->stretch);
    free(stretches);
}

bool ir_is_behind(const struct ir_stretches *s, uint32_t first, uint32_t second) {
    return s->stretch[first] == s->stretch[second] && s->place[first] < s->place[second];
}

bool ir_is_set_between(const struct ir_stretches *s, const struct ir_uses *uses, uint32_t reg,
                       uint32_t first, uint32_t second) {
    assert(ir_is_behind(s, first, second));
    for (uint32_t m = uses->last_setting[reg]; m != IR_NONE; m = uses->mentions.data[m].next) {
        const uint32_t at = uses->mentions.data[m].instruction;
        if (ir_is_behind(s, first, at) && ir_is_behind(s, at, second))
            return true;
    }
    return false;
}
