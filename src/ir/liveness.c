// Liveness of registers, backwards through the blocks. See liveness.h.
#include "ir/liveness.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ir/build.h"

struct search {
    const struct ir_function *function;
    struct ir_liveness live;
    uint64_t *use, *def; // by block, read before they are set; and set
    uint32_t block;      // during the scan
    bool is_partial;     // a guarded instruction does not overwrite its destination
};

static bool get_bit(const uint64_t *set, uint32_t bit) {
    return set[bit / 64] >> (bit % 64) & 1;
}

static void set_bit(uint64_t *set, uint32_t bit) {
    set[bit / 64] |= 1ull << (bit % 64);
}

static void scan_register(void *context, uint32_t reg, bool is_written) {
    struct search *search = context;
    uint64_t *use = search->use + search->block * search->live.words;
    uint64_t *def = search->def + search->block * search->live.words;
    if (!is_written || search->is_partial) {
        if (!get_bit(def, reg))
            set_bit(use, reg);
    }
    if (is_written && !search->is_partial)
        set_bit(def, reg);
}

static void scan_blocks(struct search *search) {
    const struct ir_function *function = search->function;
    for (uint32_t b = 0; b < function->block_count; b++) {
        search->block = b;
        const struct ir_block *block = &function->blocks[b];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct ir_instruction *instruction = &function->instructions[i];
            search->is_partial = instruction->guard != IR_NONE;
            ir_visit_registers(instruction, scan_register, search);
        }
    }
}

static void add_in(struct search *search, uint64_t *out, uint32_t successor) {
    const uint64_t *in = search->live.in + successor * search->live.words;
    for (size_t w = 0; w < search->live.words; w++)
        out[w] |= in[w];
}

static bool update_block(struct search *search, uint32_t b) {
    const struct ir_block *block = &search->function->blocks[b];
    const struct ir_instruction *last =
        &search->function->instructions[block->first + block->count - 1];
    uint64_t *in = search->live.in + b * search->live.words,
             *out = search->live.out + b * search->live.words;
    for (uint32_t s = 0; s < block->successor_count; s++)
        add_in(search, out, block->successors[s]);
    for (uint32_t t = 0; t < last->target_count; t++)
        add_in(search, out, last->targets[t]);
    bool changed = false;
    for (size_t w = 0; w < search->live.words; w++) {
        uint64_t value = search->use[b * search->live.words + w] |
                         (out[w] & ~search->def[b * search->live.words + w]);
        changed |= value != in[w];
        in[w] = value;
    }
    return changed;
}

static void solve(struct search *search) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = search->function->block_count; b-- > 0;)
            changed |= update_block(search, b);
    }
}

struct ir_liveness ir_liveness_find(const struct ir_function *function) {
    struct search search = {.function = function,
                            .live.words = ((size_t)function->register_count + 63) / 64 + 1};
    const size_t size = search.live.words * function->block_count * sizeof(uint64_t);
    search.use = base_alloc(size + 1);
    search.def = base_alloc(size + 1);
    search.live.in = base_alloc(size + 1);
    search.live.out = base_alloc(size + 1);
    scan_blocks(&search);
    solve(&search);
    free(search.use);
    free(search.def);
    return search.live;
}

void ir_liveness_free(struct ir_liveness *liveness) {
    free(liveness->in);
    free(liveness->out);
    *liveness = (struct ir_liveness){0};
}
