// What holds on one way through a kernel. See facts.h.
#include "prove/facts.h"

#include "ir/ir.h"
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

static struct range bounds_of(const struct form_table *table, uint32_t symbol) {
    uint64_t low, high;
    symbol_bounds(table, symbol, &low, &high);
    return (struct range){true, low, high};
}

static wide_int divided_down(wide_int a, wide_int b) { // b > 0
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static void narrow(struct range *range, wide_int low, wide_int high) {
    range->low = low > range->low ? low : range->low;
    range->high = high < range->high ? high : range->high;
}

// What follows for the symbol from a sum that is not negative.
static void narrow_by_sum(const struct form_table *table, const struct linear *sum, uint32_t symbol,
                          struct range *range) {
    struct linear others = {.base = sum->base};
    wide_int by = 0;
    for (unsigned t = 0; t < sum->count; t++)
        if (sum->terms[t].symbol == symbol)
            by = sum->terms[t].by;
        else
            others.terms[others.count++] = sum->terms[t];
    const struct range rest = linear_range(table, &others);
    if (!by || !rest.is_known)
        return;
    if (by > 0) // by * s >= -rest
        narrow(range, -divided_down(rest.high, by), range->high);
    else
        narrow(range, range->low, divided_down(rest.high, -by));
}

// The symbol, plus what lies within `rest`, is in [low, high] modulo 2^bits.
static void narrow_modulo(struct range *range, wide_int low, wide_int high, unsigned bits) {
    const wide_int span = (wide_int)1 << bits;
    struct range all = {0};
    if (high - low >= span || range->high - range->low >= 2 * span)
        return;
    for (wide_int away = divided_down(range->low - high, span); low + away * span <= range->high;
         away++) {
        struct range piece = *range;
        narrow(&piece, low + away * span, high + away * span);
        if (piece.low > piece.high)
            continue;
        if (!all.is_known)
            all = piece;
        all.high = piece.high > all.high ? piece.high : all.high;
    }
    if (all.is_known)
        *range = all;
}

// The operand is the symbol, or its negative, and others.
static void narrow_by_operand(const struct form_table *table, const struct condition *condition,
                              unsigned operand, unsigned lane, uint32_t symbol,
                              struct range *range) {
    const struct form *a = condition->symbol->operands[operand];
    const unsigned bits = transfer_bits(ir_value_row(condition->symbol->row)->operands[operand]);
    struct linear sum, others = {0};
    struct range except, value = condition_range(table, condition, operand, lane, &except);
    wide_int by = 0;
    if (a->bits != bits || !(value.is_known || except.is_known))
        return;
    linear_of_sum(a, lane, &sum);
    others.base = sum.base;
    for (unsigned t = 0; t < sum.count; t++)
        if (sum.terms[t].symbol == symbol)
            by = sum.terms[t].by;
        else
            others.terms[others.count++] = sum.terms[t];
    const struct range rest = linear_range(table, &others);
    if ((by != 1 && by != -1) || !rest.is_known)
        return;
    if (except.is_known) { // an end that it cannot be
        const wide_int span = (wide_int)1 << bits, gone = by * (except.low - rest.low);
        if (rest.low != rest.high)
            return;
        range->low += (range->low - gone) % span == 0 && range->low < range->high;
        range->high -= (range->high - gone) % span == 0 && range->low < range->high;
    } else if (by > 0) {
        narrow_modulo(range, value.low - rest.high, value.high - rest.low, bits);
    } else {
        narrow_modulo(range, rest.low - value.high, rest.high - value.low, bits);
    }
}

static struct range narrowed(const struct form_table *table, const struct condition *condition,
                             uint32_t symbol, unsigned lane) {
    struct range range = bounds_of(table, symbol);
    struct linear sums[2];
    const unsigned count = condition_sums(table, condition, lane, sums);
    for (unsigned i = 0; i < count; i++)
        narrow_by_sum(table, &sums[i], symbol, &range);
    for (unsigned operand = 0; operand < 2; operand++)
        narrow_by_operand(table, condition, operand, lane, symbol, &range);
    return range;
}

static bool are_alike(const struct condition *condition) {
    for (unsigned i = 0; i < 2; i++) {
        const struct form *a = condition->symbol->operands[i];
        bool is_same = form_is_same(a->base);
        for (unsigned t = 0; t < a->count; t++)
            is_same &= form_is_same(a->terms[t].by);
        if (!is_same)
            return false;
    }
    return true;
}

// Bounds of a symbol that hold in all lanes.
static void bound_by_condition(struct form_table *table, const struct fact *fact, uint32_t symbol,
                               uint32_t may) {
    const struct symbol row = *form_symbol_of(table, fact->condition);
    const struct condition condition = {&row, fact->holds};
    struct range all = {0};
    if (!may || (may & ~fact->lanes))
        return;
    if (are_alike(&condition))
        may &= -may;
    for (; may; may &= may - 1) {
        const struct range range =
            narrowed(table, &condition, symbol, (unsigned)__builtin_ctz(may));
        if (range.low > range.high) // this lane does not come here
            continue;
        if (!all.is_known)
            all = range;
        all.low = range.low < all.low ? range.low : all.low;
        all.high = range.high > all.high ? range.high : all.high;
    }
    if (all.is_known)
        bound(table, symbol, all.low, all.high);
}

// All symbols of the last conditions, from the table's facts on.
static void bound_all(struct form_table *table, uint32_t may) {
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        const struct fact *before = table->facts;
        unsigned conditions = 0;
        for (const struct fact *at = table->facts; at && conditions < MOST_CONDITIONS;
             at = at->before) {
            if (at->condition == IR_NONE)
                continue;
            conditions++;
            for (unsigned i = 0; i < 2; i++) {
                const struct form *a = form_symbol_of(table, at->condition)->operands[i];
                for (unsigned t = 0; t < a->count; t++)
                    bound_by_condition(table, at, a->terms[t].symbol, may);
            }
        }
        if (table->facts == before) // another sweep would find nothing, either
            break;
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
    facts_enter(table, facts_open(table, before));
    for (uint32_t left = open; left;) {
        const unsigned first = (unsigned)__builtin_ctz(left);
        uint32_t group = 0;
        for (unsigned l = first; l < FORM_LANES; l++)
            group |= (uint32_t)((left >> l & 1) && same_lanes(guard, first, l)) << l;
        add_group(table, guard, group, value);
        left &= ~group;
    }
    bound_all(table, may);
    const struct fact *made = table->facts;
    facts_enter(table, now);
    return made;
}

const struct fact *facts_add(struct form_table *table, const struct fact *before,
                             uint32_t condition, bool holds, uint32_t lanes, uint32_t may) {
    const struct fact *now = table->facts;
    facts_enter(table, before);
    put_condition(table, condition, holds, lanes);
    bound_all(table, may);
    const struct fact *made = table->facts;
    facts_enter(table, now);
    return made;
}

// ---- Bounds of sums -------------------------------------------------------------------------

// Without one of its terms, for which a condition's sum stands: that is not negative, so that what
// is left bounds the sum from one side.
static void range_by_sum(const struct form_table *table, const struct fact *facts,
                         const struct linear *sum, unsigned lane, unsigned depth,
                         struct range *range);

static void eliminate(const struct form_table *table, const struct fact *facts,
                      const struct linear *sum, const struct linear *positive, unsigned lane,
                      unsigned depth, struct range *range) {
    for (unsigned t = 0; t < positive->count; t++) {
        wide_int by = 0;
        for (unsigned s = 0; s < sum->count; s++)
            if (sum->terms[s].symbol == positive->terms[t].symbol)
                by = sum->terms[s].by;
        if (!by || by % positive->terms[t].by)
            continue;
        struct linear rest;
        const wide_int times = by / positive->terms[t].by;
        if (!linear_add(sum, positive, -times, &rest))
            continue;
        struct range left = linear_range(table, &rest);
        if (depth)
            range_by_sum(table, facts, &rest, lane, depth - 1, &left);
        if (!left.is_known)
            continue;
        if (times > 0 && (!range->is_known || left.low > range->low))
            range->low = left.low;
        if (times < 0 && (!range->is_known || left.high < range->high))
            range->high = left.high;
    }
}

static void range_by_sum(const struct form_table *table, const struct fact *facts,
                         const struct linear *sum, unsigned lane, unsigned depth,
                         struct range *range) {
    unsigned conditions = 0;
    if (!range->is_known) // as far as anything can be
        *range = (struct range){true, -((wide_int)1 << 110), (wide_int)1 << 110};
    for (const struct fact *at = facts; at && conditions < MOST_CONDITIONS; at = at->before) {
        if (at->condition == IR_NONE || !(at->lanes >> lane & 1))
            continue;
        const struct condition condition = {form_symbol_of(table, at->condition), at->holds};
        struct linear sums[2];
        const unsigned count = condition_sums(table, &condition, lane, sums);
        conditions++;
        for (unsigned i = 0; i < count; i++)
            eliminate(table, facts, sum, &sums[i], lane, depth, range);
    }
}

// The sum is a multiple of one side of a condition, which lies between limits, and of what is left:
// that holds modulo 2^bits, whether the side wraps or not.
static void range_by_side(const struct form_table *table, const struct condition *condition,
                          unsigned side, unsigned lane, const struct linear *sum, unsigned bits,
                          struct range *range) {
    const struct form *a = condition->symbol->operands[side];
    struct range except, value = condition_range(table, condition, side, lane, &except);
    struct linear own, rest;
    if (a->bits != bits || !value.is_known ||
        transfer_bits(ir_value_row(condition->symbol->row)->operands[side]) != bits)
        return;
    linear_of_sum(a, lane, &own);
    for (unsigned t = 0; t < own.count; t++) {
        wide_int by = 0;
        for (unsigned s = 0; s < sum->count; s++)
            if (sum->terms[s].symbol == own.terms[t].symbol)
                by = sum->terms[s].by;
        const wide_int times = by / own.terms[t].by, most = (wide_int)1 << 34;
        if (!by || by % own.terms[t].by || times > most || -times > most ||
            !linear_add(sum, &own, -times, &rest))
            continue;
        struct range all = linear_range(table, &rest);
        if (!all.is_known)
            continue;
        all.low += times * (times > 0 ? value.low : value.high);
        all.high += times * (times > 0 ? value.high : value.low);
        if (!range->is_known || all.high - all.low < range->high - range->low)
            *range = all;
    }
}

struct range facts_range(struct form_table *table, const struct fact *facts,
                         const struct linear *sum, unsigned bits, unsigned lane) {
    const struct fact *now = table->facts;
    unsigned conditions = 0;
    facts_enter(table, facts);
    bound_all(table, 1u << lane);
    struct range range = linear_range(table, sum);
    range_by_sum(table, facts, sum, lane, 1, &range);
    for (const struct fact *at = facts; at && conditions < MOST_CONDITIONS; at = at->before) {
        if (at->condition == IR_NONE || !(at->lanes >> lane & 1))
            continue;
        const struct condition condition = {form_symbol_of(table, at->condition), at->holds};
        conditions++;
        for (unsigned side = 0; side < 2; side++)
            range_by_side(table, &condition, side, lane, sum, bits, &range);
    }
    facts_enter(table, now);
    return range;
}
