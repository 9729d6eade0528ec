// What holds on one way through a kernel. See facts.h.
#include "prove/facts.h"

#include "ir/ir.h"
#include "prove/narrow.h"
#include "prove/transfer.h"

enum {
    MOST_ATOMS = 4,      // conditions that one guard is made of
    MOST_CONDITIONS = 8, // that bounds are drawn from, the last ones
    SWEEPS = 2,
};

// ---- Lists ----------------------------------------------------------------------------------

static unsigned depth_of(const struct fact *facts) {
    return facts ? facts->depth + 1 : 0;
}

const struct fact *facts_common(const struct fact *a, const struct fact *b) {
    while (a != b)
        if (depth_of(a) >= depth_of(b))
            a = a->before;
        else
            b = b->before;
    return a;
}

static void set_bounds(struct form_table *table, uint32_t symbol, uint64_t low, uint64_t high) {
    table->symbols.data[symbol].now_low = low;
    table->symbols.data[symbol].now_high = high;
}

static void redo(struct form_table *table, const struct fact *to, const struct fact *from) {
    if (to == from)
        return;
    redo(table, to->before, from);
    if (to->symbol != IR_NONE)
        set_bounds(table, to->symbol, to->low, to->high);
}

void facts_enter(struct form_table *table, const struct fact *facts) {
    if (table->facts == facts)
        return;
    const struct fact *common = facts_common(table->facts, facts);
    for (const struct fact *at = table->facts; at != common; at = at->before)
        if (at->symbol != IR_NONE)
            set_bounds(table, at->symbol, at->before_low, at->before_high);
    redo(table, facts, common);
    table->facts = facts;
}

static struct fact *new_fact(struct form_table *table, const struct fact *before) {
    struct fact *fact = ARENA_NEW(table->arena, struct fact);
    *fact = (struct fact){
        .before = before, .depth = depth_of(before), .condition = IR_NONE, .symbol = IR_NONE};
    return fact;
}

const struct fact *facts_open(struct form_table *table, const struct fact *before) {
    return new_fact(table, before);
}

// ---- Bounds of symbols ----------------------------------------------------------------------

// Behind the table's facts.
static void bound(struct form_table *table, uint32_t symbol, wide_int low, wide_int high) {
    const struct symbol *of = form_symbol_of(table, symbol);
    const uint64_t before_low = of->now_low, before_high = of->now_high;
    low = low > (wide_int)before_low ? low : (wide_int)before_low;
    high = high < (wide_int)before_high ? high : (wide_int)before_high;
    // No number at all: nobody comes by here, and anything holds.
    if (low > high || (low == (wide_int)before_low && high == (wide_int)before_high))
        return;
    struct fact *fact = new_fact(table, table->facts);
    fact->symbol = symbol;
    fact->low = (uint64_t)low;
    fact->high = (uint64_t)high;
    fact->before_low = before_low;
    fact->before_high = before_high;
    facts_enter(table, fact);
}

// By a condition, of its symbols.
static void bound_by_condition(struct form_table *table, const struct fact *fact, uint32_t may) {
    const struct symbol row = *form_symbol_of(table, fact->condition);
    const struct condition condition = {&row, fact->holds};
    struct narrowed symbols[NARROW_SYMBOLS];
    if (!may || (may & ~fact->lanes))
        return;
    const unsigned count = narrow_symbols(table, &condition, may, symbols);
    for (unsigned n = 0; n < count; n++)
        if (symbols[n].range.is_known)
            bound(table, symbols[n].symbol, symbols[n].range.low, symbols[n].range.high);
}

// Has the symbol been bounded between the two facts?
static bool is_bounded(const struct fact *since, const struct fact *now, uint32_t symbol) {
    for (; now != since; now = now->before)
        if (now->symbol == symbol)
            return true;
    return false;
}

static bool mentions(const struct form_table *table, const struct fact *fact,
                     const struct fact *since, const struct fact *now) {
    for (unsigned i = 0; i < 2; i++) {
        const struct form *a = form_symbol_of(table, fact->condition)->operands[i];
        for (unsigned t = 0; t < a->count; t++)
            if (is_bounded(since, now, a->terms[t].symbol))
                return true;
    }
    return false;
}

// All symbols of the last conditions, from the table's facts on: first of those that were put
// since; then of those of whose symbols more is known by now.
static void bound_all(struct form_table *table, const struct fact *since, uint32_t may) {
    const struct fact *before = since;
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        const struct fact *now = table->facts;
        unsigned conditions = 0;
        for (const struct fact *at = now; at && conditions < MOST_CONDITIONS; at = at->before) {
            if (sweep == 0 && at == since)
                break;
            if (at->condition == IR_NONE)
                continue;
            conditions++;
            if (sweep > 0 && !mentions(table, at, before, now))
                continue;
            bound_by_condition(table, at, may);
        }
        if (table->facts == now) // another sweep would find nothing, either
            break;
        before = now;
    }
}

// ---- Guards ---------------------------------------------------------------------------------

// Conditions that a guard is made of, by sums and products.
struct atoms {
    unsigned count;
    uint32_t symbols[MOST_ATOMS];
};

static bool add_atoms(const struct form_table *table, uint32_t symbol, struct atoms *atoms) {
    const struct symbol *of = form_symbol_of(table, symbol);
    if (of->kind == SYMBOL_PRODUCT)
        return add_atoms(table, of->factors[0], atoms) && add_atoms(table, of->factors[1], atoms);
    for (unsigned i = 0; i < atoms->count; i++)
        if (atoms->symbols[i] == symbol)
            return true;
    if (of->high > 1 || atoms->count == MOST_ATOMS)
        return false;
    atoms->symbols[atoms->count++] = symbol;
    return true;
}

// What the symbol is where the n-th atom is bit n of `choice`.
static uint64_t value_at(const struct form_table *table, const struct atoms *atoms, unsigned choice,
                         uint32_t symbol) {
    const struct symbol *of = form_symbol_of(table, symbol);
    if (of->kind == SYMBOL_PRODUCT)
        return value_at(table, atoms, choice, of->factors[0]) *
               value_at(table, atoms, choice, of->factors[1]);
    for (unsigned i = 0; i < atoms->count; i++)
        if (atoms->symbols[i] == symbol)
            return choice >> i & 1;
    return 0;
}

static bool same_lanes(const struct form *a, unsigned x, unsigned y) {
    bool is_same = a->base[x] == a->base[y];
    for (unsigned t = 0; t < a->count; t++)
        is_same &= a->terms[t].by[x] == a->terms[t].by[y];
    return is_same;
}

// Atoms that are the same wherever the guard has this value in the lane: bits of what they are.
static void decide(const struct form_table *table, const struct form *guard, unsigned lane,
                   bool value, const struct atoms *atoms, unsigned *ones, unsigned *zeros) {
    *ones = *zeros = (1u << atoms->count) - 1;
    for (unsigned choice = 0; choice < 1u << atoms->count; choice++) {
        uint64_t sum = guard->base[lane];
        for (unsigned t = 0; t < guard->count; t++)
            if (guard->terms[t].by[lane])
                sum += guard->terms[t].by[lane] *
                       value_at(table, atoms, choice, guard->terms[t].symbol);
        if (sum != value)
            continue;
        *ones &= choice;
        *zeros &= ~choice;
    }
}

static void put_condition(struct form_table *table, uint32_t symbol, bool holds, uint32_t lanes) {
    struct fact *fact = new_fact(table, table->facts);
    fact->condition = condition_is_followed(table, symbol) ? symbol : IR_NONE;
    fact->holds = holds;
    fact->lanes = lanes;
    facts_enter(table, fact);
}

// Of lanes in which the guard is made alike.
static void add_group(struct form_table *table, const struct form *guard, uint32_t lanes,
                      bool value) {
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    struct atoms atoms = {0};
    unsigned ones, zeros;
    for (unsigned t = 0; t < guard->count; t++)
        if (guard->terms[t].by[lane] && !add_atoms(table, guard->terms[t].symbol, &atoms))
            return;
    decide(table, guard, lane, value, &atoms, &ones, &zeros);
    for (unsigned i = 0; i < atoms.count; i++)
        if (((ones ^ zeros) >> i) & 1)
            put_condition(table, atoms.symbols[i], ones >> i & 1, lanes);
}

const struct fact *facts_branch(struct form_table *table, const struct fact *before,
                                const struct form *guard, uint32_t open, uint32_t may, bool value) {
    const struct fact *now = table->facts;
    const struct fact *since = facts_open(table, before);
    facts_enter(table, since);
    for (uint32_t left = open; left;) {
        const unsigned first = (unsigned)__builtin_ctz(left);
        uint32_t group = 0;
        for (unsigned l = first; l < FORM_LANES; l++)
            group |= (uint32_t)((left >> l & 1) && same_lanes(guard, first, l)) << l;
        add_group(table, guard, group, value);
        left &= ~group;
    }
    bound_all(table, since, may);
    const struct fact *made = table->facts;
    facts_enter(table, now);
    return made;
}

const struct fact *facts_add(struct form_table *table, const struct fact *before,
                             uint32_t condition, bool holds, uint32_t lanes, uint32_t may) {
    const struct fact *now = table->facts;
    facts_enter(table, before);
    put_condition(table, condition, holds, lanes);
    bound_all(table, before, may);
    const struct fact *made = table->facts;
    facts_enter(table, now);
    return made;
}

// ---- Bounds of sums -------------------------------------------------------------------------

// What the last conditions say in one lane.
struct views {
    unsigned count;
    struct condition conditions[MOST_CONDITIONS];
    struct condition_view of[MOST_CONDITIONS];
};

static void look_at_conditions(const struct form_table *table, const struct fact *facts,
                               unsigned lane, struct views *views) {
    views->count = 0;
    for (const struct fact *at = facts; at && views->count < MOST_CONDITIONS; at = at->before) {
        if (at->condition == IR_NONE || !(at->lanes >> lane & 1))
            continue;
        const struct condition condition = {form_symbol_of(table, at->condition), at->holds};
        condition_look(table, &condition, lane, &views->of[views->count]);
        views->conditions[views->count++] = condition;
    }
}

// Without one of its terms, for which a condition's sum stands: that is not negative, so that what
// is left bounds the sum from one side.
static void range_by_sum(const struct form_table *table, const struct views *views,
                         const struct linear *sum, unsigned depth, struct range *range);

static void eliminate(const struct form_table *table, const struct views *views,
                      const struct linear *sum, const struct linear *positive, unsigned depth,
                      struct range *range) {
    for (unsigned t = 0; t < positive->count; t++) {
        const wide_int by = linear_factor(sum, positive->terms[t].symbol);
        if (!by || by % positive->terms[t].by)
            continue;
        struct linear rest;
        const wide_int times = by / positive->terms[t].by;
        if (!linear_add(sum, positive, -times, &rest))
            continue;
        struct range left = linear_range(table, &rest);
        if (depth)
            range_by_sum(table, views, &rest, depth - 1, &left);
        if (!left.is_known)
            continue;
        if (times > 0 && (!range->is_known || left.low > range->low))
            range->low = left.low;
        if (times < 0 && (!range->is_known || left.high < range->high))
            range->high = left.high;
    }
}

static void range_by_sum(const struct form_table *table, const struct views *views,
                         const struct linear *sum, unsigned depth, struct range *range) {
    if (!range->is_known) // as far as anything can be
        *range = (struct range){true, -((wide_int)1 << 110), (wide_int)1 << 110};
    for (unsigned n = 0; n < views->count; n++)
        for (unsigned i = 0; i < views->of[n].count; i++)
            eliminate(table, views, sum, &views->of[n].sums[i], depth, range);
}

// The sum is a multiple of one side of a condition, which lies between limits, and of what is left:
// that holds modulo 2^bits, whether the side wraps or not.
static void range_by_side(const struct form_table *table, const struct condition *condition,
                          const struct range *value, unsigned side, unsigned lane,
                          const struct linear *sum, unsigned bits, struct range *range) {
    const struct form *a = condition->symbol->operands[side];
    struct linear own, rest;
    if (a->bits != bits || !value->is_known ||
        transfer_bits(ir_value_row(condition->symbol->row)->operands[side]) != bits)
        return;
    linear_of_sum(a, lane, &own);
    for (unsigned t = 0; t < own.count; t++) {
        const wide_int by = linear_factor(sum, own.terms[t].symbol);
        if (!by || by % own.terms[t].by)
            continue;
        const wide_int times = by / own.terms[t].by, most = (wide_int)1 << 34;
        if (times > most || -times > most || !linear_add(sum, &own, -times, &rest))
            continue;
        struct range all = linear_range(table, &rest);
        if (!all.is_known)
            continue;
        all.low += times * (times > 0 ? value->low : value->high);
        all.high += times * (times > 0 ? value->high : value->low);
        if (!range->is_known || all.high - all.low < range->high - range->low)
            *range = all;
    }
}

struct range facts_range(struct form_table *table, const struct fact *facts,
                         const struct linear *sum, unsigned bits, unsigned lane) {
    const struct fact *now = table->facts;
    struct views views;
    facts_enter(table, facts);
    bound_all(table, NULL, 1u << lane);
    struct range range = linear_range(table, sum);
    look_at_conditions(table, facts, lane, &views);
    range_by_sum(table, &views, sum, 1, &range);
    for (unsigned n = 0; n < views.count; n++)
        for (unsigned side = 0; side < 2; side++)
            range_by_side(table, &views.conditions[n], &views.of[n].operands[side], side, lane, sum,
                          bits, &range);
    facts_enter(table, now);
    return range;
}
