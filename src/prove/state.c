// States of a warp, and what becomes of them where ways meet.
#include <string.h>

#include "prove/race.h"

struct state state_copy(const struct code *code, const struct state *state) {
    struct state copy = *state;
    const size_t bytes = code->function->register_count * sizeof *copy.registers;
    copy.registers = base_alloc(bytes + 1);
    memcpy(copy.registers, state->registers, bytes);
    copy.varying = varying_copy(code, state->varying);
    copy.memory = memory_copy(&state->memory);
    return copy;
}

void state_free(struct state *state) {
    free(state->registers);
    free(state->varying);
    vec_free(&state->memory);
    state->registers = NULL;
    state->varying = NULL;
}

// ---- Putting two together -------------------------------------------------------------------

struct merger {
    struct walker *walker;
    uint32_t both;             // lanes that come by one way or the other
    bool is_one;               // all of them by the same one
    bool is_steady;            // the same lanes by the same way in every block
    const struct form *choice; // 1: the first way. NULL: not made yet
};

static const struct form *choice_of(struct merger *merger) {
    struct form_table *table = &merger->walker->table;
    if (!merger->choice) {
        const uint32_t symbol = symbol_unknown(table, merger->is_one, 1, ORIGIN_PATH, IR_NONE);
        table->symbols.data[symbol].is_steady = merger->is_steady;
        merger->choice = form_of_symbol(table, 64, symbol);
    }
    return merger->choice;
}

static const struct form *merge_values(struct merger *merger, const struct ir_register *reg,
                                       uint32_t of_a, const struct form *a, const struct form *b) {
    struct form_table *table = &merger->walker->table;
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    const uint32_t only_a = of_a & ~merger->both;
    const struct form *sides[2] = {a, b};
    const struct form *result = b;
    if (merger->both) {
        for (int i = 0; i < 2; i++)
            sides[i] = form_spread(table, sides[i], merger->both);
        if (sides[0] != sides[1]) {
            const struct form *difference = form_subtract(table, sides[0], sides[1]);
            const struct form *part =
                difference ? form_multiply(table, choice_of(merger), difference) : NULL;
            result = part ? form_add(table, sides[1], part) : NULL;
            if (!result) {
                const bool is_uniform = merger->is_one && form_is_uniform(table, sides[0]) &&
                                        form_is_uniform(table, sides[1]);
                result = state_unknown(merger->walker, reg, is_uniform, ORIGIN_PATH, IR_NONE);
            }
            result = form_select(table, merger->both, result, b);
        }
    }
    result = result ? form_select(table, only_a, a, result) : NULL;
    return result ? result : state_unknown(merger->walker, reg, false, ORIGIN_PATH, IR_NONE);
}

static void merge_memory(struct merger *merger, uint32_t of_a, struct memory *into,
                         const struct memory *from) {
    size_t kept = 0;
    for (size_t i = 0; i < into->length; i++) {
        struct cell cell = into->data[i];
        const struct cell *other = memory_find(from, cell.space, cell.offset, cell.bytes);
        if (!other)
            continue;
        const struct ir_register reg = {.class = cell.bytes > 4 ? IR_CLASS_64 : IR_CLASS_32};
        cell.value =
            form_cut(&merger->walker->table,
                     merge_values(merger, &reg, of_a, cell.value, other->value), 8u * cell.bytes);
        into->data[kept++] = cell;
    }
    into->length = kept;
}

static struct merger merger_of(struct walker *walker, const struct state *into,
                               const struct state *from) {
    return (struct merger){.walker = walker,
                           .both = into->may & from->may,
                           .is_one = into->is_exact && from->is_exact,
                           .is_steady = !(into->way | from->way)};
}

void state_merge_memory(struct walker *walker, struct state *into, const struct state *from) {
    struct merger merger = merger_of(walker, into, from);
    merge_memory(&merger, into->may, &into->memory, &from->memory);
}

// Both ways are of one branch, or of one round: the second state goes into the first. What nobody
// will read is forgotten.
static void merge(struct walker *walker, const struct code *code, uint32_t block,
                  struct state *into, const struct state *from) {
    struct merger merger = merger_of(walker, into, from);
    for (uint32_t r = 0; r < code->function->register_count; r++) {
        const struct form *before = into->registers[r];
        if (!ir_is_live(&code->live, code->live.in, block, r)) {
            into->registers[r] = NULL;
            continue;
        }
        into->registers[r] = merge_values(&merger, &code->function->registers[r], into->may, before,
                                          from->registers[r]);
        varying_merge(into, from, &code->function->registers[r], r, before, from->registers[r]);
    }
    merge_memory(&merger, into->may, &into->memory, &from->memory);
    if (from->way & ~into->way)
        into->way_at = from->way_at;
    into->way |= from->way;
    into->facts = facts_common(into->facts, from->facts);
    const bool are_exact = into->is_exact && from->is_exact;
    const bool are_sure = into->is_sure && from->is_sure;
    into->is_exact = are_exact && (into->may == from->may || are_sure);
    into->is_sure = are_sure;
    into->is_certain &= from->is_certain;
    into->is_common &= from->is_common;
    if (walker->races)
        race_merge(walker, into, from);
    into->may |= from->may;
}

void gather_add(struct walker *walker, const struct code *code, struct gather *gather,
                struct state *state) {
    if (!gather->is_any) {
        gather->is_any = true;
        gather->state = *state;
        return;
    }
    const bool is_same = gather->state.may == state->may;
    gather->is_mixed |= !is_same && !(gather->state.is_sure && state->is_sure);
    merge(walker, code, gather->block, &gather->state, state);
    state_free(state);
}

void gather_exit(struct walker *walker, const struct code *code, gathers *exits, uint32_t block,
                 struct state *state) {
    for (size_t i = 0; i < exits->length; i++)
        if (exits->data[i].block == block) {
            gather_add(walker, code, &exits->data[i], state);
            return;
        }
    const struct gather made = {.block = block, .is_any = true, .state = *state};
    vec_push(exits, made);
}

// ---- Lanes that do not come -----------------------------------------------------------------

void losses_note(struct losses *losses, const struct state *state) {
    losses->is_any = true;
    losses->is_unsure |= !state->is_exact;
    losses->is_open |= !state->is_sure;
    varying_lose(losses, state->way, state->way_at);
    losses->is_doubtful |= !state->is_certain;
    losses->is_apart |= !state->is_common;
}

void losses_add(struct losses *into, const struct losses *from) {
    into->is_any |= from->is_any;
    into->is_unsure |= from->is_unsure;
    into->is_open |= from->is_open;
    varying_lose(into, from->way, from->way_at);
    into->is_doubtful |= from->is_doubtful;
    into->is_apart |= from->is_apart;
}

struct state gather_meet(const struct gather *gather, const struct state *before,
                         const struct region *region) {
    struct state state = gather->state;
    struct losses lost = region->deaths;
    losses_add(&lost, &region->leavers);
    state.is_exact = before->is_exact && !lost.is_unsure &&
                     !(lost.is_any && (gather->is_mixed || !gather->state.is_exact)) &&
                     !(lost.is_open && state.may != before->may);
    state.is_sure = before->is_sure && !lost.is_unsure && !lost.is_open;
    varying_meet(&state, before, &region->deaths, &region->leavers);
    state.is_certain = before->is_certain && !lost.is_doubtful;
    state.is_common = before->is_common && !region->leavers.is_apart;
    return state;
}
