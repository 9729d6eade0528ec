// What is the same for all threads of a block: numbers, and which barrier they come to next.
//
// Both are assumed while warps are walked and held against all of them at the end: a number that
// changes from round to round is the same if it grows alike in all warps, and no round is without
// a barrier; a barrier is the next one of all if there is no other, or if the conditions that
// decide are the same in all warps.
#include "prove/race.h"

#include <stdlib.h>
#include <string.h>

// ---- Numbers that change from round to round ------------------------------------------------

static struct race_step *find_step(struct races *races, uint32_t reg, unsigned zeros,
                                   bool has_strides) {
    for (size_t i = 0; i < races->steps.length; i++) {
        struct race_step *step = &races->steps.data[i];
        if (step->context == races->context && step->reg == reg && step->zeros == zeros &&
            step->has_strides == has_strides)
            return step;
    }
    return NULL;
}

uint32_t race_loop_symbol(struct walker *walker, uint32_t reg, unsigned zeros, bool has_strides) {
    struct races *races = walker->races;
    const struct race_step *known = find_step(races, reg, zeros, has_strides);
    if (known)
        return known->symbol;
    const struct race_step step = {
        .symbol = symbol_unknown(&walker->table, true, ~0ull, ORIGIN_LOOP, IR_NONE),
        .context = races->context,
        .reg = reg,
        .zeros = zeros,
        .has_strides = has_strides};
    vec_push(&races->steps, step);
    return step.symbol;
}

void race_note_growth(struct walker *walker, uint32_t reg, unsigned zeros, bool has_strides,
                      const struct form *grows) {
    struct race_step *step =
        walker->races && walker->records ? find_step(walker->races, reg, zeros, has_strides) : NULL;
    if (!step)
        return;
    step->is_split |= !grows || (step->is_noted && step->grows != grows);
    step->is_noted = true;
    step->grows = grows;
}

const struct race_step *race_step_of(const struct races *races, uint32_t symbol) {
    for (size_t i = 0; i < races->steps.length; i++)
        if (races->steps.data[i].symbol == symbol)
            return &races->steps.data[i];
    return NULL;
}

bool race_counts_rounds(const struct walker *walker, uint32_t number) {
    if (!walker->races || !(walker->races->steps.length + walker->races->scalars.length))
        return false;
    const struct symbol *symbol = form_symbol_of(&walker->table, number);
    if (symbol->kind == SYMBOL_UNKNOWN)
        return race_step_of(walker->races, number) || race_scalar_of(walker->races, number);
    if (symbol->kind == SYMBOL_PRODUCT)
        return race_counts_rounds(walker, symbol->factors[0]) ||
               race_counts_rounds(walker, symbol->factors[1]);
    for (unsigned i = 0; i < symbol->operand_count; i++)
        for (unsigned t = 0; t < symbol->operands[i]->count; t++)
            if (race_counts_rounds(walker, symbol->operands[i]->terms[t].symbol))
                return true;
    return false;
}

// ---- Common numbers -------------------------------------------------------------------------

bool race_is_common(const struct walker *walker, const struct form *a) {
    for (unsigned t = 0; t < a->count; t++)
        if (!walker->races->is_common[a->terms[t].symbol])
            return false;
    return true;
}

static void mark_form(struct races *races, const struct form *a) {
    for (unsigned t = 0; a && t < a->count; t++)
        races->is_common[a->terms[t].symbol] = true;
}

static bool is_stepped(const struct races *races, uint32_t context) {
    for (size_t i = 0; i < races->unstepped.length; i++)
        if (races->unstepped.data[i] == context)
            return false;
    return true;
}

// Operands are older than what is made of them.
static void mark_functions(const struct walker *walker) {
    bool *is_common = walker->races->is_common;
    for (uint32_t s = 0; s < walker->table.symbols.length; s++) {
        const struct symbol *symbol = form_symbol_of(&walker->table, s);
        if (symbol->kind == SYMBOL_PRODUCT)
            is_common[s] = is_common[symbol->factors[0]] && is_common[symbol->factors[1]];
        if (symbol->kind != SYMBOL_ROW)
            continue;
        is_common[s] = true;
        for (unsigned i = 0; i < symbol->operand_count; i++)
            is_common[s] &= race_is_common(walker, symbol->operands[i]);
    }
}

void race_find_common(struct walker *walker) {
    struct races *races = walker->races;
    races->is_common = base_alloc(walker->table.symbols.length + 1);
    for (size_t i = 0; i < walker->parameters.length; i++)
        mark_form(races, walker->parameters.data[i].form);
    for (size_t i = 0; i < walker->addresses.length; i++)
        mark_form(races, walker->addresses.data[i].form);
    for (unsigned s = 0; s < PTX_SREG_COUNT; s++)
        if (race_is_of_block((enum ptx_sreg)s))
            mark_form(races, walker->special[s]);
    for (size_t i = 0; i < races->steps.length; i++) {
        const struct race_step *step = &races->steps.data[i];
        races->is_common[step->symbol] =
            step->is_noted && !step->is_split && is_stepped(races, step->context);
    }
    for (size_t i = 0; i < races->scalars.length; i++)
        if (races->scalars.data[i].symbol != IR_NONE)
            races->is_common[races->scalars.data[i].symbol] =
                is_stepped(races, races->scalars.data[i].context);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        mark_functions(walker);
        for (size_t i = 0; i < races->steps.length; i++) {
            const struct race_step *step = &races->steps.data[i];
            if (!races->is_common[step->symbol] || (race_is_common(walker, step->grows) &&
                                                    form_is_uniform(&walker->table, step->grows)))
                continue;
            races->is_common[step->symbol] = false;
            has_changed = true;
        }
    }
}

// ---- The next barrier -----------------------------------------------------------------------

static uint32_t start_of(const struct races *races, const struct race_edge *edge) {
    return race_node_of(races, edge->phase);
}

static bool is_same_way(const struct race_edge *a, const struct race_edge *b) {
    return a->phase == b->phase && a->node == b->node;
}

// The conditions on which barriers hang are the same for all.
static bool has_common_branches(struct walker *walker) {
    struct races *races = walker->races;
    for (size_t i = 0; i < races->branches.length; i++) {
        const struct race_branch *branch = &races->branches.data[i];
        if (!branch->is_split && race_is_common(walker, branch->condition))
            continue;
        race_give_up(
            races, branch->code, branch->instruction,
            "whether threads come to a barrier depends on a condition that need not be the "
            "same for all of them");
        return false;
    }
    return true;
}

// All of these begin at one node.
static bool is_decided(struct walker *walker, const struct race_edge *edges, size_t count) {
    bool is_one = true;
    for (size_t i = 1; i < count; i++)
        is_one &= is_same_way(&edges[0], &edges[i]);
    if (is_one)
        return true;
    for (size_t i = 0; i < count; i++) {
        bool has_way = !edges[i].is_common;
        for (size_t k = 0; !has_way && k < count; k++) {
            // Each warp has the way of every other.
            bool is_there = false;
            for (size_t j = 0; j < count && !is_there; j++)
                is_there = edges[j].warp == edges[k].warp && is_same_way(&edges[j], &edges[i]);
            has_way = !is_there;
        }
        if (has_way) {
            race_give_up(walker->races, edges[i].code, edges[i].instruction,
                         "not all threads need come to this barrier");
            return false;
        }
    }
    return has_common_branches(walker);
}

struct started {
    uint32_t start;
    struct race_edge edge;
};

static int by_start(const void *left, const void *right) {
    const struct started *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

bool race_is_in_step(struct walker *walker) {
    const struct races *races = walker->races;
    const size_t count = races->edges.length;
    struct started *sorted = base_alloc((count + 1) * sizeof *sorted);
    struct race_edge *edges = base_alloc((count + 1) * sizeof *edges);
    bool is_good = true;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct started){start_of(races, &races->edges.data[i]), races->edges.data[i]};
    if (count)
        qsort(sorted, count, sizeof *sorted, by_start);
    for (size_t first = 0, end; is_good && first < count; first = end) {
        size_t kept = 0;
        for (end = first; end < count && sorted[end].start == sorted[first].start; end++)
            edges[kept++] = sorted[end].edge;
        is_good = is_decided(walker, edges, kept);
    }
    free(edges);
    free(sorted);
    return is_good;
}
