// Ways that join before all of them meet: those of conditions in a row that lead to one place, and
// at the end of a loop's body that can be left in between. The simulator has lanes wait there for
// those that may still come (ir/joins.c), so that all of them are one request from there on.
#include <string.h>

#include "prove/walk.h"

// ---- Where ways join ------------------------------------------------------------------------

// Blocks ahead of one, as far as the region goes; what is behind a way back is not.
static void reach(const struct code *code, uint32_t from, const struct region *region,
                  bool *is_reached) {
    const struct ir_function *function = code->function;
    uint32_t *stack = base_alloc((function->block_count + 1) * sizeof *stack), depth = 0;
    stack[depth++] = from;
    is_reached[from] = true;
    while (depth) {
        const struct ir_block *block = &function->blocks[stack[--depth]];
        const struct ir_instruction *last =
            &function->instructions[block->first + block->count - 1];
        const uint32_t *targets = last->target_count ? last->targets : block->successors;
        const uint32_t count = last->target_count ? last->target_count : block->successor_count;
        for (uint32_t n = 0; n < count; n++) {
            const uint32_t to = targets[n];
            if (to == IR_NONE || is_reached[to] || to == region->meets ||
                function->blocks[to].order <= block->order ||
                (region->loop && !region->loop->has[to]))
                continue;
            is_reached[to] = true;
            stack[depth++] = to;
        }
    }
    free(stack);
}

// Whether any two sides come to the same block. Sets `at`.
static bool find_joins(const struct code *code, const struct side *sides, size_t count,
                       const struct region *region, bool *at) {
    const uint32_t blocks = code->function->block_count;
    uint8_t *ways = base_alloc(blocks + 1);
    bool *is_reached = base_alloc(blocks + 1), is_any = false;
    for (size_t i = 0; i < count; i++) {
        if (sides[i].block == region->meets)
            continue;
        memset(is_reached, 0, blocks);
        reach(code, sides[i].block, region, is_reached);
        for (uint32_t b = 0; b < blocks; b++)
            ways[b] = (uint8_t)(ways[b] + (is_reached[b] && ways[b] < 2));
    }
    for (uint32_t b = 0; b < blocks; b++)
        is_any |= at[b] = ways[b] > 1 && code->function->blocks[b].is_join;
    free(is_reached);
    free(ways);
    return is_any;
}

// ---- Following ------------------------------------------------------------------------------

// Those that outer ways join at wait for these, too.
bool walk_waits(struct walker *walker, const struct code *code, uint32_t block, struct state *state,
                const struct region *region) {
    struct joins *found = NULL;
    for (struct joins *joins = region->joins; joins; joins = joins->outer)
        if (joins->at[block])
            found = joins;
    if (found)
        gather_exit(walker, code, &found->waiting, block, state);
    return found != NULL;
}

// The first one in an order in which all that come to a block come before it.
static struct gather take_first(const struct code *code, gathers *waiting) {
    size_t first = 0;
    for (size_t i = 1; i < waiting->length; i++)
        if (code->function->blocks[waiting->data[i].block].order <
            code->function->blocks[waiting->data[first].block].order)
            first = i;
    const struct gather taken = waiting->data[first];
    waiting->data[first] = waiting->data[--waiting->length];
    return taken;
}

void walk_sides(struct walker *walker, const struct code *code, const struct side *sides,
                size_t count, struct region *region) {
    struct joins joins = {.at = base_alloc(code->function->block_count + 1),
                          .outer = region->joins};
    if (count > 1 && find_joins(code, sides, count, region, joins.at))
        region->joins = &joins;
    for (size_t i = 0; i < count; i++) {
        struct state state = sides[i].state;
        const uint32_t block = sides[i].block;
        if (region->joins == &joins && block != region->meets && joins.at[block])
            gather_exit(walker, code, &joins.waiting, block, &state);
        else
            walk_run(walker, code, block, state, region, false);
    }
    while (joins.waiting.length) {
        struct gather next = take_first(code, &joins.waiting);
        joins.at[next.block] = false;
        walk_run(walker, code, next.block, next.state, region, false);
    }
    region->joins = joins.outer;
    vec_free(&joins.waiting);
    free(joins.at);
}
