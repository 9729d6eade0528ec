// Loops. As long as it is known which lanes leave in which round, they are run round by round. From
// there on one state stands for all rounds that are left: what changes from round to round is, in
// each register, what it was before plus a multiple of something, or unknown.
#include "prove/race.h"

#include <string.h>

enum { MOST_ROUNDS = 300, MOST_PASSES = 12, PATIENT_PASSES = 6 };

// What a register is at the header in any round.
enum change {
    CHANGE_NONE,    // as before the loop
    CHANGE_ROUNDS,  // that plus the same numbers in each round
    CHANGE_STEPS,   // that plus some multiple of 2^zeros, or of lane numbers
    CHANGE_UNKNOWN, // anything
};

struct header {
    const struct loop *loop;
    struct state entry;  // before the first round
    struct state any;    // in any round
    uint8_t *changes;    // enum change, of each register
    uint8_t *zeros;      // STEPS: what it grows by is a multiple of 2^this
    form_lanes *strides; // ROUNDS: it grows by these; STEPS: not NULL: by multiples of these
    uint32_t rounds;     // a symbol: how many rounds were before; IR_NONE: not made yet
    uint32_t *counters;  // STEPS: the symbol that counts them, and 1; 0: there is none
};

// ---- Round by round -------------------------------------------------------------------------

static struct region region_of_round(const struct loop *loop, struct gather *back, gathers *exits) {
    return (struct region){.meets = IR_NONE, .loop = loop, .back = back, .exits = exits};
}

// Every lane that may stay may not leave, and leaves in one place.
static bool is_decided(const struct gather *back, const gathers *exits) {
    uint32_t seen = back->is_any ? back->state.may : 0;
    for (size_t i = 0; i < exits->length; i++) {
        if (seen & exits->data[i].state.may)
            return false;
        seen |= exits->data[i].state.may;
    }
    return true;
}

static void drop(gathers *list) {
    for (size_t i = 0; i < list->length; i++)
        state_free(&list->data[i].state);
    vec_free(list);
}

// Lanes that left in another round are at the same place at another time. Where all of them wait
// for each other they are together again; see walk_loop.
static void keep(struct walker *walker, const struct code *code, gathers *kept, gathers *more) {
    for (size_t i = 0; i < more->length; i++) {
        const size_t before = kept->length;
        gather_exit(walker, code, kept, more->data[i].block, &more->data[i].state);
        for (size_t k = 0; k < before && kept->length == before; k++)
            if (kept->data[k].block == more->data[i].block)
                kept->data[k].state.is_exact = kept->data[k].state.is_sure = false;
    }
    vec_free(more);
}

// Runs rounds as long as they are decided. True: all lanes have left, or ended; else the state is
// the one before a round that is not.
static bool run_rounds(struct walker *walker, const struct code *code, const struct loop *loop,
                       struct state *state, gathers *exits, struct region *region) {
    const uint32_t outer = walker->round;
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        struct gather back = {.block = loop->header};
        gathers left = {0};
        struct region inner = region_of_round(loop, &back, &left);
        struct state copy = state_copy(code, state);
        copy.is_sure = true;
        const struct race_mark mark = race_begin_round(walker, code, loop, round);
        walker->round = round;
        walk_run(walker, code, loop->header, copy, &inner, true);
        walker->round = outer;
        race_end_round(walker, &mark);
        if (!is_decided(&back, &left) || inner.deaths.is_unsure || inner.deaths.is_open ||
            walker->trouble) {
            race_take_back(walker, &mark);
            drop(&left);
            if (back.is_any)
                state_free(&back.state);
            return false;
        }
        losses_add(&region->deaths, &inner.deaths);
        keep(walker, code, exits, &left);
        state_free(state);
        if (!back.is_any)
            return true;
        *state = back.state;
    }
    return false;
}

// ---- A state for all rounds -----------------------------------------------------------------

static void make_unknown(struct walker *walker, const struct code *code, struct header *header,
                         uint32_t r, const struct form *back) {
    const struct form *entry = header->entry.registers[r];
    const struct ir_register *reg = &code->function->registers[r];
    const unsigned bits = state_bits(reg);
    struct symbol symbol = {.high = reg->class == IR_CLASS_PREDICATE ? 1 : form_mask(bits),
                            .origin = ORIGIN_LOOP,
                            .instruction = IR_NONE};
    const unsigned a = form_zeros(&walker->table, entry), b = form_zeros(&walker->table, back);
    const unsigned zeros = a < b ? a : b;
    symbol.zeros = reg->class == IR_CLASS_PREDICATE ? 0 : zeros < bits ? zeros : bits - 1;
    if (header->changes[r] == CHANGE_UNKNOWN && header->zeros[r] < symbol.zeros)
        symbol.zeros = header->zeros[r];
    header->changes[r] = CHANGE_UNKNOWN;
    header->zeros[r] = (uint8_t)symbol.zeros;
    header->counters[r] = 0;
    header->any.registers[r] =
        form_of_symbol(&walker->table, bits, symbol_add(&walker->table, &symbol));
}

// Entry + 2^zeros * T, or entry + strides * T, of a new T. It comes back as `came`.
static void make_steps(struct walker *walker, const struct code *code, struct header *header,
                       uint32_t r, unsigned zeros, form_lanes strides, const struct form *came) {
    struct form_table *table = &walker->table;
    const struct form *entry = header->entry.registers[r];
    const uint32_t symbol =
        walker->races && header->loop->has_barrier && !walker->has_parted
            ? race_loop_symbol(walker, r, zeros, strides != NULL)
            : symbol_unknown(table, !walker->has_parted, ~0ull, ORIGIN_LOOP, IR_NONE);
    const struct form *count = form_of_symbol(table, entry->bits, symbol);
    const struct form *grown = form_scale(
        table, count, strides ? strides : form_same_lanes(table, zeros < 64 ? 1ull << zeros : 0));
    const struct form *sum = form_add(table, entry, grown);
    if (!sum) {
        make_unknown(walker, code, header, r, came);
        return;
    }
    header->changes[r] = CHANGE_STEPS;
    header->zeros[r] = (uint8_t)zeros;
    header->strides[r] = strides;
    header->counters[r] = symbol + 1;
    table->symbols.data[symbol].is_steady = true; // until varying_steps() finds otherwise
    header->any.registers[r] = sum;
}

// Entry + strides * R, where R is the number of rounds before. It comes back as `came`.
static void make_rounds(struct walker *walker, const struct code *code, struct header *header,
                        uint32_t r, form_lanes strides, const struct form *came) {
    struct form_table *table = &walker->table;
    const struct form *entry = header->entry.registers[r];
    if (header->rounds == IR_NONE) {
        header->rounds = symbol_unknown(table, !walker->has_parted, ~0ull, ORIGIN_LOOP, IR_NONE);
        table->symbols.data[header->rounds].is_steady = true; // in one round the same everywhere
    }
    const struct form *grown =
        form_scale(table, form_of_symbol(table, entry->bits, header->rounds), strides);
    const struct form *sum = grown ? form_add(table, entry, grown) : NULL;
    if (!sum) {
        make_unknown(walker, code, header, r, came);
        return;
    }
    header->changes[r] = CHANGE_ROUNDS;
    header->strides[r] = strides;
    header->any.registers[r] = sum;
}

// It has grown by the same numbers once more.
static bool is_next_round(struct form_table *table, const struct form *any, const struct form *came,
                          form_lanes strides, uint32_t lanes) {
    const struct form *step = form_subtract(table, came, form_spread(table, any, lanes));
    if (!step || !form_is_concrete(step) || step->bits < any->bits)
        return false;
    for (unsigned l = 0; l < FORM_LANES; l++)
        if ((lanes >> l & 1) && step->base[l] != (strides[l] & form_mask(step->bits)))
            return false;
    return true;
}

// Is the form, in every lane, the strides times something that is the same for all lanes?
static bool is_multiple(const struct walker *walker, const struct form *a, form_lanes strides,
                        uint32_t lanes) {
    const uint64_t mask = form_mask(a->bits);
    for (unsigned n = 0; n <= a->count; n++) {
        const form_lanes part = n < a->count ? a->terms[n].by : a->base;
        if (n < a->count && !form_symbol_of(&walker->table, a->terms[n].symbol)->is_uniform)
            return false;
        bool is_found = false;
        uint64_t factor = 0;
        for (unsigned l = 0; l < FORM_LANES && !is_found; l++)
            if ((lanes >> l & 1) && strides[l]) {
                factor = part[l] / strides[l];
                is_found = true;
            }
        for (unsigned l = 0; l < FORM_LANES; l++)
            if ((lanes >> l & 1) && (strides[l] * factor & mask) != part[l])
                return false;
    }
    return true;
}

// The register comes back as something else than it is in any round. False: it stays possible.
static bool weaken(struct walker *walker, const struct code *code, struct header *header,
                   uint32_t r, const struct state *back, bool is_patient) {
    struct form_table *table = &walker->table;
    const struct form *entry = form_spread(table, header->entry.registers[r], back->may);
    const struct form *came = form_spread(table, back->registers[r], back->may);
    if (form_spread(table, header->any.registers[r], back->may) == came)
        return false;
    const bool is_predicate = code->function->registers[r].class == IR_CLASS_PREDICATE;
    const struct form *grown = form_subtract(table, came, entry);
    if (header->changes[r] == CHANGE_UNKNOWN) {
        if (form_zeros(table, came) >= header->zeros[r])
            return false;
        make_unknown(walker, code, header, r, came);
        return true;
    }
    if (is_predicate && form_is_uniform(table, entry) && form_is_uniform(table, came) &&
        !walker->has_parted) {
        // 0 or 1, the same for all lanes.
        if (header->changes[r] == CHANGE_STEPS)
            return false;
        const uint32_t symbol = symbol_unknown(table, true, 1, ORIGIN_LOOP, IR_NONE);
        header->any.registers[r] = form_of_symbol(table, 64, symbol);
        header->changes[r] = CHANGE_STEPS;
        return true;
    }
    if (header->changes[r] == CHANGE_ROUNDS) {
        const form_lanes strides = header->strides[r];
        if (is_next_round(table, header->any.registers[r], came, strides, back->may))
            return false;
        header->changes[r] = CHANGE_STEPS;
        header->zeros[r] = 64; // by 0 so far
        header->strides[r] = NULL;
        if (is_patient && grown && grown->bits == header->entry.registers[r]->bits &&
            !form_is_uniform(table, grown) && is_multiple(walker, grown, strides, back->may)) {
            make_steps(walker, code, header, r, 0, strides, came);
            return true;
        }
    }
    if (is_predicate || !grown || grown->bits < header->entry.registers[r]->bits || !is_patient) {
        make_unknown(walker, code, header, r, came);
        return true;
    }
    if (header->strides[r]) {
        if (is_multiple(walker, grown, header->strides[r], back->may))
            return false;
        make_unknown(walker, code, header, r, came);
        return true;
    }
    // Of loops with barriers, all warps have the same numbers of rounds: those of each register.
    const bool is_common = walker->races && header->loop->has_barrier;
    if (header->changes[r] == CHANGE_NONE && form_is_concrete(grown) && !is_common) {
        make_rounds(walker, code, header, r, grown->base, came);
        return true;
    }
    if (form_is_uniform(table, grown)) {
        const unsigned zeros = form_zeros(table, grown);
        if (header->changes[r] == CHANGE_STEPS && zeros >= header->zeros[r])
            return false;
        make_steps(walker, code, header, r, zeros, NULL, came);
        return true;
    }
    if (header->changes[r] == CHANGE_NONE && form_is_concrete(grown)) {
        make_steps(walker, code, header, r, 0, grown->base, came);
        return true;
    }
    make_unknown(walker, code, header, r, came);
    return true;
}

static bool is_live(const struct code *code, const struct loop *loop, uint32_t reg) {
    return ir_is_live(&code->live, code->live.in, loop->header, reg);
}

static bool compare(struct walker *walker, const struct code *code, struct header *header,
                    const struct gather *back, bool is_patient) {
    bool has_changed = false;
    if (!back->is_any)
        return false;
    for (uint32_t r = 0; r < code->function->register_count; r++) {
        if (!back->state.registers[r] || !is_live(code, header->loop, r))
            continue;
        if (!header->entry.registers[r]) {
            // Set in an earlier round or, in the first one, not at all.
            if (!header->any.registers[r]) {
                header->any.registers[r] = state_unknown(walker, &code->function->registers[r],
                                                         false, ORIGIN_LOOP, IR_NONE);
                has_changed = true;
            }
            continue;
        }
        has_changed |= weaken(walker, code, header, r, &back->state, is_patient);
    }
    has_changed |= memory_weaken(walker, &header->any.memory, &back->state);
    has_changed |= race_compare(walker, header->loop, &header->any, &back->state);
    const bool is_exact = back->state.is_exact && back->state.may == header->any.may;
    if (header->any.is_exact && !is_exact) {
        header->any.is_exact = false;
        has_changed = true;
    }
    const uint32_t registers = code->function->register_count;
    has_changed |= varying_weaken(&header->any, &header->entry, &back->state, registers);
    has_changed |= varying_steps(walker, &header->any, &back->state, header->counters, registers);
    return has_changed;
}

// Lanes that leave in different rounds hold what the same symbol was then: one for each lane.
static void part_rounds(struct walker *walker, const struct code *code, struct state *state,
                        size_t first) {
    struct form_table *table = &walker->table;
    uint32_t *own = base_alloc((table->symbols.length + 1) * sizeof *own);
    const size_t end = table->symbols.length;
    for (uint32_t r = 0; r < code->function->register_count; r++) {
        const struct form *form = state->registers[r];
        if (!form)
            continue;
        const struct form *result = form_concrete(table, form->bits, form->base);
        for (unsigned t = 0; t < form->count && result; t++) {
            uint32_t symbol = form->terms[t].symbol;
            const bool is_older = symbol < first && race_counts_rounds(walker, symbol);
            if ((symbol >= first || is_older) && symbol < end) {
                const size_t place = symbol;
                if (!own[place]) {
                    struct symbol copy = *form_symbol_of(table, symbol);
                    copy.kind = SYMBOL_UNKNOWN;
                    copy.is_uniform = false;
                    own[place] = symbol_add(table, &copy);
                }
                symbol = own[place];
            }
            const struct form *term =
                form_scale(table, form_of_symbol(table, form->bits, symbol), form->terms[t].by);
            result = form_add(table, result, term);
        }
        state->registers[r] = result ? result
                                     : state_unknown(walker, &code->function->registers[r], false,
                                                     ORIGIN_LOOP, IR_NONE);
    }
    memory_part_rounds(walker, &state->memory, first);
    free(own);
}

// One pass over the loop from the state that stands for any round.
static void run_any(struct walker *walker, const struct code *code, const struct header *header,
                    struct gather *back, gathers *left, struct region *region) {
    struct region inner = region_of_round(header->loop, back, left);
    struct state copy = state_copy(code, &header->any);
    copy.is_sure = true;
    copy.facts = facts_open(&walker->table, copy.facts);
    const uint32_t round = walker->round;
    walker->round = IR_NONE;
    walker->free_rounds++;
    walk_run(walker, code, header->loop->header, copy, &inner, true);
    walker->free_rounds--;
    walker->round = round;
    if (inner.deaths.is_any) { // in one round or another, nobody knows in which
        region->deaths.is_any = region->deaths.is_unsure = region->deaths.is_open = true;
        region->deaths.is_doubtful = region->deaths.is_apart = true;
        varying_lose(&region->deaths, inner.deaths.way, inner.deaths.way_at);
    }
}

// How what changes in steps does so from any round to the next.
static void note_growth(struct walker *walker, const struct code *code, const struct header *header,
                        const struct state *back) {
    struct form_table *table = &walker->table;
    for (uint32_t r = 0; header->loop->has_barrier && r < code->function->register_count; r++) {
        if (header->changes[r] != CHANGE_STEPS ||
            code->function->registers[r].class == IR_CLASS_PREDICATE)
            continue;
        const struct form *came = form_spread(table, back->registers[r], back->may);
        const struct form *any = form_spread(table, header->any.registers[r], back->may);
        const struct form *grown = form_subtract(table, came, any);
        if (grown && header->strides[r])
            grown =
                grown == form_spread(table, form_concrete(table, grown->bits, header->strides[r]),
                                     back->may)
                    ? form_constant(table, grown->bits, 1)
                    : NULL;
        race_note_growth(walker, r, header->zeros[r], header->strides[r] != NULL, grown);
    }
}

static void run_all_rounds(struct walker *walker, const struct code *code, const struct loop *loop,
                           struct state *state, gathers *exits, struct region *region) {
    const uint32_t registers = code->function->register_count;
    struct header header = {.loop = loop,
                            .entry = *state,
                            .any = state_copy(code, state),
                            .changes = base_alloc(registers + 1),
                            .zeros = base_alloc(registers + 1),
                            .strides = base_alloc((registers + 1) * sizeof *header.strides),
                            .counters = base_alloc((registers + 1) * sizeof *header.counters),
                            .rounds = IR_NONE};
    const bool records = walker->records;
    const size_t first = walker->table.symbols.length;
    bool has_changed = true;
    for (uint32_t r = 0; r < registers; r++)
        if (!is_live(code, loop, r)) // what it was does not hold in other rounds
            header.any.registers[r] = NULL;
    const struct race_mark mark = race_begin_round(walker, code, loop, RACE_ANY_ROUND);
    race_enter_any(walker, loop, &header.any);
    walker->records = false;
    for (unsigned pass = 0; has_changed && !walker->trouble; pass++) {
        struct gather back = {.block = loop->header};
        gathers left = {0};
        if (pass == MOST_PASSES)
            walker->trouble = "a loop changes too much from round to round";
        run_any(walker, code, &header, &back, &left, region);
        has_changed = compare(walker, code, &header, &back, pass < PATIENT_PASSES);
        if (!has_changed && back.is_any && header.rounds != IR_NONE) {
            const struct walk_rounds rounds = {header.rounds, (uint32_t)first, &header.entry,
                                               &back.state};
            header.any.facts = walk_rounds_facts(walker, &rounds);
        }
        drop(&left);
        if (back.is_any)
            state_free(&back.state);
    }
    walker->records = records;
    struct gather back = {.block = loop->header};
    gathers left = {0};
    run_any(walker, code, &header, &back, &left, region);
    if (walker->races && back.is_any)
        note_growth(walker, code, &header, &back.state);
    race_leave_any(walker, loop);
    race_end_round(walker, &mark);
    bool are_together = header.any.is_exact;
    for (size_t i = 0; i < left.length; i++)
        are_together &= left.data[i].state.is_exact;
    for (size_t i = 0; i < left.length && !are_together; i++) {
        part_rounds(walker, code, &left.data[i].state, first);
        race_copies_part(walker, &left.data[i].state);
    }
    for (size_t i = 0; i < left.length; i++)
        left.data[i].state.is_sure = false;
    keep(walker, code, exits, &left);
    if (back.is_any)
        state_free(&back.state);
    state_free(&header.entry);
    state_free(&header.any);
    free(header.changes);
    free(header.zeros);
    free(header.strides);
    free(header.counters);
}

// ---- Behind the loop ------------------------------------------------------------------------

static uint32_t first_behind(const struct code *code, const struct loop *loop) {
    uint32_t block = loop->header;
    while (block != IR_NONE && loop->has[block])
        block = code->function->blocks[block].post_dominator;
    return block;
}

// Everybody leaves at once.
static bool are_one_exit(const gathers *exits) {
    for (size_t i = 0; i < exits->length; i++)
        if (!exits->data[i].state.is_exact)
            return false;
    return true;
}

uint32_t walk_loop(struct walker *walker, const struct code *code, const struct loop *loop,
                   struct state *state, struct region *region) {
    gathers exits = {0};
    const struct state before = *state;
    struct region rounds = {.meets = IR_NONE};
    const bool has_ended = run_rounds(walker, code, loop, state, &exits, &rounds);
    if (!has_ended)
        run_all_rounds(walker, code, loop, state, &exits, &rounds);
    // Lanes that wait for some that poll may go on without them, and nothing keeps these together.
    if (loop->polls && !has_ended && (before.may != walker->lanes || !are_one_exit(&exits)))
        walker->has_parted = true;
    const uint32_t meets = first_behind(code, loop);
    struct gather together = {.block = meets};
    struct region behind = *region;
    behind.deaths = behind.leavers = (struct losses){0}; // leavers: of an outer loop
    const bool is_inside = meets != IR_NONE && (!region->loop || region->loop->has[meets]);
    if (is_inside) {
        behind.meets = meets;
        behind.at_meets = &together;
    }
    struct side *sides = base_alloc((exits.length + 1) * sizeof *sides);
    for (size_t i = 0; i < exits.length; i++)
        sides[i] = (struct side){exits.data[i].block, exits.data[i].state};
    walk_sides(walker, code, sides, exits.length, &behind);
    free(sides);
    vec_free(&exits);
    losses_add(&behind.deaths, &rounds.deaths);
    losses_add(&region->deaths, &behind.deaths);
    losses_add(&region->leavers, &behind.leavers);
    if (!together.is_any)
        return IR_NONE;
    *state = gather_meet(&together, &before, &behind);
    state->is_sure &= state->is_exact;
    state->facts = facts_common(state->facts, before.facts);
    return meets;
}
